import { normalise } from '../../../src/rich-text/normalise.ts';
import {
  code,
  codeBlock,
  emoji,
  SEPARATOR,
  withoutSeparators,
  type RichText,
} from '../../../src/rich-text/rich-text.ts';
import type { InlineDialect, InlineScan } from '../../../src/rich-text/parse/inline-scan.ts';
import type { MarkerKind } from '../../../src/rich-text/parse/inline-stack.ts';
import { parseBlocks, type BlockDialect } from '../../../src/rich-text/parse/parse-blocks.ts';
import { EMOJI_NAME, PLATFORM, readAngle, unescape } from './atoms.ts';

const MARKERS: ReadonlyMap<string, MarkerKind> = new Map([
  ['*', 'bold'],
  ['_', 'italic'],
  ['~', 'strike'],
]);

const FENCE = '```';
const angle = /<(?<inner>[^<>\n]{1,8000})>/y;
const shortcode = new RegExp(`:(?<name>${EMOJI_NAME}):`, 'uy');
const entity = /(?<entity>&(?:amp|lt|gt);)/y;
const addressStop = /&[lg]t;|[*_~](?![\p{L}\p{N}/])/u;
export const spaceOrSeparator = new RegExp(String.raw`[\s${SEPARATOR}]`);
export const wordChar = /[\p{L}\p{N}]/u;

const backticks = (scan: InlineScan, at: number): number => {
  const { text } = scan;
  const start = scan.runEnd(at);
  if (text[start] === SEPARATOR) return start;
  if (start - at >= FENCE.length) {
    const close = text.indexOf(FENCE, at + FENCE.length);
    const body = close < 0 ? '' : text.slice(at + FENCE.length, close);
    if (!/[^\n]/.test(body)) return start;
    return scan.node(codeBlock(unescape(withoutSeparators(body))), at, close + FENCE.length);
  }
  const close = scan.ticks(1, start);
  const body = text.slice(start, close);
  if (start - at !== 1 || close >= text.length || body.includes('\n')) return start;
  return scan.node(code(unescape(withoutSeparators(body))), at, close + 1);
};

const atom = (scan: InlineScan, at: number, found: string): number => {
  switch (found) {
    case '`':
      return backticks(scan, at);
    case '<': {
      const inner = scan.groups(angle, at)?.['inner'];
      const node = inner === undefined ? undefined : readAngle(inner);
      return node ? scan.node(node, at, angle.lastIndex) : -1;
    }
    case ':': {
      const name = scan.groups(shortcode, at)?.['name'];
      if (name === undefined) return -1;
      return scan.node(emoji(PLATFORM, name, name), at, shortcode.lastIndex);
    }
    case '&': {
      const written = scan.groups(entity, at)?.['entity'];
      return written === undefined ? -1 : scan.plain(unescape(written), at, entity.lastIndex);
    }
    default:
      return scan.address(at, (body) => body.search(addressStop), unescape);
  }
};

const inline: InlineDialect = {
  candidates: /[*_~`<&:\n]|https?:\/\//gi,
  markers: MARKERS,
  mayOpen: (_, before, after) => !wordChar.test(before) && !spaceOrSeparator.test(after),
  mayClose: (_, before, after) => !spaceOrSeparator.test(before) && !wordChar.test(after),
  atom,
};

const dialect: BlockDialect = {
  inline,
  beginning: /(?<rest>(?:>|&gt;){3}) ?|(?<quote>>|&gt;) ?/y,
  beginningInQuote: /(?!)/y,
  quoteDepth: 1,
  fenceInLine: true,
};

/**
 * Parses Slack's `mrkdwn`: the text of a message or of a text object. Emoji become nodes with their
 * names, as the text holds nothing else.
 */
export const parseMrkdwn = (written: string): RichText =>
  normalise(parseBlocks(written.replaceAll(/\r\n?/g, '\n'), dialect));
