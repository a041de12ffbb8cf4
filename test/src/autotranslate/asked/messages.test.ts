import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import { WATCH } from '../../../../src/store/inbox/row.ts';
import { channel, person } from '../../../fakes/channel-feed.ts';
import { HERE, HOUR_MS, open, OURS, THERE } from './support.ts';

describe('messages that somebody asks for', () => {
  it('are the newest ones with words, oldest first', async () => {
    const { fake, texts } = await open();
    const ids = ['a', 'b', 'c'].map((text) => fake.say(HERE, text).ref.id);
    fake.say(HERE, '');
    fake.say(HERE, 'Ada joined', { system: true });
    fake.say(HERE, 'ours', { author: { id: 'us', name: 'us', kind: 'ourselves' } });
    expect(await texts(2)).toEqual(ids.slice(1));
    expect(await texts(9)).toEqual(ids);
  });

  it('are none of people who opted out', async () => {
    const { fake, messages, texts } = await open();
    const { ref } = fake.say(HERE, 'mine', { author: person('shy') });
    expect(await texts(9)).toEqual([]);
    expect(await messages.read(ref)).toBeUndefined();
  });

  it('are found by what was typed, in this space alone and where they may be read', async () => {
    const { fake, messages } = await open();
    const elsewhere = channel('here', undefined, { platform: 'place', id: 'elsewhere' });
    const { ref, position } = fake.say(HERE, 'hello', { author: person('shy') });
    const refs = new Map([
      ['mine', ref],
      ['gone', { ...ref, id: 'gone' }],
      ['foreign', { ...ref, channel: elsewhere }],
    ]);
    fake.feed.find = (typed) => {
      const found = refs.get(typed);
      return found && { ref: found, position, writtenMs: 0 };
    };
    const asked: string[] = [];
    const find = async (typed: string, isSeen = true) =>
      messages.find(typed, HERE, async ({ id }) => {
        asked.push(id);
        return isSeen;
      });
    expect(await find('mine')).toMatchObject({ ref, author: { id: 'shy' } });
    expect(await find('gone')).toEqual({ ref: refs.get('gone'), position });
    expect(asked).toEqual(['here', 'here']);
    fake.calls.length = 0;
    expect(await find('foreign')).toBeUndefined();
    expect(await find('other words')).toBeUndefined();
    expect(await find('mine', false)).toBeUndefined();
    expect(fake.calls).toEqual([]);
  });

  it('are none of yesterday', async () => {
    const { fake, texts } = await open();
    const old = Date.now() - 25 * HOUR_MS;
    fake.say(HERE, 'old', { position: fake.feed.positionAt(old) });
    const { ref } = fake.say(HERE, 'new');
    expect(await texts(9)).toEqual([ref.id]);
  });

  it('are not read where that takes minutes', async () => {
    const { fake, texts } = await open();
    Object.assign(fake.feed, { isHistorySlow: () => true });
    await expect(texts(9)).rejects.toMatchObject({
      sentence: { key: 'autotranslate.read-slow' },
    });
    expect(fake.calls).toEqual([]);
  });

  it('have the words of the source of a copy, where that can be read', async () => {
    const { fake, written, sources } = await open();
    const source = fake.say(THERE, 'hola', { author: person('ann') });
    const copy = fake.say(HERE, 'hello', OURS);
    sources.set(copy.ref.id, { ref: source.ref, purpose: WATCH });
    expect(await written(copy, source)).toEqual(['hola', 'hola']);
    fake.remove(source.ref);
    expect(await written(copy)).toEqual(['hello']);
  });

  it('have their own words where what is written at their source is not shown any more', async () => {
    const { fake, written, sources, closed } = await open();
    const source = fake.say(THERE, 'hola', { author: person('ann') });
    const copy = fake.say(HERE, 'hello', OURS);
    sources.set(copy.ref.id, { ref: source.ref, purpose: WATCH });
    closed.add('ann');
    expect(await written(copy)).toEqual(['hello']);
  });

  it('have the words of the sources of hundreds of copies, of which the first are read together', async () => {
    const { fake, written, sources } = await open();
    const copies = Array.from({ length: 330 }, (_, at) => {
      const source = fake.say(THERE, `hola ${at}`, { author: person('ann') });
      const copy = fake.say(HERE, `hello ${at}`, OURS);
      sources.set(copy.ref.id, { ref: source.ref, purpose: WATCH });
      return copy;
    });
    const words = await written(...copies);
    expect(words.at(-1)).toBe('hola 329');
    expect(words.filter((each) => each.startsWith('hello'))).toHaveLength(20);
    expect(fake.calls.filter((call) => call === 'history')).toHaveLength(1);
    expect(fake.calls.length).toBeLessThanOrEqual(11);
  });

  it('have the words of their sources also far back', async () => {
    const { fake, written, sources } = await open();
    const copies = Array.from({ length: 400 }, (_, at) => {
      const source = fake.say(THERE, `hola ${at}`, { author: person('ann') });
      const copy = fake.say(HERE, `hello ${at}`, OURS);
      sources.set(copy.ref.id, { ref: source.ref, purpose: WATCH });
      return copy;
    });
    const words = await written(...copies.slice(0, 50));
    expect(words).toEqual(copies.slice(0, 50).map((_, at) => `hola ${at}`));
  });

  it('have their own words where the place of their sources fails', async () => {
    const { fake, written, sources } = await open();
    const source = fake.say(THERE, 'hola', { author: person('ann') });
    const copies = Array.from({ length: 20 }, () => fake.say(HERE, 'hello', OURS));
    for (const { ref } of copies) sources.set(ref.id, { ref: source.ref, purpose: WATCH });
    const fails = async () => {
      throw new AppError('unavailable', 'away');
    };
    Object.assign(fake.feed, { earliest: fails, read: fails });
    expect(new Set(await written(...copies))).toEqual(new Set(['hello']));
  });
});
