import { quotedWords } from '../../src/command/helpers.ts';
import { rootOf, type Message, type OutgoingFile } from '../../src/model/message.ts';
import { lines } from '../../src/rich-text/compose.ts';
import { timestamp, type RichText } from '../../src/rich-text/rich-text.ts';
import { plainText } from '../../src/rich-text/walk.ts';
import type { MissedMessages } from '../../src/command/services.ts';
import { shownOf, unshownReplies, withReplies } from './replies.ts';
import { beyond, extentOf, type CatchUp, type ReadingContext } from './reading.ts';
import { failedNote, translated, type ReadMessage } from './translate.ts';
import { mediaOf } from './words.ts';

/** Longest time for the translations of a file: answers of Discord can be shown for 15 minutes. */
const FILE_MS = 5 * 60_000;
/** Replies that are in a file. */
const REPLIES = { threads: 10, each: 20 };
/** Characters of a time without its seconds: `2026-11-29T14:03`. */
const MINUTE_CHARS = 16;

/** The most replies that a file of messages holds beside them. */
export const mostReplies = (messages: readonly Message[], ctx: ReadingContext): number =>
  messages
    .flatMap((message) => shownOf(message, REPLIES, ctx) || [])
    .slice(-REPLIES.threads)
    .reduce((sum, count) => sum + count, 0);

const minuteOf = (timeMs: number): string =>
  new Date(timeMs).toISOString().slice(0, MINUTE_CHARS).replace('T', ' ');

const fileOf = (read: readonly ReadMessage[], head: string, ctx: ReadingContext): OutgoingFile => {
  const timeOf = ({ message }: ReadMessage): string =>
    minuteOf(ctx.services.messages.timeOf(message));
  const messages = read.map(({ message }) => message);
  const written = read.map((one, at) => {
    const unshown = unshownReplies(messages, at, ctx);
    const name = quotedWords(one.message.author.name);
    const words = [plainText(one.text), mediaOf(one.message, ctx)].filter(Boolean).join(' ');
    const under = rootOf(one.message) === undefined ? '' : '  🧵 ';
    return `${under}[${timeOf(one)}] ${name}: ${words}${unshown === undefined ? '' : ` [${unshown}]`}`;
  });
  return {
    name: 'catch-up.txt',
    mediaType: 'text/plain; charset=utf-8',
    bytes: Buffer.from([head, '', ...written, ''].join('\n')),
  };
};

/** A file of everything that somebody missed. */
export interface ReadFile {
  readonly missed: MissedMessages;
  readonly read: readonly ReadMessage[];
  readonly note: RichText;
  readonly more: ReturnType<typeof beyond>;
  /** False where the service failed at some of it, or was too slow. */
  readonly isWhole: boolean;
  /** None where nothing may be read any more. */
  readonly files: readonly OutgoingFile[];
}

/** Translates everything that somebody missed into a file. */
export const readFileOf = async (
  given: MissedMessages,
  reading: CatchUp,
  ctx: ReadingContext,
): Promise<ReadFile> => {
  const { label, locale, services, t } = ctx;
  const { to } = reading;
  const shown = await withReplies(given.messages, REPLIES, ctx);
  const all = await translated(shown.messages, { to, lane: 'batch', withinMs: FILE_MS }, ctx);
  const { read } = all;
  const own = new Set(given.messages.map(({ ref }) => ref.id));
  const missed = {
    ...given,
    messages: read.map(({ message }) => message).filter(({ ref }) => own.has(ref.id)),
    leftOut: given.leftOut + all.leftOut,
  };
  const language = services.languages.name(to, locale);
  const count = missed.messages.length;
  const params = {
    ...extentOf(reading, given.next, count),
    replies: read.length - count,
    language,
    translated: all.translated,
  };
  const isWhole = all.failed === 0;
  const more = beyond(reading, given.next, count, ctx);
  const head = label('catchup.file-head', { ...params, since: minuteOf(reading.since * 1_000) });
  return {
    missed,
    read,
    isWhole,
    note: lines(
      t('catchup.file-ready', { ...params, since: timestamp(reading.since) }),
      failedNote(all, ctx),
    ),
    more,
    files: read.length === 0 ? [] : [fileOf(read, head, ctx)],
  };
};
