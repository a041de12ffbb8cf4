import { describe, expect, it } from 'vitest';
import { createAskedMessages } from '../../../src/autotranslate/asked-messages.ts';
import { channel, createFakeFeed, person } from '../../fakes/channel-feed.ts';

const HERE = channel('here');
const HOUR_MS = 3_600_000;

const open = () => {
  const fake = createFakeFeed();
  const messages = createAskedMessages({
    platforms: { of: () => ({ feed: fake.feed, mirrors: fake.mirrors }) },
    privacy: { optedOut: async ({ id }) => id === 'shy' },
    now: Date.now,
  });
  const texts = async (most: number) =>
    (await messages.recent(HERE, most, AbortSignal.timeout(1_000))).map(({ ref }) => ref.id);
  return { fake, messages, texts };
};

describe('messages that somebody asks for', () => {
  it('are the newest ones with words, oldest first', async () => {
    const { fake, texts } = open();
    const ids = ['a', 'b', 'c'].map((text) => fake.say(HERE, text).ref.id);
    fake.say(HERE, '');
    fake.say(HERE, 'Ada joined', { system: true });
    fake.say(HERE, 'ours', { author: { id: 'us', name: 'us', kind: 'ourselves' } });
    expect(await texts(2)).toEqual(ids.slice(1));
    expect(await texts(9)).toEqual(ids);
  });

  it('are none of people who opted out', async () => {
    const { fake, messages, texts } = open();
    const { ref } = fake.say(HERE, 'mine', { author: person('shy') });
    expect(await texts(9)).toEqual([]);
    expect(await messages.read(ref)).toBeUndefined();
  });

  it('are none of yesterday', async () => {
    const { fake, texts } = open();
    const old = Date.now() - 25 * HOUR_MS;
    fake.say(HERE, 'old', { position: fake.feed.positionAt(old) });
    const { ref } = fake.say(HERE, 'new');
    expect(await texts(9)).toEqual([ref.id]);
  });

  it('are not read where that takes minutes', async () => {
    const { fake, texts } = open();
    Object.assign(fake.feed, { isHistorySlow: () => true });
    await expect(texts(9)).rejects.toMatchObject({
      sentence: { key: 'autotranslate.read-slow' },
    });
    expect(fake.calls).toEqual([]);
  });
});
