import type { KyselyPlugin } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Message } from '../../../../src/model/message.ts';
import { createCursorStore, type CursorStore } from '../../../../src/store/channels/cursors.ts';
import { WATCH } from '../../../../src/store/inbox/row.ts';
import { HERE, messageOf, THERE, withInbox } from '../inbox/support.ts';

const inbox = withInbox();
let cursors: CursorStore;

const open = (): CursorStore =>
  createCursorStore(inbox.store, (fault) => {
    throw fault;
  });
const reopen = async (): Promise<void> => {
  await cursors[Symbol.asyncDispose]();
  cursors = open();
};

beforeEach(() => {
  cursors = open();
});
afterEach(() => cursors[Symbol.asyncDispose]());

describe('how far a channel was followed', () => {
  it('is known at once, and after the next start', async () => {
    expect(await cursors.of(HERE)).toBeUndefined();
    cursors.advance(HERE, '5');
    expect(await cursors.of(HERE)).toBe('5');
    await reopen();
    expect(await cursors.of(HERE)).toBe('5');
    expect(await cursors.of(THERE)).toBeUndefined();
  });

  it('never goes back', async () => {
    cursors.advance(HERE, '5');
    cursors.advance(HERE, '3');
    expect(await cursors.of(HERE)).toBe('5');
    await reopen();
    cursors.advance(HERE, '4');
    await reopen();
    expect(await cursors.of(HERE)).toBe('5');
    cursors.advance(HERE, '6');
    await reopen();
    expect(await cursors.of(HERE)).toBe('6');
  });

  it('is written of all channels by one statement, in one order for all processes', async () => {
    const { store } = inbox;
    const statements: string[] = [];
    const seen: KyselyPlugin = {
      transformQuery: ({ node }) => {
        statements.push(JSON.stringify(node));
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    const write: typeof store.write = async (work, durability) =>
      store.write(async (db) => work(db.withPlugin(seen)), durability);
    const moved = createCursorStore(Object.create(store, { write: { value: write } }), () => {});
    for (const id of ['c', 'a', 'b']) moved.advance({ ...HERE, id }, '5');
    await moved[Symbol.asyncDispose]();
    expect(statements).toHaveLength(1);
    const places = ['a', 'b', 'c'].map((id) => statements[0]!.indexOf(`"${id}"`));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(await cursors.of({ ...HERE, id: 'b' })).toBe('5');
  });

  it('is forgotten with the channel, whether it was written or not', async () => {
    cursors.advance(HERE, '5');
    await reopen();
    cursors.advance(HERE, '6');
    await cursors.remove(HERE);
    expect(await cursors.of(HERE)).toBeUndefined();
    await reopen();
    expect(await cursors.of(HERE)).toBeUndefined();
  });

  it('is forgotten of its threads too', async () => {
    const thread = (id: string) => ({ ...HERE, id, parentId: HERE.id });
    cursors.advance(thread('old'), '5');
    cursors.advance(THERE, '5');
    await reopen();
    cursors.advance(thread('new'), '6');
    await cursors.remove(HERE);
    await reopen();
    for (const id of ['old', 'new']) expect(await cursors.of(thread(id))).toBeUndefined();
    expect(await cursors.of(THERE)).toBe('5');
  });

  it('is forgotten of what is older than anything that is fetched', async () => {
    cursors.advance(HERE, '5');
    cursors.advance(THERE, '6');
    await reopen();
    await cursors.clear(HERE.space.platform, '6');
    expect([await cursors.of(HERE), await cursors.of(THERE)]).toEqual([undefined, '6']);
  });
});

describe('the last messages of a channel', () => {
  const recent = async (after: string): Promise<string[]> =>
    (await cursors.recent(HERE, after)).map(({ ref }) => ref.id);
  const say = (message: Message, part = {}) => inbox.accept(message, part);

  it('are those of which something stands or will stand, the oldest first', async () => {
    for (const id of [1, 2, 3]) await say(messageOf(id));
    await say(messageOf(4), { skip: 'command' });
    await say(messageOf(5), { purpose: 'flag:ja' });
    await say(messageOf(6, 'hello', THERE));
    const [, second] = await inbox.claim();
    await inbox.settle(second!);
    expect(await recent('')).toEqual(['1', '2', '3']);
    expect(await recent(messageOf(1).position)).toEqual(['2', '3']);
    await say(messageOf(7), { purpose: WATCH, partition: 'other' });
    expect(await recent(messageOf(3).position)).toEqual(['7']);
  });

  it('are the newest where there are many', async () => {
    for (let id = 1; id <= 60; id += 1) await say(messageOf(id));
    const all = await recent('');
    expect([all.length, all[0], all.at(-1)]).toEqual([50, '11', '60']);
  });
});
