import type { Api } from './api.ts';
import { isUnreadable } from './errors.ts';
import { readMessage } from './history.ts';
import { createLru } from '../../src/async/lru.ts';
import type { Channel, MessageRef, Space } from '../../src/model/place.ts';

/** Replies whose thread is remembered. */
const KEPT = 20_000;

const keyOf = ({ space, id }: Channel, ts: string): string => `${space.id} ${id} ${ts}`;

export type Threads = ReturnType<typeof createThreads>;

/**
 * Creates the cache of threads: a message is answered in the thread that it is in, under that thread's
 * first message.
 */
export const createThreads = (api: Api) => {
  const roots = createLru<string, string>(KEPT);

  const ask = async (channel: Channel, ts: string): Promise<string | undefined> => {
    const found = await readMessage(api, channel, ts);
    return found && (found.thread_ts ?? found.ts);
  };

  return {
    /** Notes the thread of a message; `ts` itself for one that is in none. */
    note: (channel: Channel, ts: string, root: string): void => roots.set(keyOf(channel, ts), root),
    /** True while the first message of a thread is there. */
    exists: async (channel: Channel, root: string): Promise<boolean> => {
      if (roots.get(keyOf(channel, root)) === root) return true;
      const isThere = (await ask(channel, root)) !== undefined;
      if (isThere) roots.set(keyOf(channel, root), root);
      return isThere;
    },
    /** Drops what is known of a workspace. */
    forgetSpace: (space: Space): void => {
      for (const [key] of roots) if (key.startsWith(`${space.id} `)) roots.delete(key);
    },
    /** Takes the deletion of a message. */
    forget: (channel: Channel, ts: string): void => roots.delete(keyOf(channel, ts)),
    /**
     * The first message of the thread that a message is in, or begins; the message itself where the
     * history may not be read; undefined where the message does not exist any more.
     */
    rootOf: async ({ channel, id }: MessageRef): Promise<string | undefined> => {
      const known = roots.get(keyOf(channel, id));
      if (known !== undefined) return known;
      try {
        const root = await ask(channel, id);
        if (root !== undefined) roots.set(keyOf(channel, id), root);
        return root;
      } catch (thrown) {
        if (isUnreadable(thrown)) return id;
        throw thrown;
      }
    },
  };
};
