import { ENTITY, entityChar } from '../../src/text/entities.ts';
import { readTokens, tokenText } from '../../src/text/protect/read-tokens.ts';
import type { TokenMeaning, TokenMeanings } from '../../src/text/protect/meanings.ts';
import { escapeHtml } from './run-tags.ts';

/** Tags, comments, and elements whose content is no language. */
const MARKUP =
  /<!--[\s\S]*?(?:-->|$)|<(script|style|pre|code|textarea|svg)\b[\s\S]*?(?:<\/\1\s*>|$)|<[!?]?\/?[a-z][^>]*>/giu;
/** Tags that stand within sentences; others end them. */
const INLINE =
  /^<\/?(?:a|abbr|b|bdi|bdo|big|cite|data|del|dfn|em|font|i|img|ins|kbd|mark|q|s|samp|small|span|strike|strong|sub|sup|time|tt|u|var|wbr|code)\b/iu;
/** Tags, and code with its tags, that begin and end nothing. */
const ALONE = /^<(?:code|img|wbr)\b|\/>$/iu;
const ENTITIES = new RegExp(ENTITY, 'gu');
const WORD = /\p{L}/u;

/** The text that HTML without tags writes; brackets in it are no tokens. */
const unescaped = (html: string): string =>
  html
    .replaceAll(ENTITIES, (_, name?: string, decimal?: string, hex?: string) =>
      entityChar({ name, decimal, hex }),
    )
    .replaceAll(/[⟦⟧]/gu, ' ');

const escaped = (text: string): string => escapeHtml(text).replaceAll('\u00A0', '&nbsp;');

/** A passage that is translated as one: plain text, in which tags are tokens numbered from 1. */
export interface HtmlPassage {
  readonly text: string;
  readonly tags: readonly string[];
  readonly meanings: TokenMeanings;
}

/** A text in HTML: passages, and markup between them that stays. */
export type HtmlPart = HtmlPassage | string;

const meaningOf = (tag: string): TokenMeaning => {
  if (ALONE.test(tag)) return {};
  return tag.startsWith('</') ? { closes: 1 } : { opens: 1 };
};

/** Cuts a text in HTML into passages and the markup between them. */
export const htmlParts = (whole: string): readonly HtmlPart[] => {
  // No tag begins where none ends any more; each that might would be searched to the end.
  const end = whole.lastIndexOf('>') + 1;
  const html = whole.slice(0, end) + whole.slice(end).replaceAll('<', '&lt;');
  const parts: HtmlPart[] = [];
  let text = '';
  let tags: string[] = [];
  const flush = (): void => {
    if (WORD.test(text.replaceAll(/⟦\d+⟧/gu, ''))) {
      const meanings = new Map(tags.map((tag, index) => [index + 1, meaningOf(tag)]));
      parts.push({ text, tags, meanings });
    } else parts.push(withTags(text, tags));
    text = '';
    tags = [];
  };
  let from = 0;
  for (const found of html.matchAll(MARKUP)) {
    text += unescaped(html.slice(from, found.index));
    from = found.index + found[0].length;
    if (INLINE.test(found[0])) {
      tags.push(found[0]);
      text += tokenText(tags.length);
    } else {
      flush();
      parts.push(found[0]);
    }
  }
  text += unescaped(html.slice(from));
  flush();
  return parts;
};

/** Puts tags back in the place of their tokens. Tags whose tokens are missing stand at the end. */
export const withTags = (text: string, tags: readonly string[]): string => {
  const left = new Set(tags.keys());
  const written = readTokens(text, () => true).map((stretch) => {
    if (typeof stretch === 'string') return escaped(stretch);
    return left.delete(stretch - 1) ? (tags[stretch - 1] ?? '') : '';
  });
  return [...written, ...[...left].map((index) => tags[index])].join('');
};
