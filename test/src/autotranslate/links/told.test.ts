import { describe, expect, it } from 'vitest';
import type { Channel } from '../../../../src/model/place.ts';
import { actAs } from '../../../../src/store/actor.ts';
import { channel } from '../../../fakes/channel-feed.ts';
import { mirrorOf, watchOf } from '../../../fakes/autotranslate.ts';
import { sentence } from '../../../fakes/sentences.ts';
import { ENGLISH, JAPANESE, SPANISH, withScene, WORKSPACE } from '../support.ts';
import { ADA, admitAll, linkIn, mirror, THERE } from './support.ts';

const MODS = channel('mods');
const ANN = { id: 'ann', name: '@everyone\u202E\nAnn', space: ENGLISH.space };
const ann = { name: ANN.name, locale: 'ja' };
const SHOWN = '@everyone Ann';
const over = (channels: string, locale: string, name?: string): string => {
  const params = { by: name === undefined ? 'space' : 'person', name: name ?? '', channels };
  return sentence('autotranslate.unlinked-here', params, locale).replaceAll('`', '');
};
const reason = (cause: string, server: string, locale: string): string =>
  sentence('autotranslate.unlinked-why', { cause, server }, locale);
const offNow = (locale: string): string => sentence('autotranslate.off-now', {}, locale);

describe('a channel that is linked', () => {
  const scene = withScene();
  const told = (of: Channel): string =>
    (of.space === WORKSPACE ? scene.other : scene.feed).texts(of).join('\n');
  const link = async (other = mirror(THERE, 'fr')): Promise<void> => {
    const { code } = await scene.watches.invite(mirror(ENGLISH, 'en'), false, ADA);
    await linkIn(scene, code, other, admitAll);
  };
  const replaced = (languages: string, locale: string): string => {
    const before = `${sentence('autotranslate.modes.reply', {}, locale)} · ${languages}`;
    return sentence('autotranslate.link-replaced', { before }, locale);
  };

  it('is told what that replaced in it, on each side', async () => {
    await scene.watches.set([
      watchOf(ENGLISH, { languages: ['es'] }),
      watchOf(THERE, { languages: ['de'] }),
    ]);
    await link();
    await expect.poll(() => told(ENGLISH)).toContain(replaced('Spanish', 'en'));
    await expect.poll(() => told(THERE)).toContain(replaced('allemand', 'fr'));
    await scene.watches.set([watchOf(JAPANESE, { languages: ['de'] })]);
    await link(mirror(JAPANESE, 'ja'));
    await expect.poll(() => told(JAPANESE)).toContain(replaced('ドイツ語', 'ja'));
    await expect.poll(() => told(ENGLISH).split(replaced('Spanish', 'en'))).toHaveLength(2);
  });

  it('is told of its rules from before it was turned off, which apply again', async () => {
    const choices = { rules: { words: { of: ['gg'] } } };
    await scene.watches.set([watchOf(THERE, { languages: ['de'], choices })]);
    await scene.watches.remove(THERE);
    await link();
    expect(scene.watches.of(THERE)).toMatchObject({ mode: 'mirror', choices });
    const entry = sentence('rules.panel', {}, 'fr');
    const hold = sentence('autotranslate.rules-hold', { channel: '#?', entry }, 'fr');
    const [start = ''] = hold.split('`');
    await expect.poll(() => told(THERE)).toContain(start);
    const others = sentence('autotranslate.rules-hold', { channel: '#?', entry: '' });
    expect(told(ENGLISH)).not.toContain(others.split('“')[0]);
  });

  it('is told of nothing that was replaced where there was nothing', async () => {
    await link();
    await expect.poll(() => told(THERE)).not.toBe('');
    expect(told(THERE)).not.toContain(replaced('', 'fr').slice(0, 20));
  });

  it.each([
    [
      'another one of its server',
      () => scene.watches.join(mirror(SPANISH, 'es'), ENGLISH, { by: ann }),
    ],
    ['them', () => scene.watches.set(mirrorOf([SPANISH, 'es'], [JAPANESE, 'ja']), { by: ann })],
  ])('is told what was replaced where it is set up with %s', async (_, act) => {
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [channel('general'), 'fr']));
    await scene.watches.set([watchOf(SPANISH, { languages: ['de'] })]);
    await act();
    await expect.poll(() => told(SPANISH)).toContain(replaced('alemán', 'es'));
  });

  it('is told with whom it is linked no longer where it comes into another group', async () => {
    scene.other.nameSpace(WORKSPACE, 'tower.example');
    const others = mirrorOf([SPANISH, 'es'], [channel('general'), 'pt']);
    await scene.watches.set(others.map((watch) => ({ ...watch, group: 'others' })));
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [THERE, 'fr']));
    await actAs(ANN, () =>
      scene.watches.join(mirror(ENGLISH, 'en'), SPANISH, { by: { name: ANN.name, locale: 'de' } }),
    );
    const line = over('#channel-42 · tower.example (Other)', 'en', SHOWN);
    await expect.poll(() => scene.feed.texts(ENGLISH)).toContain(line);
    const lines = [over('Place', 'fr'), reason('changed', 'Place', 'fr'), offNow('fr')];
    await expect.poll(() => told(THERE)).toBe(lines.join('\n'));
  });

  it('is told, in its language, whose link ended by turning it off elsewhere, and so are its moderators', async () => {
    await scene.spaces.change(ENGLISH.space, { moderators: { channel: MODS.id, locale: 'de' } });
    scene.other.nameSpace(WORKSPACE, 'tower.example');
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [THERE, 'fr']));
    await actAs(ANN, () => scene.watches.remove(ENGLISH, ann));
    const name = '#channel-42 · tower.example (Other)';
    await expect.poll(() => told(ENGLISH)).toBe(`${over(name, 'en', SHOWN)}\n${offNow('en')}`);
    await expect.poll(() => told(MODS)).toContain(name);
    const lines = [over('Place', 'fr'), reason('off', 'Place', 'fr'), offNow('fr')];
    await expect.poll(() => told(THERE)).toBe(lines.join('\n'));
  });

  it('is told that it is off by no word where it was only set up otherwise', async () => {
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [SPANISH, 'es']));
    await scene.watches.set([watchOf(SPANISH, { languages: ['en'] })], { by: ann });
    await expect.poll(() => told(SPANISH)).toContain(over('#?', 'en', SHOWN));
    expect(told(SPANISH)).not.toContain(offNow('en'));
  });
});

describe('a space that cannot be asked for its name any more', () => {
  const scene = withScene(mirrorOf([ENGLISH, 'en'], [THERE, 'fr']));
  const about = over('#channel-42 · tower.example (Other)', 'en');
  const line = (cause: string): string =>
    [about, reason(cause, 'tower.example (Other)', 'en'), offNow('en')].join('\n');
  const forgetNames = (): void =>
    void Object.assign(scene.other.feed, {
      spaceName: async () => undefined,
      named: async () => {
        throw new Error('gone');
      },
    });

  it.each([
    ['left', () => scene.leave(WORKSPACE)],
    ['deleted', () => scene.listener.channelDeleted(THERE)],
  ])('is named as it was known last where it, or its channel, is gone: %s', async (cause, end) => {
    scene.other.nameSpace(WORKSPACE, 'tower.example');
    await scene.watches.members(scene.watches.of(ENGLISH)!);
    forgetNames();
    await end();
    await expect.poll(() => scene.feed.texts(ENGLISH)).toEqual([line(cause)]);
  });

  it('pings nobody, and leads nowhere, by the name that it had', async () => {
    scene.other.nameSpace(WORKSPACE, '<!channel> @everyone <@7> [x](https://evil.example)');
    await scene.watches.members(scene.watches.of(ENGLISH)!);
    forgetNames();
    await scene.leave(WORKSPACE);
    await expect.poll(() => scene.feed.texts(ENGLISH).join()).toContain('@everyone <@7> [x]');
    const tree = JSON.stringify(scene.feed.messages(ENGLISH)[0]?.text);
    expect(tree).not.toMatch(/"kind":"(?:mention|link)"/);
  });

  it.each([
    [
      'was missed',
      async () => scene.listener.messagesMissed([{ channel: THERE, newest: undefined }]),
    ],
    ['is read', async () => scene.listener.readMissed(THERE)],
  ])(
    'is named by its server though nobody asked for that since what was written there %s',
    async (_, begin) => {
      scene.other.nameSpace(WORKSPACE, 'tower.example');
      await scene.restart();
      await begin();
      await scene.idle();
      forgetNames();
      await scene.leave(WORKSPACE);
      await expect.poll(() => scene.feed.texts(ENGLISH).join()).toContain('tower.example (Other)');
    },
  );

  it('is remembered by nobody once it has left', async () => {
    scene.other.nameSpace(WORKSPACE, 'tower.example');
    await scene.watches.members(scene.watches.of(ENGLISH)!);
    forgetNames();
    await scene.leave(WORKSPACE);
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [THERE, 'fr']));
    const [member] = await scene.watches.members(scene.watches.of(ENGLISH)!);
    expect(member?.name).toBe('Other');
  });
});

describe('the pause of a linked channel by its own moderators', () => {
  const scene = withScene(mirrorOf([ENGLISH, 'en'], [SPANISH, 'es'], [THERE, 'fr']));
  const pause = (isPausing: boolean) =>
    actAs(ANN, () => scene.watches.pause(ENGLISH, isPausing, ann));
  const line = (what: 'held' | 'unheld'): string =>
    sentence(
      `autotranslate.${what}-elsewhere`,
      { by: 'space', name: '', server: 'Babel (Place)', channels: 'Babel (Place)' },
      'fr',
    );

  it('is told, and its end, in the channels of other spaces, in their language, without a name', async () => {
    scene.feed.nameSpace(ENGLISH.space, 'Babel');
    await pause(true);
    await expect.poll(() => scene.other.texts(THERE)).toEqual([line('held')]);
    await pause(false);
    await expect.poll(() => scene.other.texts(THERE)).toEqual([line('held'), line('unheld')]);
    expect(scene.feed.texts(SPANISH)).toEqual([]);
  });

  it('is told to moderators on both sides, to its own by name', async () => {
    scene.feed.nameSpace(ENGLISH.space, 'Babel');
    const theirs = channel('99', undefined, WORKSPACE);
    for (const { space, id } of [MODS, theirs])
      await scene.spaces.change(space, { moderators: { channel: id, locale: 'fr' } });
    await pause(true);
    const own = sentence('autotranslate.paused-linked', { name: SHOWN }, 'fr').replaceAll('`', '');
    await expect.poll(() => scene.feed.texts(MODS)).toEqual([expect.stringContaining(own)]);
    await expect
      .poll(() => scene.other.texts(theirs))
      .toEqual([expect.stringContaining(line('held'))]);
    await pause(false);
    await expect.poll(() => scene.feed.texts(MODS)).toHaveLength(2);
    await expect.poll(() => scene.other.texts(theirs)).toHaveLength(2);
  });

  it.each([
    ['linked with none', [watchOf(ENGLISH)], 'paused-here'],
    ['linked with one here alone', mirrorOf([ENGLISH, 'en'], [SPANISH, 'es']), 'paused-linked'],
  ] as const)(
    'is told to its moderators by name, and its end, also where it is %s',
    async (_, set, key) => {
      await scene.watches.remove(THERE);
      await scene.watches.set(set);
      await scene.spaces.change(MODS.space, { moderators: { channel: MODS.id, locale: 'fr' } });
      await pause(true);
      await pause(false);
      const said = (what: typeof key | 'resumed-here') =>
        sentence(`autotranslate.${what}`, { name: SHOWN }, 'fr').replaceAll('`', '');
      await expect
        .poll(() => scene.feed.texts(MODS))
        .toEqual([
          expect.stringContaining(said(key)),
          expect.stringContaining(said('resumed-here')),
        ]);
    },
  );

  it('is never refused, however often it is begun and ended: the others are told of some, and of the end of these', async () => {
    const MOST = 20;
    for (let times = 0; times < MOST + 5; times += 1) {
      await pause(true);
      await pause(false);
    }
    await pause(true);
    expect(scene.watches.of(ENGLISH)?.choices?.pause?.untilMs).toBeUndefined();
    await expect.poll(() => scene.other.texts(THERE).length).toBe(2 * MOST);
    // What is decided about others has a limit of its own.
    await scene.watches.hold(ENGLISH, 'other 42', true);
  });

  it('holds though nobody can be told', async () => {
    const away = async (): Promise<never> => {
      throw new Error('the database is away');
    };
    Object.assign(scene.spaces, { of: away });
    await pause(true);
    expect(scene.watches.of(ENGLISH)?.choices?.pause).toBeDefined();
  });

  it('is told to be over only where the link works again', async () => {
    await scene.watches.hold(SPANISH, 'other 42', true);
    await scene.watches.pause(THERE, true);
    await scene.watches.pause(THERE, false);
    await scene.idle();
    expect(scene.feed.texts(ENGLISH).join()).not.toContain(
      sentence('autotranslate.unheld-elsewhere', {
        by: 'space',
        name: '',
        server: 'Other',
        channels: '',
      }).slice(0, 30),
    );
  });

  it.each(['own', 'others'] as const)(
    'is told to go on where the pause for all ends before that of %s',
    async (why) => {
      scene.feed.nameSpace(ENGLISH.space, 'Babel');
      const KEY = 'other 42';
      await scene.watches.hold(SPANISH, KEY, true);
      if (why === 'own') await scene.watches.pause(THERE, true);
      else
        await scene.watches.change(THERE, (watch) => ({
          ...watch,
          choices: { ...watch.choices, held: { [KEY]: { fromMs: 0 } } },
        }));
      await actAs(ANN, () => scene.watches.hold(SPANISH, KEY, false));
      const params = {
        by: 'person',
        name: SHOWN,
        server: '',
        why,
        channels: '#channel-42 (Other)',
      };
      const here = sentence('autotranslate.still-held-elsewhere', params, 'es');
      await expect.poll(() => scene.feed.texts(SPANISH).at(-1)?.replaceAll('`', '')).toBe(here);
      const channels = 'Babel (Place)';
      const there = { server: 'Babel (Place)', why, channels };
      await expect
        .poll(() => scene.other.texts(THERE).at(-1))
        .toContain(sentence('autotranslate.still-held-here', there, 'fr').slice(0, 60));
    },
  );
});
