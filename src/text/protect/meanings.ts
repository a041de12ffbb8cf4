import type { Leaf } from '../../rich-text/pieces/pieces.ts';
import { languageOf } from '../language/language-names.ts';
import substitutes from './substitutes.json' with { type: 'json' };
import { numberIn } from './read-tokens.ts';
import { isPaired, type Token, type TokenSpan } from './token.ts';

/**
 * Meaning of a token, so that an engine can translate the words around it. A token ends parts of
 * the text that others begin, begins parts itself, and may stand for a word.
 */
export interface TokenMeaning {
  /** Number of parts that end. */
  readonly closes?: number | undefined;
  /** A word or a few, of at most `LONGEST_WORD` UTF-16 units; never somebody's name. */
  readonly word?: string | undefined;
  /** Number of parts that begin: styles, spoilers, labels of links. */
  readonly opens?: number | undefined;
}

/** Meanings by the numbers of tokens; others stand for nothing that a sentence needs. */
export type TokenMeanings = ReadonlyMap<number, TokenMeaning>;

/** Longest word or term, in UTF-16 units: longer ones are no part of a sentence. */
const LONGEST_WORD = 60;

/** Longest code and host that stand for themselves: models translate or break longer ones. */
const LONGEST_CODE = 32;

/** Most parts that begin or end at one token; no person writes a text with more, and it has no meanings. */
const MOST_PARTS = 50;

const scriptOf = (language: string): string => {
  try {
    return new Intl.Locale(language).maximize().script ?? '';
  } catch {
    return '';
  }
};

type ByLanguage = Readonly<Record<string, string | undefined>>;

const namesByScript: Readonly<Record<string, readonly string[] | undefined>> = substitutes.names;

/** Letters and digits, with the signs within names of commands, files and variables. */
const codeWord = /[\p{L}\p{N}](?:[\p{L}\p{M}\p{N} ._-]*[\p{L}\p{M}\p{N}])?/u;

/** The first words of a name, or code; none where it is too long, or may be the address of a person. */
const wordIn = (written: string | undefined, longest: number): string | undefined =>
  written !== undefined && written.length <= longest && !written.includes('@')
    ? codeWord.exec(written)?.[0]
    : undefined;

const hostOf = (address: string): string => {
  if (/^(?!https?:)[a-z][a-z\d+.-]*:/i.test(address)) return substitutes.host;
  const url = address.includes('://') ? address : `https://${address}`;
  const host = URL.parse(url)?.hostname.replace(/^www\./, '') ?? '';
  return host !== '' && host.length <= LONGEST_CODE ? host : substitutes.host;
};

/** Words in place of things that are not language, in the language of the text around them. */
class Substitutes {
  readonly #language: string;
  readonly #names: readonly string[];
  /** Names by what they stand for. */
  readonly #given = new Map<string, string>();

  constructor(language: string) {
    this.#language = languageOf(language);
    this.#names = namesByScript[scriptOf(language)] ?? substitutes.names.Latn;
  }

  #fixed(words: ByLanguage): string | undefined {
    return words[this.#language];
  }

  /** A given name for somebody: the same for the same person of a text, another for others. */
  #name(key: string): string {
    const name = this.#given.get(key) ?? this.#names[this.#given.size % this.#names.length] ?? '';
    this.#given.set(key, name);
    return name;
  }

  #ofLeaf(leaf: Leaf): string | undefined {
    switch (leaf.kind) {
      case 'code':
        return wordIn(leaf.text, LONGEST_CODE);
      case 'link':
        return leaf.url.startsWith('http') ? hostOf(leaf.url) : substitutes.host;
      case 'timestamp':
        return leaf.style === 'R' ? this.#fixed(substitutes.soon) : substitutes.time;
      case 'emoji':
        return undefined;
      case 'mention':
        if (leaf.target === 'member') return this.#name(leaf.id);
        if (leaf.target === 'broadcast') return this.#fixed(substitutes.everyone);
        if (leaf.target === 'channel' || leaf.target === 'command')
          return wordIn(leaf.name?.replaceAll(/[-_]+/g, ' '), LONGEST_WORD);
        return this.#fixed(substitutes.friends);
    }
  }

  of(span: TokenSpan, written: string): string | undefined {
    if (span.kind === 'object')
      return span.piece.kind === 'leaf' ? this.#ofLeaf(span.piece.node) : undefined;
    if (span.kind === 'term') return written.length <= LONGEST_WORD ? written : undefined;
    if (span.kind === 'url') return hostOf(written);
    if (span.kind === 'email') return substitutes.host;
    if (span.kind === 'code') return wordIn(written, LONGEST_CODE);
    if (span.kind !== 'name') return undefined;
    return /^@(?:everyone|here)$/.test(written)
      ? this.#fixed(substitutes.everyone)
      : this.#name(written);
  }
}

/** The meaning of a token with these two meanings one after the other. */
const joined = (first: TokenMeaning, second: TokenMeaning): TokenMeaning => {
  const { closes = 0, opens = 0 } = first;
  const within = Math.min(opens, second.closes ?? 0);
  return {
    closes: closes + (second.closes ?? 0) - within,
    word: first.word ?? second.word,
    opens: opens - within + (second.opens ?? 0),
  };
};

const isNothing = ({ closes, word, opens }: TokenMeaning): boolean =>
  closes === 0 && word === undefined && opens === 0;

const isTooDeep = ({ closes = 0, opens = 0 }: TokenMeaning): boolean =>
  Math.max(closes, opens) > MOST_PARTS;

const NOTHING: TokenMeaning = { closes: 0, opens: 0 };

/**
 * Finds what the tokens of a text stand for.
 *
 * @param text the text in which the tokens' spans stand
 * @param language BCP 47 code of the text's language
 * @param given meanings of tokens that stand in the text itself, as terms
 */
export const meaningsOf = (
  text: string,
  tokens: readonly Token[],
  language: string,
  given: TokenMeanings = new Map(),
): TokenMeanings => {
  const words = new Substitutes(language);
  const meaningOf = (span: TokenSpan): TokenMeaning => {
    if (span.kind === 'object' && isPaired(span.piece))
      return span.piece.kind === 'open' ? { opens: 1 } : { closes: 1 };
    const written = text.slice(span.start, span.end);
    const number = numberIn(written);
    return number === undefined ? { word: words.of(span, written) } : (given.get(number) ?? {});
  };
  const meanings = new Map<number, TokenMeaning>();
  for (const [index, { spans }] of tokens.entries()) {
    const meaning = spans.map(meaningOf).reduce(joined, NOTHING);
    if (isTooDeep(meaning)) return new Map();
    if (!isNothing(meaning)) meanings.set(index + 1, meaning);
  }
  return meanings;
};

const token = /⟦(\d{1,9})⟧/g;

export const meaningsIn = (part: string, meanings: TokenMeanings): TokenMeanings => {
  const numbers = Array.from(part.matchAll(token), ([, digits]) => Number(digits));
  const own = new Map<number, TokenMeaning>();
  for (const number of numbers) {
    const meaning = meanings.get(number);
    if (meaning) own.set(number, meaning);
  }
  return own;
};
