import { normalise } from '../normalise.ts';
import { code, withoutSeparators, type RichText } from '../rich-text.ts';
import { ENTITY, entityChar } from '../../text/entities.ts';
import type { InlineDialect, InlineScan } from '../parse/inline-scan.ts';
import type { MarkerKind } from '../parse/inline-stack.ts';
import { parseBlocks, type BlockDialect } from '../parse/parse-blocks.ts';
import { withTidyLines } from './render.ts';

const MARKERS: ReadonlyMap<string, MarkerKind> = new Map([
  ['*', 'italic'],
  ['_', 'italic'],
  ['**', 'bold'],
  ['__', 'bold'],
  ['~~', 'strike'],
  ['||', 'spoiler'],
]);

const space = /\s/;
const wordChar = /[\p{L}\p{N}_]/u;
const punctuation = /[!-/:-@[-`{-~]/;
// No modifier within the pattern: Node.js 24 at times forgets it.
const angled = /<(?<url>(?:https?:\/\/|mailto:|tel:)[^<>\s]{1,4096})>/iy;
const entity = new RegExp(ENTITY, 'y');

const readEntity = (scan: InlineScan, at: number): number => {
  const groups = scan.groups(entity, at);
  return groups ? scan.plain(entityChar(groups), at, entity.lastIndex) : -1;
};

const backticks = (scan: InlineScan, at: number): number => {
  const start = scan.runEnd(at);
  const length = start - at;
  const close = scan.ticks(length, start);
  if (close >= scan.blankLine(at)) return start;
  const body = withoutSeparators(scan.text.slice(start, close)).replaceAll('\n', ' ');
  const isPadded = body.startsWith(' ') && body.endsWith(' ') && body.trim() !== '';
  return scan.node(code(isPadded ? body.slice(1, -1) : body), at, close + length);
};

const atom = (scan: InlineScan, at: number, found: string): number => {
  const { text } = scan;
  switch (found) {
    case '\\': {
      const next = text[at + 1] ?? '';
      // A backslash at a line's end is a line break, which every line has already.
      if (next === '\n') return scan.plain('', at, at + 1);
      return punctuation.test(next) ? scan.plain(next, at, at + 2) : -1;
    }
    case '`':
      return backticks(scan, at);
    case '<': {
      const url = scan.groups(angled, at)?.['url'];
      if (url === undefined) return -1;
      return scan.node({ kind: 'link', url, children: [] }, at, angled.lastIndex);
    }
    case '&':
      return readEntity(scan, at);
    default:
      return scan.address(at);
  }
};

const inline: InlineDialect = {
  candidates: /[\\`*_~|[\]<&\n]|https?:\/\//gi,
  markers: MARKERS,
  mayOpen: (marker, before, after) => {
    if (marker === '||') return true;
    return !space.test(after) && !(marker.startsWith('_') && wordChar.test(before));
  },
  mayClose: (marker, before, after) => {
    if (marker === '||') return true;
    return !space.test(before) && !(marker.startsWith('_') && wordChar.test(after));
  },
  atom,
  isLabel: (label) => label.trim() !== '',
};

// A fence after an item's marker begins a code block too.
const LINES = [
  String.raw`(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?<fence>${'`'}{3,}|~{3,})(?<info>[^${'`'}\n]*)(?=\n|$)`,
  String.raw`(?<heading>#{1,6})[ \t]+(?=\S)`,
  String.raw`(?<bullet>[-*+])[ \t]+(?=\S)`,
  String.raw`(?<number>\d{1,9})[.)][ \t]+(?=\S)`,
].join('|');

const dialect: BlockDialect = {
  inline,
  beginning: new RegExp(String.raw`[ \t]*(?:${LINES}|(?<quote>>) ?)`, 'y'),
  beginningInQuote: new RegExp(String.raw`[ \t]*(?:${LINES})`, 'y'),
  quoteDepth: 3,
  fenceInLine: false,
  headingEnd: /[ \t]#+$/,
};

/**
 * Parses the Markdown that chats, the web page and language models share: CommonMark's emphasis,
 * code, links, quotes, lists and headings, `~~strike~~` and `||spoilers||`. Every line break
 * counts, as in chats; a line that is not quoted ends a quote, and HTML, images, tables and rules
 * are text. Bare addresses are links; an unclosed fence is code to the end.
 */
export const parseMarkdown = (written: string): RichText =>
  normalise(withTidyLines(normalise(parseBlocks(written.replaceAll(/\r\n?/g, '\n'), dialect))));
