/** Start of the names of folders that are not whole yet, in the folder of models. */
export const STAGING = '.staging-';

/** The address to fetch from: that of a mirror has the path of the file's own address. */
export const mirrored = (url: string, mirror: string | undefined): string =>
  mirror === undefined ? url : `${mirror.replace(/\/$/, '')}${new URL(url).pathname}`;
