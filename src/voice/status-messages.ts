import { isDeepStrictEqual } from 'node:util';
import { createKeyedMutex } from '../async/locks.ts';
import { createLru } from '../async/lru.ts';
import { toAppError } from '../errors.ts';
import { type Log, logFailure } from '../telemetry/log.ts';
import type { Content } from '../model/message.ts';
import type { Channel, Posted } from '../model/place.ts';
import type { RichText } from '../rich-text/rich-text.ts';
import type { Platform } from '../ports/platform.ts';

export interface StatusMessagesDeps {
  readonly platform: Pick<Platform, 'post' | 'edit'>;
  readonly channel: () => Channel;
  readonly log: Log;
}

/** Most open topics; beyond it the message of the oldest one stays as it is. */
const MOST_TOPICS = 50;

export type StatusMessages = ReturnType<typeof createStatusMessages>;

/** Edits a message; resolves with undefined when somebody deleted it. */
export const editUnlessDeleted = async (
  platform: Pick<Platform, 'edit'>,
  posted: Posted,
  content: Content,
): Promise<Posted | undefined> => {
  try {
    return await platform.edit(posted, content);
  } catch (thrown) {
    if (toAppError(thrown).code === 'not-found') return undefined;
    throw thrown;
  }
};

/** Messages in the room's own chat about its state: one for each topic, edited when that changes. */
export const createStatusMessages = ({ platform, channel, log }: StatusMessagesDeps) => {
  const messages = createLru<string, { readonly posted: Posted; readonly text: RichText }>(
    MOST_TOPICS,
  );
  const mutex = createKeyedMutex();

  /** Resolves with false when the message could not be shown. */
  const attempt = async (run: () => Promise<unknown>): Promise<boolean> =>
    !(await logFailure(log, 'a status message of a room could not be shown', run));
  const change = async (topic: string, content: Content, isNew: boolean): Promise<boolean> => {
    using _ = await mutex.take(topic);
    const before = messages.get(topic);
    if (before ? isDeepStrictEqual(before.text, content.text) : !isNew) return true;
    return await attempt(async () => {
      const edited = before && (await editUnlessDeleted(platform, before.posted, content));
      if (!edited && !isNew) return;
      const posted = edited ?? (await platform.post(channel(), content));
      messages.set(topic, { posted, text: content.text });
    });
  };

  return {
    /** Shows a message about a topic, in place of the one before; resolves with false when that is impossible. */
    show: async (topic: string, content: Content): Promise<boolean> => change(topic, content, true),
    /** Closes a topic, with `content` as the last state of its message if it has one. */
    settle: async (topic: string, content: Content): Promise<void> => {
      await change(topic, content, false);
      messages.delete(topic);
    },
    /** Posts content; resolves with false when that is impossible. */
    post: async (content: Content): Promise<boolean> =>
      attempt(() => platform.post(channel(), content)),
  };
};
