import type { MissedMessages } from '../../src/command/services.ts';
import { languageMenu } from '../../src/command/helpers.ts';
import type { Content, Control, Message } from '../../src/model/message.ts';
import { lines, sections } from '../../src/rich-text/compose.ts';
import { timestamp, type RichText } from '../../src/rich-text/rich-text.ts';
import { plainText } from '../../src/rich-text/walk.ts';
import { aroundOf, MESSAGE_CHARS, shownLines } from './lines.ts';
import {
  beyond,
  extentOf,
  leftOutNote,
  nothing,
  readingButton,
  readingPress,
  threadsNote,
  type CatchUp,
  type ReadingContext,
  type PageTurn,
} from './reading.ts';
import { shownOf, withReplies } from './replies.ts';
import { failedNote, translated, type ReadMessage } from './translate.ts';

/** More messages than this are translated all at once only when somebody says so who knows how many they are. */
export const ASKED_ABOVE = 50;
/** Longest time for the translations of a page. */
const PAGE_MS = 25_000;
export const MOST_ON_PAGE = 10;
/** UTF-16 units of a page. */
const PAGE_CHARS = 1_500;
/** The turn to the first page: behind a position before all others. */
const FIRST: PageTurn = { way: 'next', at: '0' };

/** Replies that are shown on a page, and the least room of one, in UTF-16 units. */
const REPLIES = { threads: 3, each: 3 };
const REPLY_CHARS = 100;

/** The first messages that a page holds; at least one, where there is any. */
const fitting = (messages: readonly Message[], ctx: ReadingContext): readonly Message[] => {
  let left = PAGE_CHARS;
  let threads = 0;
  const end = messages.slice(0, MOST_ON_PAGE).findIndex((message, index) => {
    // Bytes, as one character of Chinese is three letters of English.
    const words = Math.min(MESSAGE_CHARS, Buffer.byteLength(plainText(message.text)));
    const replies = threads < REPLIES.threads ? shownOf(message, REPLIES, ctx) : 0;
    if (replies > 0) threads += 1;
    left -= aroundOf(message, messages[index - 1], ctx) + words + REPLY_CHARS * replies;
    return left < 0;
  });
  return messages.slice(0, end < 0 ? MOST_ON_PAGE : Math.max(1, end));
};

/** The messages of the page that a turn leads to: the nearest ones where those that stood there are gone. */
const onPage = (
  messages: readonly Message[],
  turn: PageTurn | undefined,
  ctx: ReadingContext,
): readonly Message[] => {
  if (turn?.way === 'back') {
    const before = messages.filter(({ position }) => position < turn.at).toReversed();
    if (before.length > 0) return fitting(before, ctx).toReversed();
  }
  const after = messages.filter(({ position }) => turn?.way !== 'next' || position > turn.at);
  return after.length > 0 ? fitting(after, ctx) : fitting(messages.toReversed(), ctx).toReversed();
};

export interface PageOptions {
  readonly turn?: PageTurn | undefined;
  /** True where a summary can be made, and is not there yet. */
  readonly hasModel: boolean;
  /** True where the language was just chosen for this reading: it can be kept as the person's own. */
  readonly isChosen?: boolean;
  /** The messages as they were just read. */
  readonly known?: readonly ReadMessage[];
}

/** The menu that leads to a page in another language. */
export const languageChoice = (
  reading: CatchUp,
  turn: PageTurn = FIRST,
  ctx: ReadingContext,
): Control => ({
  ...languageMenu(ctx, readingPress('language', reading, turn), reading.to),
  label: ctx.label('catchup.language'),
});

/** Messages of one thread without its first one, as lines of their own, like replies that stand in the channel, too. */
const alone = (read: readonly ReadMessage[]): readonly ReadMessage[] =>
  read.map((one) => ({ ...one, message: { ...one.message, broadcast: true } }));

/** A page of what somebody missed, which may have more above it. */
export type ReadPage = (top?: RichText) => Content;

/** Translates one page of messages, as they may be read by then. */
export const readPage = async (
  reading: CatchUp,
  missed: MissedMessages,
  options: PageOptions,
  ctx: ReadingContext,
): Promise<ReadPage> => {
  const { label, locale, services, t } = ctx;
  const { turn, hasModel, isChosen = false, known = [] } = options;
  const { thread } = missed;
  const given = onPage(missed.messages, turn, ctx);
  const shown = await withReplies(given, REPLIES, ctx);
  const how = { to: reading.to, lane: 'interactive', withinMs: PAGE_MS, known } as const;
  const all = await translated(shown.messages, how, ctx);
  const here = given.filter(({ ref }) => all.read.some(({ message }) => message.ref.id === ref.id));
  const messages = missed.messages.filter((one) => !given.includes(one) || here.includes(one));
  const leftOut = missed.leftOut + shown.leftOut + all.leftOut;
  if (messages.length === 0) return () => nothing({ ...missed, leftOut }, ctx, reading);
  // Nothing is left of this page, but of another.
  if (here.length === 0) return readPage(reading, { ...missed, messages, leftOut }, options, ctx);
  const [first, last] = [here[0], here.at(-1)];
  const start = messages.findIndex((one) => one === first);
  const end = start + here.length;
  const count = messages.length;
  const language = services.languages.name(reading.to, locale);
  const heading = t('catchup.page', {
    ...extentOf(reading, missed.next, count, [start + 1, end]),
    since: timestamp(reading.since),
    language,
    replies: all.read.length - here.length,
    translated: all.translated,
  });
  // A file holds what all pages do.
  const isEnd = end === count || known.length > 0;
  const more = beyond(reading, isEnd ? missed.next : undefined, count, ctx, start === 0);
  const before = messages[start - 1];
  const again: PageTurn = before ? { way: 'next', at: before.position } : FIRST;
  const controls: readonly (Control | false | undefined)[] = [
    start > 0 &&
      first &&
      readingButton(ctx, ['page', 'catchup.earlier'], reading, { way: 'back', at: first.position }),
    end < count &&
      last &&
      readingButton(ctx, ['page', 'catchup.later'], reading, { way: 'next', at: last.position }),
    ...more.controls,
    hasModel &&
      here.length < count &&
      readingButton(ctx, ['summary', 'catchup.summary-button'], reading, again),
    readingButton(ctx, [count > ASKED_ABOVE ? 'ask' : 'file', 'catchup.file'], reading, again),
    isChosen && {
      kind: 'button',
      press: readingPress('keep', reading, again),
      label: label('catchup.keep-language', { language }),
    },
    languageChoice(reading, again, ctx),
  ];
  return (above) => ({
    text: sections(
      above,
      lines(
        heading,
        ...more.notes,
        shownLines(thread === undefined ? all.read : alone(all.read), PAGE_CHARS, reading, ctx),
        failedNote(all, ctx),
        leftOutNote(leftOut, ctx),
        end === count && threadsNote(ctx, thread),
      ),
    ),
    controls: controls.filter((control) => control !== false && control !== undefined),
  });
};
