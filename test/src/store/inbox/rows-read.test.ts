import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished, vi } from 'vitest';
import { backlogOf, retryAll } from '../../../../src/store/inbox/backlog.ts';
import { createCursorStore } from '../../../../src/store/channels/cursors.ts';
import { createFormerSetups } from '../../../../src/store/channels/former-setups.ts';
import { createHistoryGaps } from '../../../../src/store/channels/histories.ts';
import { createLinkedThreadStore } from '../../../../src/store/channels/linked-threads.ts';
import { createMirrorStore } from '../../../../src/store/channels/mirrors.ts';
import { createInboxStore, openRowsOf } from '../../../../src/store/inbox/index.ts';
import { openStore, type Store } from '../../../../src/store/index.ts';
import { createSpaceSettings } from '../../../../src/store/settings.ts';
import { HERE, PARTITION, SPACE } from './support.ts';

const TABLES =
  '(?:inbox|mirror|linked_thread|channel_cursor|history_gap|space_setting|audit_entry)';
const INDEXES = [
  'inbox_(?:open|dead|untold|over_limit)',
  'mirror_of_flags',
  'linked_thread_(?:of_group|of_channel)',
  '(?:channel_cursor|history_gap)_of_parent',
  'space_setting_of_flags',
  'audit_of_channel',
];

/** How SQLite finds rows for each query of some work. */
const plansOf = async (work: (store: Store) => Promise<unknown>): Promise<readonly string[]> => {
  const store = await openStore('sqlite::memory:');
  onTestFinished(() => store.destroy());
  const prepared = vi.spyOn(DatabaseSync.prototype, 'prepare');
  onTestFinished(() => prepared.mockRestore());
  await work(store);
  const { calls, contexts } = { ...prepared.mock };
  prepared.mockRestore();
  return calls.flatMap(([text], at) => {
    if (!new RegExp(`(?:from|update) "${TABLES}"`).test(text)) return [];
    const explained = (contexts[at] as DatabaseSync).prepare(`EXPLAIN QUERY PLAN ${text}`).all();
    const details = explained.map(({ detail }) => String(detail));
    return details.filter((detail) => new RegExp(` ${TABLES}\\b`).test(detail));
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
  ['a look for flags to remove', (store) => createSpaceSettings(store).removingFlags()],
  ['a look at threads', (store) => createLinkedThreadStore(store).newest('g', 1)],
  ['the end of threads', (store) => createLinkedThreadStore(store).remove(HERE)],
  ['the end of cursors', (store) => createCursorStore(store, () => undefined).remove(HERE)],
  ['a look for what a link replaced', (store) => createFormerSetups(store).of(HERE)],
  ['the end of gaps', (store) => createHistoryGaps(store).remove(HERE)],
])('%s reads no settled message, and nothing else, of others', async (_, work) => {
  const plans = await plansOf(work);
  expect(plans).not.toEqual([]);
  for (const plan of plans)
    expect(plan).toMatch(
      new RegExp(
        `USING (?:COVERING )?INDEX (?:${INDEXES.join('|')})\\b|message_id=\\?|thread_channel_id=\\? AND thread_id=\\?|(?:channel_cursor|history_gap) .*channel_id=\\?`,
      ),
    );
});
