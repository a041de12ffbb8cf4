import { describe, expect, it } from 'vitest';
import { openWatchStore } from '../../../src/store/channels/watches.ts';
import { missAll } from '../../fakes/missed-changes.ts';
import { channel, SPACE } from '../../fakes/channel-feed.ts';
import { watchOf } from '../../fakes/autotranslate.ts';
import { GENERAL, withScene } from './support.ts';

const THREAD = channel('thread', GENERAL.id);

describe('a watch', () => {
  const scene = withScene();

  it('is not set where people must still allow something, which is named', async () => {
    scene.feed.lack('Manage Webhooks');
    await expect(scene.watches.set([watchOf(GENERAL)])).rejects.toMatchObject({
      code: 'forbidden',
      sentence: { params: { permissions: { list: ['Manage Webhooks'] } } },
    });
    expect(scene.watches.list(SPACE)).toEqual([]);
  });

  it('finds what is written while it is set', async () => {
    const setting = scene.watches.set([watchOf(GENERAL)]);
    scene.feed.say(GENERAL, 'hello');
    await setting;
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toEqual(['hello', '🇪🇸 es(hello)']);
  });

  it('is not taken away with a thread of its channel', async () => {
    await scene.watches.set([watchOf(GENERAL)]);
    expect(await scene.watches.remove(THREAD)).toBe(false);
    await scene.listener.channelDeleted(THREAD);
    expect(scene.watches.of(THREAD)).toEqual(watchOf(THREAD));
    expect(await scene.watches.remove(GENERAL)).toBe(true);
    expect(scene.watches.of(THREAD)).toBeUndefined();
  });

  it('is as it is stored for what waits, also while changes of other processes may be missed', async () => {
    const elsewhere = await openWatchStore(scene.store, Date.now);
    const other = channel('other');
    await scene.watches.set([watchOf(GENERAL), watchOf(other)]);
    const [resolve, resolveOther] = [scene.hold('first'), scene.hold('first there')];
    await scene.say(GENERAL, 'first');
    await scene.say(other, 'first there');
    await scene.say(GENERAL, 'second');
    await scene.say(other, 'second there');
    missAll(scene.store);
    await elsewhere.remove([other]);
    await elsewhere.set([watchOf(GENERAL, { languages: ['ja'] })]);
    resolve();
    resolveOther();
    await scene.idle();
    const shown = [...scene.feed.texts(GENERAL), ...scene.feed.texts(other)].join('\n');
    expect(shown).toContain('ja(second)');
    expect(shown).not.toContain('es(second');
  });

  it('goes with its channel, and what waits there is left', async () => {
    await scene.watches.set([watchOf(GENERAL)]);
    const resolve = scene.hold('hello');
    const { ref } = await scene.say(GENERAL, 'hello');
    await scene.listener.channelDeleted(GENERAL);
    resolve();
    await scene.idle();
    expect(scene.watches.of(GENERAL)).toBeUndefined();
    expect(await scene.outcomes()).toEqual({ [ref.id]: 'skipped channel-gone' });
  });
});
