import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { channelKey, type Channel } from '../../../src/model/place.ts';
import type { ThreadChange } from '../../../src/ports/channel-feed.ts';
import { eventually } from '../../fakes/eventually.ts';
import { mirrorOf } from '../../fakes/autotranslate.ts';
import { channel, lost, person, SPACE } from '../../fakes/channel-feed.ts';
import { ENGLISH, JAPANESE, linked, otherGroup, SPANISH, withScene } from './support.ts';

describe('copies of a thread', () => {
  const scene = withScene(linked());

  /** A thread with its copies, as it was begun. */
  const begun = async (): Promise<Channel> => {
    const thread = scene.feed.startThread(ENGLISH, 'plans');
    await scene.say(thread, 'one');
    await scene.idle();
    return thread;
  };
  const copyIn = ({ id }: Channel): Channel => {
    const [found] = [...scene.feed.threads.keys()].filter((one) => one.startsWith(`${id}/`));
    return channel(found ?? 'none', id);
  };
  const rename = async (thread: Channel, name: string): Promise<void> => {
    await scene.feed.mirrors.changeThread?.(thread, { name });
    scene.feed.threadChanges.length = 0;
    await scene.listener.threadChanged(thread, { name });
  };
  const changes = (): string[] => scene.feed.threadChanges.toSorted();
  const changed = (of: Channel, change: ThreadChange): string =>
    `${of.id} ${JSON.stringify(change)}`;

  it('follow its name in their languages, and that it is archived, locked and opened', async () => {
    const thread = await begun();
    await rename(thread, 'summer');
    expect(changes()).toEqual([
      changed(JAPANESE, { name: 'ja(summer)' }),
      changed(SPANISH, { name: 'es(summer)' }),
    ]);
    scene.feed.threadChanges.length = 0;
    await scene.listener.threadChanged(thread, { isArchived: true, isLocked: true });
    expect(changes()).toEqual(
      [JAPANESE, SPANISH].map((one) => changed(one, { isArchived: true, isLocked: true })),
    );
  });

  it('are changed once: what is reported of our own changes changes nothing, also after a restart', async () => {
    const thread = await begun();
    await rename(thread, 'summer');
    scene.feed.threadChanges.length = 0;
    for (const round of [1, 2]) {
      await scene.listener.threadChanged(copyIn(SPANISH), { name: 'es(summer)' });
      await scene.listener.threadChanged(copyIn(JAPANESE), { name: 'ja(summer)' });
      await scene.listener.threadChanged(thread, { name: 'summer', isArchived: false });
      if (round === 1) await scene.restart();
    }
    expect(changes()).toEqual([]);
    // A copy that people change changes the others.
    await rename(copyIn(SPANISH), 'es:verano');
    expect(changes()).toEqual([
      changed(ENGLISH, { name: 'en(es:verano)' }),
      changed(JAPANESE, { name: 'ja(es:verano)' }),
    ]);
  });

  it('follow the last of many changes in a few minutes', async () => {
    const thread = await begun();
    for (const name of ['a', 'b']) await rename(thread, name);
    const last = Array.from({ length: 20 }, (_, at) => rename(thread, `name ${at}`));
    await eventually(() => expect(scene.feed.threads.get(thread.id)?.name).toBe('name 19'));
    expect(changes()).toEqual([]);
    for (let minutes = 0; minutes < 6; minutes += 1) await scene.later();
    await Promise.all(last);
    expect(changes()).toEqual([
      changed(JAPANESE, { name: 'ja(name 19)' }),
      changed(SPANISH, { name: 'es(name 19)' }),
    ]);
  });

  it('stay as they are where the channel is muted, or a permission is missing; the others follow', async () => {
    const thread = await begun();
    const refused = new AppError('forbidden', 'a permission is missing');
    scene.feed.fail({ call: 'changeThread', error: refused });
    await scene.listener.threadChanged(thread, { isArchived: true });
    expect(changes()).toHaveLength(1);
    scene.feed.threadChanges.length = 0;
    const muted = { [channelKey(ENGLISH)]: { fromMs: 1 } };
    await scene.watches.change(JAPANESE, (watch) => ({ ...watch, choices: { muted } }));
    await scene.listener.threadChanged(thread, { isArchived: false });
    expect(changes()).toEqual([changed(SPANISH, { isArchived: false })]);
  });

  it('neither change nor are changed where the channel is paused, for itself or for the group, or not linked any more', async () => {
    const thread = await begun();
    const held = { [channelKey(JAPANESE)]: { fromMs: 1 } };
    await scene.watches.change(ENGLISH, (watch) => ({ ...watch, choices: { held } }));
    await scene.watches.pause(SPANISH, true);
    await scene.listener.threadChanged(thread, { isLocked: true });
    await scene.listener.threadChanged(copyIn(JAPANESE), { isLocked: true });
    await scene.listener.threadChanged(copyIn(SPANISH), { isLocked: true });
    expect(changes()).toEqual([]);
    await scene.watches.change(ENGLISH, (watch) => ({ ...watch, choices: { held: {} } }));
    await scene.watches.set(otherGroup);
    await scene.listener.threadChanged(thread, { isArchived: true });
    expect(changes()).toEqual([changed(JAPANESE, { isArchived: true })]);
  });

  it('follow what is changed while an earlier change is followed', async () => {
    const thread = await begun();
    const [met, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    scene.feed.during('changeThread', () => {
      met.resolve();
      return go.promise;
    });
    const change = (one: ThreadChange) => scene.listener.threadChanged(thread, one);
    const first = change({ isArchived: true });
    await met.promise;
    const more = [change({ isLocked: true }), change({ isArchived: false })];
    go.resolve();
    await Promise.all([first, ...more]);
    scene.feed.threadChanges.splice(0, 2);
    for (let minutes = 0; minutes < 6; minutes += 1) await scene.later();
    const last = { isArchived: false, isLocked: true };
    expect(changes()).toEqual([changed(JAPANESE, last), changed(SPANISH, last)]);
  });

  const missed = async (): Promise<void> => {
    scene.listener.messagesMissed([{ channel: ENGLISH, newest: '' }]);
    await scene.later();
  };
  const nameOf = (of: Channel) => scene.feed.threads.get(of.id)?.name;

  it('follow later what has to wait, which no report waits for, also where the process ends and there are many newer threads', async () => {
    const thread = await begun();
    const copies = [copyIn(SPANISH), copyIn(JAPANESE)];
    await scene.store.write(async (db) => {
      const [row] = await db.selectFrom('linked_thread').selectAll().limit(1).execute();
      for (let at = 0; at < 30; at += 1) {
        const newer = { thread_channel_id: `${'9'.repeat(60)}${at}`, origin: `newer ${at}` };
        await db
          .insertInto('linked_thread')
          .values({ ...row!, ...newer })
          .execute();
      }
    });
    for (const name of ['a', 'b', 'c', 'd']) await rename(thread, name);
    expect(copies.map(nameOf)).toEqual(['es(b)', 'ja(b)']);
    await scene.restart();
    await missed();
    await eventually(() => expect(copies.map(nameOf)).toEqual(['es(d)', 'ja(d)']));
    const due = scene.store.selectFrom('linked_thread').where('state', 'like', '%isDue%');
    expect(await due.selectAll().execute()).toEqual([]);
  });

  it('follow what was changed while nothing was reported, and what a process left that ended', async () => {
    const thread = await begun();
    const copies = [copyIn(SPANISH), copyIn(JAPANESE)];
    await scene.restart();
    await scene.feed.mirrors.changeThread?.(thread, { name: 'summer', isLocked: true });
    await missed();
    await eventually(() => expect(copies.map(nameOf)).toEqual(['es(summer)', 'ja(summer)']));
    expect(copies.map((one) => scene.feed.threads.get(one.id)?.isLocked)).toEqual([true, true]);
    // One copy is changed when the process ends, and nothing is reported again.
    const met = Promise.withResolvers<void>();
    scene.feed.during('changeThread', async () => undefined);
    scene.feed.during('changeThread', () => {
      met.resolve();
      return new Promise(() => {});
    });
    Object.assign(scene.feed.threads.get(thread.id)!, { name: 'autumn' });
    void scene.listener.threadChanged(thread, { name: 'autumn' });
    await met.promise;
    await scene.restart();
    await missed();
    await eventually(() => expect(copies.map(nameOf)).toEqual(['es(autumn)', 'ja(autumn)']));
    expect(nameOf(thread)).toBe('autumn');
    scene.feed.threadChanges.length = 0;
    await scene.restart();
    await missed();
    await scene.later();
    expect(changes()).toEqual([]);
  });

  it('follow at the next look where a platform could not be reached, and stay where one refused', async () => {
    const thread = await begun();
    const lostOnce = { call: 'changeThread', channel: copyIn(SPANISH), error: lost() } as const;
    const error = new AppError('forbidden', 'a permission is missing');
    scene.feed.fail(lostOnce, { call: 'changeThread', channel: copyIn(JAPANESE), error });
    Object.assign(scene.feed.threads.get(thread.id)!, { name: 'summer' });
    await scene.listener.threadChanged(thread, { name: 'summer' });
    expect(changes()).toEqual([]);
    await missed();
    await eventually(() => expect(nameOf(copyIn(SPANISH))).toBe('es(summer)'));
    await eventually(() => expect(nameOf(copyIn(JAPANESE))).toBe('ja(summer)'));
    scene.feed.fail({ call: 'changeThread', channel: copyIn(JAPANESE), error });
    Object.assign(scene.feed.threads.get(thread.id)!, { name: 'winter' });
    await scene.listener.threadChanged(thread, { name: 'winter' });
    await missed();
    await scene.later();
    expect([thread, copyIn(SPANISH), copyIn(JAPANESE)].map(nameOf)).toEqual([
      'winter',
      'es(winter)',
      'ja(summer)',
    ]);
  });

  it('take the name from nobody who was stopped there, nor one that a rule leaves out', async () => {
    const there = { platform: SPACE.platform, id: 'there' };
    const [elsewhere, mia] = [channel('elsewhere', undefined, there), person('mia')];
    scene.feed.nameSpace(there, 'There');
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [elsewhere, 'es']));
    const begin = async (name: string): Promise<Channel> => {
      const thread = scene.feed.startThread(ENGLISH, name, { ownerId: mia.id });
      await scene.say(thread, 'one');
      await scene.idle();
      return thread;
    };
    const names = () =>
      [...scene.feed.threads].flatMap(([key, { name }]) =>
        key.startsWith(`${elsewhere.id}/`) ? [name] : [],
      );
    const thread = await begin('plans');
    expect(names()).toEqual(['es(plans)']);
    await scene.blocks.add(
      there,
      { platform: SPACE.platform, id: mia.id },
      { name: 'mia', isBan: false },
    );
    await rename(thread, 'rude');
    await begin('rude again');
    expect(names()).toEqual(['🧵', '🧵']);
    await scene.spaces.change(SPACE, { rules: { words: { of: ['secret'] } } });
    const own = scene.feed.startThread(ENGLISH, 'the secret', { ownerId: 'bob' });
    await scene.say(own, 'one', { author: person('bob') });
    await scene.idle();
    expect(names().at(-1)).toBe('🧵');
    expect(scene.feed.texts(elsewhere).join()).not.toMatch(/rude|secret/);
  });

  it('count the characters of their names for the server alone, and have it as written over its limit', async () => {
    const before = await scene.usage.today(SPACE);
    const thread = await begun();
    const { characters } = await scene.usage.today(SPACE);
    // `plans` and `one`, each in two languages.
    expect(characters - before.characters).toBe(2 * 5 + 2 * 3);
    await scene.spaces.change(SPACE, { dailyCharacters: characters + 4 });
    await rename(thread, 'tea');
    const names = [...scene.feed.threads.values()].map(({ name }) => name);
    expect(names.filter((name) => name.includes('(tea)'))).toHaveLength(1);
    expect(names.filter((name) => name === 'tea')).toHaveLength(2);
    expect((await scene.usage.todayOf(SPACE, 'ada')).characters).toBe(2 * 3);
  });
});
