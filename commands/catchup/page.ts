import type { MissedMessages } from '../../src/command/services.ts';
import {
  excerptRow,
  HOUR_MS,
  languageMenu,
  quotedWords,
  rowChars,
} from '../../src/command/helpers.ts';
import type { Content, Control, Message } from '../../src/model/message.ts';
import { bullets, lines, nested, sections, sentence } from '../../src/rich-text/compose.ts';
import { link, styled, text, timestamp, type RichText } from '../../src/rich-text/rich-text.ts';
import { plainText } from '../../src/rich-text/walk.ts';
import {
  leftOutNote,
  readingButton,
  readingPress,
  secondsOf,
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
/** UTF-16 units of a page, of the words of one message on it at most and at least, and of what stands around them. */
const PAGE_CHARS = 1_500;
const MESSAGE_CHARS = 500;
const LEAST_CHARS = 60;
const AROUND_CHARS = 24;
const NAME_CHARS = 32;
const NAMED_CHARS = 12;
/** A position before all others. */
const BEGINNING = '0';
/**
 * A date stands above a message so long after the one before, or after the last date: readers see times in zones of
 * their own, whose midnights nobody else knows.
 */
const PAUSE_MS = 6 * HOUR_MS;
const DATED_MS = 12 * HOUR_MS;

const nameOf = ({ author }: Message): string => quotedWords(author.name, NAME_CHARS) || '…';

/** True where the second message is read as the first one's author going on. */
const goesOn = (
  before: Message | undefined,
  { author: { id, name, avatarUrl } }: Message,
): boolean =>
  before?.author.id === id && before.author.name === name && before.author.avatarUrl === avatarUrl;

/** The room that a message takes beside its words, next to one before or after it. */
const aroundOf = (
  message: Message,
  beside: Message | undefined,
  { services }: ReadingContext,
): number => {
  if (goesOn(beside, message)) return AROUND_CHARS;
  const url = services.messages.linkOf(message.ref) ?? '';
  return AROUND_CHARS + NAMED_CHARS + nameOf(message).length + url.length;
};

/** The first messages that a page holds; at least one, where there is any. */
const fitting = (
  messages: readonly Message[],
  chars: number,
  ctx: ReadingContext,
): readonly Message[] => {
  let left = chars;
  const end = messages.slice(0, MOST_ON_PAGE).findIndex((message, index) => {
    // Bytes, as one character of Chinese is three letters of English.
    const words = Math.min(MESSAGE_CHARS, Buffer.byteLength(plainText(message.text)));
    left -= aroundOf(message, messages[index - 1], ctx) + words;
    return left < 0;
  });
  return messages.slice(0, end < 0 ? MOST_ON_PAGE : Math.max(1, end));
};

/** The messages of the page that a turn leads to: the nearest ones where those that stood there are gone. */
const onPage = (
  messages: readonly Message[],
  turn: PageTurn | undefined,
  chars: number,
  ctx: ReadingContext,
): readonly Message[] => {
  if (turn?.way === 'back') {
    const before = messages.filter(({ position }) => position < turn.at).toReversed();
    if (before.length > 0) return fitting(before, chars, ctx).toReversed();
  }
  const after = messages.filter(({ position }) => turn?.way !== 'next' || position > turn.at);
  return after.length > 0
    ? fitting(after, chars, ctx)
    : fitting(messages.toReversed(), chars, ctx).toReversed();
};

/** Messages that one author wrote one after the other, with a date above them or not. */
interface Run {
  readonly read: ReadMessage[];
  readonly dated: number | undefined;
}

const runsOf = (
  read: readonly ReadMessage[],
  since: number,
  { services }: ReadingContext,
): readonly Run[] => {
  const runs: Run[] = [];
  let [before, dated] = [since * 1_000, since * 1_000];
  for (const one of read) {
    const at = services.messages.timeOf(one.message);
    const isDated = at - before >= PAUSE_MS || at - dated >= DATED_MS;
    before = at;
    if (isDated) dated = at;
    const run = runs.at(-1);
    if (!isDated && run && goesOn(run.read[0]?.message, one.message)) run.read.push(one);
    else runs.push({ read: [one], dated: isDated ? at : undefined });
  }
  return runs;
};

/** Lines of messages, those of one author below the first of them, which leads to its message; long ones are cut until all fit. */
const shownLines = (
  read: readonly ReadMessage[],
  chars: number,
  { since }: CatchUp,
  ctx: ReadingContext,
): RichText => {
  const { locale, services } = ctx;
  let most = MESSAGE_CHARS;
  const cut = (one: ReadMessage) => excerptRow(one.text, most, { locale });
  const around = read.map(({ message }, index) => aroundOf(message, read[index - 1]?.message, ctx));
  const room = around.reduce((left, taken) => left - taken, chars);
  while (most > LEAST_CHARS && rowChars(read.flatMap(cut)) > room) most = Math.trunc(most * 0.8);
  const timeOf = ({ message }: ReadMessage) =>
    timestamp(secondsOf(services.messages.timeOf(message)), 't');
  return lines(
    ...runsOf(read, since, ctx).flatMap(({ read: [first, ...rest], dated }) => {
      if (!first) return [];
      const { message } = first;
      const url = services.messages.linkOf(message.ref);
      const way = url === undefined ? [] : [link(url, text('↗')), ' '];
      const name = styled('bold', text(nameOf(message)));
      return [
        dated !== undefined && sentence(styled('bold', timestamp(secondsOf(dated), 'D'))),
        bullets(
          nested(
            sentence(timeOf(first), ' ', ...way, name, ': ', ...cut(first)),
            rest.map((one) => sentence(timeOf(one), ' ', ...cut(one))),
          ),
        ),
      ];
    }),
  );
};

export interface PageOptions {
  readonly turn?: PageTurn | undefined;
  /** The UTF-16 units that what is above the messages may take. */
  readonly aboveChars?: number | undefined;
  /** True where a summary can be made, and is not there yet. */
  readonly hasModel: boolean;
}

/** A page of what somebody missed, which may have more above it. */
export type ReadPage = (top?: RichText) => Content;

/** Translates one page of messages; `missed` holds one message at least. */
export const readPage = async (
  reading: CatchUp,
  { messages, isCut, leftOut }: MissedMessages,
  { turn, aboveChars, hasModel }: PageOptions,
  ctx: ReadingContext,
): Promise<ReadPage> => {
  const { locale, services, t } = ctx;
  const chars = PAGE_CHARS - (aboveChars ?? 0);
  const here = onPage(messages, turn, chars, ctx);
  const [first, last] = [here[0], here.at(-1)];
  const all = await translated(here, { ...reading, lane: 'interactive', withinMs: PAGE_MS }, ctx);
  const start = messages.findIndex((one) => one === first);
  const end = start + here.length;
  const count = messages.length;
  const heading = t('catchup.page', {
    count,
    first: start + 1,
    last: end,
    since: timestamp(reading.since),
    language: services.languages.name(reading.to, locale),
    translated: all.translated,
  });
  const before = messages[start - 1];
  const again: PageTurn = { way: 'next', at: before?.position ?? BEGINNING };
  const { language: own } = await services.settings.of(ctx.member);
  const controls: readonly (Control | false | undefined)[] = [
    start > 0 &&
      first &&
      readingButton(ctx, ['page', 'catchup.earlier'], reading, { way: 'back', at: first.position }),
    end < count &&
      last &&
      readingButton(ctx, ['page', 'catchup.later'], reading, { way: 'next', at: last.position }),
    hasModel &&
      here.length < count &&
      readingButton(ctx, ['summary', 'catchup.summary-button'], reading),
    readingButton(ctx, [count > ASKED_ABOVE ? 'ask' : 'file', 'catchup.file'], reading, again),
    own === undefined && languageMenu(ctx, readingPress('language', reading, again)),
  ];
  return (above) => ({
    text: sections(
      above,
      lines(
        heading,
        isCut && t('catchup.cut', { count }),
        shownLines(all.read, chars, reading, ctx),
        failedNote(all, ctx),
        leftOutNote(leftOut, ctx),
      ),
    ),
    controls: controls.filter((control) => control !== false && control !== undefined),
  });
};
