import { plainWords } from '../../src/rich-text/compose.ts';
import { createInboxStore } from '../../src/store/inbox/index.ts';
import { createMirrorStore } from '../../src/store/channels/mirrors.ts';
import type { Row } from '../../src/store/inbox/row.ts';
import { makeDatabase, openTestStore } from '../fakes/database.ts';
import { testBroken, testContract } from './contract.ts';
import { INBOX_CONTRACT, type InboxSubject } from './inbox.ts';

const open = async (url = 'sqlite::memory:'): Promise<InboxSubject> => {
  const store = await openTestStore(url);
  const clock = { ms: 1_000_000_000 };
  const inbox = createInboxStore({ store, now: () => clock.ms });
  const mirrors = createMirrorStore(store, () => clock.ms);
  const holds: InboxSubject['holds'] = async (row) => (await mirrors.standing(row)) !== undefined;
  const settle: InboxSubject['settle'] = (row, outcome) =>
    store.write((db) => inbox.settle(db, row, outcome));
  const passOn: InboxSubject['passOn'] = (row, late) =>
    store.write((db) => inbox.passOn(db, row, late));
  return { inbox, holds, settle, passOn, clock };
};

testContract('the inbox in SQLite', INBOX_CONTRACT, open);
testContract('the inbox in PostgreSQL', INBOX_CONTRACT, async () => open(await makeDatabase()));

/** An inbox that is opened anew for each test, and does some things in another way. */
const broken = (change: (sound: InboxSubject) => Partial<InboxSubject['inbox']>): InboxSubject => {
  let opening: Promise<InboxSubject> | undefined;
  const clock = { ms: 1_000_000_000 };
  const sound = (): Promise<InboxSubject> => (opening ??= open());
  const inbox = new Proxy({} as InboxSubject['inbox'], {
    get:
      (_, name: keyof InboxSubject['inbox']) =>
      async (...given: never[]) => {
        const subject = await sound();
        const method = (change(subject)[name] ?? subject.inbox[name]) as (
          ...all: never[]
        ) => unknown;
        return method(...given);
      },
  });
  return {
    inbox,
    clock,
    holds: async (row) => (await sound()).holds(row),
    settle: async (row, outcome) => (await sound()).settle(row, outcome),
    passOn: async (row, late) => (await sound()).passOn(row, late),
  };
};

const asLater = (row: Row): Row => ({ ...row, epoch: 2 });

testBroken(INBOX_CONTRACT, {
  'takes everything for new': {
    port: broken(({ inbox }) => ({
      accept: async (arrival) => ({ ...(await inbox.accept(arrival)), was: 'new' }),
    })),
    fails: 'takes a message once, until it says something else',
  },
  'knows no order': {
    port: broken(({ inbox }) => ({
      accept: (arrival) => inbox.accept({ ...arrival, writtenMs: 0 }),
    })),
    fails: 'claims the rows of a partition in the order in which they were written',
  },
  'passes over nothing': {
    port: broken(({ inbox }) => ({
      claim: (partition, limit, tenure) => inbox.claim(partition, limit, tenure),
    })),
    fails: 'passes over the rows of some spaces, as if they were not there',
  },
  'gives a row to everybody': {
    port: broken(({ inbox }) => ({
      claim: (partition, limit) => inbox.claim(partition, limit, { epoch: 9 }),
    })),
    fails: 'claims each row for one tenure, however many ask at the same moment',
  },
  'knows no epochs': {
    port: broken(({ inbox }) => ({
      claim: (partition, limit) => inbox.claim(partition, limit, { epoch: 9 }),
    })),
    fails: 'gives nothing of a later tenure to an earlier one',
  },
  'settles for everybody': {
    port: broken(({ inbox }) => ({
      claim: async (partition, limit, tenure) => {
        const { rows, nextDueMs } = await inbox.claim(partition, limit, tenure);
        return { rows: rows.map(asLater), nextDueMs };
      },
    })),
    fails: 'settles nothing for a tenure that has lost its row',
  },
  'forgets changes': {
    port: broken(({ inbox }) => ({
      accept: (arrival) =>
        inbox.accept({ ...arrival, message: { ...arrival.message, text: plainWords('the same') } }),
    })),
    fails: 'settles nothing of a message that has changed',
  },
  'lets nothing wait': {
    port: broken(({ inbox }) => ({
      release: (rows, { tried }) => inbox.release(rows, { tried, dueMs: 0 }),
    })),
    fails: 'lets a row that waits hold up those after it',
  },
  'forgets what was begun': {
    port: broken(({ inbox }) => ({
      claim: async (...given) => {
        const { rows, nextDueMs } = await inbox.claim(...given);
        return { rows: rows.map((row) => ({ ...row, mayExist: false })), nextDueMs };
      },
    })),
    fails: 'says of what was begun that it may stand',
  },
  'takes nothing over': {
    port: broken(() => ({ takeOver: async () => undefined })),
    fails: 'takes over what was begun, and tells it from what was not',
  },
  'brings back what was deleted': {
    port: broken(() => ({ markDeleted: async () => [] })),
    fails: 'brings back nothing that was deleted',
  },
  'lets nothing wait for others': {
    port: broken(() => ({ waitsFor: async () => [] })),
    fails: 'has a message wait for a late channel besides, as it was last, in a slot with its own',
  },
});
