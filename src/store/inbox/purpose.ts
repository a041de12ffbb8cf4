/** What a row of a watched channel is for. */
export const WATCH = 'watch';

const FLAG = 'flag:';

/** What a row is for that a reaction asked for. */
export const flagPurpose = (language: string): string => `${FLAG}${language}`;

/** The language that a row's reaction asked for; undefined for rows of watched channels. */
export const flaggedLanguage = (purpose: string): string | undefined =>
  purpose.startsWith(FLAG) ? purpose.slice(FLAG.length) : undefined;
