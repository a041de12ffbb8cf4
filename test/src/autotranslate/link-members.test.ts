import { describe, expect, it } from 'vitest';
import { mirrorOf } from '../../fakes/autotranslate.ts';
import { channel } from '../../fakes/channel-feed.ts';
import { sentence } from '../../fakes/sentences.ts';
import { ENGLISH, SPANISH, withScene, WORKSPACE } from './support.ts';

const THERE = channel('42', undefined, WORKSPACE);
const KEY = 'other 42';
const ANN = { name: 'Ann' };
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
        isMuted: false,
      },
    ]);
  });

  it('is shown in other channels alone while one has muted it; what stands stays, and follows edits', async () => {
    const before = await scene.say(THERE, 'before');
    await scene.idle();
    await muteAfter(1, true);
    const muted = await sayAfter(2, 'meanwhile');
    await scene.listener.messageChanged(scene.other.edit(before.ref, 'changed'));
    await scene.idle();
    expect(shown('meanwhile')).toEqual([false, true]);
    expect(shown('changed')).toEqual([true, true]);
    await muteAfter(3, false);
    await scene.listener.messageChanged(scene.other.edit(muted.ref, 'meanwhile, too'));
    await sayAfter(4, 'afterwards');
    await scene.idle();
    expect(shown('meanwhile')).toEqual([false, true]);
    expect(shown('afterwards')).toEqual([true, true]);
  });

  it('has a reason for what is shown nowhere', async () => {
    for (const own of [ENGLISH, SPANISH]) await scene.watches.mute(own, KEY, true);
    const said = await sayAfter(1, 'to nobody');
    await scene.idle();
    expect((await scene.outcomes())[said.ref.id]).toBe('skipped muted');
  });

  it('is removed from the group, and is told by whom', async () => {
    await scene.watches.expel(ENGLISH, KEY, ANN);
    expect(scene.watches.list(WORKSPACE)).toEqual([]);
    await expect(scene.watches.members(scene.watches.of(ENGLISH)!)).resolves.toEqual([]);
    await expect
      .poll(() => scene.other.texts(THERE))
      .toContain(sentence('autotranslate.off-here', { name: 'Ann' }, 'fr').replaceAll('`', ''));
  });

  it('is the only one that can be muted or removed', async () => {
    const isGone = { sentence: { key: 'members.gone' } };
    for (const key of ['place spanish', 'other forged', '']) {
      await expect(scene.watches.mute(ENGLISH, key, true)).rejects.toMatchObject(isGone);
      await expect(scene.watches.expel(ENGLISH, key, ANN)).rejects.toMatchObject(isGone);
    }
    expect(scene.watches.list(ENGLISH.space)).toHaveLength(2);
  });
});

describe('the names of people of another space', () => {
  const scene = withScene(mirrorOf([ENGLISH, 'en'], [THERE, 'fr']));
  const author = (name: string) => ({ id: name, name, kind: 'person' as const });
  const saidBy = async (name: string): Promise<string> => {
    await scene.say(THERE, 'hello', { author: author(name) });
    await scene.idle();
    return scene.feed.texts(ENGLISH).at(-1) ?? '';
  };

  it('are shown with their space, however long or odd they are', async () => {
    scene.other.nameSpace(WORKSPACE, 'tower\u202E.example');
    expect(await saidBy('ada')).toContain('ada · tower .example: ');
    expect(await saidBy('a'.repeat(200))).toContain('a… · tower .example: ');
    await scene.say(ENGLISH, 'fr:salut');
    await scene.idle();
    expect(scene.other.texts(THERE).at(-1)).not.toContain('·');
  });

  it('are shown alone where moderators chose that, or nobody knows the space', async () => {
    expect(await saidBy('ada')).not.toContain('·');
    scene.other.nameSpace(WORKSPACE, 'tower.example');
    await scene.spaces.change(ENGLISH.space, { serverNames: false });
    expect(await saidBy('ada')).not.toContain('·');
  });
});
