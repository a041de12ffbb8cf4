import { HOUR_MS, quotedWords } from '../../src/command/helpers.ts';
import { rootOf, type Message } from '../../src/model/message.ts';
import { bullets, joined, lines, nested, row, sentence } from '../../src/rich-text/compose.ts';
import {
  link,
  paragraph,
  styled,
  text,
  timestamp,
  type Inline,
  type RichText,
} from '../../src/rich-text/rich-text.ts';
import { secondsOf, type CatchUp, type ReadingContext } from './reading.ts';
import { repliesTo, unshownReplies } from './replies.ts';
import type { ReadMessage } from './translate.ts';
import { isCode, beginningOf, mediaOf, type Beginning } from './words.ts';

/** UTF-16 units of the words of one message on a page at most and at least, and of what stands around them. */
export const MESSAGE_CHARS = 500;
const LEAST_CHARS = 60;
const AROUND_CHARS = 24;
const NAME_CHARS = 32;
const NAMED_CHARS = 12;
const REPLIES_CHARS = 20;
/**
 * A message has its date beside its time so long after the last date, which is as long as a night: readers see times in zones
 * of their own, whose midnights nobody else knows.
 */
const DATED_MS = 8 * HOUR_MS;

const nameOf = ({ author }: Message): string => quotedWords(author.name, NAME_CHARS) || '…';

/** True where the second message is read as the first one's author going on. */
const goesOn = (
  before: Message | undefined,
  { author: { id, name, avatarUrl } }: Message,
): boolean =>
  before?.author.id === id && before.author.name === name && before.author.avatarUrl === avatarUrl;

/** The room that a message takes beside its words, next to one before or after it. */
export const aroundOf = (
  message: Message,
  beside: Message | undefined,
  ctx: ReadingContext,
): number => {
  const { messages } = ctx.services;
  const isReply = rootOf(message) !== undefined;
  const hasReplies = repliesTo(message, ctx) !== undefined;
  const wayThere = (hasReplies && messages.threadLinkOf(message.ref)) || '';
  const replies = hasReplies ? REPLIES_CHARS + wayThere.length : 0;
  const around = AROUND_CHARS + mediaOf(message, ctx).length + replies;
  const named = around + NAMED_CHARS + nameOf(message).length;
  if (isReply) return named;
  const isBelow = beside && rootOf(beside) === undefined && goesOn(beside, message);
  if (isBelow && !beside.text.some(isCode)) return around;
  return named + (messages.linkOf(message.ref) ?? '').length;
};

/** A message as a line shows it, with its date or without. */
interface Line extends Beginning {
  readonly message: Message;
  readonly isDated: boolean;
}

/** Lines of one author, one after the other, or of a message and its replies; a block of code ends them. */
const runsOf = (all: readonly Line[]): readonly Line[][] => {
  const runs: Line[][] = [];
  for (const line of all) {
    const run = runs.at(-1);
    const before = run?.at(-1);
    const isReply = rootOf(line.message) !== undefined;
    const goesOnBelow =
      before && rootOf(before.message) === undefined && goesOn(before.message, line.message);
    const joins = isReply || (goesOnBelow && !line.isDated);
    if (run && joins && before?.below.length === 0) run.push(line);
    else runs.push([line]);
  }
  return runs;
};

/** Lines of messages, those of one author below the first of them, which leads to its message; long ones are cut until all fit. */
export const shownLines = (
  read: readonly ReadMessage[],
  chars: number,
  { since }: CatchUp,
  ctx: ReadingContext,
): RichText => {
  const { locale, services } = ctx;
  const timeOf = (message: Message): number => services.messages.timeOf(message);
  let dated = since * 1_000;
  const datings = read.map(({ message }) => {
    const isDated = timeOf(message) - dated >= DATED_MS;
    if (isDated && rootOf(message) === undefined) dated = timeOf(message);
    return isDated;
  });
  const cutTo = (most: number): readonly Line[] =>
    read.map((one, at) => ({
      message: one.message,
      isDated: datings[at] ?? false,
      ...beginningOf(one.text, most, locale),
    }));
  const around = read.map(({ message }, index) => aroundOf(message, read[index - 1]?.message, ctx));
  const room = around.reduce((left, taken) => left - taken, chars);
  const messages = read.map(({ message }) => message);
  const isTooLong = (all: readonly Line[]) => all.reduce((sum, line) => sum + line.chars, 0) > room;
  let most = MESSAGE_CHARS;
  let all = cutTo(most);
  while (most > LEAST_CHARS && isTooLong(all)) {
    most = Math.trunc(most * 0.8);
    all = cutTo(most);
  }
  const momentOf = ({ message, isDated }: Line): Inline => {
    const seconds = secondsOf(timeOf(message));
    return isDated ? styled('bold', timestamp(seconds)) : timestamp(seconds, 't');
  };
  const wordsOf = ({ row: words, message }: Line): readonly Inline[] => {
    const media = mediaOf(message, ctx);
    const unshown = unshownReplies(messages, messages.indexOf(message), ctx);
    const root = { ...message.ref, id: rootOf(message) ?? message.ref.id };
    const url = services.messages.threadLinkOf(root);
    return joined(
      [
        words.length > 0 && [paragraph(...words)],
        media !== '' && styled('italic', text(media)),
        unshown !== undefined && (url === undefined ? unshown : link(url, text(`${unshown} ↗`))),
      ],
      ' ',
    );
  };
  const headOf = (line: Line, isFirst: boolean): readonly Inline[] => {
    const { message } = line;
    const isReply = rootOf(message) !== undefined;
    const url = isFirst ? services.messages.linkOf(message.ref) : undefined;
    return row(
      ...(isReply ? ['🧵 '] : []),
      momentOf(line),
      ' ',
      ...(url === undefined ? [] : [link(url, text('↗')), ' ']),
      ...(isFirst || isReply ? [styled('bold', text(nameOf(message))), ': '] : []),
    );
  };
  return lines(
    ...runsOf(all).flatMap(([first, ...rest]) => {
      if (!first) return [];
      return [
        bullets(
          nested(
            sentence(...headOf(first, true), ...wordsOf(first)),
            rest.map((line) => sentence(...headOf(line, false), ...wordsOf(line))),
          ),
        ),
        (rest.at(-1) ?? first).below,
      ];
    }),
  );
};
