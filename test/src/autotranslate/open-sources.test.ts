import { describe, expect, it } from 'vitest';
import { createOpenSources } from '../../../src/autotranslate/open-sources.ts';
import { channelKey, type Channel } from '../../../src/model/place.ts';
import type { ChannelWatch } from '../../../src/model/space.ts';
import { mirrorOf } from '../../fakes/autotranslate.ts';
import { channel, person } from '../../fakes/channel-feed.ts';
import { ENGLISH, SPANISH } from './support.ts';

const WRITTEN = { ref: { channel: ENGLISH, id: '1' }, author: person('ann') };
const PAUSE = { fromMs: 0 };

/** Asks whether what is written in English may be read in Spanish. */
const isOpen = async (
  choices: Partial<Record<'english' | 'spanish', ChannelWatch['choices']>> = {},
  { group = mirrorOf([ENGLISH, 'en'], [SPANISH, 'es']), barred = false, to = SPANISH } = {},
): Promise<boolean> => {
  const all = group.map((watch) => ({ ...watch, choices: choices[watch.channel.id as 'english'] }));
  const at = ({ id, parentId }: Channel) =>
    all.find((watch) => [id, parentId].includes(watch.channel.id)) as ChannelWatch | undefined;
  const { isOpen: ask } = createOpenSources({
    watches: { of: at, group: () => all as readonly ChannelWatch[], joinedMs: () => 0 },
    store: {} as never,
    stored: { of: async () => [] },
    platforms: { find: () => undefined },
    bars: { isBarred: async () => barred },
  });
  return ask(WRITTEN, to);
};

describe('the words of a source', () => {
  it('may be read where its channel is copied now, threads included, and where they stand', async () => {
    expect(await isOpen()).toBe(true);
    expect(await isOpen({}, { to: channel('thread', SPANISH.id) })).toBe(true);
    expect(await isOpen({}, { group: [], to: ENGLISH })).toBe(true);
  });

  it('may not be read where the channels are not linked, or a channel is not watched', async () => {
    expect(await isOpen({}, { group: [] })).toBe(false);
    expect(await isOpen({}, { group: mirrorOf([ENGLISH, 'en']) })).toBe(false);
    const [one, two] = mirrorOf([ENGLISH, 'en'], [SPANISH, 'es']);
    expect(await isOpen({}, { group: [one!, { ...two!, group: 'other' }] })).toBe(false);
  });

  it.each([
    ['the source is paused', { english: { pause: PAUSE } }],
    ['the reader’s channel is paused', { spanish: { pause: PAUSE } }],
    ['the source is muted', { spanish: { muted: { [channelKey(ENGLISH)]: PAUSE } } }],
    ['the source is paused for the group', { spanish: { held: { [channelKey(ENGLISH)]: PAUSE } } }],
  ])('may not be read while %s', async (_, choices) => {
    expect(await isOpen(choices)).toBe(false);
  });

  it('may not be read where moderators stopped copies of their author', async () => {
    expect(await isOpen({}, { barred: true })).toBe(false);
  });
});
