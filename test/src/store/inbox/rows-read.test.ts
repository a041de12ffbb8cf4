import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished, vi } from 'vitest';
import { backlogOf, retryAll } from '../../../../src/store/inbox/backlog.ts';
import { createMirrorStore } from '../../../../src/store/channels/mirrors.ts';
import { createInboxStore, openRowsOf } from '../../../../src/store/inbox/index.ts';
import { openStore, type Store } from '../../../../src/store/index.ts';
import { HERE, PARTITION, SPACE } from './support.ts';

/** How SQLite finds the rows of the inbox for each query of some work. */
const plansOf = async (work: (store: Store) => Promise<unknown>): Promise<readonly string[]> => {
  const store = await openStore('sqlite::memory:');
  onTestFinished(() => store.destroy());
  const prepared = vi.spyOn(DatabaseSync.prototype, 'prepare');
  onTestFinished(() => prepared.mockRestore());
  await work(store);
  const { calls, contexts } = { ...prepared.mock };
  prepared.mockRestore();
  return calls.flatMap(([text], at) => {
    if (!/from "(?:inbox|mirror)"|update "inbox"/.test(text)) return [];
    const explained = (contexts[at] as DatabaseSync).prepare(`EXPLAIN QUERY PLAN ${text}`).all();
    const details = explained.map(({ detail }) => String(detail));
    return details.filter((detail) => / (?:inbox|mirror)\b/.test(detail));
  });
};

const mirrorsOf = (store: Store) => createMirrorStore(store, () => 1);
const inboxOf = (store: Store) => createInboxStore({ store, now: () => 1 });

it.each<readonly [string, (store: Store) => Promise<unknown>]>([
  ['a look for work', (store) => inboxOf(store).partitions(['test', 'other'], [1, 2, 3])],
  ['the end of a space', (store) => inboxOf(store).openIn(SPACE)],
  ['a look at a space', (store) => backlogOf(store, SPACE, () => 1, 1)],
  ['a look at late channels', (store) => inboxOf(store).waitingIn([PARTITION, `${PARTITION}2`])],
  ['a retry', (store) => retryAll(store, SPACE)],
  ['a notice of what was given up', (store) => inboxOf(store).untold.begin(SPACE, 1)],
  ['the end of such a notice', (store) => inboxOf(store).untold.end(SPACE)],
  ['a look at flags', (store) => mirrorsOf(store).flagReplies(SPACE, 1, 1)],
  ['an opt-out', (store) => openRowsOf(store, { platform: HERE.space.platform, id: 'ada' })],
])('%s reads no settled message of others', async (_, work) => {
  const plans = await plansOf(work);
  expect(plans).not.toEqual([]);
  for (const plan of plans)
    expect(plan).toMatch(
      /USING (?:COVERING )?INDEX (?:inbox_(?:open|dead|untold|over_limit)|mirror_of_flags)\b|message_id=\?/,
    );
});
