import { HOUR_MS, quotedWords } from '../../src/command/helpers.ts';
import type { Message } from '../../src/model/message.ts';
import { bullets, lines, nested, row, sentence } from '../../src/rich-text/compose.ts';
import {
  link,
  styled,
  text,
  timestamp,
  type Inline,
  type RichText,
} from '../../src/rich-text/rich-text.ts';
import { secondsOf, type CatchUp, type ReadingContext } from './reading.ts';
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

/** The number of replies in the thread under a message, 0 where it is not known; undefined where nobody replied there. */
export const repliesTo = (
  { ref, replies }: Message,
  { services }: Pick<ReadingContext, 'services'>,
): number | undefined => {
  const mode = services.watches.of(ref.channel)?.mode;
  if (!replies || mode === 'mirror') return replies?.count;
  if (replies.ours === 'all') return undefined;
  const isTranslated = mode !== undefined && mode !== 'request';
  // Translations may be among them.
  return replies.ours === 'some' || (!replies.ours && isTranslated) ? 0 : replies.count;
};

/** The way to the replies under a message, which are not shown. */
const repliesRow = (message: Message, ctx: ReadingContext): readonly Inline[] => {
  const count = repliesTo(message, ctx);
  if (count === undefined) return [];
  const url = ctx.services.messages.threadLinkOf(message.ref);
  const words = `🧵 ${ctx.label('catchup.replies', { count })}`;
  return row(' ', url === undefined ? words : link(url, text(`${words} ↗`)));
};

/** The room that a message takes beside its words, next to one before or after it. */
export const aroundOf = (
  message: Message,
  beside: Message | undefined,
  ctx: ReadingContext,
): number => {
  const { messages } = ctx.services;
  const hasReplies = repliesTo(message, ctx) !== undefined;
  const wayThere = (hasReplies && messages.threadLinkOf(message.ref)) || '';
  const replies = hasReplies ? REPLIES_CHARS + wayThere.length : 0;
  const around = AROUND_CHARS + mediaOf(message, ctx).length + replies;
  if (goesOn(beside, message) && !beside?.text.some(isCode)) return around;
  const url = messages.linkOf(message.ref) ?? '';
  return around + NAMED_CHARS + nameOf(message).length + url.length;
};

/** A message as a line shows it, with its date or without. */
interface Line extends Beginning {
  readonly message: Message;
  readonly isDated: boolean;
}

/** Lines of one author, one after the other; a block of code ends them. */
const runsOf = (all: readonly Line[]): readonly Line[][] => {
  const runs: Line[][] = [];
  for (const line of all) {
    const run = runs.at(-1);
    const before = run?.at(-1);
    const isSame = goesOn(before?.message, line.message) && before?.below.length === 0;
    if (run && isSame && !line.isDated) run.push(line);
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
    if (isDated) dated = timeOf(message);
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
    const shown = media === '' ? [] : [styled('italic', text(media))];
    const space = words.length > 0 && media !== '' ? [text(' ')] : [];
    return [...words, ...space, ...shown, ...repliesRow(message, ctx)];
  };
  return lines(
    ...runsOf(all).flatMap(([first, ...rest]) => {
      if (!first) return [];
      const { message } = first;
      const url = services.messages.linkOf(message.ref);
      const way = url === undefined ? [] : [link(url, text('↗')), ' '];
      const name = styled('bold', text(nameOf(message)));
      return [
        bullets(
          nested(
            sentence(momentOf(first), ' ', ...way, name, ': ', ...wordsOf(first)),
            rest.map((line) => sentence(momentOf(line), ' ', ...wordsOf(line))),
          ),
        ),
        (rest.at(-1) ?? first).below,
      ];
    }),
  );
};
