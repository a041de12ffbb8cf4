import { afterEach } from 'vitest';
import type { Channel } from '../../../../src/model/place.ts';
import { plainWords } from '../../../../src/rich-text/compose.ts';
import type { Message } from '../../../../src/model/message.ts';
import { createMirrorStore, type MirrorStore } from '../../../../src/store/channels/mirrors.ts';
import { createInboxStore, type InboxStore } from '../../../../src/store/inbox/index.ts';
import { WATCH, type Accepted, type Arrival, type Row } from '../../../../src/store/inbox/row.ts';
import { openStore, type Store } from '../../../../src/store/index.ts';
import { fresh } from '../../../fakes/opened.ts';

export const SPACE = { platform: 'test', id: 's' };
export const HERE: Channel = { space: SPACE, id: 'here' };
export const THERE: Channel = { space: SPACE, id: 'there' };
export const PARTITION = 'test:partition';
/** A tenure of the partition, and the one after it. */
export const [EARLIER, LATER] = [{ epoch: 5 }, { epoch: 6 }];

/** Message number `id`, which is its place in the channel too. */
export const messageOf = (id: number, text = 'hello', channel = HERE, by = 'ada'): Message => ({
  ref: { channel, id: String(id) },
  position: String(id).padStart(5, '0'),
  author: { id: by, name: by, kind: 'person' },
  text: plainWords(text),
  files: [],
  stickers: [],
});
export const refOf = (id: number, channel = HERE): Message['ref'] => messageOf(id, '', channel).ref;

export const arrivalOf = (message: Message, part: Partial<Arrival> = {}): Arrival => ({
  message,
  purpose: WATCH,
  partition: PARTITION,
  writtenMs: 1,
  ...part,
});

/** An inbox. */
export interface TestInbox {
  readonly store: Store;
  readonly mirrors: MirrorStore;
  readonly ours: InboxStore;
  /** Its time, ms since 1970. */
  readonly clock: { ms: number };
  accept(message: Message, part?: Partial<Arrival>): Promise<Accepted>;
  /** Claims the rows of the partition, in the earlier tenure if no other is named. */
  claim(tenure?: typeof EARLIER): Promise<readonly Row[]>;
  /** False when a later tenure has claimed the row, or its message is not as it was. */
  holds(row: Row): Promise<boolean>;
  /** Ends a row as posted; false when it is no longer its tenure's. */
  settle(row: Row): Promise<boolean>;
}

const openInbox = async (url: string): Promise<TestInbox> => {
  const store = await openStore(url);
  const clock = { ms: 1_000_000_000 };
  const now = (): number => clock.ms;
  const ours = createInboxStore({ store, now });
  const mirrors = createMirrorStore(store, now);
  return {
    store,
    clock,
    ours,
    mirrors,
    holds: async (row) => (await mirrors.standing(row)) !== undefined,
    accept: async (message, part = {}) => {
      const { was } = await ours.accept(arrivalOf(message, part));
      return was;
    },
    claim: async (tenure = EARLIER) => (await ours.claim(PARTITION, 10, tenure)).rows,
    settle: (row) => store.write((db) => ours.settle(db, row, { state: 'posted' })),
  };
};

/** A new inbox for each test; default: in memory. */
export const withInbox = (
  urlOf: () => Promise<string> = async () => 'sqlite::memory:',
): TestInbox => {
  const inbox = fresh(async () => openInbox(await urlOf()));
  afterEach(() => inbox.store.destroy());
  return inbox;
};
