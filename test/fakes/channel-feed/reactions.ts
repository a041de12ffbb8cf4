import { AppError } from '../../../src/errors.ts';
import type { MessageRef } from '../../../src/model/place.ts';
import type { ChannelFeed } from '../../../src/ports/channel-feed.ts';
import type { Mirrors } from '../../../src/ports/mirrors.ts';
import type { Faults } from './faults.ts';
import type { Messages } from './messages.ts';

/** The reactions in a feed as a test makes and sees them. */
export interface FeedReactions {
  /** So many people, or these, have reacted to a message with an emoji. */
  react(ref: MessageRef, emoji: string, people: number | readonly string[]): void;
  /** What we reacted with to a message ourselves. */
  reacted(ref: MessageRef): string[];
}

/** An emoji is the same with a variation selector and without. */
const reactionKey = ({ id }: MessageRef, emoji: string): string =>
  `${id} ${emoji.replaceAll('\uFE0F', '')}`;

export const createReactions = ({ find }: Messages, { meanwhile, meet }: Faults) => {
  const reactions = new Map<string, readonly string[]>();
  /** Our own reactions: what we reacted with, by the message's id. */
  const reacted = new Map<string, Set<string>>();
  const fake: FeedReactions = {
    react: (ref, emoji, people) =>
      void reactions.set(
        reactionKey(ref, emoji),
        typeof people === 'number'
          ? Array.from({ length: people }, (_, at) => `person-${at}`)
          : people,
      ),
    reacted: ({ id }) => [...(reacted.get(id) ?? [])],
  };
  const feed = {
    reactors: async (ref, emoji) => {
      await meanwhile('reactors');
      meet('reactors', false, ref.channel);
      return find(ref) ? [...(reactions.get(reactionKey(ref, emoji)) ?? [])] : [];
    },
  } satisfies Partial<ChannelFeed>;
  const mirrors = {
    react: async ({ channel: of, id }, emoji, isPresent) => {
      await meanwhile('react');
      meet('react', false, of);
      if (!find({ channel: of, id })) throw new AppError('not-found', 'there is no such message');
      const ours = reacted.get(id) ?? new Set();
      reacted.set(id, ours);
      if (isPresent) ours.add(emoji);
      else ours.delete(emoji);
    },
  } satisfies Partial<Mirrors>;
  return { fake, feed, mirrors };
};
