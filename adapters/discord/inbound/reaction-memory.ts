import { createLru } from '../../../src/async/lru.ts';

/** Emoji seen on messages: when all are removed at once, Discord does not say which. */
export interface ReactionMemory {
  add(messageId: string, emoji: string): void;
  /** Returns the emoji seen on a message and forgets them. */
  take(messageId: string): readonly string[];
}

const MESSAGES = 2_000;
const EMOJI = 20;

export const createReactionMemory = (): ReactionMemory => {
  const seen = createLru<string, Set<string>>(MESSAGES);
  return {
    add: (messageId, emoji) => {
      const emojis = seen.get(messageId) ?? new Set();
      if (emojis.size < EMOJI) emojis.add(emoji);
      seen.set(messageId, emojis);
    },
    take: (messageId) => {
      const emojis = [...(seen.get(messageId) ?? [])];
      seen.delete(messageId);
      return emojis;
    },
  };
};
