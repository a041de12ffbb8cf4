import { normalise } from '../../../src/rich-text/normalise.ts';
import {
  code,
  codeBlock,
  emoji,
  isSecond,
  link,
  mention,
  timestamp,
  type Inline,
  type RichText,
  type TimestampStyle,
} from '../../../src/rich-text/rich-text.ts';
import { mapRows } from '../../../src/rich-text/walk.ts';
import type { InlineDialect, InlineScan } from '../../../src/rich-text/parse/inline-scan.ts';
import type { MarkerKind } from '../../../src/rich-text/parse/inline-stack.ts';
import { parseBlocks, type BlockDialect } from '../../../src/rich-text/parse/parse-blocks.ts';
import { PLATFORM } from '../ids.ts';
import { withAddressesApart } from './render.ts';

const FENCE = '```';

const angle = new RegExp(
  `<(?:${[
    String.raw`@(?<role>&)?!?(?<person>\d{1,20})>`,
    String.raw`#(?<channel>\d{1,20})>`,
    String.raw`(?<moving>a)?:(?<emoji>\w{1,64}):(?<emojiId>\d{1,20})>`,
    String.raw`t:(?<seconds>-?\d{1,16})(?::(?<style>[tTdDfFRsS]))?>`,
    // No modifier `(?i:)`: Node.js 24 at times forgets it.
    String.raw`(?<url>(?:[hH][tT][tT][pP][sS]?:\/\/|[mM][aA][iI][lL][tT][oO]:|[tT][eE][lL]:)[^<>|\s]{1,4096})>`,
    String.raw`\/(?<command>[-_'\p{L}\p{N} ]{1,100}):(?<commandId>\d{1,20})>`,
    String.raw`id:(?<page>\w[\w\-]{0,40})>`,
  ].join('|')})`,
  'uy',
);
const everybody = /@(?<word>everyone|here)(?![A-Za-z0-9])/y;
const language = /^(?<language>[\w+\-.#]{1,32})\n+(?=[^\n])/;
/** The shrug, which Discord keeps whole, backslash included. */
const SHRUG = String.raw`¯\_(ツ)_/¯`;

const angled = (scan: InlineScan, at: number): Inline | undefined => {
  const groups = scan.groups(angle, at);
  if (!groups) return undefined;
  const { role, person, channel, emoji: name, emojiId = '', url, command, page } = groups;
  if (person !== undefined) return mention(PLATFORM, role ? 'role' : 'member', person);
  if (channel !== undefined) return mention(PLATFORM, 'channel', channel);
  if (name !== undefined) return emoji(PLATFORM, emojiId, name, groups['moving'] !== undefined);
  if (url !== undefined) return { ...link(url), noPreview: true };
  if (command !== undefined)
    return mention(PLATFORM, 'command', groups['commandId'] ?? '', command);
  if (page !== undefined) return mention(PLATFORM, 'page', page);
  const seconds = Number(groups['seconds']);
  const style = groups['style']?.replace(/^[sS]$/, 'f') as TimestampStyle | undefined;
  return isSecond(seconds) ? timestamp(seconds, style) : undefined;
};

/** Reads a closed fence, wherever it stands; an unclosed one is text. */
const fenced = (scan: InlineScan, at: number): number => {
  const start = at + FENCE.length;
  const close = scan.text.indexOf(FENCE, start);
  const inner = close < 0 ? '' : scan.text.slice(start, close);
  if (!/[^\n]/.test(inner)) return -1;
  const found = language.exec(inner);
  const body = found ? inner.slice(found[0].length) : inner;
  return scan.node(codeBlock(body, found?.groups?.['language']), at, close + FENCE.length);
};

const backticks = (scan: InlineScan, at: number): number => {
  const start = scan.runEnd(at);
  const length = start - at;
  if (length >= FENCE.length) {
    const end = fenced(scan, at);
    return end < 0 ? start : end;
  }
  const close = scan.ticks(length, start);
  if (close >= scan.blankLine(at)) return start;
  return scan.node(code(scan.text.slice(start, close)), at, close + length);
};

const escaped = (scan: InlineScan, at: number): number => {
  const next = String.fromCodePoint(scan.text.codePointAt(at + 1) ?? 0x20);
  if (/[0-9A-Za-z\s]/.test(next)) return at + 1;
  return scan.plain(next, at, at + 1 + next.length);
};

const atom = (scan: InlineScan, at: number, found: string): number => {
  switch (found) {
    case '\\':
      return escaped(scan, at);
    case '`':
      return backticks(scan, at);
    case '<': {
      const node = angled(scan, at);
      return node ? scan.node(node, at, angle.lastIndex) : -1;
    }
    case '@': {
      const word = scan.groups(everybody, at)?.['word'];
      if (word === undefined) return -1;
      return scan.node(mention(PLATFORM, 'broadcast', word), at, everybody.lastIndex);
    }
    case '¯':
      return scan.text.startsWith(SHRUG, at) ? scan.plain(SHRUG, at, at + SHRUG.length) : -1;
    default:
      return scan.address(at);
  }
};

const MARKERS: ReadonlyMap<string, MarkerKind> = new Map([
  ['*', 'italic'],
  ['_', 'italic'],
  ['**', 'bold'],
  ['__', 'underline'],
  ['~~', 'strike'],
  ['||', 'spoiler'],
]);

const space = /\s/;
const wordChar = /\w/;

const inline: InlineDialect = {
  candidates: /[\\`*_~|[\]<@\n¯]|https?:\/\//gi,
  markers: MARKERS,
  // Only a single asterisk needs words beside it; a single underscore closes at a word's end.
  mayOpen: (marker, _, after) => marker !== '*' || !space.test(after),
  mayClose: (marker, before, after) => {
    if (marker === '*') return !space.test(before);
    return marker !== '_' || !wordChar.test(after);
  },
  atom,
  // A label that looks like an address is shown as it is written.
  isLabel: (label) => label.trim() !== '' && !label.includes('://'),
  angledIsQuiet: true,
};

const LINES = String.raw`(?<heading>#{1,3})[ \t]+(?=\S)|(?<subtext>-#)[ \t]+(?=\S)|(?<bullet>[-*])[ \t]+(?=\S)|(?<number>\d{1,9})\.[ \t]+(?=\S)`;

const dialect: BlockDialect = {
  inline,
  beginning: new RegExp(String.raw`[ \t]*(?:${LINES}|(?<rest>>>>) |(?<quote>>) )`, 'y'),
  beginningInQuote: new RegExp(String.raw`[ \t]*(?:${LINES})`, 'y'),
  quoteDepth: 1,
  fenceInLine: true,
};

/**
 * Parses a message as Discord's client shows it. Every address that the client turns into a link is
 * a link node; `@everyone` and `@here` are mentions even where their writer may not use them. An
 * unclosed fence is text, and inline code does not reach over an empty line.
 */
export const parseDiscord = (written: string): RichText => {
  const read = normalise(parseBlocks(written.replaceAll(/\r\n?/g, '\n'), dialect));
  return written.includes('://') ? normalise(mapRows(read, withAddressesApart)) : read;
};
