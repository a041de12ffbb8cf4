import type { MissedMessages } from '../../src/command/services.ts';
import { excerptRow, quotedWords, rowChars } from '../../src/command/helpers.ts';
import type { Content, Control, Message } from '../../src/model/message.ts';
import { bullets, lines, sections, sentence } from '../../src/rich-text/compose.ts';
import { styled, text, timestamp, type RichText } from '../../src/rich-text/rich-text.ts';
import { plainText } from '../../src/rich-text/walk.ts';
import {
  leftOutNote,
  readingButton,
  type CatchUp,
  type ReadingContext,
  type PageTurn,
} from './reading.ts';
import { failedNote, translated, type ReadMessage } from './translate.ts';

/** More messages than this are translated all at once only when somebody says so who knows how many they are. */
export const ASKED_ABOVE = 50;
/** Longest time for the translations of a page. */
const PAGE_MS = 25_000;
export const MOST_ON_PAGE = 10;
/** UTF-16 units of a page, and of one message on it, and what its time and name take. */
const PAGE_CHARS = 1_500;
const MESSAGE_CHARS = 500;
const AROUND_CHARS = 60;
const NAME_CHARS = 32;
const SECOND_MS = 1_000;

/** The room that a message is expected to take: bytes, as one character of Chinese is three letters of English. */
const weightOf = (message: Message): number =>
  AROUND_CHARS + Math.min(MESSAGE_CHARS, Buffer.byteLength(plainText(message.text)));

/** The first messages that a page holds; at least one, where there is any. */
const fitting = (messages: readonly Message[], chars: number): readonly Message[] => {
  let left = chars;
  const end = messages.slice(0, MOST_ON_PAGE).findIndex((message) => {
    left -= weightOf(message);
    return left < 0;
  });
  return messages.slice(0, end < 0 ? MOST_ON_PAGE : Math.max(1, end));
};

/** The messages of the page that a turn leads to: the nearest ones where those that stood there are gone. */
const onPage = (
  messages: readonly Message[],
  turn: PageTurn | undefined,
  chars: number,
): readonly Message[] => {
  if (turn?.way === 'back') {
    const before = messages.filter(({ position }) => position < turn.at).toReversed();
    if (before.length > 0) return fitting(before, chars).toReversed();
  }
  const after = messages.filter(({ position }) => turn?.way !== 'next' || position > turn.at);
  return after.length > 0
    ? fitting(after, chars)
    : fitting(messages.toReversed(), chars).toReversed();
};

/** Lines of messages: long ones are cut until all of them fit. */
const shownLines = (
  read: readonly ReadMessage[],
  chars: number,
  { locale, services }: ReadingContext,
): RichText => {
  let most = MESSAGE_CHARS;
  const cut = () => read.map((one) => excerptRow(one.text, most, { locale }));
  const room = chars - AROUND_CHARS * read.length;
  while (most > AROUND_CHARS && rowChars(cut().flat()) > room) most = Math.trunc(most * 0.8);
  const rows = cut();
  return bullets(
    ...read.map(({ message }, index) => {
      const seconds = Math.floor(services.messages.timeOf(message) / SECOND_MS);
      const name = styled('bold', text(quotedWords(message.author.name, NAME_CHARS) || '…'));
      return sentence(timestamp(seconds, 't'), ' ', name, ': ', ...(rows[index] ?? []));
    }),
  );
};

export interface PageOptions {
  readonly turn?: PageTurn | undefined;
  /** The UTF-16 units that a summary above the messages may take. */
  readonly summaryChars?: number | undefined;
  readonly hasModel: boolean;
}

/** A page of what somebody missed, which may have more above it. */
export type ReadPage = (top?: RichText) => Content;

/** Translates one page of messages; `missed` holds one message at least. */
export const readPage = async (
  reading: CatchUp,
  { messages, isCut, leftOut }: MissedMessages,
  { turn, summaryChars, hasModel }: PageOptions,
  ctx: ReadingContext,
): Promise<ReadPage> => {
  const { locale, services, t } = ctx;
  const chars = PAGE_CHARS - (summaryChars ?? 0);
  const here = onPage(messages, turn, chars);
  const [first, last] = [here[0], here.at(-1)];
  const all = await translated(here, { ...reading, lane: 'interactive', withinMs: PAGE_MS }, ctx);
  const start = messages.findIndex((one) => one === first);
  const end = start + here.length;
  const count = messages.length;
  const heading = t('catchup.page', {
    count,
    first: start + 1,
    last: end,
    since: timestamp(Math.floor(services.messages.timeOf(messages[0]!) / SECOND_MS)),
    language: services.languages.name(reading.to, locale),
    translated: all.translated,
  });
  const controls: readonly (Control | false | undefined)[] = [
    start > 0 &&
      first &&
      readingButton(ctx, ['page', 'catchup.earlier'], reading, { way: 'back', at: first.position }),
    end < count &&
      last &&
      readingButton(ctx, ['page', 'catchup.later'], reading, { way: 'next', at: last.position }),
    hasModel &&
      summaryChars === undefined &&
      here.length < count &&
      readingButton(ctx, ['summary', 'catchup.summary-button'], reading),
    readingButton(ctx, [count > ASKED_ABOVE ? 'ask' : 'file', 'catchup.file'], reading),
  ];
  return (above) => ({
    text: sections(
      above,
      lines(
        heading,
        isCut && t('catchup.cut', { count }),
        shownLines(all.read, chars, ctx),
        failedNote(all, ctx),
        leftOutNote(leftOut, ctx),
      ),
    ),
    controls: controls.filter((control) => control !== false && control !== undefined),
  });
};
