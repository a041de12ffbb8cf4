import {
  type CodeBlock,
  type RichText,
  code,
  codeBlock,
  link,
  paragraph,
  text,
  type Block,
  type Inline,
  type Text,
} from '../rich-text.ts';
import { bareAddressEnd } from '../web-address.ts';
import {
  escapeBy,
  writeBlocks,
  type EscapeRules,
  type RowPlace,
  type WriteDialect,
} from '../parse/write.ts';
import { linesOf, normalise } from '../normalise.ts';
import { withoutSpacesAfter } from '../../text/unicode.ts';
import { asText, map, mapBlocks, mapInline, mapRows } from '../walk.ts';
import type { OutgoingFile } from '../../model/message.ts';
import { withoutSpoilers } from '../reduce.ts';

const spacesBefore = /^[^\S\n]+/;

const withWords = (node: Text, words: string): Text => (words === node.text ? node : text(words));

const tidyRow = (row: readonly Inline[]): readonly Inline[] => {
  const inner = mapInline(row, (node) =>
    node.kind === 'text' && node.text.includes('\n')
      ? withWords(node, linesOf(node.text).join('\n'))
      : node,
  );
  const result = inner.map((node, at) => {
    if (node.kind !== 'text') return node;
    const begun = at === 0 ? node.text.replace(spacesBefore, '') : node.text;
    return withWords(node, at === inner.length - 1 ? withoutSpacesAfter(begun) : begun);
  });
  return result.every((node, at) => node === row[at]) ? row : result;
};

/** The tree with no white space at the beginning and end of lines, where Markdown gives it meaning. */
export const withTidyLines = (tree: RichText): RichText => mapRows(tree, tidyRow);

const held = (node: Inline): Inline | readonly Inline[] => {
  if (node.kind === 'underline') return node.children;
  if (node.kind === 'mention' || node.kind === 'emoji' || node.kind === 'timestamp')
    return asText(node);
  if (node.kind === 'link') return node.noPreview ? link(node.url, ...node.children) : node;
  return node.kind === 'code' && node.text.includes('\n')
    ? code(node.text.replaceAll('\n', ' '))
    : node;
};

const heldBlock = (block: Block): Block => {
  if (block.kind === 'subtext') return paragraph(...block.children);
  return block.kind === 'code-block' && block.spoiler
    ? codeBlock(block.text, block.language)
    : block;
};

/**
 * Reduces a tree to what Markdown can hold: mentions, custom emoji and timestamps become words,
 * nothing is underlined or small, no link is without a preview, code blocks are not hidden, and
 * lines have no white space around them.
 */
export const reduceMarkdown = (tree: RichText): RichText =>
  normalise(withTidyLines(normalise(map(mapBlocks(normalise(tree), heldBlock), held))));

const special = /[\\*_`~|[\]<]|&(?=[a-zA-Z][a-zA-Z\d]*;|#\w+;|$)|(?<=https?):(?=\/\/)/gi;
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

const codeBlockOf = ({ text: written, language = '' }: CodeBlock): string => {
  const longest = Math.max(2, ...(written.match(ticks) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${written}\n${fence}`;
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

/** A text too long for messages, as Markdown without what its spoilers hide: a file shows all that it holds. */
export const asTextFile = (tree: RichText): OutgoingFile => ({
  name: 'text.txt',
  mediaType: 'text/plain; charset=utf-8',
  bytes: new TextEncoder().encode(renderMarkdown(withoutSpoilers(tree))),
});
