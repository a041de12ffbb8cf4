import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createGlossary } from '../../../src/translation/glossary.ts';
import { openStore } from '../../../src/store/index.ts';
import { createPrivacy } from '../../../src/store/privacy/person-data.ts';
import { createSpaceSettings } from '../../../src/store/settings.ts';
import { createLocalSignals } from '../../../src/store/writer.ts';
import { openWatchStore } from '../../../src/store/channels/watches.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import type { ChannelWatch } from '../../../src/model/space.ts';
import { findLanguage } from '../../../src/text/language/languages.ts';
import { fresh } from '../../fakes/opened.ts';

const SPACE = { platform: 'test', id: 's' };
const CHANNEL = { space: SPACE, id: 'c' };
const ADA = { platform: 'test', id: 'ada' };
const WATCH: ChannelWatch = {
  channel: CHANNEL,
  mode: 'reply',
  languages: ['es'],
  transcribes: true,
  bots: false,
};

const store = fresh(() => openStore('sqlite::memory:'));

/** Two owners of the same data, each with a copy in memory, as two processes would be. */
describe('what one changes, the other knows once it is written', () => {
  it('of the settings of a space', async () => {
    const [one, other] = [createSpaceSettings(store), createSpaceSettings(store)];
    expect((await other.of(SPACE)).quietChannels).toEqual([]);
    await one.change(SPACE, { quietChannels: ['c'] });
    expect((await other.of(SPACE)).quietChannels).toEqual(['c']);
  });

  it('of opting out', async () => {
    const [one, other] = [createPrivacy(store), createPrivacy(store)];
    for (const optedOut of [true, false, true]) {
      await one.setOptedOut(ADA, optedOut);
      expect(await other.optedOut(ADA)).toBe(optedOut);
    }
  });

  it('of the glossary', async () => {
    const languages = { find: findLanguage };
    const [one, other] = [createGlossary(store, languages), createGlossary(store, languages)];
    const term = { term: 'Dragoman', language: undefined, translation: undefined };
    expect(await other.applying(CHANNEL)).toEqual([]);
    await one.add(SPACE, term);
    expect(await other.applying(CHANNEL)).toEqual([term]);
    await one.remove(SPACE, 'Dragoman');
    expect(await other.applying(CHANNEL)).toEqual([]);
  });

  it('of watched channels', async () => {
    const open = () => openWatchStore(store, () => 0);
    const [one, other] = [await open(), await open()];
    await one.set([WATCH]);
    expect(other.of(CHANNEL)).toEqual(WATCH);
    await other.remove([CHANNEL]);
    expect(one.list(SPACE)).toEqual([]);
  });
});

describe('an opt-out', () => {
  it('is told to every subscriber as it then holds', async () => {
    const privacy = createPrivacy(store);
    const told: unknown[] = [];
    store.signals.subscribe('opt-out', async (changed) => {
      told.push([changed, await privacy.optedOut(ADA)]);
    });
    await privacy.setOptedOut(ADA, true);
    await privacy.setOptedOut(ADA, false);
    expect(told).toEqual([
      [{ ...ADA, optedOut: true }, true],
      [{ ...ADA, optedOut: false }, false],
    ]);
  });
});

describe('a change that a subscriber rejects', () => {
  it('is delivered again, as any change of its topic, until no subscriber rejects it; the signals of this topic alone are not current until then', async () => {
    const pauses: (PromiseWithResolvers<void> & { readonly of: unknown[] })[] = [];
    const signals = createLocalSignals((...of) => {
      const pause = Promise.withResolvers<void>();
      pauses.push({ ...pause, of });
      return pause.promise;
    });
    const received: unknown[] = [];
    signals.subscribe('retried', (space) => void received.push(space));
    signals.subscribe('watches', (space) => {
      received.push(space);
      if (received.length < 4) throw new Error('no');
    });
    const publish = async (): Promise<void> => {
      const within = {};
      for (const topic of ['retried', 'watches', 'glossary'] as const)
        await signals.publish(within, topic, SPACE);
      await signals.collect(within)();
    };
    await expect(publish()).rejects.toThrow('no');
    const current = () => [
      signals.isCurrent('retried'),
      signals.isCurrent('space-left', 'watches'),
    ];
    expect(current()).toEqual([true, false]);
    pauses.find(({ of }) => of[1] === 'watches')?.resolve();
    await expect.poll(() => pauses.length).toBe(3);
    expect(current()).toEqual([true, false]);
    for (const { resolve } of pauses) resolve();
    await expect.poll(current).toEqual([true, true]);
    expect(received).toEqual([SPACE, SPACE, undefined, undefined]);
    const attempts = pauses.filter(({ of }) => of[1] === 'watches').map(({ of }) => of[0]);
    expect(attempts).toEqual([0, 1]);
  });

  it('is delivered ever more seldom, at most once a minute, and logged once', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const logged: string[] = [];
    const log = createLog('error', { write: (line) => void logged.push(line) });
    await using opened = await openStore('sqlite::memory:', { log });
    let delivered = 0;
    opened.signals.subscribe('watches', () => {
      delivered += 1;
      throw new Error('no');
    });
    const written = opened.write((db) => opened.signals.publish(db, 'watches', SPACE));
    await expect(written).rejects.toThrow('no');
    for (let seconds = 0; seconds < 600; seconds += 1) await vi.advanceTimersByTimeAsync(1_000);
    expect(delivered).toBeGreaterThan(10);
    expect(delivered).toBeLessThan(20);
    expect(logged).toEqual([expect.stringContaining('watches')]);
  });
});
