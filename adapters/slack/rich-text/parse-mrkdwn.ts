import { normalise } from '../../../src/model/normalise-rich-text.ts';
import { code, codeBlock, emoji, link, type RichText } from '../../../src/model/rich-text.ts';
import { SEPARATOR, withoutSeparators } from '../../../src/model/separator.ts';
import { bareAddressEnd } from '../../../src/text/markup/bare-address.ts';
import type { InlineDialect, InlineScan } from '../../../src/text/markup/inline-scan.ts';
import type { MarkerKind } from '../../../src/text/markup/inline-stack.ts';
import { parseBlocks, type BlockDialect } from '../../../src/text/markup/parse-blocks.ts';
import { readAngle, unescape } from './angles.ts';
import { EMOJI_NAME, PLATFORM } from './ids.ts';

const MARKERS: ReadonlyMap<string, MarkerKind> = new Map([
  ['*', 'bold'],
  ['_', 'italic'],
  ['~', 'strike'],
]);

const FENCE = '```';
const angle = /<(?<inner>[^<>\n]{1,8000})>/y;
const shortcode = new RegExp(`:(?<name>${EMOJI_NAME}):`, 'uy');
const entity = /&(?:amp|lt|gt);/y;
const addressStop = /&[lg]t;|[*_~](?![\p{L}\p{N}/])/u;
export const spaceOrSeparator = new RegExp(String.raw`[\s${SEPARATOR}]`);
export const wordChar = /[\p{L}\p{N}]/u;

const backticks = (scan: InlineScan, at: number): number => {
  const { text, ahead } = scan;
  const start = ahead.runEnd(at);
  if (text[start] === SEPARATOR) return start;
  if (start - at >= FENCE.length) {
    const close = text.indexOf(FENCE, at + FENCE.length);
    const body = close < 0 ? '' : text.slice(at + FENCE.length, close);
    if (!/[^\n]/.test(body)) return start;
    return scan.node(codeBlock(unescape(withoutSeparators(body))), at, close + FENCE.length);
  }
  const close = ahead.ticks(1, start);
  if (start - at !== 1 || close >= text.length || text.slice(start, close).includes('\n'))
    return start;
  return scan.node(code(unescape(withoutSeparators(text.slice(start, close)))), at, close + 1);
};

const atom = (scan: InlineScan, at: number, found: string): number => {
  const { text } = scan;
  switch (found) {
    case '`':
      return backticks(scan, at);
    case '<': {
      angle.lastIndex = at;
      const inner = angle.exec(text)?.groups?.['inner'];
      const end = angle.lastIndex;
      const node = inner === undefined ? undefined : readAngle(inner);
      return node ? scan.node(node, at, end) : -1;
    }
    case ':': {
      shortcode.lastIndex = at;
      const name = shortcode.exec(text)?.groups?.['name'];
      if (name === undefined) return -1;
      return scan.node(emoji(PLATFORM, name, name), at, shortcode.lastIndex);
    }
    case '&': {
      entity.lastIndex = at;
      const written = entity.exec(text)?.[0];
      if (written === undefined) return -1;
      return scan.plain(unescape(written), at, at + written.length);
    }
    default: {
      const end = bareAddressEnd(text, at, (body) => body.search(addressStop));
      if (end < 0) return -1;
      return scan.node(link(unescape(withoutSeparators(text.slice(at, end)))), at, end);
    }
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
