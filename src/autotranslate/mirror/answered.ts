import { createLru } from '../../async/lru.ts';
import type { Message } from '../../model/message.ts';
import { isSameChannel, messageKey, type Channel } from '../../model/place.ts';
import type { MemberSettings, SpaceSettings } from '../../store/settings.ts';
import type { WatchedPlatforms } from '../watched-platforms.ts';

export interface AnsweredDeps {
  readonly platforms: Pick<WatchedPlatforms, 'of'>;
  readonly settings: Pick<MemberSettings, 'of'>;
  readonly spaces: Pick<SpaceSettings, 'of'>;
}

/** Threads in which somebody's answers are remembered. */
const REMEMBERED = 5_000;

export type Answered = ReturnType<typeof createAnswered>;

/**
 * Creates the choice of the person whom the mirror of an answer mentions: the author of a message that was answered
 * at a copy of it, whom the platform itself told nothing.
 */
export const createAnswered = ({ platforms, settings, spaces }: AnsweredDeps) => {
  /** The first answer of each person in each thread: the others in a thread all reply to its first message. */
  const first = createLru<string, string>(REMEMBERED);

  const isFirst = ({ threadId, author, ref }: Message, written: Message): boolean => {
    if (threadId === undefined) return true;
    const thread = JSON.stringify([messageKey(written.ref), threadId, author.id]);
    const known = first.get(thread) ?? ref.id;
    first.set(thread, known);
    return known === ref.id;
  };

  return {
    /**
     * The id of the author of `written` where the mirror of `answer` in a channel has to mention them. Rejects with an
     * `AppError`.
     *
     * @param written the message of which the answered one is a copy
     */
    mentioned: async (
      answer: Message,
      written: Message,
      to: Channel,
    ): Promise<string | undefined> => {
      const { author, ref } = written;
      const { platform } = to.space;
      const isOwn =
        answer.author.id === author.id && answer.ref.channel.space.platform === platform;
      if (!isSameChannel(ref.channel, to) || isOwn) return undefined;
      if (answer.author.kind !== 'person' || author.kind !== 'person') return undefined;
      if (!(await spaces.of(to.space)).answersMention) return undefined;
      const own = await settings.of({ platform, id: author.id });
      if (own.answersMention === false) return undefined;
      const isReader = await platforms.of(to).feed.isReader?.(to, author.id);
      return isReader && isFirst(answer, written) ? author.id : undefined;
    },
  };
};
