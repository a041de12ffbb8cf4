import { describe, expect, it } from 'vitest';
import type { Channel } from '../../../src/model/place.ts';
import type { ChannelWatch } from '../../../src/model/space.ts';
import { channel } from '../../fakes/channel-feed.ts';
import { mirrorOf } from '../../fakes/autotranslate.ts';
import { sentence } from '../../fakes/sentences.ts';
import { ENGLISH, GENERAL, SPANISH, withScene, WORKSPACE } from './support.ts';

const THERE = channel('42', undefined, WORKSPACE);
const admitAll = async (): Promise<void> => undefined;
const mirror = (of: Channel, language: string): ChannelWatch => ({
  channel: of,
  mode: 'mirror',
  languages: [language],
  transcribes: true,
  bots: false,
});
const isUnknown = { sentence: { key: 'autotranslate.link-unknown' } };

describe('a code that links channels', () => {
  const scene = withScene();

  it('shows nothing of channels that were linked after it was made', async () => {
    const { code } = await scene.watches.invite(mirror(ENGLISH, 'en'));
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [SPANISH, 'es']));
    const link = scene.watches.link(code, mirror(THERE, 'fr'), admitAll);
    await expect(link).rejects.toMatchObject(isUnknown);
    expect(scene.watches.list(WORKSPACE)).toEqual([]);
  });

  it('asks whether the person may see all channels of the group in that space', async () => {
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [SPANISH, 'es'], [THERE, 'fr']));
    const { code } = await scene.watches.invite(scene.watches.of(THERE)!);
    const asked: string[] = [];
    await scene.watches.link(code, mirror(GENERAL, 'ja'), async (own) => {
      asked.push(...own.map((each) => each.channel.id));
    });
    expect(asked).toEqual(['english', 'spanish']);
  });

  it('is used up by success alone', async () => {
    const { code } = await scene.watches.invite(mirror(ENGLISH, 'en'));
    const refusing = scene.watches.link(code, mirror(THERE, 'fr'), async () => {
      throw new Error('not here');
    });
    await expect(refusing).rejects.toThrow('not here');
    const itself = scene.watches.link(code, mirror(ENGLISH, 'fr'), admitAll);
    await expect(itself).rejects.toMatchObject({ sentence: { key: 'autotranslate.link-itself' } });
    await scene.watches.link(code, mirror(THERE, 'fr'), admitAll);
    const again = scene.watches.link(code, mirror(GENERAL, 'ja'), admitAll);
    await expect(again).rejects.toMatchObject(isUnknown);
  });
});

describe('a channel', () => {
  const scene = withScene();
  const here = { name: 'Ada\u202Egpj', locale: 'en', in: ENGLISH };
  const off = sentence('autotranslate.off-here', { name: 'Ada gpj' });

  it('is told who turned auto-translate off for it elsewhere', async () => {
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [SPANISH, 'es'], [GENERAL, 'ja']));
    await scene.watches.remove(SPANISH, here);
    await scene.watches.remove(ENGLISH, here);
    expect(scene.feed.texts(SPANISH)).toEqual([off]);
    expect(scene.feed.texts(ENGLISH)).toEqual([]);
  });

  it('is told by name with which it was linked, on both sides', async () => {
    const { code } = await scene.watches.invite(mirror(ENGLISH, 'en'));
    await scene.watches.link(code, mirror(THERE, 'en'), admitAll);
    const linked = (channels: string) =>
      sentence('autotranslate.linked-here', { channels }).replaceAll('`', '');
    expect(scene.feed.texts(ENGLISH)).toEqual([linked('#channel-42 (Other)')]);
    expect(scene.other.texts(THERE)).toEqual([linked('Place')]);
  });
});
