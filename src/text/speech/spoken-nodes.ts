import type { Mention, Timestamp } from '../../model/rich-text.ts';
import type { FlatSpan, Piece } from '../pieces/pieces.ts';
import type { TermSpan } from '../protect/terms.ts';
import emojiWords from './emoji-words.json' with { type: 'json' };

/** Words that are read in place of unreadable parts, in the voice's language. */
export interface SpokenWords {
  /** Words before the host of an address. Default: the host alone. */
  readonly link?: string;
  /** Words for code, and for unreadable strings. Default: nothing. */
  readonly code?: string;
  /** Words for hidden text. Default: nothing. */
  readonly spoiler?: string;
}

export interface SpokenOptions {
  /** The voice's language, for emoji, flags and times. Without it emoji are not read. */
  readonly locale?: string;
  /** The name behind a mention; undefined if it is not known, and the mention's own name is read. */
  readonly names?: (mention: Mention) => string | undefined;
  readonly words?: SpokenWords;
}

/**
 * Short names of the emoji most used in chat, by language (Unicode CLDR, from emojibase). Other
 * emoji, and those in other languages, are not read: voices cannot pronounce them.
 */
const WORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = emojiWords;

const wordsFor = (locale: string | undefined): Readonly<Record<string, string>> =>
  WORDS[locale?.split(/[-_]/)[0]?.toLowerCase() ?? ''] ?? {};

const keycap = /^\d(?=\uFE0F?\u20E3$)/;
const flag = /^\p{RI}{2}$/u;
const FIRST_INDICATOR = 0x1f1e6;

/** The region of a flag; '' for any other emoji, and for regions without a name. */
const placeOf = (written: string, locale: string): string => {
  const code = Array.from(written, (sign) =>
    String.fromCharCode(65 + (sign.codePointAt(0) ?? FIRST_INDICATOR) - FIRST_INDICATOR),
  ).join('');
  try {
    const places = new Intl.DisplayNames(locale, { type: 'region', fallback: 'none' });
    return places.of(code) ?? '';
  } catch {
    // Invalid as a locale.
    return '';
  }
};

// Variation selectors and skin tones do not change the name.
const variation = /\uFE0F|\p{EMod}/gu;

const readable = (name: string): string =>
  name.replaceAll(/[_~]+/g, ' ').replaceAll(/(\p{Ll})(?=\p{Lu})/gu, '$1 ');

/** The host of an address, or the recipient of a `mailto:`. */
export const hostOf = (address: string): string => {
  const [, rest = ''] = /^(?:https?:\/\/)?(?:www\.)?([^/?#>|]*)/i.exec(address) ?? [];
  return rest.replace(/^mailto:|^tel:/i, '');
};

const TIME_STYLES: Readonly<Record<string, Intl.DateTimeFormatOptions>> = {
  t: { hour: 'numeric', minute: 'numeric', timeZoneName: 'short' },
  T: { hour: 'numeric', minute: 'numeric', timeZoneName: 'short' },
  d: { day: 'numeric', month: 'long', year: 'numeric' },
  D: { day: 'numeric', month: 'long', year: 'numeric' },
};
const DATE_AND_TIME: Intl.DateTimeFormatOptions = { ...TIME_STYLES.D, ...TIME_STYLES.t };

/** A timestamp in words, in UTC and marked as such, as listeners may be in any time zone. */
export const timeOf = (
  { seconds, style }: Pick<Timestamp, 'seconds' | 'style'>,
  locale: string | undefined,
): string => {
  const options = { ...(TIME_STYLES[style] ?? DATE_AND_TIME), timeZone: 'UTC' };
  try {
    return new Intl.DateTimeFormat(locale ?? 'en', options).format(seconds * 1000);
  } catch {
    // An invalid locale, or a time outside the calendar.
    return '';
  }
};

/** Reads the parts of a flat text that are not language; '' where nothing is to be read. */
export class NodeSpeaker {
  readonly #options: SpokenOptions;
  readonly #emojiNames: Readonly<Record<string, string>>;
  #lastEmoji = { word: '', end: -1 };

  constructor(options: SpokenOptions) {
    this.#options = options;
    this.#emojiNames = wordsFor(options.locale);
  }

  word(span: FlatSpan | TermSpan, written: string): string {
    switch (span.kind) {
      case 'object':
        return this.#piece(span.piece, span.start);
      case 'term':
        return span.replacement ?? written;
      case 'url':
        return this.#address(written);
      case 'email':
        return written;
      case 'name':
        return readable(written.slice(1));
      case 'emoji':
        return keycap.exec(written)?.[0] ?? this.#once(this.#wordOf(written), span.start, span.end);
      case 'shortcode':
        return this.#once(readable(written.split(':')[1] ?? ''), span.start, span.end);
      case 'bracket':
        return '';
    }
  }

  #piece(piece: Piece, at: number): string {
    const { locale, names, words } = this.#options;
    if (piece.kind === 'block') return (piece.block.spoiler ? words?.spoiler : words?.code) ?? '';
    if (piece.kind !== 'leaf') return '';
    const { node } = piece;
    switch (node.kind) {
      case 'code':
        return words?.code ?? '';
      case 'link':
        return this.#address(node.url);
      case 'mention':
        return names?.(node) ?? readable(node.name ?? (node.target === 'broadcast' ? node.id : ''));
      case 'emoji':
        return this.#once(readable(node.name.split('::')[0] ?? ''), at, at + 1);
      case 'timestamp':
        return timeOf(node, locale);
    }
  }

  #address(url: string): string {
    const { link } = this.#options.words ?? {};
    return link === undefined ? hostOf(url) : `${link}: ${hostOf(url)}`;
  }

  #wordOf(emoji: string): string {
    const { locale } = this.#options;
    return flag.test(emoji) && locale !== undefined
      ? placeOf(emoji, locale)
      : (this.#emojiNames[emoji.replaceAll(variation, '')] ?? '');
  }

  /** Reads a run of the same emoji once. */
  #once(word: string, start: number, end: number): string {
    const again = word === this.#lastEmoji.word && start - this.#lastEmoji.end <= 1;
    this.#lastEmoji = { word, end };
    return again ? '' : word;
  }
}
