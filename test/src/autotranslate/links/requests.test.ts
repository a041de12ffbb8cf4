import { plainText } from '../../../../src/rich-text/walk.ts';
import { describe, expect, it } from 'vitest';
import { createStoreWriter } from '../../../../src/store/writer.ts';
import { createTransact } from '../../../../src/store/sqlite/dialect.ts';
import { openStore, type Store } from '../../../../src/store/index.ts';
import { isPaused } from '../../../../src/model/space.ts';
import type { LinkConditions, Watches } from '../../../../src/model/watches.ts';
import { actAs } from '../../../../src/store/actor.ts';
import { auditOf } from '../../../fakes/audit.ts';
import { mirrorOf, openTestAutoTranslate, watchOf } from '../../../fakes/autotranslate.ts';
import { channel, createFakeFeed, lost, SPACE } from '../../../fakes/channel-feed.ts';
import { kindsOfColumnsWith } from '../../../fakes/every-table.ts';
import { sentence } from '../../../fakes/sentences.ts';
import { ENGLISH, withScene, WORKSPACE } from '../support.ts';
import { mirror, THERE } from './support.ts';

const DAY_MS = 86_400_000;
const admit = async (): Promise<void> => undefined;
const conditions: LinkConditions = { admit, mayMixAges: false, by: { id: 'bob', name: 'Bob' } };
const isOver = { sentence: { key: 'autotranslate.link-over' } };
const inviteTo = async (watches: Watches): Promise<string> => {
  const { code } = await watches.invite(mirror(ENGLISH, 'en'), false, { id: 'ann', name: 'Ann' });
  return code;
};
const propose = async (watches: Watches) =>
  watches.propose(await inviteTo(watches), mirror(THERE, 'es'), conditions);

describe('a link', () => {
  const scene = withScene();
  const linked = (): number =>
    scene.watches.list(SPACE).length + scene.watches.list(WORKSPACE).length;
  /** Asks the side that made the code; resolves with the id of the question. */
  const ask = async (): Promise<string> => {
    const { id } = await propose(scene.watches);
    await scene.watches.ask(id, WORKSPACE, admit);
    return id;
  };

  it('shows each side the other one, its server, and who asks', async () => {
    scene.feed.nameSpace(SPACE, 'Babel');
    scene.other.nameSpace(WORKSPACE, 'tower.example');
    const { id, by, names } = await propose(scene.watches);
    expect([by, names]).toEqual(['Ann · Babel (Place)', ['Babel (Place)']]);
    expect(scene.feed.texts(ENGLISH)).toEqual([]);
    await scene.watches.ask(id, WORKSPACE, admit);
    const [question] = scene.feed.texts(ENGLISH);
    expect(question).toContain(
      'Bob · tower.example (Other) asks to link this channel with #channel-42 · tower.example',
    );
    expect(scene.feed.asked(ENGLISH)).toEqual([
      `autotranslate link:${id}`,
      `autotranslate refuse:${id}`,
    ]);
  });

  it('shows nothing of either side before both have agreed', async () => {
    const { id } = await propose(scene.watches);
    await scene.say(ENGLISH, 'before anybody agreed');
    await scene.watches.ask(id, WORKSPACE, admit);
    const said = [
      await scene.say(ENGLISH, 'before this side agreed'),
      await scene.say(THERE, 'es:antes'),
    ];
    await scene.idle();
    // The ids of these messages are their times, which a link is compared with.
    while (said.some(({ ref }) => Date.now() <= Number(ref.id))) await new Promise(setImmediate);
    expect(scene.other.texts(THERE)).toEqual(['es:antes']);
    expect(linked()).toBe(0);
    await scene.watches.answer(id, SPACE, true, admit);
    await scene.say(ENGLISH, 'afterwards');
    await scene.idle();
    expect(scene.other.texts(THERE).at(-1)).toContain('es(afterwards)');
    expect(scene.other.texts(THERE).join()).not.toContain('before');
  });

  it.each([true, false])('is answered once by two at once (%s first)', async (first) => {
    const id = await ask();
    const answers = [first, !first].map((yes) => scene.watches.answer(id, SPACE, yes, admit));
    const [one, two] = await Promise.allSettled(answers);
    expect(new Set([one?.status, two?.status])).toEqual(new Set(['fulfilled', 'rejected']));
    const agreed = (one?.status === 'fulfilled') === first;
    expect(linked()).toBe(agreed ? 2 : 0);
  });

  it('stores nobody whom rules of either channel name, neither with its code nor with what is asked', async () => {
    const rules = { people: { of: ['RULEDPERSON'] } };
    const ruled = (watch: ReturnType<typeof mirror>) => ({ ...watch, choices: { rules } });
    const invited = ruled(mirror(ENGLISH, 'en'));
    const { code } = await scene.watches.invite(invited, false, { id: 'ann', name: 'Ann' });
    expect(await kindsOfColumnsWith(scene.store, 'RULEDPERSON')).toEqual({});
    await scene.watches.propose(code, ruled(mirror(THERE, 'es')), conditions);
    expect(await kindsOfColumnsWith(scene.store, 'RULEDPERSON')).toEqual({});
  });

  it('is answered by nobody but the side that made the code', async () => {
    const { id } = await propose(scene.watches);
    const early = scene.watches.answer(id, SPACE, true, admit);
    await expect(early).rejects.toMatchObject(isOver);
    await expect(scene.watches.ask(id, SPACE, admit)).rejects.toMatchObject(isOver);
    await scene.watches.ask(id, WORKSPACE, admit);
    for (const space of [WORKSPACE, { ...SPACE, id: 'elsewhere' }])
      await expect(scene.watches.answer(id, space, true, admit)).rejects.toMatchObject(isOver);
    const unknown = scene.watches.answer('forged', SPACE, true, admit);
    await expect(unknown).rejects.toMatchObject(isOver);
    expect(linked()).toBe(0);
  });

  it('is asked for once, however often that is pressed', async () => {
    const { id } = await propose(scene.watches);
    for (let press = 0; press < 3; press += 1)
      expect(await scene.watches.ask(id, WORKSPACE, admit)).toBe('asked');
    expect(scene.feed.texts(ENGLISH)).toHaveLength(1);
  });

  it('is asked for once by two who press at once', async () => {
    const { id } = await propose(scene.watches);
    const press = () => scene.watches.ask(id, WORKSPACE, admit);
    expect(await Promise.all([press(), press()])).toEqual(['asked', 'asked']);
    expect(scene.feed.texts(ENGLISH)).toHaveLength(1);
  });

  it('keeps what was chosen for a channel after it was asked for', async () => {
    await scene.watches.set(mirrorOf([THERE, 'es'], [channel('43', undefined, WORKSPACE), 'fr']));
    for (const isPausing of [true, false]) await scene.watches.pause(THERE, isPausing);
    const code = await inviteTo(scene.watches);
    const { id } = await scene.watches.propose(code, scene.watches.of(THERE)!, conditions);
    await scene.watches.ask(id, WORKSPACE, admit);
    await scene.watches.pause(THERE, true);
    await scene.watches.answer(id, SPACE, true, admit);
    expect(isPaused(scene.watches.of(THERE)!)).toBe(true);
  });

  it('is made of no code twice', async () => {
    const code = await inviteTo(scene.watches);
    const [one, two] = [
      await scene.watches.propose(code, mirror(THERE, 'es'), conditions),
      await scene.watches.propose(code, mirror(THERE, 'fr'), conditions),
    ];
    await scene.watches.ask(one.id, WORKSPACE, admit);
    await expect(scene.watches.ask(two.id, WORKSPACE, admit)).rejects.toMatchObject({
      sentence: { key: 'autotranslate.link-unknown' },
    });
  });

  it('can be answered for a day', async () => {
    const id = await ask();
    scene.clock.aheadMs += DAY_MS + 1;
    await expect(scene.watches.answer(id, SPACE, true, admit)).rejects.toMatchObject(isOver);
  });

  it('that is refused is over, and the other side is told', async () => {
    const id = await ask();
    await scene.watches.answer(id, SPACE, false, admit);
    await expect(scene.watches.answer(id, SPACE, true, admit)).rejects.toMatchObject(isOver);
    await expect
      .poll(() => scene.other.texts(THERE))
      .toEqual([sentence('autotranslate.link-refused-here', { channels: 'Place' }, 'es')]);
    expect(linked()).toBe(0);
  });

  it.each([
    [true, 'autotranslate.link-done'],
    [false, 'autotranslate.link-refused'],
  ] as const)(
    'is asked for in the moderators’ channel, too; an answer of %s takes the buttons from both',
    async (isAgreed, key) => {
      const mods = channel('mods');
      await scene.spaces.change(SPACE, { moderators: { channel: mods.id, locale: 'de' } });
      const id = await ask();
      expect(scene.feed.asked(mods)).toEqual(scene.feed.asked(ENGLISH));
      expect(scene.feed.asked(mods)).toHaveLength(2);
      await scene.restart();
      const said = await scene.watches.answer(id, SPACE, isAgreed, admit, mods);
      // In the language of the channel, whoever pressed it.
      expect(plainText(said ?? [])).toBe(sentence(key, {}, 'de'));
      expect(scene.feed.asked(ENGLISH)).toEqual([]);
      expect(scene.feed.texts(ENGLISH)[0]).toBe(sentence(key));
    },
  );

  it('is asked for in the moderators’ channel where the channel itself cannot be written to', async () => {
    await scene.spaces.change(SPACE, { moderators: { channel: 'mods', locale: 'en' } });
    scene.feed.fail({ call: 'post', error: lost() });
    const { id } = await propose(scene.watches);
    expect(await scene.watches.ask(id, WORKSPACE, admit)).toBe('asked');
    expect(scene.feed.asked(channel('mods'))).toHaveLength(2);
  });

  it('is shown to both sides while it is open, and can be withdrawn by the one that asked', async () => {
    scene.feed.nameSpace(SPACE, 'Babel');
    scene.other.nameSpace(WORKSPACE, 'tower.example');
    await propose(scene.watches);
    expect(await scene.watches.openLinks(THERE)).toEqual([]);
    const id = await ask();
    const open = { id, by: 'Bob', expiresMs: expect.any(Number) as number };
    expect(await scene.watches.openLinks(ENGLISH)).toEqual([
      {
        ...open,
        by: 'Bob · tower.example (Other)',
        isAsked: true,
        channel: '#channel-42 · tower.example (Other)',
      },
    ]);
    expect(await scene.watches.openLinks(THERE)).toEqual([
      { ...open, isAsked: false, channel: 'Babel (Place)' },
    ]);
    expect(await scene.watches.openLinks(channel('43', undefined, WORKSPACE))).toEqual([]);
    await expect(scene.watches.withdraw(id, SPACE, admit)).rejects.toMatchObject(isOver);
    const refuse = async (): Promise<void> => {
      throw new Error('not here');
    };
    await expect(scene.watches.withdraw(id, WORKSPACE, refuse)).rejects.toThrow('not here');
    const bob = { id: 'bob', name: 'Bob', space: WORKSPACE };
    await actAs(bob, () => scene.watches.withdraw(id, WORKSPACE, admit));
    expect(scene.feed.asked(ENGLISH)).toEqual([]);
    expect(scene.feed.texts(ENGLISH)).toEqual([sentence('autotranslate.link-withdrawn')]);
    expect(await scene.watches.openLinks(ENGLISH)).toEqual([]);
    await expect(scene.watches.answer(id, SPACE, true, admit)).rejects.toMatchObject(isOver);
    const noted = async (space: typeof SPACE) => (await auditOf(scene.store, space))[0];
    const what = 'link-withdrawn';
    expect(await noted(WORKSPACE)).toMatchObject({ what, by: { name: 'Bob' } });
    expect(await noted(SPACE)).toMatchObject({ what, elsewhere: 'tower.example (Other)' });
  });

  it('is noted on the side that is asked, with the asker until they have their data deleted', async () => {
    scene.other.nameSpace(WORKSPACE, 'tower.example');
    await ask();
    const noted = async () => (await auditOf(scene.store, SPACE))[0];
    expect(await noted()).toMatchObject({
      what: 'link-asked',
      channelId: 'english',
      by: undefined,
      after: {
        name: 'Bob · tower.example (Other)',
        linkedElsewhere: ['#channel-42 · tower.example (Other)'],
      },
    });
    await scene.privacy.forget({ platform: WORKSPACE.platform, id: 'bob' });
    expect((await noted())?.after).not.toHaveProperty('name');
  });

  it('is asked for with what the channel loses by it', async () => {
    await scene.watches.set([watchOf(ENGLISH, { languages: ['es'] })]);
    await ask();
    const before = `${sentence('autotranslate.modes.reply')} · Spanish`;
    const replaced = sentence('autotranslate.link-replaces', { channel: '#?', before });
    expect(scene.feed.texts(ENGLISH)[0]).toContain(`⚠️ ${replaced}`);
  });

  it('is refused to a person who may not see the channels here', async () => {
    const id = await ask();
    const refuse = async (): Promise<void> => {
      throw new Error('not here');
    };
    for (const yes of [true, false])
      await expect(scene.watches.answer(id, SPACE, yes, refuse)).rejects.toThrow('not here');
    await scene.watches.answer(id, SPACE, true, admit);
    expect(linked()).toBe(2);
  });

  it.each(['leaves', 'joins'] as const)(
    'is made with no other group than both sides know, whoever %s it in the end',
    async (what) => {
      const [japanese, french] = mirrorOf([channel('japanese'), 'ja'], [channel('french'), 'fr']);
      await scene.watches.set([...mirrorOf([ENGLISH, 'en']), japanese!]);
      const id = await ask();
      const name = Promise.withResolvers<string>();
      let isAsked = false;
      Object.assign(scene.other.feed, {
        spaceName: async () => {
          isAsked = true;
          return name.promise;
        },
      });
      const answered = scene.watches.answer(id, SPACE, true, admit);
      await expect.poll(() => isAsked).toBe(true);
      Object.assign(scene.other.feed, { spaceName: async () => 'tower.example' });
      if (what === 'leaves') await scene.watches.remove(japanese!.channel);
      else await scene.watches.set([french!]);
      name.resolve('tower.example');
      await expect(answered).rejects.toMatchObject(isOver);
      expect(scene.watches.list(WORKSPACE)).toEqual([]);
    },
  );

  it.each([true, false])(
    'ends with another one between the same channels that is agreed to (pressed meanwhile: %s)',
    async (isPressed) => {
      const { code } = await scene.watches.invite(mirror(THERE, 'es'), false, conditions.by);
      const crossed = await scene.watches.propose(code, mirror(ENGLISH, 'en'), conditions);
      await scene.watches.ask(crossed.id, SPACE, admit);
      const id = await ask();
      await scene.watches.answer(id, SPACE, true, admit);
      if (isPressed)
        await expect(
          scene.watches.answer(crossed.id, WORKSPACE, false, admit),
        ).rejects.toMatchObject({
          sentence: { key: expect.stringMatching(/link-(linked|over)/) as string },
        });
      await expect
        .poll(() => scene.other.texts(THERE))
        .toContain(sentence('autotranslate.link-linked', {}, 'es'));
      expect(scene.other.asked(THERE)).toEqual([]);
      expect(await scene.watches.openLinks(THERE)).toEqual([]);
    },
  );

  it.each([ENGLISH, THERE])('ends with the channel that is deleted (%o)', async (gone) => {
    await scene.spaces.change(SPACE, { moderators: { channel: 'mods', locale: 'en' } });
    const id = await ask();
    await scene.listener.channelDeleted(gone);
    await expect
      .poll(() => scene.feed.texts(channel('mods')))
      .toEqual([sentence('autotranslate.link-gone')]);
    expect(scene.feed.asked(channel('mods'))).toEqual([]);
    await expect(scene.watches.answer(id, SPACE, true, admit)).rejects.toMatchObject(isOver);
  });

  it('names the channel of the other side that cannot be reached, without a command, and stays open', async () => {
    scene.other.nameSpace(WORKSPACE, 'tower.example');
    const id = await ask();
    scene.other.lack('a scope of theirs');
    await expect(scene.watches.answer(id, SPACE, true, admit)).rejects.toMatchObject({
      sentence: {
        key: 'autotranslate.link-unreached',
        params: { channel: '#channel-42 · tower.example (Other)' },
      },
    });
    scene.other.lack();
    await scene.watches.answer(id, SPACE, true, admit);
    expect(linked()).toBe(2);
  });

  it('says plainly what is lacking in the own channel', async () => {
    const id = await ask();
    scene.feed.lack('a permission here');
    const answer = scene.watches.answer(id, SPACE, true, admit);
    await expect(answer).rejects.toMatchObject({ sentence: { key: 'watch.missing' } });
  });

  it('ends with the space that leaves before it is answered', async () => {
    const id = await ask();
    await scene.leave(WORKSPACE);
    await expect(scene.watches.answer(id, SPACE, true, admit)).rejects.toMatchObject(isOver);
  });

  it('is asked for again where the channel could not be written to', async () => {
    scene.feed.fail({ call: 'post', error: lost() });
    const { id } = await propose(scene.watches);
    expect(await scene.watches.ask(id, WORKSPACE, admit)).toBe('unasked');
    expect(await scene.watches.ask(id, WORKSPACE, admit)).toBe('asked');
    expect(scene.feed.texts(ENGLISH)).toHaveLength(1);
  });

  it('is asked for after a restart where the question did not stand', async () => {
    scene.feed.fail({ call: 'post', error: lost() });
    const { id } = await propose(scene.watches);
    await scene.watches.ask(id, WORKSPACE, admit);
    await scene.restart();
    for (let times = 0; times < 2; times += 1) scene.listener.connected('place');
    await expect.poll(() => scene.feed.texts(ENGLISH).length).toBe(1);
    await scene.watches.answer(id, SPACE, true, admit);
    expect(linked()).toBe(2);
  });
});

/** A store of which one transaction, counted from 0, is never answered: it is lost before (even) or done after (odd). */
const dyingStore = (store: Store, deathAt: number) => {
  const death = Promise.withResolvers<void>();
  const never = new Promise<never>(() => {});
  let step = 0;
  let isArmed = false;
  const meetDeath = async (): Promise<void> => {
    if (!isArmed) return;
    if (step === deathAt) death.resolve();
    step += 1;
    if (step > deathAt) await never;
  };
  type Transaction = ReturnType<Store['transaction']>;
  const transaction = () => ({
    execute: async (run: Parameters<Transaction['execute']>[0]) => {
      await meetDeath();
      const result = await store.transaction().execute(run);
      await meetDeath();
      return result;
    },
  });
  const writer = createStoreWriter(
    createTransact({ transaction } as Pick<Store, 'transaction'>),
    async () => undefined,
  );
  const mortal = new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(name in writer ? writer : target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const arm = (): void => {
    step = 0;
    isArmed = true;
  };
  return { store: mortal, died: death.promise, arm };
};

describe('a program that is killed while a link is made', () => {
  /** What people do, from whatever stands; resolves once the channels are linked. */
  const linkFrom = async (watches: Watches, known: { code?: string; id?: string }) => {
    known.code ??= await inviteTo(watches);
    known.id ??= (await watches.propose(known.code, mirror(THERE, 'es'), conditions)).id;
    await watches.ask(known.id, WORKSPACE, admit).catch(() => undefined);
    await watches.answer(known.id, SPACE, true, admit);
  };

  it.each(Array.from({ length: 10 }, (_, deathAt) => deathAt))(
    'at its effect %i leaves nothing half-done, and the link can be made',
    async (deathAt) => {
      await using store = await openStore('sqlite::memory:');
      const feeds = [createFakeFeed(), createFakeFeed(WORKSPACE)];
      const [feed] = feeds;
      const known: { code?: string; id?: string } = {};
      const life = dyingStore(store, deathAt);
      const first = await openTestAutoTranslate(life.store);
      for (const { platform } of feeds) first.attach(platform);
      life.arm();
      await Promise.race([life.died, linkFrom(first.watches, known)]);

      await using second = await openTestAutoTranslate(store);
      for (const { platform } of feeds) second.attach(platform);
      const { watches } = second;
      const count = (): number => watches.list(SPACE).length + watches.list(WORKSPACE).length;
      expect([0, 2]).toContain(count());
      const before = count();
      if (before === 0) await linkFrom(watches, known);
      expect(count()).toBe(2);
      expect(watches.of(ENGLISH)?.group).toBe(watches.of(THERE)?.group);
      expect(feed?.texts(ENGLISH).filter((text) => text.includes('asks to')).length).toBeLessThan(
        3,
      );
    },
  );
});
