import { createLru } from '../../async/lru.ts';
import type { Member } from '../../model/member.ts';
import { isSameChannel, type MessageRef } from '../../model/place.ts';
import { countCodePoints } from '../../text/unicode.ts';

/** Longest context of a translation (contract section 4.4, `context`). */
const CONTEXT_CODE_POINTS = 2_000;
const TURNS = 12;
const CONVERSATIONS = 1_000;

interface Turn {
  readonly ref: MessageRef;
  readonly authorId: string;
  readonly text: string;
}

/** The last turns of each conversation, kept in memory only: the context of the next translation. */
export interface TranslationContext {
  /** Returns the turns before this one, oldest first, and remembers this one. */
  next(conversation: string, turn: Turn): readonly string[];
  /** Forgets a deleted message, or all messages of a person. */
  forget(what: MessageRef | Pick<Member, 'platform' | 'id'>): void;
}

const within = (turns: readonly { readonly text: string }[]): string[] => {
  const kept: string[] = [];
  let codePoints = 0;
  for (const { text } of turns.toReversed()) {
    // One more for the line break between two turns.
    codePoints += countCodePoints(text) + 1;
    if (codePoints > CONTEXT_CODE_POINTS) break;
    kept.unshift(text);
  }
  return kept;
};

const isSameMessage = (a: MessageRef, b: MessageRef): boolean =>
  a.id === b.id && isSameChannel(a.channel, b.channel);

export const createTranslationContext = (): TranslationContext => {
  const conversations = createLru<string, readonly Turn[]>(CONVERSATIONS);

  return {
    next(conversation, turn) {
      const before =
        conversations.get(conversation)?.filter(({ ref }) => !isSameMessage(ref, turn.ref)) ?? [];
      conversations.set(conversation, [...before, turn].slice(-TURNS));
      return within(before);
    },
    forget(what) {
      const isMeant = ({ ref, authorId }: Turn): boolean =>
        'channel' in what
          ? isSameMessage(ref, what)
          : authorId === what.id && ref.channel.space.platform === what.platform;
      const concerned = [...conversations].filter(([, turns]) => turns.some(isMeant));
      for (const [conversation, turns] of concerned)
        conversations.set(
          conversation,
          turns.filter((turn) => !isMeant(turn)),
        );
    },
  };
};
