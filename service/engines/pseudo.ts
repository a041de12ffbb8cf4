import { plainSpans } from '../../src/text/plain-spans.ts';
import { isBlank } from '../../src/text/unicode.ts';
import type { CreateEngine } from '../engine.ts';

const PLAIN = 'aAbBcCdDeEfFgGhHiIjJkKlLmMnNoOpPqQrRsSuUtTvVwWxXyYzZ';
const ACCENTED = 'áÁƀƁçÇđÐéÉƒƑĝĜĥĤîÎĵĴķĶļĻɱṀñÑöÖþÞǫǪŕŔšŠüÜţŢṽṼŵŴẋẊýÝžŽ';
const accents = new Map(
  Array.from(PLAIN, (letter, index): [string, string] => [letter, ACCENTED.charAt(index)]),
);

/** Growth of a pseudo-translation: translations from English are about a third longer. */
const GROWTH = 0.35;

// Placeholders of ICU, printf, shells and templates; tags, mentions and code.
const placeholder =
  /(\$?\{\{?[^{}\n]{0,100}\}\}?|%(?:\d\$)?[a-zA-Z]\b|\$\w+|<[/@#:!]?&?\w[^<>\n]{0,200}>|`[^`\n]{1,200}`)/;

const accent = (words: string): string =>
  words.replaceAll(/[A-Za-z]/g, (letter) => {
    const accented = accents.get(letter) ?? letter;
    return /[aeiou]/i.test(letter) ? accented + accented.toLowerCase() : accented;
  });

const accentAround = (text: string): string =>
  text
    .split(placeholder)
    .map((part, index) => (index % 2 === 0 ? accent(part) : part))
    .join('');

/**
 * Translates into the pseudo-locale `en-XA`: readable, yet visibly translated (accents), complete
 * (brackets at both ends) and about 35 % longer. Tokens of `protect`, addresses, mentions, code,
 * digits and placeholders such as `{name}` and `%s` are kept; the same text always gives the same
 * result.
 */
export const pseudoLocalise = (text: string): string => {
  if (isBlank(text)) return text;
  let result = '';
  let from = 0;
  for (const span of plainSpans(text)) {
    result += accentAround(text.slice(from, span.start)) + text.slice(span.start, span.end);
    from = span.end;
  }
  result += accentAround(text.slice(from));
  const inner = result.trim();
  const start = result.indexOf(inner);
  const missing = Math.ceil(text.trim().length * GROWTH) - (inner.length - text.trim().length) - 2;
  const padding = missing > 0 ? ` ${'~'.repeat(missing)}` : '';
  return `${result.slice(0, start)}[${inner}${padding}]${result.slice(start + inner.length)}`;
};

const NAME = 'pseudo';

/** Creates the engine of the pseudo-locale, which marks the text that a translation would change. */
export const createEngine: CreateEngine = () => ({
  name: NAME,
  serves: ['translation'],
  isForDevelopers: true,
  rank: 1,
  concurrent: 16,
  abilities: async () => ({
    translation: {
      translates: (_from, to) => to.toLowerCase() === 'en-xa',
      translate: async function* ({ text }) {
        yield { text: pseudoLocalise(text), model: NAME };
      },
    },
  }),
  report: async () => ({
    name: NAME,
    serves: ['translation'],
    ready: true,
    detail: 'any language to en-XA, the pseudo-locale',
  }),
  remedy: () => undefined,
  [Symbol.asyncDispose]: async () => {},
});
