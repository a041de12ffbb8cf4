import { describe, expect, it } from 'vitest';
import { mirrorOf, watchOf } from '../../../fakes/autotranslate.ts';
import { channel } from '../../../fakes/channel-feed.ts';
import { sentence } from '../../../fakes/sentences.ts';
import { MOST_A_MINUTE } from '../../../../src/autotranslate/prepare/floods.ts';
import { ENGLISH, SPANISH, withScene, WORKSPACE } from '../support.ts';
import { THERE } from './support.ts';
import { actAs } from '../../../../src/store/actor.ts';
import { auditOf } from '../../../fakes/audit.ts';
import { plainText } from '../../../../src/rich-text/walk.ts';
import type { Channel } from '../../../../src/model/place.ts';

const KEY = 'other 42';
const HOUR_MS = 3_600_000;

describe('a channel of another space that is linked', () => {
  const scene = withScene(mirrorOf([ENGLISH, 'en'], [SPANISH, 'es'], [THERE, 'fr']));
  const shown = (words: string): boolean[] =>
    [scene.feed.texts(ENGLISH), scene.feed.texts(SPANISH)].map((texts) =>
      texts.some((text) => text.includes(words)),
    );

  /** Says something that many hours after the start of the test. */
  const sayAfter = async (hours: number, text: string) => {
    const position = String(Date.now() + hours * HOUR_MS).padStart(20, '0');
    return scene.say(THERE, text, { position });
  };
  const muteAfter = async (hours: number, isMuting: boolean): Promise<void> => {
    scene.clock.aheadMs = hours * HOUR_MS;
    await scene.watches.mute(ENGLISH, KEY, isMuting);
  };

  it('is named with its space, and nothing of this space is', async () => {
    scene.other.nameSpace(WORKSPACE, 'tower.example');
    const members = await scene.watches.members(scene.watches.of(ENGLISH)!);
    expect(members).toEqual([
      {
        key: KEY,
        platform: 'other',
        name: '#channel-42 · tower.example (Other)',
        languages: ['fr'],
        isMuted: false,
        held: undefined,
        holds: false,
        isPaused: false,
        isLost: false,
        mayRemove: true,
        server: undefined,
      },
    ]);
  });

  it('is shown in other channels alone while one has muted it; what stands stays as it is', async () => {
    const before = await scene.say(THERE, 'before');
    await scene.idle();
    await muteAfter(1, true);
    const muted = await sayAfter(2, 'meanwhile');
    await scene.listener.messageChanged(scene.other.edit(before.ref, 'changed'));
    await scene.idle();
    expect(shown('meanwhile')).toEqual([false, true]);
    expect(shown('changed')).toEqual([false, true]);
    await muteAfter(3, false);
    await scene.listener.messageChanged(scene.other.edit(muted.ref, 'meanwhile, too'));
    await sayAfter(4, 'afterwards');
    await scene.idle();
    expect(shown('meanwhile')).toEqual([false, true]);
    expect(shown('afterwards')).toEqual([true, true]);
  });

  it('brings by no edit what was written while it was muted, however often it was', async () => {
    await muteAfter(1, true);
    const muted = await sayAfter(2, 'meanwhile');
    await scene.idle();
    for (const hours of [3, 5])
      await muteAfter(hours, false).then(() => muteAfter(hours + 1, true));
    await muteAfter(7, false);
    await scene.restart();
    await scene.listener.messageChanged(scene.other.edit(muted.ref, 'meanwhile, too'));
    await scene.say(SPANISH, 'es:vaya', { replyTo: muted.ref });
    await scene.idle();
    expect(shown('meanwhile, too')).toEqual([false, true]);
    expect(scene.feed.texts(ENGLISH).at(-1)).not.toContain('meanwhile');
  });

  it.each(['muted', 'held'] as const)(
    'shows no edit while it is %s, and follows the next one',
    async (name) => {
      const before = await scene.say(THERE, 'before');
      await scene.idle();
      const own = scene.watches.of(ENGLISH)?.choices;
      await scene.watches.change(ENGLISH, (watch) => ({
        ...watch,
        choices: { ...own, [name]: { [KEY]: { fromMs: Date.now() } } },
      }));
      await scene.listener.messageChanged(scene.other.edit(before.ref, 'changed'));
      await scene.idle();
      expect(shown('before')).toEqual([true, name === 'held']);
      expect(shown('changed')).toEqual([false, name === 'muted']);
    },
  );

  it('has a reason for what is shown nowhere', async () => {
    for (const own of [ENGLISH, SPANISH]) await scene.watches.mute(own, KEY, true);
    const said = await sayAfter(1, 'to nobody');
    await scene.idle();
    expect((await scene.outcomes())[said.ref.id]).toBe('skipped muted');
  });

  it('that brings more than is copied in a minute is left out above that, and told of once; edits keep to it', async () => {
    const mods = channel('mods');
    await scene.spaces.change(ENGLISH.space, { moderators: { channel: mods.id, locale: 'en' } });
    const start = Date.now() + HOUR_MS;
    const said = [];
    for (let at = 0; at < MOST_A_MINUTE + 2; at += 1)
      said.push(
        await scene.say(THERE, `flood ${at}.`, { position: String(start + at).padStart(20, '0') }),
      );
    await scene.idle();
    const outcomes = await scene.outcomes();
    const left = said.filter(({ ref }) => outcomes[ref.id] === 'skipped flood');
    expect(left).toEqual(said.slice(MOST_A_MINUTE));
    await scene.restart();
    await scene.listener.messageChanged(scene.other.edit(left[0]!.ref, 'left out still'));
    await sayAfter(2, 'afterwards');
    await scene.idle();
    expect(shown('left out still')).toEqual([false, false]);
    expect(shown('afterwards')).toEqual([true, true]);
    const told = scene.feed.messages(mods).map(({ text }) => plainText(text));
    expect(told).toHaveLength(1);
    expect(told[0]).toContain(String(MOST_A_MINUTE));
  });

  it('is the only one that can be muted or removed', async () => {
    const isGone = { sentence: { key: 'members.gone' } };
    for (const key of ['place spanish', 'other forged', '']) {
      await expect(scene.watches.mute(ENGLISH, key, true)).rejects.toMatchObject(isGone);
      await expect(scene.watches.expel(ENGLISH, key)).rejects.toMatchObject(isGone);
    }
    expect(scene.watches.list(ENGLISH.space)).toHaveLength(2);
  });
});

describe('a channel of a space that joined later', () => {
  const scene = withScene(mirrorOf([ENGLISH, 'en'], [SPANISH, 'es']));
  const join = async (of: Channel, language: string): Promise<void> => {
    scene.clock.aheadMs += HOUR_MS;
    await scene.watches.set(mirrorOf([of, language]));
  };
  const mayRemove = async (of: Channel): Promise<(readonly [string, boolean])[]> =>
    (await scene.watches.members(scene.watches.of(of)!)).map((each) => [each.key, each.mayRemove]);
  const GUEST = channel('43', undefined, { ...WORKSPACE, id: 'guests' });

  it('is removed by those who were there before, and cannot remove theirs', async () => {
    await join(THERE, 'fr');
    expect(await mayRemove(ENGLISH)).toEqual([[KEY, true]]);
    expect(await mayRemove(THERE)).toEqual([
      ['place english', false],
      ['place spanish', false],
    ]);
    await expect(scene.watches.expel(THERE, 'place spanish')).rejects.toMatchObject({
      sentence: { key: 'members.not-removable' },
    });
    expect(scene.watches.list(ENGLISH.space)).toHaveLength(2);
    await scene.watches.expel(SPANISH, KEY);
    expect(scene.watches.list(WORKSPACE)).toEqual([]);
  });

  it('is paused for the whole group by those who were there before, in both directions, until they end it', async () => {
    scene.feed.nameSpace(ENGLISH.space, 'Babel');
    await join(THERE, 'fr');
    await expect(scene.watches.hold(THERE, 'place spanish', true)).rejects.toMatchObject({
      sentence: { key: 'members.not-removable' },
    });
    await scene.watches.hold(SPANISH, KEY, true);
    await scene.watches.hold(SPANISH, KEY, true);
    const at = (hours: number) => ({
      position: String(Date.now() + hours * HOUR_MS).padStart(20, '0'),
    });
    await scene.say(THERE, 'from there', at(2));
    await scene.say(ENGLISH, 'from here', at(2));
    await scene.idle();
    const [here, there] = [scene.feed.texts(SPANISH), scene.other.texts(THERE)];
    expect(here.join('\n')).not.toContain('from there');
    expect(here.join('\n')).toContain('from here');
    expect(there.join('\n')).not.toContain('from here');
    const told = sentence(
      'autotranslate.held-here',
      { server: 'Babel (Place)', channels: '' },
      'fr',
    );
    expect(there.filter((text) => text.startsWith(told.slice(0, 60)))).toHaveLength(1);
    scene.clock.aheadMs += 2 * HOUR_MS;
    await scene.watches.hold(ENGLISH, KEY, false);
    await scene.say(THERE, 'from there again', at(4));
    await scene.idle();
    expect(scene.feed.texts(SPANISH).join('\n')).toContain('from there again');
  });

  it('is not removed by those who see it in their group while it leaves', async () => {
    await join(THERE, 'fr');
    const name = Promise.withResolvers<string>();
    Object.assign(scene.other.feed, { spaceName: () => name.promise });
    const expelled = scene.watches.expel(ENGLISH, KEY);
    Object.assign(scene.other.feed, { spaceName: async () => 'tower.example' });
    const own = watchOf(THERE);
    await scene.watches.set([own]);
    name.resolve('tower.example');
    await expect(expelled).rejects.toMatchObject({ sentence: { key: 'members.gone' } });
    expect(scene.watches.list(WORKSPACE)).toEqual([own]);
  });

  it('is not paused any more where it comes back, and is never without somebody who ends its pause', async () => {
    await scene.watches.remove(SPANISH);
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [THERE, 'fr']));
    await join(SPANISH, 'es');
    const state = async () =>
      (await scene.watches.members(scene.watches.of(SPANISH)!)).map((each) => [
        each.isMuted,
        each.held,
        each.mayRemove,
      ]);
    await scene.watches.hold(SPANISH, KEY, true);
    await scene.watches.mute(SPANISH, KEY, true);
    await join(channel('44', undefined, WORKSPACE), 'pt');
    await scene.watches.remove(ENGLISH);
    expect((await state())[0]).toEqual([true, 'here', false]);
    await scene.watches.hold(SPANISH, KEY, false);
    expect((await state())[0]).toEqual([true, undefined, false]);
    await scene.watches.remove(THERE);
    await join(THERE, 'fr');
    expect(await state()).toEqual([
      [false, undefined, true],
      [false, undefined, true],
    ]);
  });

  it('leaves no ID in what others chose for it when the bot leaves its space', async () => {
    await join(THERE, 'fr');
    await scene.watches.hold(ENGLISH, KEY, true);
    await scene.watches.mute(SPANISH, KEY, true);
    await scene.leave(WORKSPACE);
    expect(JSON.stringify(scene.watches.list(ENGLISH.space))).not.toContain(KEY);
    const rows = await scene.store.selectFrom('channel_watch').select('choices').execute();
    expect(JSON.stringify(rows)).not.toContain(KEY);
  });

  it('is told of some pauses and returns alone, however often those before it press', async () => {
    await join(THERE, 'fr');
    const isTooOften = { sentence: { key: 'autotranslate.too-often' } };
    const changes = async (most: number): Promise<number> => {
      for (let done = 0; done < most; done += 1)
        try {
          await scene.watches.hold(ENGLISH, KEY, done % 2 === 0);
        } catch (thrown) {
          expect(thrown).toMatchObject(isTooOften);
          return done;
        }
      return most;
    };
    // Whoever has paused it can always end that.
    expect(await changes(50)).toBe(40);
    // Who left and comes back is told of likewise.
    const again = scene.watches.join(watchOf(channel('german')), ENGLISH);
    await expect(again).rejects.toMatchObject(isTooOften);
  });

  it('says on each side who pauses whom, and the trail has it there', async () => {
    scene.feed.nameSpace(ENGLISH.space, 'Babel');
    scene.other.nameSpace(WORKSPACE, 'tower.example');
    await join(THERE, 'fr');
    await scene.watches.hold(ENGLISH, KEY, true);
    const state = async (of: Channel) =>
      (await scene.watches.members(scene.watches.of(of)!)).map(({ key, held, holds }) => [
        key,
        held,
        holds,
      ]);
    expect(await state(SPANISH)).toEqual([[KEY, 'here', false]]);
    expect(await state(THERE)).toEqual([
      ['place english', undefined, true],
      ['place spanish', undefined, false],
    ]);
    expect((await auditOf(scene.store, WORKSPACE))[0]).toMatchObject({
      by: undefined,
      channelId: '42',
      after: { heldBy: [expect.stringContaining('Babel (Place)')] },
    });
    expect((await auditOf(scene.store, ENGLISH.space))[0]?.after).toEqual({
      held: ['#channel-42 · tower.example (Other)'],
    });
  });

  it('is removed with all channels of its space at once, of which each is told once', async () => {
    const second = channel('44', undefined, WORKSPACE);
    await join(THERE, 'fr');
    await join(second, 'pt');
    scene.feed.nameSpace(ENGLISH.space, 'Babel');
    expect(
      (await scene.watches.members(scene.watches.of(ENGLISH)!)).map(({ server }) => server),
    ).toEqual([
      { name: 'Other', channels: 2 },
      { name: 'Other', channels: 2 },
    ]);
    await scene.watches.expel(ENGLISH, KEY, true);
    expect(scene.watches.list(WORKSPACE)).toEqual([]);
    expect(scene.watches.list(ENGLISH.space)).toHaveLength(2);
    const removed = (language: string) =>
      sentence('autotranslate.removed-here', { server: 'Babel (Place)' }, language);
    await expect
      .poll(() =>
        [THERE, second].map((one) =>
          scene.other.texts(one).filter((text) => text.includes('Babel')),
        ),
      )
      .toEqual([[removed('fr')], [removed('pt')]]);
    await expect
      .poll(() => scene.feed.texts(ENGLISH).filter((text) => text.includes('Babel')))
      .toHaveLength(1);
  });

  it('gets nothing from before by an edit, and keeps what it got when it is removed', async () => {
    const position = String(Date.now() + HOUR_MS / 2).padStart(20, '0');
    const earlier = await scene.say(ENGLISH, 'earlier', { position });
    await scene.idle();
    await join(THERE, 'fr');
    await scene.listener.messageChanged(scene.feed.edit(earlier.ref, 'not for you'));
    const after = String(Date.now() + 2 * HOUR_MS).padStart(20, '0');
    const later = await scene.say(ENGLISH, 'later', { position: after });
    await scene.idle();
    expect(scene.feed.texts(SPANISH).join(' ')).toContain('not for you');
    expect((await scene.outcomes())[earlier.ref.id]).toBe('posted');
    await scene.watches.expel(ENGLISH, KEY);
    await scene.listener.messageChanged(scene.feed.edit(later.ref, 'after that'));
    await scene.idle();
    const got = scene.other.texts(THERE).join(' ');
    expect(got).toContain('later');
    expect(got).not.toMatch(/earlier|not for you|after that/);
  });

  it('has joined when it joined this group, however long it was watched before', async () => {
    scene.clock.aheadMs = -HOUR_MS;
    await scene.watches.set([{ ...watchOf(THERE), mode: 'reply' }]);
    scene.clock.aheadMs = 0;
    await join(THERE, 'fr');
    expect(await mayRemove(THERE)).toContainEqual(['place spanish', false]);
    // A newer channel of the same space changes nothing of the space's time.
    await join(channel('german'), 'de');
    expect(await mayRemove(channel('german'))).toEqual([[KEY, true]]);
    await scene.restart();
    expect(await mayRemove(ENGLISH)).toEqual([[KEY, true]]);
  });

  it('is told whose moderators removed it, and so is each channel that is left', async () => {
    scene.feed.nameSpace(ENGLISH.space, 'Babel');
    scene.other.nameSpace(WORKSPACE, 'tower.example');
    scene.other.nameSpace(GUEST.space, 'guests.example');
    await join(THERE, 'fr');
    await join(GUEST, 'pt');
    const [MODS, THEIR_MODS] = [channel('mods'), channel('99', undefined, WORKSPACE)];
    for (const { space, id } of [MODS, THEIR_MODS])
      await scene.spaces.change(space, { moderators: { channel: id, locale: 'en' } });
    const ann = { id: 'ann', name: 'Ann', space: ENGLISH.space };
    await actAs(ann, () => scene.watches.expel(ENGLISH, KEY));
    const params = { server: 'Babel (Place)', channels: '#channel-42 · tower.example (Other)' };
    const left = (language: string, by = 'person') =>
      sentence(
        'autotranslate.removed-elsewhere',
        { ...params, by, name: 'Ann' },
        language,
      ).replaceAll('`', '');
    await expect
      .poll(() => [ENGLISH, SPANISH].flatMap((one) => scene.feed.texts(one)))
      .toEqual([left('en'), left('es')]);
    await expect.poll(() => scene.other.texts(GUEST)).toEqual([left('pt', 'space')]);
    await expect
      .poll(() => scene.other.texts(THERE))
      .toEqual([sentence('autotranslate.removed-here', { server: 'Babel (Place)' }, 'fr')]);
    // Moderators of each side are told once, of their own by name.
    await expect.poll(() => scene.feed.texts(MODS)).toEqual([expect.stringContaining(left('en'))]);
    const gone = sentence('autotranslate.removed-here', { server: 'Babel (Place)' }, 'en');
    await expect.poll(() => scene.other.texts(THEIR_MODS)).toEqual([expect.stringContaining(gone)]);
    // The trail there names the server, and the one here the person.
    const [there] = await auditOf(scene.store, WORKSPACE);
    expect(there).toMatchObject({ by: undefined, elsewhere: 'Babel (Place)' });
    const [here] = await auditOf(scene.store, ENGLISH.space);
    expect(here).toMatchObject({ by: { name: 'Ann' }, elsewhere: undefined });
  });
});
