import { describe, expect, it } from 'vitest';
import type { Channel } from '../../../src/model/place.ts';
import { actAs } from '../../../src/store/actor.ts';
import { auditOf } from '../../fakes/audit.ts';
import { mirrorOf, watchOf } from '../../fakes/autotranslate.ts';
import { sentence } from '../../fakes/sentences.ts';
import { admitAll, linkIn, mirror, THERE } from './links/support.ts';
import { ENGLISH, SPANISH, withScene, WORKSPACE } from './support.ts';

const scene = withScene();
const ANN = { id: 'ann', name: 'Ann', space: ENGLISH.space };
const by = { name: 'Ann', locale: 'en' };
const OWN = watchOf(ENGLISH, { languages: ['es', 'ja'] });
const OTHER = watchOf(THERE, { mode: 'compact', languages: ['de'] });
const isBack = { sentence: { key: 'autotranslate.former-already' } };
const isOver = { sentence: { key: 'autotranslate.former-over' } };

const feedOf = ({ space }: Channel) => (space === WORKSPACE ? scene.other : scene.feed);
const listed = (of: Channel) =>
  scene.watches.list(of.space).filter(({ channel }) => channel.id === of.id);
/** The id of the end by which something can be brought back in a channel. */
const idIn = async (of: Channel): Promise<string> =>
  (await scene.endedWatches.former(of))?.id ?? 'none';
const bringBack = (of: Channel, id: string) =>
  actAs({ ...ANN, space: of.space }, () => scene.endedWatches.bringBack(of, id, by));
/** Links two channels of different servers, each of which had something of its own. */
const link = async (): Promise<void> => {
  await scene.watches.set([OWN, OTHER]);
  const { code } = await scene.watches.invite(mirror(ENGLISH, 'en'), false, ANN);
  await linkIn(scene, code, mirror(THERE, 'fr'), admitAll);
};

describe('the end of a link', () => {
  it.each<[string, () => Promise<unknown>, readonly Channel[]]>([
    [
      'its moderators turned it off',
      () => actAs(ANN, () => scene.watches.remove(ENGLISH, by)),
      [ENGLISH, THERE],
    ],
    [
      'it was removed',
      () => actAs(ANN, () => scene.watches.expel(ENGLISH, 'other 42')),
      [ENGLISH, THERE],
    ],
    ['the other server is left', () => scene.leave(ENGLISH.space), [THERE]],
    ['the other channel is deleted', () => scene.listener.channelDeleted(THERE), [ENGLISH]],
    [
      'the other one is set up otherwise',
      () => scene.watches.set([watchOf(THERE)], { by }),
      [ENGLISH],
    ],
    [
      'it is age-restricted now',
      () => {
        scene.feed.restrictByAge(ENGLISH, true);
        return scene.listener.ageRestrictionChanged(ENGLISH, true);
      },
      [ENGLISH, THERE],
    ],
  ])(
    'offers in each channel that is off by it to bring back what was replaced: %s',
    async (_, end, told) => {
      await link();
      await end();
      for (const each of told) {
        const press = `autotranslate former:${each.id}/${await idIn(each)}`;
        await expect.poll(() => feedOf(each).asked(each)).toContain(press);
        expect(listed(each)).toEqual([]);
        await bringBack(each, await idIn(each));
        expect(listed(each)).toEqual([each === THERE ? OTHER : OWN]);
      }
    },
  );

  it('names what was replaced, in the language of the channel', async () => {
    await link();
    await scene.watches.remove(ENGLISH);
    const before = `${sentence('autotranslate.modes.compact', {}, 'fr')} · allemand`;
    const [start] = sentence('autotranslate.former', { channel: '#', before }, 'fr').split('#');
    await expect.poll(() => scene.other.texts(THERE).at(-1)).toContain(start);
    expect(scene.other.texts(THERE).at(-1)).toContain(before);
  });

  it('offers nothing where nothing was replaced, or the channel goes on', async () => {
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [THERE, 'fr']));
    await scene.watches.remove(ENGLISH, by);
    await expect.poll(() => scene.other.texts(THERE)).toHaveLength(1);
    expect([scene.feed.asked(ENGLISH), scene.other.asked(THERE)]).toEqual([[], []]);
    await link();
    await scene.watches.join(mirror(SPANISH, 'es'), ENGLISH, { by });
    await scene.watches.remove(SPANISH, by);
    await scene.idle();
    expect(scene.feed.asked(ENGLISH)).toEqual([]);
  });
});

describe('what a link replaced and is brought back', () => {
  it('has the rules that the channel had last, translates again, and is noted as set back by its person', async () => {
    await link();
    const rules = { shortest: 3 };
    await scene.watches.change(ENGLISH, (watch) => ({ ...watch, choices: { rules } }));
    await scene.watches.remove(ENGLISH, by);
    await bringBack(ENGLISH, await idIn(ENGLISH));
    expect(listed(ENGLISH)).toEqual([{ ...OWN, choices: { rules } }]);
    const [noted] = await auditOf(scene.store, ENGLISH.space);
    expect(noted).toMatchObject({
      by: { name: 'Ann' },
      channelId: ENGLISH.id,
      after: { mode: 'reply', languages: OWN.languages, isUndo: true },
    });
    await scene.say(ENGLISH, 'hello');
    await scene.idle();
    expect(scene.feed.texts(ENGLISH).at(-1)).toContain('es(hello)');
    const told = { name: 'Ann', languages: '', mode: 'reply' };
    await expect
      .poll(() => scene.feed.texts(ENGLISH).join())
      .toContain(sentence('autotranslate.on-here', told).slice(0, 40));
  });

  it('is set once, whoever presses at the same moment, and by the next process', async () => {
    await link();
    await scene.watches.remove(ENGLISH, by);
    const id = await idIn(ENGLISH);
    await scene.restart();
    const both = await Promise.allSettled([bringBack(ENGLISH, id), bringBack(ENGLISH, id)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({ reason: isBack });
    expect(listed(ENGLISH)).toEqual([OWN]);
  });

  it('is said to be back already, also once it was linked anew', async () => {
    await link();
    await scene.watches.remove(ENGLISH, by);
    const id = await idIn(ENGLISH);
    await bringBack(ENGLISH, id);
    await expect(bringBack(ENGLISH, id)).rejects.toMatchObject(isBack);
    await link();
    await expect(bringBack(ENGLISH, id)).rejects.toMatchObject(isBack);
    await scene.watches.remove(ENGLISH, by);
    await expect(bringBack(ENGLISH, id)).rejects.toMatchObject(isBack);
    expect(listed(ENGLISH)).toEqual([]);
  });

  it('is not said to be back where an undo set the link back', async () => {
    await scene.watches.set([OWN]);
    const group = mirrorOf([ENGLISH, 'en'], [SPANISH, 'es']);
    await scene.watches.set(group);
    const [, undo = ''] = await actAs(ANN, () =>
      scene.endedWatches.ending(ENGLISH.space, group, false, () =>
        scene.watches.remove(ENGLISH, by, scene.watches.list(ENGLISH.space)),
      ),
    );
    const id = await idIn(ENGLISH);
    await actAs(ANN, () =>
      scene.endedWatches.restore(ENGLISH.space, undo, by, async () => undefined),
    );
    expect(listed(ENGLISH)).toMatchObject([{ mode: 'mirror' }]);
    await expect(bringBack(ENGLISH, id)).rejects.toMatchObject(isOver);
  });

  it('leaves a channel as it is that was set up since, also where that was turned off again or is linked', async () => {
    await link();
    await scene.watches.remove(ENGLISH, by);
    const id = await idIn(ENGLISH);
    const anew = watchOf(ENGLISH, { languages: ['fr'] });
    await scene.watches.set([anew]);
    await expect(bringBack(ENGLISH, id)).rejects.toMatchObject(isOver);
    expect(listed(ENGLISH)).toEqual([anew]);
    await scene.watches.remove(ENGLISH, by);
    await expect(bringBack(ENGLISH, id)).rejects.toMatchObject(isOver);
    await link();
    await scene.watches.remove(ENGLISH, by);
    for (const wrong of [id, '', await idIn(THERE)])
      await expect(bringBack(ENGLISH, wrong)).rejects.toMatchObject(isOver);
    expect(listed(ENGLISH)).toEqual([]);
  });

  it('leaves a channel as it is that a process set up whose clock is behind', async () => {
    await link();
    await scene.watches.remove(ENGLISH, by);
    const id = await idIn(ENGLISH);
    const anew = watchOf(ENGLISH, { languages: ['fr'] });
    await scene.watches.set([anew]);
    await scene.store.write((db) =>
      db
        .updateTable('audit_entry')
        .set((eb) => ({ at_ms: eb('at_ms', '-', 60_000) }))
        .where('channel_id', '=', ENGLISH.id)
        .where('before', 'is', null)
        .execute(),
    );
    await expect(bringBack(ENGLISH, id)).rejects.toMatchObject(isOver);
    expect(listed(ENGLISH)).toEqual([anew]);
  });

  it('is not brought back where the bot lacks permissions, and can be once it has them', async () => {
    await link();
    await scene.watches.remove(ENGLISH, by);
    const id = await idIn(ENGLISH);
    scene.feed.lack('Send Messages');
    await expect(bringBack(ENGLISH, id)).rejects.toMatchObject({
      sentence: { key: 'watch.missing' },
    });
    expect(listed(ENGLISH)).toEqual([]);
    scene.feed.lack();
    await bringBack(ENGLISH, id);
    expect(listed(ENGLISH)).toEqual([OWN]);
  });
});
