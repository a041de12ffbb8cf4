import type { Channel, MessageRef } from '../../../src/model/place.ts';
import type { ChannelFeed, ThreadInfo } from '../../../src/ports/channel-feed.ts';
import type { Mirrors } from '../../../src/ports/mirrors.ts';
import type { Faults } from './faults.ts';
import { OURSELVES, type Messages } from './messages.ts';

/** The threads of a feed as a test begins and sees them. */
export interface FeedThreads {
  /** Ids of the channels in which messages stand in threads alone. */
  readonly forums: Set<string>;
  /** Channels in which we may begin no threads. */
  readonly threadless: Set<string>;
  /** Somebody begins a thread, on its own or under a message. */
  startThread(
    of: Channel,
    name: string,
    part?: Partial<ThreadInfo> & { readonly under?: MessageRef },
  ): Channel;
  /** What was changed of threads, as `id change`. */
  readonly threadChanges: string[];
  /** The threads by their ids. */
  readonly threads: ReadonlyMap<string, ThreadInfo>;
}

const threadIn = ({ id: parentId, space }: Channel, id: string): Channel => ({
  space,
  id: `${parentId}/${id}`,
  parentId,
});

/** @param threading what the threads are in which conversations are copied */
export const createThreads = (
  threading: 'channels' | 'messages',
  { find, put, newId }: Messages,
  { ask, meet, meanwhile }: Faults,
) => {
  const forums = new Set<string>();
  const threadless = new Set<string>();
  const threads = new Map<string, ThreadInfo>();
  /** The first messages of threads that were begun for conversations. */
  const begun = new Map<string, string>();
  const threadChanges: string[] = [];
  const fake: FeedThreads = {
    forums,
    threadless,
    startThread: (of, name, { under, ...part } = {}) => {
      const own = newId();
      const thread = threadIn(of, under?.id ?? own);
      const from = under ? { begun: under } : {};
      threads.set(thread.id, { name, ownerId: 'ada', isPrivate: false, ...from, ...part });
      return thread;
    },
    threadChanges,
    threads,
  };
  const feed = {
    holdsPosts: async ({ id }) => forums.has(id),
    mayBeginThreads: async ({ id }) => !threadless.has(id),
    describeThread: async ({ id }) => threads.get(id),
  } satisfies Partial<ChannelFeed>;
  const mirrors = {
    changeThread: async (thread, change) => {
      await meanwhile('changeThread');
      meet('changeThread', false, thread);
      const { id } = thread;
      threadChanges.push(`${id.split('/')[0]} ${JSON.stringify(change)}`);
      const info = threads.get(id);
      if (info) threads.set(id, { ...info, ...change });
    },
    openThread: async (of, name, { key, from, opening, mayExist, assertHeld }) => {
      ask('openThread', assertHeld);
      await meanwhile('openThread');
      meet('openThread', false, of);
      const known = mayExist ? begun.get(`${of.id} ${key}`) : undefined;
      const start = from && find(from) ? from.id : undefined;
      const first = start ?? known ?? put(of, { author: OURSELVES, text: opening }).ref.id;
      begun.set(`${of.id} ${key}`, first);
      if (threading === 'messages') {
        meet('openThread', true, of);
        return { channel: of, threadId: first };
      }
      const thread = threadIn(of, first);
      threads.set(thread.id, {
        ownerId: 'dragoman',
        isPrivate: false,
        ...threads.get(thread.id),
        name,
      });
      meet('openThread', true, of);
      return { channel: thread };
    },
    thread: async (of, name, { known, assertHeld } = {}) => {
      if (known) return known;
      ask('thread', assertHeld);
      return { channel: threadIn(of, name) };
    },
  } satisfies Partial<Mirrors>;
  return { fake, feed, mirrors };
};
