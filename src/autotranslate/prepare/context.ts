import { createLru } from '../../async/lru.ts';
import {
  type Person,
  isSameChannel,
  keyOf,
  type MessageRef,
  type Space,
} from '../../model/place.ts';
import { countCodePoints } from '../../text/unicode.ts';

/** Longest context of a translation (contract section 4.4, `context`). */
const CONTEXT_CODE_POINTS = 2_000;
/** Messages of a conversation that are remembered. */
export const CONTEXT_MESSAGES = 12;
const CONVERSATIONS = 1_000;

interface Turn {
  readonly ref: MessageRef;
  /** Time at which it was written, ms since 1970. */
  readonly writtenMs: number;
  readonly authorId: string;
  readonly text: string;
}

const within = (turns: readonly { readonly text: string }[]): string[] => {
  const recent: string[] = [];
  let codePoints = 0;
  for (const { text } of turns.toReversed()) {
    // One more for the line break between two turns.
    codePoints += countCodePoints(text) + 1;
    if (codePoints > CONTEXT_CODE_POINTS) break;
    recent.unshift(text);
  }
  return recent;
};

const isSameMessage = (a: MessageRef, b: MessageRef): boolean =>
  a.id === b.id && isSameChannel(a.channel, b.channel);

export type TranslationContext = ReturnType<typeof createTranslationContext>;

/** Creates the cache of each conversation's last turns: the context of the next translation. */
export const createTranslationContext = () => {
  const conversations = createLru<string, readonly Turn[]>(CONVERSATIONS);

  return {
    /**
     * Returns the turns before this one, oldest first, and remembers this one.
     *
     * @param isOpen true of a turn that the readers of this one could read, too. Default: of all
     */
    next(
      conversation: string,
      turn: Turn,
      isOpen: (before: Turn) => boolean = () => true,
    ): readonly string[] {
      const before =
        conversations.get(conversation)?.filter(({ ref }) => !isSameMessage(ref, turn.ref)) ?? [];
      conversations.set(conversation, [...before, turn].slice(-CONTEXT_MESSAGES));
      return within(before.filter(isOpen));
    },
    /** Forgets a deleted message, or all messages of a person. */
    forget(what: MessageRef | Person): void {
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
    forgetAll: conversations.clear,
    forgetSpace(space: Space): void {
      for (const [conversation, turns] of conversations) {
        const rest = turns.filter(({ ref }) => keyOf(ref.channel.space) !== keyOf(space));
        if (rest.length === 0) conversations.delete(conversation);
        else if (rest.length < turns.length) conversations.set(conversation, rest);
      }
    },
  };
};
