import { describe, expect, it } from 'vitest';
import { actAs } from '../../../../src/store/actor.ts';
import { auditOf } from '../../../fakes/audit.ts';
import type { ChannelWatch } from '../../../../src/model/space.ts';
import { setupMark } from '../../../../src/autotranslate/replaced.ts';
import { channel } from '../../../fakes/channel-feed.ts';
import { mirrorOf, watchOf } from '../../../fakes/autotranslate.ts';
import { sentence } from '../../../fakes/sentences.ts';
import {
  ENGLISH,
  GENERAL,
  JAPANESE,
  NAMING,
  SPANISH,
  withScene,
  WORKSPACE,
  type Scene,
} from '../support.ts';
import { ADA, admitAll, linkIn, mirror, THERE } from './support.ts';

/** The line for a channel that others are linked with no longer: by whom, if that is said there. */
const over = (channels: string, locale: string, name?: string): string => {
  const params = { by: name === undefined ? 'space' : 'person', name: name ?? '', channels };
  return sentence('autotranslate.unlinked-here', params, locale).replaceAll('`', '');
};

describe('a channel', () => {
  const scene = withScene();
  const here = { name: 'Ada\u202Egpj', locale: 'en' };

  it('is told in its language who turned auto-translate off for it', async () => {
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [SPANISH, 'es'], [GENERAL, 'ja']));
    await scene.watches.set([watchOf(JAPANESE)]);
    for (const each of [SPANISH, ENGLISH, JAPANESE]) await scene.watches.remove(each, here);
    const off = sentence('autotranslate.off-now', {}, 'es');
    await expect
      .poll(() => scene.feed.texts(SPANISH))
      .toEqual([`${over('#? y #?', 'es', 'Ada gpj')}\n${off}`]);
    await expect
      .poll(() => scene.feed.texts(JAPANESE))
      .toEqual([sentence('autotranslate.off-here', { name: 'Ada gpj' })]);
  });

  it('is told who turned auto-translate on for it, and into what', async () => {
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [SPANISH, 'es'], [GENERAL, 'ja']), {
      by: here,
    });
    await expect.poll(() => scene.feed.texts(SPANISH)).toHaveLength(1);
    await scene.watches.set([watchOf(SPANISH, { languages: ['en'] })], { by: here });
    // What becomes of messages was said before.
    const params = { name: 'Ada gpj', mode: 'reply', languages: 'English' };
    await expect
      .poll(() => scene.feed.texts(SPANISH).join('\n').split('\n'))
      .toContain(sentence('autotranslate.changed-here', params));
  });

  it('that was turned on meanwhile stays so where somebody turns it on who saw it off', async () => {
    const seen = setupMark(undefined);
    const both = ['es', 'ja'].map((language) =>
      scene.watches.set([watchOf(JAPANESE, { languages: [language] })], { seen }),
    );
    const [, second] = await Promise.allSettled(both);
    expect(second).toMatchObject({
      reason: { sentence: { key: 'autotranslate.panel-changed' } },
    });
    expect(scene.watches.of(JAPANESE)?.languages).toEqual(['es']);
  });

  it('is told in the language of its readers, whoever changes it', async () => {
    await scene.spaces.change(SPANISH.space, { rules: { reading: 'fr' } });
    await scene.watches.set([watchOf(SPANISH, { languages: ['en'] })]);
    await scene.watches.remove(SPANISH, here);
    const off = sentence('autotranslate.off-here', { name: 'Ada gpj' }, 'fr');
    await expect.poll(() => scene.feed.texts(SPANISH)).toEqual([off]);
  });

  it('is told into which languages of its group it is translated where it is set back alone', async () => {
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [SPANISH, 'es'], [GENERAL, 'ja']));
    const spanish = scene.watches.of(SPANISH)!;
    await scene.watches.remove(SPANISH);
    await scene.watches.set([spanish], { by: here });
    const params = { name: 'Ada gpj', mode: 'mirror', languages: 'inglés y japonés' };
    await expect
      .poll(() => scene.feed.texts(SPANISH))
      .toEqual([sentence('autotranslate.on-here', params, 'es').replaceAll('`', '')]);
  });

  it('is told by name with which it was linked, on both sides', async () => {
    const { code } = await scene.watches.invite(mirror(ENGLISH, 'en'), false, ADA);
    await linkIn(scene, code, mirror(THERE, 'en'), admitAll);
    const linked = (channels: string, naming?: typeof NAMING) =>
      sentence('autotranslate.linked-here', { channels }, 'en', naming).replaceAll('`', '');
    await expect
      .poll(() => [...scene.feed.texts(ENGLISH).slice(1), ...scene.other.texts(THERE)])
      .toEqual([linked('#channel-42 (Other)'), linked('Place', NAMING)]);
  });

  it('is told who asked for a link and who agreed, those of another server with that', async () => {
    const { code } = await scene.watches.invite(mirror(ENGLISH, 'en'), false, ADA);
    const { id } = await scene.watches.propose(code, mirror(THERE, 'fr'), admitAll);
    await scene.watches.ask(id, WORKSPACE, admitAll.admit);
    const ann = { id: 'ann', name: 'Ann', space: ENGLISH.space };
    await actAs(ann, () => scene.watches.answer(id, ENGLISH.space, true, admitAll.admit));
    const who = (language: string, asked: string, agreed: string) =>
      sentence('autotranslate.link-agreed', { asked, agreed }, language);
    await expect
      .poll(() => scene.feed.texts(ENGLISH).at(-1))
      .toContain(who('en', 'Ada · Other', 'Ann'));
    await expect
      .poll(() => scene.other.texts(THERE).at(-1))
      .toContain(who('fr', 'Ada', 'Ann · Place'));
  });

  it('is told in its own language that a machine translates, whoever set the link up', async () => {
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [SPANISH, 'es']), { by: here });
    const params = { name: 'Ada gpj', mode: 'mirror', languages: 'inglés' };
    await expect
      .poll(() => scene.feed.texts(SPANISH))
      .toEqual([sentence('autotranslate.on-here', params, 'es').replaceAll('`', '')]);
  });

  it('is told all in one language, where its own one has no sentences', async () => {
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [SPANISH, 'sv']), { by: here });
    const params = { name: 'Ada gpj', mode: 'mirror', languages: 'English' };
    await expect
      .poll(() => scene.feed.texts(SPANISH))
      .toEqual([sentence('autotranslate.on-here', params).replaceAll('`', '')]);
  });

  it('is told what becomes of its messages where it is a new thread of a channel that has auto-translate', async () => {
    await scene.watches.set([watchOf(ENGLISH, { languages: ['es'] })]);
    const thread = channel('thread', ENGLISH.id);
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [thread, 'es']), { by: here });
    await expect.poll(() => scene.feed.texts(thread).at(-1)).toContain('/privacy');
  });

  const ends: [string, (watches: Scene['watches']) => Promise<unknown>][] = [
    ['is set up for itself', (watches) => watches.set([watchOf(ENGLISH)])],
    ['is added to another group', (watches) => watches.join(mirror(ENGLISH, 'en'), SPANISH)],
    [
      'is linked by a code with others',
      async (watches) => {
        const { code } = await watches.invite(mirror(JAPANESE, 'ja'), false, ADA);
        await linkIn({ watches }, code, mirror(ENGLISH, 'en'), admitAll);
      },
    ],
  ];

  it.each(ends)('is told that its link is over where the other one %s', async (_, end) => {
    const others = mirrorOf([SPANISH, 'es'], [GENERAL, 'pt']);
    await scene.watches.set(others.map((watch) => ({ ...watch, group: 'others' })));
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [THERE, 'fr']));
    await end(scene.watches);
    await expect
      .poll(() => scene.other.texts(THERE)[0]?.split('\n'))
      .toEqual(
        expect.arrayContaining([over('Place', 'fr'), sentence('autotranslate.off-now', {}, 'fr')]),
      );
  });

  it('reads nothing, not even in the trail, of a server with which the other one is linked now', async () => {
    const guest = channel('43', undefined, { ...WORKSPACE, id: 'guests' });
    scene.other.nameSpace(guest.space, 'guests.example');
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [THERE, 'fr']));
    const { code } = await scene.watches.invite(mirror(guest, 'de'), false, ADA);
    const { id } = await scene.watches.propose(code, scene.watches.of(ENGLISH)!, admitAll);
    await scene.watches.ask(id, ENGLISH.space, admitAll.admit);
    const eve = { id: 'eve', name: 'Eve', space: guest.space };
    await actAs(eve, () => scene.watches.answer(id, guest.space, true, admitAll.admit));
    await expect.poll(() => scene.other.texts(THERE).length).toBe(1);
    const trail = await auditOf(scene.store, WORKSPACE);
    expect(trail[0]?.after).toBeUndefined();
    expect(JSON.stringify([trail, scene.other.texts(THERE)])).not.toContain('guests');
  });

  it('is told in the language of its readers, if moderators chose one, else in that of its space', async () => {
    const rules = { reading: 'de' };
    await scene.spaces.change(THERE.space, () => ({ rules: { reading: 'ja' } }));
    const group = mirrorOf([ENGLISH, 'en'], [THERE, 'fr']);
    await scene.watches.set(group);
    await scene.watches.set([watchOf(ENGLISH)]);
    await expect
      .poll(() => scene.other.texts(THERE))
      .toEqual([expect.stringContaining(over('Place', 'ja'))]);
    await scene.watches.set(group.map((watch) => ({ ...watch, choices: { rules } })));
    await scene.watches.set([watchOf(ENGLISH)]);
    await expect.poll(() => scene.other.texts(THERE).at(-1)).toContain(over('Place', 'de'));
  });

  it('is told of no end where the group stays', async () => {
    const named = channel('7');
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [named, 'es'], [THERE, 'fr']));
    await scene.watches.set([scene.watches.of(ENGLISH)!]);
    // A thread, which goes by its channel.
    expect(await scene.watches.remove(channel('8', ENGLISH.id))).toBe(false);
    await scene.watches.remove(named);
    const channels = '#channel-7 (Place)';
    await expect.poll(() => scene.other.texts(THERE)).toEqual([over(channels, 'fr')]);
  });

  it('is told once who of its own server takes a channel out of its group', async () => {
    await scene.watches.set(
      mirrorOf([ENGLISH, 'en'], [SPANISH, 'es'], [GENERAL, 'ja'], [THERE, 'fr']),
    );
    const ann = { id: 'ann', name: 'Ann', space: ENGLISH.space };
    await actAs(ann, () => scene.watches.remove(ENGLISH, { ...here, name: 'Ann' }));
    await expect.poll(() => scene.feed.texts(SPANISH)).toEqual([over('#?', 'es', 'Ann')]);
    const why = sentence('autotranslate.unlinked-why', { cause: 'off', server: 'Place' }, 'fr');
    await expect.poll(() => scene.other.texts(THERE)).toEqual([`${over('Place', 'fr')}\n${why}`]);
    // Who may see the channel reads its name as the platform shows it.
    expect(JSON.stringify(scene.feed.messages(SPANISH)[0]?.text)).toContain('"id":"english"');
  });

  it.each<[string, (scene: Scene) => Promise<unknown>]>([
    ['leaves', (of) => of.leave(WORKSPACE)],
    ['is deleted', ({ listener }) => listener.channelDeleted(THERE)],
  ])('is told, as each of its server, that the last one elsewhere %s', async (_, end) => {
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [SPANISH, 'es'], [THERE, 'fr']));
    await end(scene);
    const told = () => [ENGLISH, SPANISH].flatMap((one) => scene.feed.texts(one));
    const name = '#channel-42 (Other)';
    const first = () => told().map((text) => text.split('\n')[0]);
    await expect.poll(first).toEqual([over(name, 'en'), over(name, 'es')]);
    await scene.watches.remove(ENGLISH);
    await expect
      .poll(() => scene.feed.texts(SPANISH).at(-1))
      .toBe(`${over('#?', 'es')}\n${sentence('autotranslate.off-now', {}, 'es')}`);
  });

  it('is added to no group by a channel that the bot is no longer in', async () => {
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [SPANISH, 'es']));
    scene.feed.lose(ENGLISH);
    await expect(scene.watches.join(mirror(GENERAL, 'ja'), ENGLISH)).rejects.toMatchObject({
      sentence: { key: 'watch.not-there' },
    });
    expect(scene.watches.of(GENERAL)).toBeUndefined();
  });

  it('is told in short who links another one of its server with it', async () => {
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [SPANISH, 'es']));
    await scene.watches.join(mirror(GENERAL, 'ja'), ENGLISH, { by: here });
    const joined = { name: 'Ada gpj', channels: '#?' };
    await expect
      .poll(() => scene.feed.texts(SPANISH))
      .toEqual([sentence('autotranslate.joined-here', joined, 'es')]);
  });
});

describe('a group that other spaces have channels in', () => {
  const scene = withScene();
  const GUEST = channel('43', undefined, { ...WORKSPACE, id: 'guests' });
  const by = { name: 'Ada', locale: 'en' };
  const spaces = (): number =>
    [ENGLISH, THERE, GUEST].filter(({ space }) => scene.watches.list(space).length > 0).length;

  it.each([
    ['by its name', (watch: ChannelWatch) => scene.watches.join(watch, ENGLISH, { by })],
    [
      'by a code',
      async (watch: ChannelWatch) => {
        const { code } = await scene.watches.invite(mirror(ENGLISH, 'en'), false, ADA);
        const { id } = await scene.watches.propose(code, watch, admitAll);
        await scene.watches.ask(id, ENGLISH.space, admitAll.admit);
      },
    ],
  ])(
    'takes a further channel of one of them %s, and the others are told at once',
    async (_, add) => {
      scene.feed.nameSpace(ENGLISH.space, 'Babel');
      scene.other.nameSpace(WORKSPACE, 'tower.example');
      await scene.watches.set(mirrorOf([ENGLISH, 'en'], [THERE, 'fr']));
      await add(mirror(channel('7'), 'es'));
      expect(scene.watches.list(ENGLISH.space)).toHaveLength(2);
      const channels = '#channel-7 · Babel (Place)';
      await expect
        .poll(() => scene.other.texts(THERE).at(-1))
        .toContain(
          sentence('autotranslate.linked-here', { channels }, 'fr', NAMING).replaceAll('`', ''),
        );
      await expect
        .poll(() => scene.feed.texts(channel('7')).join('\n'))
        .toContain('#channel-42 · tower.example');
    },
  );

  it('takes no further channel of one that was not first, by its name or by its own code', async () => {
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [THERE, 'fr']));
    const refused = { sentence: { key: 'autotranslate.join-guest' } };
    const other = mirror(channel('44', undefined, WORKSPACE), 'de');
    await expect(scene.watches.join(other, THERE, { by })).rejects.toMatchObject(refused);
    const invite = scene.watches.invite(mirror(THERE, 'fr'), false, ADA);
    await expect(invite).rejects.toMatchObject(refused);
    expect(scene.watches.list(THERE.space)).toHaveLength(1);
  });

  it('takes no third space by a code of one that is not first any more', async () => {
    scene.other.nameSpace(GUEST.space, 'guests.example');
    const [here, there] = mirrorOf([ENGLISH, 'en'], [THERE, 'fr']);
    await scene.watches.set([here!, there!]);
    const { code } = await scene.watches.invite(here!, false, ADA);
    await scene.watches.remove(ENGLISH);
    await scene.watches.set([there!, here!]);
    await expect(scene.watches.propose(code, mirror(GUEST, 'pt'), admitAll)).rejects.toMatchObject({
      sentence: { key: 'autotranslate.join-guest' },
    });
    expect(spaces()).toBe(2);
  });

  it('takes no channel twice: the code stays, and nobody is told', async () => {
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [SPANISH, 'es'], [THERE, 'fr']));
    const { code } = await scene.watches.invite(mirror(ENGLISH, 'en'), false, ADA);
    const again = scene.watches.propose(code, mirror(SPANISH, 'es'), admitAll);
    await expect(again).rejects.toMatchObject({ sentence: { key: 'autotranslate.link-already' } });
    const { asksOther } = await scene.watches.propose(code, mirror(channel('7'), 'pt'), admitAll);
    expect(asksOther).toBe(false);
    expect(scene.feed.texts(ENGLISH)).toEqual([]);
  });

  it('takes no channel of a third one without a yes of both sides, and all are told of it', async () => {
    scene.other.nameSpace(GUEST.space, 'guests.example');
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [THERE, 'fr']));
    await expect(scene.watches.join(mirror(GUEST, 'pt'), ENGLISH, { by })).rejects.toMatchObject({
      code: 'not-found',
    });
    const { code } = await scene.watches.invite(mirror(ENGLISH, 'en'), false, ADA);
    const { id, asksOther } = await scene.watches.propose(code, mirror(GUEST, 'pt'), admitAll);
    expect([asksOther, await scene.watches.ask(id, GUEST.space, admitAll.admit)]).toEqual([
      true,
      'asked',
    ]);
    for (const space of [GUEST.space, THERE.space])
      await expect(scene.watches.answer(id, space, true, admitAll.admit)).rejects.toMatchObject({
        code: 'not-found',
      });
    expect(spaces()).toBe(2);
    await scene.watches.answer(id, ENGLISH.space, true, admitAll.admit);
    expect(spaces()).toBe(3);
    await expect
      .poll(() => scene.other.texts(THERE).at(-1))
      .toContain('#channel-43 · guests.example');
  });

  it('takes no age-restricted channel of one of them while another one’s are open', async () => {
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [THERE, 'fr']));
    scene.feed.restrictByAge(SPANISH, true);
    const exposes = { sentence: { key: 'autotranslate.age-restricted-code' } };
    const options = { by, mayMixAges: true };
    await expect(scene.watches.join(mirror(SPANISH, 'es'), ENGLISH, options)).rejects.toMatchObject(
      exposes,
    );
    const { code } = await scene.watches.invite(mirror(ENGLISH, 'en'), true, ADA);
    const agreed = { ...admitAll, mayMixAges: true };
    await expect(scene.watches.propose(code, mirror(SPANISH, 'es'), agreed)).rejects.toMatchObject(
      exposes,
    );
  });
});
