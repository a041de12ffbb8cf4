import { createLru } from '../../../src/async/lru.ts';

/** Emoji seen on messages: of all of them taken away at once Discord does not say which. */
export interface ReactionMemory {
  add(messageId: string, emoji: string): void;
  /** The emoji that were seen on it; they are forgotten. */
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
