import { afterEach, beforeEach } from 'vitest';
import type { Channel } from '../../../../src/model/place.ts';
import type { Message } from '../../../../src/model/message.ts';
import { createMirrorStore, type MirrorStore } from '../../../../src/store/mirrors.ts';
import { createInboxStore, type InboxStore } from '../../../../src/store/inbox/index.ts';
import { WATCH } from '../../../../src/store/inbox/purpose.ts';
import type { Accepted, Arrival, Partition, Row } from '../../../../src/store/inbox/row.ts';
import { openStore, type Store } from '../../../../src/store/index.ts';

export const SPACE = { platform: 'test', id: 's' };
export const HERE: Channel = { space: SPACE, id: 'here' };
export const THERE: Channel = { space: SPACE, id: 'there' };
export const LANE: Partition = { platform: 'test', lane: 'lane' };
export const LEASE_MS = 60_000;

/** Message number `id`, which is its place in the channel too. */
export const messageOf = (id: number, text = 'hello', channel = HERE, by = 'ada'): Message => ({
  ref: { channel, id: String(id) },
  position: String(id).padStart(5, '0'),
  author: { id: by, name: by, kind: 'person' },
  text,
  files: [],
  stickers: [],
});
export const refOf = (id: number, channel = HERE): Message['ref'] => messageOf(id, '', channel).ref;

/** An inbox that two programs work on, `ours` and `theirs`. */
export interface TestInbox {
  readonly store: Store;
  readonly copies: MirrorStore;
  readonly ours: InboxStore;
  readonly theirs: InboxStore;
  /** Their time, ms since 1970. */
  readonly clock: { ms: number };
  accept(message: Message, part?: Partial<Arrival>): Promise<Accepted>;
  /** The rows of the lane that are ours now. */
  claim(): Promise<readonly Row[]>;
  /** Ends a row as posted; false when it is no longer its owner's. */
  settle(row: Row, by?: InboxStore): Promise<boolean>;
}

const openInbox = async (): Promise<TestInbox> => {
  const store = await openStore('sqlite::memory:');
  const clock = { ms: 1_000_000_000 };
  const now = (): number => clock.ms;
  const inboxOf = (owner: string): InboxStore =>
    createInboxStore({ store, owner, now, leaseMs: LEASE_MS });
  const [ours, theirs] = [inboxOf('we'), inboxOf('they')];
  return {
    store,
    clock,
    ours,
    theirs,
    copies: createMirrorStore(store, now),
    accept: async (message, part = {}) => {
      const { was } = await ours.accept({ message, purpose: WATCH, lane: LANE.lane, ...part });
      return was;
    },
    claim: async () => (await ours.claim(LANE, 10)).rows,
    settle: (row, by = ours) => store.write((db) => by.settle(db, row, { state: 'posted' })),
  };
};

/** A new inbox for each test. */
export const withInbox = (): TestInbox => {
  let opened: TestInbox;
  beforeEach(async () => {
    opened = await openInbox();
  });
  afterEach(() => opened.store.destroy());
  return new Proxy({} as TestInbox, { get: (_, name: keyof TestInbox) => opened[name] });
};
