import {
  code,
  codeBlock,
  emoji,
  link,
  mention,
  timestamp,
  type Inline,
  type TimestampStyle,
} from '../../../src/model/rich-text.ts';
import type { InlineScan } from '../../../src/text/markup/inline-scan.ts';
import { PLATFORM } from '../ids.ts';
import { withoutSeparators } from '../../../src/model/separator.ts';

/** The last second that a JavaScript date can hold. */
export const LAST_SECOND = 8_640_000_000_000;
const FENCE = '```';

const angle = new RegExp(
  [
    String.raw`@(?<role>&)?!?(?<person>\d{1,20})>`,
    String.raw`#(?<channel>\d{1,20})>`,
    String.raw`(?<moving>a)?:(?<emoji>\w{1,64}):(?<emojiId>\d{1,20})>`,
    String.raw`t:(?<seconds>-?\d{1,16})(?::(?<style>[tTdDfFRsS]))?>`,
    String.raw`(?<url>(?i:https?:\/\/|mailto:|tel:)[^<>|\s]{1,4096})>`,
    String.raw`\/(?<command>[-_'\p{L}\p{N} ]{1,100}):(?<commandId>\d{1,20})>`,
    String.raw`id:(?<page>\w[\w\-]{0,40})>`,
  ].join('|'),
  'uy',
);
const everybody = /@(?<word>everyone|here)(?![A-Za-z0-9])/y;
const language = /^(?<language>[\w+\-.#]{1,32})\n+(?=[^\n])/;
/** The shrug, which Discord keeps whole, backslash included. */
const SHRUG = String.raw`¯\_(ツ)_/¯`;

const styleOf = (letter: string | undefined): TimestampStyle =>
  letter === undefined || letter === 's' || letter === 'S' ? 'f' : (letter as TimestampStyle);

const angled = (text: string, at: number): { node: Inline; end: number } | undefined => {
  angle.lastIndex = at + 1;
  const groups = angle.exec(text)?.groups as
    | Readonly<Record<string, string | undefined>>
    | undefined;
  if (!groups) return undefined;
  const end = angle.lastIndex;
  const { role, person, channel, emoji: name, emojiId = '', seconds, url, command, page } = groups;
  if (person !== undefined)
    return { node: mention(PLATFORM, role ? 'role' : 'member', person), end };
  if (channel !== undefined) return { node: mention(PLATFORM, 'channel', channel), end };
  if (name !== undefined)
    return { node: emoji(PLATFORM, emojiId, name, groups['moving'] !== undefined), end };
  if (url !== undefined) return { node: { ...link(url), noPreview: true }, end };
  if (command !== undefined)
    return { node: mention(PLATFORM, 'command', groups['commandId'] ?? '', command), end };
  if (page !== undefined) return { node: mention(PLATFORM, 'page', page), end };
  return Math.abs(Number(seconds)) <= LAST_SECOND
    ? { node: timestamp(Number(seconds), styleOf(groups['style'])), end }
    : undefined;
};

/** Reads a closed fence, wherever it stands; an unclosed one is text. */
const fenced = (scan: InlineScan, at: number): number => {
  const { text } = scan;
  const close = text.indexOf(FENCE, at + FENCE.length);
  if (close < 0) return -1;
  const inner = text.slice(at + FENCE.length, close);
  if (!/[^\n]/.test(inner)) return -1;
  const found = language.exec(inner);
  const body = withoutSeparators(found ? inner.slice(found[0].length) : inner);
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
  const body = scan.text.slice(start, close);
  return scan.node(code(withoutSeparators(body)), at, close + length);
};

const escaped = (scan: InlineScan, at: number): number => {
  const next = String.fromCodePoint(scan.text.codePointAt(at + 1) ?? 0x20);
  if (/[0-9A-Za-z\s]/.test(next)) return at + 1;
  return scan.plain(next, at, at + 1 + next.length);
};

/** Reads a node that is no pair of markers; see `InlineDialect.atom`. */
export const atom = (scan: InlineScan, at: number, found: string): number => {
  const { text } = scan;
  switch (found) {
    case '\\':
      return escaped(scan, at);
    case '`':
      return backticks(scan, at);
    case '<': {
      const whole = angled(text, at);
      return whole ? scan.node(whole.node, at, whole.end) : -1;
    }
    case '@': {
      everybody.lastIndex = at;
      const word = everybody.exec(text)?.groups?.['word'];
      return word === undefined
        ? -1
        : scan.node(mention(PLATFORM, 'broadcast', word), at, everybody.lastIndex);
    }
    case '¯':
      return text.startsWith(SHRUG, at) ? scan.plain(SHRUG, at, at + SHRUG.length) : -1;
    default:
      return scan.address(at);
  }
};
