import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { channel, SPACE } from '../../fakes/channel-feed.ts';
import { mirrorOf, watchOf } from '../../fakes/autotranslate.ts';
import { ENGLISH, GENERAL, JAPANESE, withScene, WORKSPACE } from './support.ts';

const SPANISH = channel('spanish', undefined, WORKSPACE);
/** The platform says to come back much later. */
const LATER = new AppError('unavailable', 'not now', { retryable: true, retryAfterMs: 600_000 });

describe('a space that is left', () => {
  const scene = withScene();

  it('is watched no longer, and what waits there is neither posted nor kept', async () => {
    await scene.watches.set([watchOf(GENERAL)]);
    const resolve = scene.hold('hello');
    await scene.say(GENERAL, 'hello');
    await scene.leave(SPACE);
    resolve();
    await scene.idle();
    expect(scene.watches.list(SPACE)).toEqual([]);
    expect(scene.feed.texts(GENERAL)).toEqual(['hello']);
    expect(await scene.outcomes()).toEqual({});
  });

  it('has no context left for what is said when the bot is there again', async () => {
    await scene.watches.set([watchOf(GENERAL)]);
    await scene.say(GENERAL, 'before');
    await scene.idle();
    await scene.leave(SPACE);
    await scene.watches.set([watchOf(GENERAL)]);
    await scene.say(GENERAL, 'after');
    await scene.idle();
    expect(scene.contexts.get('after')).toEqual([]);
  });

  it('has its history read no longer', async () => {
    await scene.watches.set([watchOf(GENERAL)]);
    await scene.idle();
    scene.feed.fail({ call: 'history', error: LATER });
    scene.listener.messagesMissed([{ channel: GENERAL, newest: undefined }]);
    await expect.poll(() => scene.logged.join('')).toContain('history of a channel');
    await scene.leave(SPACE);
    await scene.idle();
  });
});

describe('a space with many channels that is left', () => {
  const scene = withScene(
    Array.from({ length: 200 }, (_, at) => watchOf(channel(`c${at}`, undefined, WORKSPACE))),
  );

  it('lets others read and write before all of them are removed', async () => {
    const leaving = scene.leave(WORKSPACE);
    const left = new Set<number>();
    for (let rows = 200; rows > 0; left.add(rows)) {
      await setImmediate();
      const stored = await scene.store.selectFrom('channel_watch').select('channel_id').execute();
      rows = stored.length;
    }
    await leaving;
    expect([...left].filter((rows) => rows > 0 && rows < 200).length).toBeGreaterThan(1);
  });
});

describe('a group with channels in a space that is left', () => {
  const scene = withScene(mirrorOf([ENGLISH, 'en'], [SPANISH, 'es'], [JAPANESE, 'ja']));

  it('goes on without them', async () => {
    await scene.leave(WORKSPACE);
    await scene.say(ENGLISH, 'hello');
    await scene.idle();
    expect(scene.feed.texts(JAPANESE)).toEqual([
      expect.stringMatching(/リンクが解除されました.*\n.*から削除されました/),
      'ada: ja(hello) [🌐 英語]',
    ]);
    expect(scene.other.texts(SPANISH)).toEqual([]);
  });

  it('ends where only one channel is left', async () => {
    await scene.leave(SPACE);
    expect(scene.watches.of(SPANISH)).toBeUndefined();
    await scene.say(SPANISH, 'es:hola');
    await scene.idle();
    expect(scene.other.texts(SPANISH)).toContain('es:hola');
    expect(scene.feed.texts(ENGLISH)).toEqual([]);
  });

  it('translates what was under way for the channels that are left, once', async () => {
    const resolve = scene.hold('hello');
    await scene.say(ENGLISH, 'hello');
    await scene.leave(WORKSPACE);
    resolve();
    await scene.idle();
    expect(scene.feed.texts(JAPANESE).filter((text) => text.includes('ja(hello)'))).toHaveLength(1);
    expect(scene.other.texts(SPANISH)).toEqual([]);
  });
});
