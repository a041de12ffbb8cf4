import { describe, expect, it } from 'vitest';
import type { Message } from '../../../src/model/message.ts';
import { channel, SPACE } from '../../fakes/channel-feed.ts';
import { watchOf } from '../../fakes/autotranslate.ts';
import { ENGLISH, GENERAL, linked, SPANISH, withScene } from './support.ts';

describe('a flag', () => {
  const scene = withScene();

  it('brings a translation once, however many press it', async () => {
    const { ref } = scene.place.say(GENERAL, 'hello');
    for (const _ of [1, 2, 3]) await scene.watcher.reacted(ref, '🇯🇵', true);
    await scene.idle();
    expect(scene.place.texts(GENERAL)).toEqual(['hello', '🇯🇵 ja(hello)']);
  });

  it('takes it away again when the last one is removed', async () => {
    const { ref } = scene.place.say(GENERAL, 'hello');
    await scene.watcher.reacted(ref, '🇯🇵', true);
    await scene.idle();
    await scene.watcher.reacted(ref, '🇯🇵', false);
    await scene.idle();
    expect(scene.place.texts(GENERAL)).toEqual(['hello']);
  });

  it('has its translation follow an edit', async () => {
    const { ref } = scene.place.say(GENERAL, 'before');
    await scene.watcher.reacted(ref, '🇪🇸', true);
    await scene.idle();
    await scene.watcher.seen(scene.place.edit(ref, 'after'));
    await scene.idle();
    expect(scene.place.texts(GENERAL)).toEqual(['after', '🇪🇸 es(after)']);
  });

  it('does nothing where the space switched flags off, or maps the emoji to another language', async () => {
    await scene.spaces.change(SPACE, { flags: { on: true, languages: { '🇯🇵': 'es' } } });
    const { ref } = scene.place.say(GENERAL, 'hello');
    await scene.watcher.reacted(ref, '🇯🇵', true);
    await scene.watcher.reacted(ref, '🎉', true);
    await scene.idle();
    expect(scene.place.texts(GENERAL)).toEqual(['hello', '🇪🇸 es(hello)']);
  });

  it('that is pressed and removed at once leaves nothing', async () => {
    const { ref } = scene.place.say(channel('elsewhere'), 'hello');
    await Promise.all([
      scene.watcher.reacted(ref, '🇯🇵', true),
      scene.watcher.reacted(ref, '🇯🇵', false),
    ]);
    await scene.idle();
    expect(scene.place.texts(channel('elsewhere'))).toEqual(['hello']);
  });

  it('stays while anybody presses it', async () => {
    const { ref } = scene.place.say(GENERAL, 'hello');
    await scene.watcher.reacted(ref, '🇯🇵', true);
    scene.place.react(ref, '🇯🇵', 1);
    await scene.watcher.reacted(ref, '🇯🇵', false);
    await scene.idle();
    expect(scene.place.texts(GENERAL)).toEqual(['hello', '🇯🇵 ja(hello)']);
  });

  it('brings nothing in a quiet channel, nor in its threads', async () => {
    await scene.spaces.change(SPACE, { quietChannels: [GENERAL.id] });
    for (const place of [GENERAL, channel('thread', GENERAL.id)]) {
      const { ref } = scene.place.say(place, 'hello');
      await scene.watcher.reacted(ref, '🇯🇵', true);
      await scene.idle();
      expect(scene.place.texts(place)).toEqual(['hello']);
    }
  });

  it('brings nothing of somebody who opted out, and nothing of it is stored', async () => {
    await scene.privacy.setOptedOut({ platform: SPACE.platform, id: 'ada' }, true);
    const { ref } = scene.place.say(GENERAL, 'hello');
    await scene.watcher.reacted(ref, '🇯🇵', true);
    await scene.idle();
    expect(await scene.outcomes()).toEqual({});
  });

  it('brings nothing that stands there by itself', async () => {
    await scene.watches.set([watchOf(GENERAL)]);
    const { ref } = await scene.say(GENERAL, 'hello');
    await scene.idle();
    await scene.watcher.reacted(ref, '🇪🇸', true);
    await scene.watcher.reacted(ref, '🇯🇵', true);
    await scene.idle();
    expect(scene.place.texts(GENERAL)).toEqual(['hello', '🇪🇸 es(hello)', '🇯🇵 ja(hello)']);
    await scene.watcher.seen(scene.place.edit(ref, 'after'));
    await scene.idle();
    expect(scene.place.texts(GENERAL)).toEqual(['after', '🇪🇸 es(after)', '🇯🇵 ja(after)']);
  });

  it('on a copy means the words that were copied', async () => {
    await scene.watches.set(linked());
    await scene.say(ENGLISH, 'hello');
    await scene.idle();
    const copy = scene.place.messages(SPANISH)[0] as Message;
    await scene.watcher.reacted(copy.ref, '🇫🇷', true);
    await scene.idle();
    expect(scene.place.texts(SPANISH).at(-1)).toBe('🇫🇷 fr(hello)');
  });
});
