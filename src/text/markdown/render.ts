import type { CodeBlock, RichText } from '../../model/rich-text.ts';
import { bareAddressEnd } from '../markup/bare-address.ts';
import { writeBlocks } from '../markup/write-blocks.ts';
import type { RowDialect, RowPlace } from '../markup/write-rows.ts';
import { reduceMarkdown } from './reduce.ts';

const special = /[\\*_`~|[\]<&]|:(?=\/\/)/g;
const lineBeginning =
  /^([ \t]*)(?:(?:#{1,6}|[-*+])(?=\s|$)|>|-{2,}[ \t]*$|={1,}[ \t]*$|(\d{1,9})(?=[.)](?:\s|$)))/gm;
const entity = /&(?:[a-z][a-z\d]*|#\w+);/iy;

const escapeSign = (sign: string, at: number, whole: string, place: RowPlace): string => {
  const before = whole[at - 1];
  const after = whole[at + 1];
  switch (sign) {
    case '\\':
      return after !== undefined && /[^!-/:-@[-`{-~\n]/.test(after) ? sign : String.raw`\\`;
    case '*':
      return /^[^\S\n]\s$/.test(`${before ?? ''}${after ?? ''}`) ? sign : String.raw`\*`;
    case '_':
      return /^[\p{L}\p{N}]{2}$/u.test(`${before ?? ''}${after ?? ''}`) ? sign : String.raw`\_`;
    case '~':
    case '|':
      return before === undefined || after === undefined || before === sign || after === sign
        ? `\\${sign}`
        : sign;
    case '<':
      return after !== undefined && /[\s\d=,.-]/.test(after) ? sign : String.raw`\<`;
    case ']':
      return place.inLabel ? String.raw`\]` : sign;
    case '&':
      entity.lastIndex = at;
      return entity.test(whole) || after === undefined ? String.raw`\&` : sign;
    default:
      return `\\${sign}`;
  }
};

const markLine = (found: string, indent: string, number: string | undefined): string =>
  number === undefined ? `${indent}\\${found.slice(indent.length)}` : `${found}\\`;

/** Number signs that would close a heading. */
const lineEnd = /(?<=^|[ \t])#+$/;

/** Escapes text so that nothing in it is markup or an address. */
const escapeText = (written: string, place: RowPlace): string => {
  const escaped = written.replaceAll(special, (sign, at: number) =>
    escapeSign(sign, at, written, place),
  );
  const marked = withLinesMarked(escaped, place.lineStart);
  return marked.endsWith('#') ? marked.replace(lineEnd, String.raw`\$&`) : marked;
};

const withLinesMarked = (escaped: string, lineStart: boolean): string => {
  if (lineStart) return escaped.replaceAll(lineBeginning, markLine);
  const next = escaped.indexOf('\n') + 1;
  return next === 0
    ? escaped
    : escaped.slice(0, next) + escaped.slice(next).replaceAll(lineBeginning, markLine);
};

const ticks = /`+/g;

const codeOf = (written: string): string => {
  const lengths = new Set(written.match(ticks)?.map((run) => run.length));
  let length = 1;
  while (lengths.has(length)) length += 1;
  const tick = '`'.repeat(length);
  const isPadded = /^`|`$|^ .* $/.test(written);
  return isPadded ? `${tick} ${written} ${tick}` : `${tick}${written}${tick}`;
};

const codeBlockOf = ({ text, language = '' }: CodeBlock): string => {
  const longest = Math.max(2, ...(text.match(ticks) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
};

const row: RowDialect = {
  markers: { bold: '**', italic: '*', underline: '', strike: '~~', spoiler: '||' },
  text: escapeText,
  code: codeOf,
  bareLink: (url, _, after) => {
    const isWhole = /^(?:\s|[.,;:!?)]+\s)/.test(after) && !/[*_~]/.test(url);
    return isWhole && bareAddressEnd(url + after, 0) === url.length ? url : `<${url}>`;
  },
  target: (url) => `](${url})`,
  other: () => '',
};

/**
 * Writes a tree as Markdown (see `parseMarkdown`). Text stays text, whatever it contains, and never
 * becomes a mention on any platform that reads Markdown.
 */
export const renderMarkdown = (tree: RichText): string =>
  writeBlocks(reduceMarkdown(tree), { row, codeBlock: codeBlockOf });
