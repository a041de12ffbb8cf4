import type { PressContext } from '../../src/command/command.ts';
import type { MissedMessages, ShownMessages } from '../../src/command/services.ts';
import { typedLanguage } from '../../src/command/helpers.ts';
import { userError } from '../../src/errors.ts';
import type { Content, Control, Message } from '../../src/model/message.ts';
import { lines, type Maybe } from '../../src/rich-text/compose.ts';
import { timestamp, type RichText } from '../../src/rich-text/rich-text.ts';

/** The parts of a use, or of a press, that a reading is made with. */
export type ReadingContext = Omit<PressContext, 'arg' | 'values'>;

/** A reading of a channel's messages at a position and after it, in a language. */
export interface CatchUp {
  readonly to: string;
  readonly from: string;
  /** The time since which it was asked for; seconds since 1970. */
  readonly since: number;
}

/** Whole seconds since 1970. */
export const secondsOf = (timeMs: number): number => Math.floor(timeMs / 1_000);

/** The reading that begins with the first of some messages, of which there is one. */
export const readingOf = (to: string, { messages, sinceMs }: MissedMessages): CatchUp => ({
  to,
  from: messages[0]?.position ?? '',
  since: secondsOf(sinceMs),
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
  /^(?<to>[A-Za-z-]{2,15}),(?<from>[\d.]{1,24}),(?<since>\d{1,11})(?:,(?<way>back|next),(?<at>[\d.]{1,24}))?$/;

const argOf = ({ to, from, since }: CatchUp, turn?: PageTurn): string =>
  [to, from, since, ...(turn ? [turn.way, turn.at] : [])].join(',');

/** Reads what stands in a control, which anybody may have made up; throws where it is nothing. */
export const readArg = ({ arg, services }: PressContext): PressedReading => {
  const { to = '', from = '', since, way, at } = ARG.exec(arg)?.groups ?? {};
  if (from === '') throw userError('bad-input', 'errors.bad-input');
  return {
    reading: { to: typedLanguage(to, services), from, since: Number(since) },
    turn: way === undefined || at === undefined ? undefined : { way: way as PageTurn['way'], at },
  };
};

export type CatchupPress = 'page' | 'summary' | 'file' | 'ask' | 'language' | 'keep';

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
): Promise<MissedMessages> => {
  const { access, channel, services, signal } = ctx;
  await access.demandHistory(channel);
  return services.messages.since(channel, from, signal);
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
  { leftOut, sinceMs }: Pick<MissedMessages, 'leftOut' | 'sinceMs'>,
  ctx: ReadingContext,
  hint = false,
): Content => ({
  text: lines(
    ctx.t('catchup.none', { since: timestamp(secondsOf(sinceMs)) }),
    leftOutNote(leftOut, ctx),
    hint && ctx.t('catchup.further'),
    threadsNote(ctx),
  ),
  tone: 'note',
});

/** Says how many messages of people who opted out are left out, if any. */
export const leftOutNote = (count: number, { t }: ReadingContext): Maybe<RichText> =>
  count > 0 && t('catchup.left-out', { count });

/** Says that replies in older threads are not looked at, in a channel that may have threads. */
export const threadsNote = ({ capabilities, channel, t }: ReadingContext): Maybe<RichText> =>
  (capabilities.repliesInThreads || channel.parentId === undefined) && t('catchup.older-threads');

/** True where a language model answers. */
export const chats = async ({ services, channel, signal }: ReadingContext): Promise<boolean> => {
  const { engines } = await services.status(signal, channel.space);
  return engines.some(({ serves, ready }) => ready && serves.includes('chat'));
};
