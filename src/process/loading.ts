/** Options of Node.js for children and threads: they load TypeScript as their parent does. */
export const LOADING: string[] = [
  '--import',
  new URL('../../scripts/load-stripped.mjs', import.meta.url).href,
];
