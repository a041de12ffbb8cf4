import { beforeEach, describe, expect, it, vi } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { channelKey } from '../../../src/model/place.ts';
import { mirrorOf } from '../../fakes/autotranslate.ts';
import { channel, SPACE } from '../../fakes/channel-feed.ts';
import { sentence } from '../../fakes/sentences.ts';
import { ENGLISH, SPANISH, withScene, WORKSPACE } from './support.ts';

const THERE = channel('42', undefined, WORKSPACE);
const MODS = channel('mods', undefined, WORKSPACE);

describe('a linked channel from which the bot was removed', () => {
  const scene = withScene(mirrorOf([ENGLISH, 'en'], [SPANISH, 'es'], [THERE, 'fr']));
  const kick = (of = THERE): void => {
    scene.other.lose(of);
    const error = new AppError('forbidden', 'not in the channel');
    scene.other.fail({ call: 'create', channel: of, error });
  };

  beforeEach(async () => {
    await scene.spaces.change(WORKSPACE, { moderators: { channel: MODS.id, locale: 'en' } });
  });

  it('is meant by the reason that is told to the author and the moderators of a message that it does not show', async () => {
    kick();
    const { ref, position } = await scene.say(ENGLISH, 'hello');
    await scene.idle();
    const [told] = await scene.inbox.explain({ ref, position });
    expect(told?.parts).toMatchObject([
      { state: 'dead', reason: { key: 'reasons.lost' }, missing: [{ channels: [THERE] }] },
    ]);
    const { newestDead } = await scene.inbox.backlog(SPACE);
    expect(newestDead).toMatchObject([{ reason: { key: 'reasons.lost' } }]);
  });

  it('is told of once to its own moderators', async () => {
    for (const text of ['1', '2']) {
      kick();
      await scene.say(ENGLISH, text);
      await scene.idle();
    }
    await expect
      .poll(() => scene.other.texts(MODS), { timeout: 2_000 })
      .toEqual([
        sentence('moderators.lost', { channel: '#?' }).replace('`/status`', '/interpreter status'),
      ]);
  });

  it('is marked on both sides until the bot is back', async () => {
    const state = async (of: typeof ENGLISH) => scene.watches.state(scene.watches.of(of)!);
    const none = { lost: 0, paused: 0 };
    kick();
    expect(await state(THERE)).toMatchObject({ isLost: true, elsewhere: none });
    expect(await state(ENGLISH)).toMatchObject({
      isLost: false,
      elsewhere: { lost: 1, paused: 0 },
    });
    const members = await scene.watches.members(scene.watches.of(ENGLISH)!);
    expect(members).toMatchObject([{ isLost: true }]);
    scene.other.lose();
    scene.clock.aheadMs += 15_000;
    expect(await state(THERE)).toMatchObject({ isLost: false, elsewhere: none });
    expect(await state(ENGLISH)).toMatchObject({ isLost: false, elsewhere: none });
  });

  it('is asked of once for many looks', async () => {
    kick();
    const asked = vi.spyOn(scene.other.feed, 'missing');
    for (let look = 0; look < 20; look += 1) await scene.watches.state(scene.watches.of(ENGLISH)!);
    expect(asked).toHaveBeenCalledOnce();
  });

  it.each([
    ['paused for all', () => scene.watches.hold(ENGLISH, 'other 42', true)],
    ['paused by its own moderators', () => scene.watches.pause(THERE, true)],
  ] as const)('is counted as paused where it is %s', async (_, pause) => {
    await pause();
    const { elsewhere } = await scene.watches.state(scene.watches.of(ENGLISH)!);
    expect(elsewhere).toEqual({ lost: 0, paused: 1 });
  });

  it('is told apart from one that is muted, and from one that others pause for all', async () => {
    const state = async (of: typeof ENGLISH) => scene.watches.state(scene.watches.of(of)!);
    await scene.watches.mute(ENGLISH, channelKey(THERE), true);
    const none = { lost: 0, paused: 0 };
    expect(await state(ENGLISH)).toEqual({ isLost: false, isHeld: false, elsewhere: none });
    await scene.watches.hold(ENGLISH, channelKey(THERE), true);
    expect(await state(THERE)).toEqual({ isLost: false, isHeld: true, elsewhere: none });
    expect(await state(ENGLISH)).toMatchObject({ isHeld: false, elsewhere: { paused: 1 } });
  });
});
