import { createKeyedMutex } from '../async/keyed-mutex.ts';
import { createLru } from '../async/lru.ts';
import { toAppError } from '../errors.ts';
import { type Log, logFailure } from '../log.ts';
import type { Content } from '../model/content.ts';
import type { Channel, Posted } from '../model/place.ts';
import type { RichText } from '../model/rich-text.ts';
import { equal } from '../model/walk-rich-text.ts';
import type { Platform } from '../ports/platform.ts';

/** Messages in the room's own chat about its state: one for each topic, edited when that changes. */
export interface StatusMessages {
  /** Shows a message about a topic, in place of the one before. */
  show(topic: string, content: Content): Promise<void>;
  /** Closes a topic, with `content` as the last state of its message if it has one. */
  settle(topic: string, content: Content): Promise<void>;
  /** Posts content; resolves with false when that is impossible. */
  post(content: Content): Promise<boolean>;
}

export interface StatusMessagesDeps {
  readonly platform: Pick<Platform, 'post' | 'edit'>;
  readonly channel: () => Channel;
  readonly log: Log;
}

/** Most open topics; beyond it the message of the oldest one stays as it is. */
const MOST_TOPICS = 50;

export const createStatusMessages = ({
  platform,
  channel,
  log,
}: StatusMessagesDeps): StatusMessages => {
  const messages = createLru<string, { readonly posted: Posted; readonly text: RichText }>(
    MOST_TOPICS,
  );
  const mutex = createKeyedMutex();

  const attempt = async (run: () => Promise<unknown>): Promise<boolean> =>
    !(await logFailure(log, 'a status message of a room could not be shown', run));
  /** Edits a message; resolves with undefined when somebody deleted it. */
  const edit = async (posted: Posted, content: Content): Promise<Posted | undefined> => {
    try {
      return await platform.edit(posted, content);
    } catch (thrown) {
      if (toAppError(thrown).code === 'not-found') return undefined;
      throw thrown;
    }
  };
  const change = async (topic: string, content: Content, isNew: boolean): Promise<void> => {
    using _ = await mutex.take(topic);
    const before = messages.get(topic);
    if (before ? equal(before.text, content.text) : !isNew) return;
    await attempt(async () => {
      const edited = before && (await edit(before.posted, content));
      if (!edited && !isNew) return;
      const posted = edited ?? (await platform.post(channel(), content));
      messages.set(topic, { posted, text: content.text });
    });
  };

  return {
    show: async (topic, content) => change(topic, content, true),
    settle: async (topic, content) => {
      await change(topic, content, false);
      messages.delete(topic);
    },
    post: async (content) => attempt(() => platform.post(channel(), content)),
  };
};
