import { createHash } from 'node:crypto';
import type { MessageRef } from '../../../src/model/place.ts';
import { plainLine } from '../../../src/text/markup/plain-line.ts';
import type { Mirror } from '../../../src/ports/channel-feed.ts';
import { linkTo, PLATFORM } from '../ids.ts';

const TAG_CHARS = 10;

/** A short name of a message, the same each time. */
export const tagOf = ({ channel, id }: MessageRef): string =>
  createHash('sha256')
    .update(JSON.stringify([channel.space.platform, channel.id, id]))
    .digest('hex')
    .slice(0, TAG_CHARS);

/** How the footer of each copy of this message ends; messages of elsewhere have no address here. */
const endOf = (source: MessageRef): string =>
  source.channel.space.platform === PLATFORM
    ? `](<${linkTo(source.channel, source.id)}>)`
    : ` · \`${tagOf(source)}\``;

/**
 * The last line of a copy under somebody's name. It says what the copy was made of, to people and to
 * us: webhooks have no nonce, so what a lost answer left behind is found by it.
 */
export const footerOf = ({ mark, source }: Pick<Mirror, 'mark' | 'source'>): string =>
  source.channel.space.platform === PLATFORM
    ? `-# [${plainLine(mark)}${endOf(source)}`
    : `-# ${plainLine(mark)}${endOf(source)}`;

const footer =
  /^(?<line>-# (?:\[[^\n]*\]\(<https:\/\/discord\.com\/channels\/[^>\s]+>\)|[^\n]* · `[0-9a-f]{10}`))(?: (?<part>\d+)\/(?<parts>\d+))?$/;

export interface Footer {
  readonly line: string;
  /** Of a copy in several parts: which one, from 1, and of how many. */
  readonly part: number;
  readonly parts: number;
}

/** Undefined for any other line. */
export const readFooter = (line: string): Footer | undefined => {
  const groups = footer.exec(line)?.groups;
  if (!groups?.['line']) return undefined;
  const { line: found, part = '1', parts = '1' } = groups;
  return { line: found, part: Number(part), parts: Number(parts) };
};

/** All of a message: one for each copy in it, or of a part of one. */
export const footersIn = (content: string): readonly Footer[] =>
  content.split('\n').flatMap((line) => readFooter(line) ?? []);

/** Whether a footer is of a copy of this message, whatever its mark. */
export const isOfSource = (line: string, source: MessageRef): boolean =>
  line.endsWith(endOf(source));

/** What others wrote must not look like a footer of ours. */
export const withoutFooters = (text: string): string =>
  text
    .split('\n')
    .map((line) => (readFooter(line.trim()) ? `\\${line.trimStart()}` : line))
    .join('\n');
