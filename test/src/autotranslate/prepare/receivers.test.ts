import { describe, expect, it } from 'vitest';
import type { Channel, MessageRef } from '../../../../src/model/place.ts';
import { watchOf } from '../../../fakes/autotranslate.ts';
import { SPACE } from '../../../fakes/channel-feed.ts';
import { ENGLISH, JAPANESE, linked, SPANISH, withScene } from '../support.ts';

const scene = withScene();

const edit = async (ref: MessageRef, text: string): Promise<void> => {
  await scene.listener.messageChanged(scene.feed.edit(ref, text));
  await scene.idle();
};
const pause = async (isPausing: boolean, of: Channel = ENGLISH): Promise<void> => {
  scene.clock.aheadMs += 1_000;
  await scene.watches.pause(of, isPausing);
  scene.clock.aheadMs += 1_000;
};

describe('a channel that was linked, and is translated in place now', () => {
  const say = async (): Promise<MessageRef> => {
    await scene.watches.set(linked());
    const { ref } = await scene.say(ENGLISH, 'hello');
    await scene.idle();
    return ref;
  };
  const expectCopies = (): void => {
    expect(scene.feed.texts(SPANISH)).toContain('ada: es(hello) [🌐 inglés]');
    expect(scene.feed.texts(JAPANESE).join()).toContain('ja(hello)');
  };

  it('leaves its copies elsewhere as they are with an edit', async () => {
    const ref = await say();
    await scene.watches.set([watchOf(ENGLISH)]);
    await edit(ref, 'hello there');
    expect(scene.feed.texts(ENGLISH)).toContain('🇪🇸 es(hello there)');
    expectCopies();
  });

  it('leaves them after a pause in which the link ended, and tells of no other reason', async () => {
    const ref = await say();
    await pause(true);
    await edit(ref, 'hello there');
    await scene.watches.set([watchOf(ENGLISH)]);
    await pause(false);
    scene.listener.connected(SPACE.platform);
    await scene.later();
    expectCopies();
    expect(await scene.outcomes()).toEqual({ [ref.id]: 'skipped paused' });
  });
});

describe('an edit in a pause, of a message that waits for the end of an outage', () => {
  it.each([
    ['in place', [watchOf(ENGLISH)], ENGLISH],
    ['linked', linked(), SPANISH],
  ] as const)('does not come into the paused channel: %s', async (_, watches, of) => {
    await scene.watches.set(watches);
    for (const language of ['es', 'ja']) scene.down.add(language);
    const { ref } = await scene.say(ENGLISH, 'hello');
    await scene.later();
    await pause(true, of);
    await edit(ref, 'a secret');
    const before = scene.asked.get('es');
    scene.down.clear();
    for (let minutes = 0; minutes < 35; minutes += 1) await scene.later();
    expect(scene.feed.texts(of).join()).not.toContain('es(a secret)');
    expect(scene.asked.get('es')).toBe(before);
  });
});
