import { onlyRow } from '../rich-text/compose.ts';
import type { RichText } from '../rich-text/rich-text.ts';
import { plainInline } from '../rich-text/walk.ts';

/** Lists that people type into one option: languages, and channels with a language each. */

interface Finder {
  /** The code of a language; undefined if unknown. */
  find(typed: string): string | undefined;
}

/** Most words in a language's name. */
const LONGEST_NAME_WORDS = 3;
const COMMAS = /[,;、，；\n]+/u;

export interface TypedLanguages {
  /** Codes without repetition, in the order in which they were typed. */
  readonly languages: readonly string[];
  readonly unknown: readonly string[];
}

/** Reads codes or names, separated by commas or spaces: `es, Traditional Chinese fr`. */
export const readLanguages = (typed: string, finder: Finder): TypedLanguages => {
  const languages = new Set<string>();
  const unknown = new Set<string>();
  for (const piece of typed.split(COMMAS)) {
    const words = piece.split(/\s+/u).filter((word) => word !== '');
    while (words.length > 0) {
      let length = Math.min(LONGEST_NAME_WORDS, words.length);
      while (length > 1 && finder.find(words.slice(0, length).join(' ')) === undefined) length -= 1;
      const name = words.splice(0, length).join(' ');
      const code = finder.find(name);
      if (code === undefined) unknown.add(name);
      else languages.add(code);
    }
  }
  return { languages: [...languages], unknown: [...unknown] };
};

/**
 * Splits typed text into what stands before the language being typed, and the possible beginnings
 * of that language: everything since the last comma, then the last word alone.
 */
export const splitTyped = (
  typed: string,
): readonly { readonly before: string; readonly last: string }[] =>
  [
    /^(?<before>.*[,;、，；\n])?(?<last>[^,;、，；\n]*)$/su,
    /^(?<before>.*[\s,;、，；])?(?<last>[^\s,;、，；]*)$/su,
  ].map((shape) => {
    const { before = '', last = '' } = shape.exec(typed)?.groups ?? {};
    return { before, last: last.trim() };
  });

export interface TypedChannel {
  readonly id: string;
  readonly typed: string;
  /** The language's code; undefined where the typed text is no language. */
  readonly language: string | undefined;
}

const AROUND = /^[\s,;:=→、，；：]+|[\s,;:=→、，；：]+$/gu;

/**
 * Reads mentions of a platform's channels, each followed by its language. Undefined where anything
 * stands before the first mention, such as a name that was typed instead of chosen.
 */
export const readChannels = (
  typed: RichText,
  languages: Finder,
  platform: string,
): readonly TypedChannel[] | undefined => {
  const nodes = onlyRow(typed);
  if (!nodes) return undefined;
  const parts = [{ id: '', words: '' }];
  for (const node of nodes)
    if (node.kind === 'mention' && node.target === 'channel' && node.platform === platform)
      parts.push({ id: node.id, words: '' });
    else parts.at(-1)!.words += plainInline([node]);
  const [before, ...channels] = parts.map(({ id, words }) => {
    const language = words.replaceAll(AROUND, '');
    return { id, typed: language, language: languages.find(language) };
  });
  return before?.typed === '' ? channels : undefined;
};
