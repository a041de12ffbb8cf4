import { describe, expect, it, onTestFinished } from 'vitest';
import type { Channel } from '../../../../src/model/place.ts';
import type { ChannelWatch } from '../../../../src/model/space.ts';
import { actAs } from '../../../../src/store/actor.ts';
import { openWatchStore } from '../../../../src/store/channels/watches.ts';
import { createWatchUndos, MOST_UNDOS } from '../../../../src/store/channels/watch-undos.ts';
import { clearOld } from '../../../../src/store/privacy/clear-old.ts';
import { openStore } from '../../../../src/store/index.ts';
import { mirrorOf, watchOf } from '../../../fakes/autotranslate.ts';
import { NO_HORIZONS } from '../../../fakes/horizons.ts';
import { ENGINES } from '../tool/support.ts';

const SPACE = { platform: 'test', id: 's' };
const THERE = { platform: 'test', id: 'there' };
const at = (id: string, space = SPACE) => ({ space, id });
const LASTS_MS = 600_000;
const undoOf = (id: string) => ({
  id,
  mixesAges: true,
  isOfRules: false,
  expiresMs: 1_000 + LASTS_MS,
});

/** One process on a database. */
const open = async (url: string) => {
  const store = await openStore(url);
  onTestFinished(() => store.destroy());
  const clock = { nowMs: 1_000 };
  const now = (): number => clock.nowMs;
  const [watches, undos] = [await openWatchStore(store, now), createWatchUndos(store, now)];
  const end = (channel: Channel, id: string) =>
    actAs({ id: 'ann', name: 'Ann', space: channel.space, undo: undoOf(id) }, () =>
      watches.remove([channel]),
    );
  const ids = async (): Promise<string[]> => (await undos.list(SPACE)).map(({ id }) => id);
  return { store, clock, watches, undos, end, ids };
};

describe.each(ENGINES)('the undo of watches, on $engine', ({ make }) => {
  it.each<[string, ChannelWatch]>([
    ['a reply', watchOf(at('1'), { below: true })],
    [
      'a thread',
      watchOf({ ...at('1'), parentId: '2' }, { mode: 'thread', languages: ['es', 'ja'] }),
    ],
    ['a choice', watchOf(at('1'), { choices: { pause: { fromMs: 1 }, rules: { shortest: 3 } } })],
  ])('is stored with the end of %s, as another process reads it', async (_, watch) => {
    const url = await make();
    const { store, watches, end } = await open(url);
    await watches.set([watch]);
    await end(watch.channel, 'u');
    // SQLite has one process at a time.
    if (store.engine === 'sqlite') await store.destroy();
    const { undos, ids } = await open(url);
    expect(await undos.list(SPACE)).toEqual([{ ...undoOf('u'), watches: [watch] }]);
    expect(await undos.list(THERE)).toEqual([]);
    expect(await ids()).toEqual(['u']);
  });

  it('has all channels of a group that ended, but none of another space', async () => {
    const { watches, undos, end } = await open(await make());
    const own = mirrorOf([at('1'), 'en'], [at('2'), 'es']);
    await watches.set(own);
    await end(at('1'), 'own');
    expect((await undos.list(SPACE))[0]?.watches).toEqual(own);
    await watches.set(mirrorOf([at('1'), 'en'], [at('9', THERE), 'es']));
    await end(at('1'), 'shared');
    const found = (await undos.list(SPACE)).find(({ id }) => id === 'shared');
    expect(found?.watches.map(({ channel }) => channel)).toEqual([at('1')]);
    expect(await undos.list(THERE)).toEqual([]);
  });

  it('is not stored where nothing ended, or the end was not', async () => {
    const { store, watches, end, ids } = await open(await make());
    await end(at('1'), 'none');
    await watches.set([watchOf(at('1'))]);
    await store.write((db) => db.schema.alterTable('audit_entry').renameTo('away').execute());
    await expect(end(at('1'), 'half')).rejects.toThrow();
    await store.write((db) => db.schema.alterTable('away').renameTo('audit_entry').execute());
    expect(watches.list(SPACE)).toHaveLength(1);
    expect(await ids()).toEqual([]);
  });

  it('is used up within the write that sets it back, once, by its own space', async () => {
    const url = await make();
    const { store, watches, undos, end, ids } = await open(url);
    await watches.set([watchOf(at('1'))]);
    await end(at('1'), 'u');
    const using = (space: typeof SPACE) => store.write((db) => undos.take(db, space, 'u'));
    expect(await using(THERE)).toBe(false);
    await expect(
      store.write(async (db) => {
        await undos.take(db, SPACE, 'u');
        throw new Error('half');
      }),
    ).rejects.toThrow('half');
    expect(await ids()).toEqual(['u']);
    expect([await using(SPACE), await using(SPACE)]).toEqual([true, false]);
  });

  it('lasts some minutes, and a space has so many of them', async () => {
    const { clock, store, watches, end, ids } = await open(await make());
    for (let id = 1; id <= MOST_UNDOS + 2; id += 1) {
      await watches.set([watchOf(at('1')), watchOf(at('2', THERE))]);
      await end(at('1'), `${id}`);
    }
    await end(at('2', THERE), 'there');
    const stored = async () => (await store.selectFrom('watch_undo').select('id').execute()).length;
    expect(await ids()).toHaveLength(MOST_UNDOS);
    expect((await ids()).at(-1)).toBe('3');
    expect(await stored()).toBe(MOST_UNDOS + 1);
    clock.nowMs += LASTS_MS + MOST_UNDOS + 2;
    expect(await ids()).toEqual([]);
    await clearOld(store, { ...NO_HORIZONS, leftMs: clock.nowMs });
    expect(await stored()).toBe(0);
  });

  it('is none where another version stored something else', async () => {
    const { store, watches, end, ids } = await open(await make());
    await watches.set([watchOf(at('1'))]);
    await end(at('1'), 'u');
    await store.write((db) =>
      db.updateTable('watch_undo').set({ watches: '[{"mode":"sung"}]' }).execute(),
    );
    expect(await ids()).toEqual([]);
  });
});
