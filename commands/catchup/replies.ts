import type { ShownMessages } from '../../src/command/services.ts';
import { rootOf, type Message } from '../../src/model/message.ts';
import type { ReadingContext } from './reading.ts';

/** The threads, newest first, of which replies are shown, and the replies of each, oldest first. */
export interface RepliesShown {
  readonly threads: number;
  readonly each: number;
}

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

/** The most replies that are shown under a message: as many as there are, where that is known. */
export const shownOf = (message: Message, { each }: RepliesShown, ctx: ReadingContext): number => {
  const count = message.threadId === undefined ? undefined : repliesTo(message, ctx);
  return count === undefined ? 0 : Math.min(each, count || each);
};

/** Puts the replies of people behind the messages under which they stand, where the platform's threads are not channels. */
export const withReplies = async (
  messages: readonly Message[],
  { threads, each }: RepliesShown,
  ctx: ReadingContext,
): Promise<ShownMessages> => {
  const answered = messages.filter((message) => repliesTo(message, ctx) !== undefined);
  const read = await ctx.services.messages.replies(answered.slice(-threads), each, ctx.signal);
  const under = Map.groupBy(read.messages, rootOf);
  return {
    ...read,
    messages: messages.flatMap((message) => [message, ...(under.get(message.ref.id) ?? [])]),
  };
};

/** Says of a message, or behind the last of its replies that are shown, how many replies are not. */
export const unshownReplies = (
  shown: readonly Message[],
  at: number,
  ctx: ReadingContext,
): string | undefined => {
  const rootId = (shown[at] && rootOf(shown[at])) ?? shown[at]?.ref.id;
  const next = shown[at + 1];
  if (next && rootOf(next) === rootId) return undefined;
  const root = shown.find(({ ref }) => ref.id === rootId);
  const count = root && repliesTo(root, ctx);
  if (count === undefined) return undefined;
  const there = shown.filter((message) => rootOf(message) === rootId).length;
  if (there === 0) return `🧵 ${ctx.label('catchup.replies', { count })}`;
  if (count > 0 && count <= there) return undefined;
  return `🧵 ${ctx.label('catchup.more-replies', { count: Math.max(0, count - there) })}`;
};
