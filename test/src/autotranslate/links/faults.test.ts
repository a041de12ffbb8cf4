import { describe, expect, it, vi } from 'vitest';
import { mirrorOf } from '../../../fakes/autotranslate.ts';
import { channel } from '../../../fakes/channel-feed.ts';
import { ENGLISH, JAPANESE, SPANISH, withScene, WORKSPACE } from '../support.ts';
import { ADA, admitAll, mirror, THERE } from './support.ts';

describe('a link with a place that does not answer', () => {
  const scene = withScene(mirrorOf([ENGLISH, 'en'], [SPANISH, 'es'], [THERE, 'fr']));
  const never = (): Promise<never> => new Promise(() => undefined);

  it.each(['named', 'spaceName'] as const)(
    'is paused, muted, held and ended within seconds, whatever hangs there: %s',
    async (name) => {
      Object.assign(scene.other.feed, { [name]: never });
      const act = async (work: () => Promise<unknown>): Promise<void> => {
        const done = work();
        for (let seconds = 0; seconds < 10; seconds += 1) await vi.advanceTimersByTimeAsync(1_000);
        await done;
      };
      await act(() => scene.watches.pause(ENGLISH, true));
      await act(() => scene.watches.mute(ENGLISH, 'other 42', true));
      await act(() => scene.watches.hold(ENGLISH, 'other 42', true));
      expect(scene.watches.of(ENGLISH)?.choices).toMatchObject({
        pause: {},
        muted: { 'other 42': {} },
        held: { 'other 42': {} },
      });
      await act(() => scene.watches.remove(ENGLISH));
      await act(() => scene.leave(ENGLISH.space));
      expect(scene.watches.list(ENGLISH.space)).toEqual([]);
    },
  );

  it('is asked for within seconds, whatever it is called', async () => {
    for (const { feed } of [scene.feed, scene.other]) Object.assign(feed, { spaceName: never });
    const soon = async <Result>(work: Promise<Result>): Promise<Result> => {
      for (let seconds = 0; seconds < 20; seconds += 1) await vi.advanceTimersByTimeAsync(1_000);
      return work;
    };
    const { code } = await scene.watches.invite(mirror(JAPANESE, 'ja'), false, ADA);
    const other = mirror(channel('43', undefined, WORKSPACE), 'de');
    const { id } = await soon(scene.watches.propose(code, other, admitAll));
    expect(await soon(scene.watches.ask(id, WORKSPACE, admitAll.admit))).toBe('asked');
  });
});

describe('a link whose channels cannot be told of it', () => {
  const scene = withScene(mirrorOf([ENGLISH, 'en'], [SPANISH, 'es'], [THERE, 'fr']));

  it('ends all the same, and the log says so', async () => {
    const away = async (): Promise<never> => {
      throw new Error('the database is away');
    };
    Object.assign(scene.spaces, { of: away });
    await scene.watches.remove(THERE);
    await expect.poll(() => scene.logged.join('\n')).toContain('could not be told of its links');
    expect(scene.watches.list(WORKSPACE)).toEqual([]);
  });
});
