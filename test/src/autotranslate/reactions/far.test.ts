import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { mirrorOf } from '../../../fakes/autotranslate.ts';
import { channel, SPACE } from '../../../fakes/channel-feed.ts';
import { ENGLISH, JAPANESE, withScene, WORKSPACE } from '../support.ts';
import { THUMB } from './support.ts';

describe('reactions in channels that are linked with a platform that does not answer', () => {
  const FAR = channel('far', undefined, WORKSPACE);
  const scene = withScene(mirrorOf([ENGLISH, 'en'], [FAR, 'es'], [JAPANESE, 'ja']));
  const shownIn = (): Set<string>[] => [
    new Set(scene.other.reacted(scene.other.messages(FAR)[0]!.ref)),
    new Set(scene.feed.reacted(scene.feed.messages(JAPANESE)[0]!.ref)),
  ];
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      scene.clock.aheadMs += 1_000;
      await vi.advanceTimersByTimeAsync(1_000);
      for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    }
  };

  it.each(['react', 'reactors'] as const)(
    'come in the others in time, and there later (%s)',
    async (call) => {
      const { ref } = await scene.say(ENGLISH, 'hello');
      await scene.idle();
      const hang = Promise.withResolvers<void>();
      scene.other.during(call, () => hang.promise);
      const { ref: far } = scene.other.messages(FAR)[0]!;
      scene.other.react(far, '🎈', 1);
      await scene.listener.reactionChanged(far, '🎈', true);
      for (const emoji of [THUMB, '🎉']) {
        scene.feed.react(ref, emoji, 1);
        await scene.listener.reactionChanged(ref, emoji, true);
      }
      await pass(15);
      const [, inTime] = shownIn();
      await pass(60);
      hang.resolve();
      expect(inTime).toEqual(inTime?.union(new Set([THUMB, '🎉'])));
      expect(shownIn()).toEqual([new Set([THUMB, '🎉']), new Set([THUMB, '🎉', '🎈'])]);
    },
  );
});

describe('reactions of people of another space', () => {
  const THERE = channel('42', undefined, WORKSPACE);
  const scene = withScene(mirrorOf([ENGLISH, 'en'], [THERE, 'fr']));

  it('are not shown where they are stopped or banned, and those of others are', async () => {
    const { ref } = await scene.say(ENGLISH, 'hello');
    await scene.idle();
    const copy = scene.other.messages(THERE)[0]!.ref;
    const eve = { platform: WORKSPACE.platform, id: 'eve' };
    await scene.blocks.add(SPACE, eve, { name: 'Eve', isBan: false });
    scene.other.react(copy, THUMB, ['eve']);
    await scene.listener.reactionChanged(copy, THUMB, true);
    await scene.idle();
    expect(scene.feed.reacted(ref)).toEqual([]);
    scene.clock.aheadMs += 1_000;
    scene.other.react(copy, THUMB, ['eve', 'ann']);
    await scene.listener.reactionChanged(copy, THUMB, true);
    await scene.idle();
    expect(scene.feed.reacted(ref)).toEqual([THUMB]);
    // Who is stopped later counts no longer, without a press.
    const ann = { platform: WORKSPACE.platform, id: 'ann' };
    await scene.blocks.add(SPACE, ann, { name: 'Ann', isBan: false });
    await scene.later();
    expect(scene.feed.reacted(ref)).toEqual([]);
  });

  it('are asked for bans once in each server, few at a time', async () => {
    const guests = ['43', '44'].map((id) => channel(id, undefined, { ...WORKSPACE, id: 'guests' }));
    scene.other.nameSpace(guests[0]!.space, 'guests.example');
    await scene.watches.set(mirrorOf([guests[0]!, 'pt'], [guests[1]!, 'de']));
    const { ref } = await scene.say(THERE, 'hello');
    await scene.idle();
    const asked: string[] = [];
    let [now, most] = [0, 0];
    Object.assign(scene.other.feed, {
      isBanned: async (_: unknown, id: string) => {
        asked.push(id);
        now += 1;
        most = Math.max(most, now);
        await Promise.resolve();
        now -= 1;
        return id === 'person-7';
      },
    });
    scene.other.react(ref, THUMB, 100);
    await scene.listener.reactionChanged(ref, THUMB, true);
    await scene.idle();
    expect(asked).toHaveLength(100);
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(8);
    const [told] = await scene.inbox.explain({ ...scene.other.messages(guests[0]!)[0]! });
    expect(told?.elsewhere).toEqual([{ emoji: THUMB, people: 99 }]);
  });
});
