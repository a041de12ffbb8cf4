import emojiWords from './emoji-words.json' with { type: 'json' };
import type { Span, SpanKind } from '../markup/span.ts';

/** What is said in place of what is not read, in the voice's language. */
export interface SpokenWords {
  /** Before the host of an address. Default: the host alone. */
  readonly link?: string;
  /** For code, and for rows of signs that no one can read. Default: nothing. */
  readonly code?: string;
  /** For what is hidden. Default: nothing. */
  readonly spoiler?: string;
}

export interface SpokenOptions {
  /** The voice's language, for emoji, flags and times. Without it emoji are not read. */
  readonly locale?: string;
  /** The name behind a mention, given as it is written (`<@1>`); undefined if it is not known. */
  readonly names?: (mention: string) => string | undefined;
  readonly words?: SpokenWords;
}

/** Says one part of a text that is not language; '' where there is nothing to say. */
export type SaySpan = (span: Span, written: string) => string;

/**
 * Short names of the emoji most used in chat, by language (Unicode CLDR, by way of emojibase). The
 * rest, and those in other languages, are left out: a voice cannot read them.
 */
const WORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = emojiWords;

const wordsFor = (locale: string | undefined): Readonly<Record<string, string>> =>
  WORDS[locale?.split(/[-_]/)[0]?.toLowerCase() ?? ''] ?? {};

const keycap = /^\d(?=\uFE0F?\u20E3$)/;
const flag = /^\p{RI}{2}$/u;
const FIRST_INDICATOR = 0x1f1e6;

/** The place whose flag this is; '' where there is none, or no word for it. */
const placeOf = (written: string, locale: string): string => {
  const code = Array.from(written, (sign) =>
    String.fromCharCode(65 + sign.codePointAt(0)! - FIRST_INDICATOR),
  ).join('');
  try {
    const places = new Intl.DisplayNames(locale, { type: 'region', fallback: 'none' });
    return places.of(code) ?? '';
  } catch {
    // A locale that is none.
    return '';
  }
};

// Presentation and skin do not change the name.
const variation = /\uFE0F|\p{EMod}/gu;

const readable = (name: string): string =>
  name.replaceAll(/[_~]+/g, ' ').replaceAll(/(\p{Ll})(?=\p{Lu})/gu, '$1 ');

/** The host of an address, or whom a `mailto:` is for. */
export const hostOf = (address: string): string => {
  const [, rest = ''] = /^<?(?:https?:\/\/)?(?:www\.)?([^/?#>|]*)/i.exec(address) ?? [];
  return rest.replace(/^mailto:|^tel:/i, '');
};

/** What a mention itself tells: `<#C1|general>`, `</ask:1>`, `<!here>`, `@everyone`. */
const labelOf = (mention: string): string => {
  const [, label] = /[|]@?#?([^>]*)>$|^<\/([^:]*):/.exec(mention) ?? [];
  if (label) return label;
  const [, word = ''] = /^<[!/]([a-z][\w -]*)[:>]/i.exec(mention) ?? /^@(\w+)$/.exec(mention) ?? [];
  return word;
};

const TIME_STYLES: Readonly<Record<string, Intl.DateTimeFormatOptions>> = {
  t: { hour: 'numeric', minute: 'numeric', timeZoneName: 'short' },
  T: { hour: 'numeric', minute: 'numeric', timeZoneName: 'short' },
  d: { day: 'numeric', month: 'long', year: 'numeric' },
  D: { day: 'numeric', month: 'long', year: 'numeric' },
};
const DATE_AND_TIME: Intl.DateTimeFormatOptions = { ...TIME_STYLES.D, ...TIME_STYLES.t };

/** What a timestamp says, in UTC and saying so, for whoever listens may be anywhere. */
export const timeOf = (written: string, locale: string | undefined): string => {
  const slack = /^<!date\^.*\|([^>]*)>$/.exec(written);
  if (slack) return slack[1] ?? '';
  const [, seconds = '', style = 'f'] = /^<t:(-?\d+)(?::(\w))?>$/.exec(written) ?? [];
  if (seconds === '') return '';
  const options = { ...(TIME_STYLES[style] ?? DATE_AND_TIME), timeZone: 'UTC' };
  try {
    return new Intl.DateTimeFormat(locale ?? 'en', options).format(Number(seconds) * 1000);
  } catch {
    // A locale that is none, or a time beyond all calendars.
    return '';
  }
};

export const createSpokenSpans = ({ locale, names, words = {} }: SpokenOptions): SaySpan => {
  const emojiNames = wordsFor(locale);
  let lastEmoji = { word: '', end: -1 };
  const wordOf = (written: string): string =>
    flag.test(written) && locale !== undefined
      ? placeOf(written, locale)
      : (emojiNames[written.replaceAll(variation, '')] ?? '');
  /** A row of one emoji is said once. */
  const once = (span: Span, word: string): string => {
    const again = word === lastEmoji.word && span.start - lastEmoji.end <= 1;
    lastEmoji = { word, end: span.end };
    return again ? '' : word;
  };
  const named: SaySpan = (span, written) => once(span, readable(written.split(':')[1] ?? ''));

  const say: Partial<Record<SpanKind, SaySpan>> = {
    emoji: (span, written) => keycap.exec(written)?.[0] ?? once(span, wordOf(written)),
    'custom-emoji': named,
    shortcode: named,
    mention: (_, written) => names?.(written) ?? readable(labelOf(written)),
    timestamp: (_, written) => timeOf(written, locale),
    url: (_, written) =>
      words.link === undefined ? hostOf(written) : `${words.link}: ${hostOf(written)}`,
    code: () => words.code ?? '',
    'code-block': () => words.code ?? '',
    email: (_, written) => written,
    term: (span, written) => span.replacement ?? written,
  };
  return (span, written) => say[span.kind]?.(span, written) ?? '';
};
