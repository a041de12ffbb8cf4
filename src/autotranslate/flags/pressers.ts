import { createLru } from '../../async/lru.ts';
import type { Message } from '../../model/message.ts';
import { messageKey, type MessageRef } from '../../model/place.ts';
import { flaggedLanguage, type RowKey } from '../../store/inbox/row.ts';
import type { Log } from '../../telemetry/log.ts';
import { faultFields, type Sentence } from '../../errors.ts';
import { say, type Texts } from '../../i18n/texts.ts';
import type { WatchedPlatforms } from '../watched-platforms.ts';

/** People who are remembered until their flag is answered. */
const MOST_REMEMBERED = 1_000;
/** Flags of one person on a message that are remembered. */
const MOST_FLAGS = 5;

export interface FlagPressersDeps {
  readonly platforms: Pick<WatchedPlatforms, 'whisper' | 'find'>;
  readonly texts: Pick<Texts, 'rich'>;
  readonly log: Log;
}

const keyOf = ({ ref, purpose }: RowKey): string => `${purpose} ${messageKey(ref)}`;

const setKey = (ref: MessageRef, memberId: string): string => `${messageKey(ref)} ${memberId}`;

export type FlagPressers = ReturnType<typeof createFlagPressers>;

/**
 * Remembers who pressed a flag last, to tell them alone why it brings nothing, and the flags of people who ask that. It is
 * in memory of the process that heard of the flag: after a restart, and where another process answers, nobody is told.
 */
export const createFlagPressers = ({ platforms, texts, log }: FlagPressersDeps) => {
  const known = createLru<string, string>(MOST_REMEMBERED);
  const set = createLru<string, readonly string[]>(MOST_REMEMBERED);
  return {
    /** Takes that a person set a flag, by the language that it stands for, or its emoji. */
    flagged: (ref: MessageRef, flag: string, memberId: string): void => {
      const others = set.get(setKey(ref, memberId)) ?? [];
      set.set(setKey(ref, memberId), [...new Set([...others, flag])].slice(-MOST_FLAGS));
    },
    /** The flags that a person set on a message lately. */
    flagsOf: (ref: MessageRef, memberId: string): readonly string[] =>
      set.get(setKey(ref, memberId)) ?? [],
    note: (key: RowKey, memberId: string): void => known.set(keyOf(key), memberId),
    /** Tells the one who pressed a flag something in its language, once, where the platform can. Never rejects. */
    tell: async (key: RowKey, { ref, threadId }: Message, told: Sentence): Promise<void> => {
      const memberId = known.get(keyOf(key));
      known.delete(keyOf(key));
      if (memberId === undefined) return;
      const thread = threadId === ref.id ? {} : { threadId };
      const naming = platforms.find(ref.channel)?.naming;
      const text = say(texts.rich(flaggedLanguage(key.purpose) ?? '', naming), told);
      try {
        await platforms.whisper(ref.channel, memberId, { text, tone: 'note' }, thread);
      } catch (thrown) {
        log.debug(faultFields(thrown), 'who pressed a flag could not be told of it');
      }
    },
  };
};
