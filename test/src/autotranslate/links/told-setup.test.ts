import { beforeEach, describe, expect, it, vi } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import type { Changer, ChannelWatch } from '../../../../src/model/space.ts';
import { watchOf } from '../../../fakes/autotranslate.ts';
import { OURSELVES } from '../../../fakes/channel-feed/messages.ts';
import { sentence } from '../../../fakes/sentences.ts';
import { GENERAL, withScene } from '../support.ts';

const ANN: Changer = { name: 'Ann', locale: 'en' };
const BEN: Changer = { name: 'Ben', locale: 'en' };
const CEM: Changer = { name: 'Cem', locale: 'en' };

const said = (
  key: 'on' | 'changed' | 'off' | 'paused' | 'resumed',
  { name }: Changer,
  languages = '',
  mode = 'reply',
): string => sentence(`autotranslate.${key}-here`, { name, languages, mode }).replaceAll('`', '');

describe('a channel whose setup is changed several times', () => {
  const scene = withScene();
  const texts = (): string[] => scene.feed.texts(GENERAL);
  const shows = (...messages: readonly string[]): Promise<void> =>
    expect.poll(texts).toEqual(messages);
  const change = (by: Changer, part: Partial<ChannelWatch>) =>
    scene.watches.change(GENERAL, (watch) => ({ ...watch, ...part }), by);
  const into = (by: Changer, ...languages: readonly string[]) => change(by, { languages });
  const on = (by: Changer, ...languages: readonly string[]) =>
    scene.watches.set([watchOf(GENERAL, { languages })], { by });

  beforeEach(async () => {
    await on(ANN, 'fr');
    await shows(said('on', ANN, 'French'));
  });

  it('shows one line with what holds, and what becomes of its messages', async () => {
    await into(ANN, 'fr', 'ja');
    await into(ANN, 'ja');
    await into(ANN, 'ja', 'ko');
    await shows(said('on', ANN, 'Japanese and Korean'));
  });

  /** Does something while the line of a change waits for the platform, and those behind it for that line. */
  const whileTelling = async (run: () => Promise<unknown>): Promise<void> => {
    const [reading, waited] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    scene.feed.during('history', () => {
      reading.resolve();
      return waited.promise;
    });
    await into(ANN, 'fr', 'ja');
    await reading.promise;
    await run();
    waited.resolve();
  };

  it('shows who changed it, and what holds, where two do so at once', async () => {
    const add = (by: Changer, language: string) =>
      scene.watches.change(
        GENERAL,
        (watch) => ({ ...watch, languages: [...watch.languages, language] }),
        by,
      );
    await whileTelling(() => Promise.all([add(BEN, 'ko'), add(CEM, 'it')]));
    const all = 'French, Japanese, Korean, and Italian';
    await shows(
      [
        said('on', ANN, 'French and Japanese'),
        said('changed', BEN, all),
        said('changed', CEM, all),
      ].join('\n'),
    );
  });

  it('shows that it is as before where a change is taken back', async () => {
    scene.feed.say(GENERAL, 'hello');
    await into(BEN, 'fr', 'ja');
    await into(BEN, 'fr');
    await expect.poll(() => texts().at(-1)).toBe(said('changed', BEN, 'French'));
    expect(texts().filter((text) => text.includes('Ben'))).toHaveLength(1);
  });

  it('shows what holds in the language that it has by then', async () => {
    await scene.spaces.change(GENERAL.space, { rules: { reading: 'es' } });
    await into(BEN, 'ja');
    const params = { name: 'Ben', languages: 'japonés', mode: 'reply' };
    await shows(
      `${said('on', ANN, 'French')}\n${sentence('autotranslate.changed-here', params, 'es')}`,
    );
  });

  it('keeps what it was told of its messages where it is turned off again', async () => {
    await scene.watches.pause(GENERAL, true, ANN);
    await scene.watches.pause(GENERAL, false, BEN);
    await shows(`${said('on', ANN, 'French')}\n${said('resumed', BEN)}`);
    await scene.watches.remove(GENERAL, BEN);
    await shows(`${said('on', ANN, 'French')}\n${said('resumed', BEN)}\n${said('off', BEN)}`);
    await on(ANN, 'ja');
    await shows(said('on', ANN, 'Japanese'));
  });

  it('keeps the buttons of a line under it, and has what comes then below', async () => {
    await change(ANN, { mode: 'request' });
    await change(ANN, { mode: 'reply' });
    await shows(
      said('on', ANN, 'French'),
      `${said('changed', ANN, '', 'request')}\n${sentence('autotranslate.request', { channel: '#?' })}`,
      said('changed', ANN, 'French'),
    );
    expect(scene.feed.asked(GENERAL)).toEqual(['catchup recent', 'language pick']);
  });

  it('has a new line below what another process posted, and after a restart', async () => {
    scene.feed.say(GENERAL, 'of another process', { author: OURSELVES });
    await into(ANN, 'ja');
    await shows(said('on', ANN, 'French'), 'of another process', said('changed', ANN, 'Japanese'));
    await scene.restart();
    await into(ANN, 'ko');
    await expect.poll(texts).toHaveLength(4);
  });

  it('is not told that it was turned off once it is on again', async () => {
    await whileTelling(async () => {
      await scene.watches.remove(GENERAL, BEN);
      await on(CEM, 'ko');
      // Each line is a message of its own.
      vi.spyOn(scene.feed.feed, 'newest').mockRejectedValue(new AppError('forbidden', 'unread'));
    });
    await expect.poll(() => texts().at(-1)).toBe(said('on', CEM, 'Korean'));
    expect(texts()).not.toContain(said('off', BEN));
  });

  it('is told what becomes of its messages by who sets it up while it is turned off', async () => {
    const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<string[]>()];
    vi.spyOn(scene.feed.feed, 'missing').mockImplementationOnce(async () => {
      asked.resolve();
      return answered.promise;
    });
    const setting = on(CEM, 'ja');
    await asked.promise;
    await scene.watches.remove(GENERAL, BEN);
    answered.resolve([]);
    await setting;
    await expect
      .poll(() => texts().join('\n').split('\n').at(-1))
      .toBe(said('on', CEM, 'Japanese'));
  });
});
