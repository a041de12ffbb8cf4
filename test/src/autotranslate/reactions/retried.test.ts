import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import { MINUTE_MS } from '../../../../src/async/clock.ts';
import { lost, SPACE } from '../../../fakes/channel-feed.ts';
import { ENGLISH, JAPANESE, SPANISH } from '../support.ts';
import { THUMB, withReactions } from './support.ts';

describe('reactions to messages of linked channels', () => {
  const { scene, said, copyIn, press, shown, countOf, elsewhere } = withReactions();

  it('go on where one channel refuses them, which is not asked again at once', async () => {
    const ref = await said();
    const error = new AppError('forbidden', 'a permission is missing');
    scene.feed.fail({ call: 'react', channel: SPANISH, error });
    await press(ref, 1);
    await press(ref, 1, '🎉');
    expect(shown(copyIn(SPANISH), copyIn(JAPANESE))).toEqual(['', '👍🎉']);
    expect(await elsewhere(copyIn(SPANISH))).toEqual(['🎉 1', '👍 1']);
    expect(countOf('react')).toBe(3);
    scene.clock.aheadMs += 10 * MINUTE_MS;
    await press(ref, 2);
    expect(shown(copyIn(SPANISH))).toEqual([THUMB]);
  });

  it('come at another try where the platform could not be reached', async () => {
    const ref = await said();
    scene.feed.fail({ call: 'reactors', error: lost() });
    await press(ref, 1);
    scene.feed.fail({ call: 'react', channel: SPANISH, error: lost() });
    await scene.later();
    expect(shown(copyIn(SPANISH), copyIn(JAPANESE))).toEqual(['', THUMB]);
    await scene.later();
    expect(shown(copyIn(SPANISH), copyIn(JAPANESE))).toEqual([THUMB, THUMB]);
  });

  it('are looked at once where it is long ago that the message was copied', async () => {
    const ref = await said();
    await scene.store.deleteFrom('inbox').execute();
    await press(ref, 1);
    for (const _ of [1, 2, 3]) await scene.later();
    expect(countOf('reactors')).toBe(1);
    expect(shown(copyIn(SPANISH))).toEqual([THUMB]);
  });

  it('come under copies that are posted later', async () => {
    const go = scene.hold('slow');
    const { ref } = await scene.say(ENGLISH, 'slow');
    await expect.poll(() => scene.asked.get('es')).toBe(1);
    scene.feed.react(ref, THUMB, 1);
    await scene.listener.reactionChanged(ref, THUMB, true);
    go();
    await scene.later();
    expect(shown(copyIn(SPANISH), copyIn(JAPANESE))).toEqual([THUMB, THUMB]);
  });

  it('to a copy that was posted just now, and is not recorded yet, come under its message', async () => {
    scene.feed.fail({ call: 'create', channel: SPANISH, after: true, error: lost() });
    const ref = await said();
    await press(copyIn(SPANISH), 1);
    expect(shown(ref)).toEqual(['']);
    await scene.later();
    await scene.later();
    expect(shown(ref)).toEqual([THUMB]);
  });

  it('that ended while the program was not running are gone soon after it is back', async () => {
    const ref = await said();
    await press(ref, 1);
    scene.feed.react(ref, THUMB, 0);
    await scene.restart();
    scene.listener.connected(SPACE.platform);
    await scene.idle();
    expect(shown(copyIn(SPANISH), copyIn(JAPANESE))).toEqual(['', '']);
  });

  it('that could not be put before the program ended are put when it is back', async () => {
    const ref = await said();
    scene.feed.fail(
      { call: 'react', channel: SPANISH, error: lost() },
      { call: 'react', channel: JAPANESE, error: lost() },
    );
    await press(ref, 1);
    await scene.restart();
    scene.listener.connected(SPACE.platform);
    await scene.idle();
    expect(shown(copyIn(SPANISH), copyIn(JAPANESE))).toEqual([THUMB, THUMB]);
  });
});
