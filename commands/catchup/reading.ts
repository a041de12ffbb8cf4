import type { PressContext } from '../../src/command/command.ts';
import type { MissedMessages, ShownMessages } from '../../src/command/services.ts';
import { typedLanguage } from '../../src/command/helpers.ts';
import { userError } from '../../src/errors.ts';
import type { Content, Control, Message } from '../../src/model/message.ts';
import { lines, type Maybe } from '../../src/rich-text/compose.ts';
import { timestamp, type RichText } from '../../src/rich-text/rich-text.ts';

/** The parts of a use, or of a press, that a reading is made with. */
export type ReadingContext = Omit<PressContext, 'arg' | 'values'>;

/** A reading of the messages of a channel, or of one thread, at a position and after it, in a language. */
export interface CatchUp {
  readonly to: string;
  readonly from: string;
  /** The id of the thread's first message, on platforms whose threads are not channels. */
  readonly thread?: string | undefined;
  /** The time since which it was asked for; seconds since 1970. */
  readonly since: number;
  /** True where earlier messages since then are left out. */
  readonly isCut?: boolean;
  /** The number of messages since then that were read before these. */
  readonly before?: number;
}

/** Whole seconds since 1970. */
export const secondsOf = (timeMs: number): number => Math.floor(timeMs / 1_000);

/** The reading that begins with the first of some messages, of which there is one. */
export const readingOf = (to: string, missed: MissedMessages): CatchUp => ({
  to,
  thread: missed.thread,
  from: missed.messages[0]?.position ?? '',
  since: secondsOf(missed.sinceMs),
  isCut: missed.isCut,
});

/** A page beside another one: it ends before a position, or begins after it. */
export interface PageTurn {
  readonly way: 'back' | 'next';
  readonly at: string;
}

/** A reading as a control names it, with the page that it leads to. */
export interface PressedReading {
  readonly reading: CatchUp;
  readonly turn?: PageTurn | undefined;
}

const ARG =
  /^(?<to>[A-Za-z-]{2,15}),(?<from>[\d.]{1,24})(?:@(?<thread>[\d.]{1,24}))?,(?<since>\d{1,11})(?:(?<cut>\+)|\*(?<before>\d{1,6}))?(?:,(?<way>back|next),(?<at>[\d.]{1,24}))?$/;

const argOf = ({ to, from, thread, since, isCut, before }: CatchUp, turn?: PageTurn): string => {
  const begin = thread === undefined ? from : `${from}@${thread}`;
  const counted = before ? `*${before}` : '';
  return [to, begin, `${since}${isCut ? '+' : counted}`, ...(turn ? [turn.way, turn.at] : [])].join(
    ',',
  );
};

/** Reads what stands in a control, which anybody may have made up; throws where it is nothing. */
export const readArg = ({ arg, services }: PressContext): PressedReading => {
  const groups = ARG.exec(arg)?.groups ?? {};
  const { to = '', from = '', thread, since, cut, before = 0, way, at } = groups;
  if (from === '') throw userError('bad-input', 'errors.bad-input');
  return {
    reading: {
      to: typedLanguage(to, services),
      from,
      thread,
      since: Number(since),
      isCut: !!cut,
      before: Number(before),
    },
    turn: way === undefined || at === undefined ? undefined : { way: way as PageTurn['way'], at },
  };
};

export type CatchupPress = 'page' | 'summary' | 'file' | 'ask' | 'language' | 'keep' | 'onward';

export const readingPress = (press: CatchupPress, reading: CatchUp, turn?: PageTurn): string =>
  `catchup ${press}:${argOf(reading, turn)}`;

export const readingButton = (
  { label }: ReadingContext,
  [press, key]: readonly [press: CatchupPress, key: Parameters<ReadingContext['label']>[0]],
  reading: CatchUp,
  turn?: PageTurn,
): Control => ({
  kind: 'button',
  press: readingPress(press, reading, turn),
  label: label(key),
});

/** Reads the messages of a reading that the person may read at this moment. */
export const missedIn = async (
  ctx: ReadingContext,
  from: Parameters<ReadingContext['services']['messages']['since']>[1],
  thread?: string,
): Promise<MissedMessages> => {
  const { access, channel, services, signal } = ctx;
  await access.demandHistory(channel);
  return services.messages.since(channel, from, signal, thread);
};

/** Reads again, right before they are shown, what the person may still read of messages. */
export const stillIn = async (
  messages: readonly Message[],
  { access, channel, member, services, signal }: ReadingContext,
): Promise<ShownMessages> => {
  await access.demandHistory(channel);
  return services.messages.still(channel, messages, member.id, signal);
};

export const isNothing = ({ messages }: MissedMessages): boolean => messages.length === 0;

/** Says that nothing was missed, which is no error, and how to look further back. */
export const nothing = (
  missed: Omit<MissedMessages, 'messages'>,
  ctx: ReadingContext,
  reading: CatchUp,
  hint = false,
): Content => {
  const { notes, controls } = beyond(reading, missed.next, 0, ctx);
  return {
    text: lines(
      ctx.t('catchup.none', { since: timestamp(secondsOf(missed.sinceMs)) }),
      ...notes,
      leftOutNote(missed.leftOut, ctx),
      hint && ctx.t('catchup.further'),
      threadsNote(ctx, missed.thread),
    ),
    tone: 'note',
    controls,
  };
};

/** Says how many messages of people who opted out are left out, if any. */
export const leftOutNote = (count: number, { t }: ReadingContext): Maybe<RichText> =>
  count > 0 && t('catchup.left-out', { count });

/**
 * Tells which messages a reading holds of those since its time, where there are later ones from `next` on: the numbers of its
 * first and its last one, or of those of a page, and of the last that is known of.
 */
export const extentOf = (
  { isCut, before = 0 }: CatchUp,
  next: string | undefined,
  count: number,
  [first, last]: readonly [first: number, last: number] = [1, count],
) => {
  const known = before === 0 ? 'all' : 'last';
  const part = isCut ? 'newest' : next === undefined ? known : 'more';
  return { part, count: before + count, first: before + first, last: before + last } as const;
};

/**
 * Says that there are earlier messages than those that are read, of which there are so many, or later ones, from `next` on; with
 * the buttons that lead to them. Of earlier ones nothing is said behind the first page.
 */
export const beyond = (
  { isCut, before = 0, ...reading }: CatchUp,
  next: string | undefined,
  count: number,
  ctx: ReadingContext,
  isFirst = true,
): { readonly notes: readonly RichText[]; readonly controls: readonly Control[] } => {
  const start = ctx.services.messages.positionAt(ctx.channel, reading.since * 1_000);
  const ways = [
    ...(isCut && isFirst ? [['catchup.cut', 'catchup.start', start, 0] as const] : []),
    // Those before the newest ones were not counted.
    ...(next === undefined
      ? []
      : [['catchup.next', 'catchup.read-on', next, isCut ? 0 : before + count] as const]),
  ];
  return {
    notes: ways.map(([note]) => ctx.t(note, { count })),
    controls: ways.map(([, key, from, counted]) =>
      readingButton(ctx, ['onward', key], { ...reading, from, before: counted }),
    ),
  };
};

/** Says how to read what stands elsewhere: in older threads of a channel that may have some, or outside of one thread. */
export const threadsNote = (
  { capabilities: { repliesInThreads }, channel, t }: ReadingContext,
  thread?: string,
): Maybe<RichText> => {
  if (thread !== undefined) return t('catchup.thread');
  const threads = repliesInThreads ? 'replies' : 'channels';
  return (
    (repliesInThreads || channel.parentId === undefined) && t('catchup.older-threads', { threads })
  );
};

/** True where a language model answers. */
export const chats = async ({ services, channel, signal }: ReadingContext): Promise<boolean> => {
  const { engines } = await services.status(signal, channel.space);
  return engines.some(({ serves, ready }) => ready && serves.includes('chat'));
};
