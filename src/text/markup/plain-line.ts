import { oneLine as flatten } from '../one-line.ts';
import { shorten } from '../split/shorten.ts';

export { flatten };

const MARKUP = /[\\`*_~|<>[\]()#]/g;
/** Words of others, fit to stand in a sentence of ours: one line, and no markup. */
export const plainLine = (text: string, longest = 300): string =>
  shorten(flatten(text), longest).replaceAll(MARKUP, '\\$&');

/** What somebody typed, shown back as such: short, on one line, in code marks. */
export const inCode = (typed: string, longest = 60): string =>
  `\`${shorten(flatten(typed.replaceAll('`', ' ')), longest)}\``;
