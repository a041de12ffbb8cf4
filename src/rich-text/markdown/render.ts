import type { CodeBlock, RichText } from '../rich-text.ts';
import { bareAddressEnd } from '../parse/bare-address.ts';
import {
  escapeBy,
  writeBlocks,
  type EscapeRules,
  type RowPlace,
  type WriteDialect,
} from '../parse/write.ts';
import { reduceMarkdown } from './reduce.ts';

const special = /[\\*_`~|[\]<]|&(?=[a-zA-Z][a-zA-Z\d]*;|#\w+;|$)|:(?=\/\/)/g;
const lineBeginning =
  /^([ \t]*)(?:(?:#{1,6}|[-*+])(?=\s|$)|>|-{2,}[ \t]*$|={1,}[ \t]*$|(\d{1,9})(?=[.)](?:\s|$)))/gm;

/** Number signs that would close a heading. */
const lineEnd = /(?<=^|[ \t])#+$/;

const rules: EscapeRules = {
  special,
  lineBeginning,
  isWords: (sign, before, after) =>
    (sign === '\\' && /^[^!-/:-@[-`{-~\n]$/.test(after)) ||
    (sign === '_' && /^[\p{L}\p{N}]{2}$/u.test(before + after)),
};

/** Escapes text so that nothing in it is markup or an address. */
const escapeText = (written: string, place: RowPlace): string => {
  const marked = escapeBy(rules, written, place);
  return marked.endsWith('#') ? marked.replace(lineEnd, String.raw`\$&`) : marked;
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

const dialect: WriteDialect = {
  markers: { bold: '**', italic: '*', underline: '', strike: '~~', spoiler: '||' },
  text: escapeText,
  code: codeOf,
  bareLink: (url, _, after) => {
    const isWhole = /^(?:\s|[.,;:!?)]+\s)/.test(after) && !/[*_~]/.test(url);
    return isWhole && bareAddressEnd(url + after, 0) === url.length ? url : `<${url}>`;
  },
  target: (url) => `](${url})`,
  other: () => '',
  codeBlock: codeBlockOf,
};

/**
 * Writes a tree as Markdown (see `parseMarkdown`). Text stays text, whatever it contains, and never
 * becomes a mention on any platform that reads Markdown.
 */
export const renderMarkdown = (tree: RichText): string =>
  writeBlocks(reduceMarkdown(tree), dialect);
