import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import type { MessageRef } from '../../../../src/model/place.ts';
import { channelKey, type Channel } from '../../../../src/model/place.ts';
import { MINUTE_MS } from '../../../../src/async/clock.ts';
import { mirrorOf } from '../../../fakes/autotranslate.ts';
import { channel, lost, SPACE } from '../../../fakes/channel-feed.ts';
import {
  ENGLISH,
  JAPANESE,
  linked,
  otherGroup,
  SPANISH,
  withScene,
  WORKSPACE,
} from '../support.ts';

const THUMB = '👍';

describe('reactions to messages of linked channels', () => {
  const scene = withScene(linked());

  const said = async (): Promise<MessageRef> => {
    const { ref } = await scene.say(ENGLISH, 'hello');
    await scene.idle();
    return ref;
  };
  const copyIn = (of: Channel): MessageRef => scene.feed.messages(of)[0]!.ref;
  const press = async (
    ref: MessageRef,
    people: number | readonly string[],
    emoji = THUMB,
  ): Promise<void> => {
    scene.feed.react(ref, emoji, people);
    // The next look at the same emoji comes a second later.
    scene.clock.aheadMs += 1_000;
    await scene.listener.reactionChanged(ref, emoji, people !== 0);
    await scene.idle();
  };
  const shown = (...refs: readonly MessageRef[]): string[] =>
    refs.map((ref) => scene.feed.reacted(ref).join(''));
  const countOf = (call: string): number => scene.feed.calls.filter((each) => each === call).length;
  const elsewhere = async (ref: MessageRef) => {
    const [told] = await scene.inbox.explain({ ref, position: '0' });
    return told?.elsewhere?.map(({ emoji, people }) => `${emoji} ${people}`);
  };

  it('stand under all its copies as long as somebody has them, and under a message of which a copy was pressed', async () => {
    const ref = await said();
    const [spanish, japanese] = [copyIn(SPANISH), copyIn(JAPANESE)];
    await press(ref, 2);
    expect(shown(ref, spanish, japanese)).toEqual(['', THUMB, THUMB]);
    await press(spanish, 1);
    expect(shown(ref, spanish, japanese)).toEqual([THUMB, THUMB, THUMB]);
    expect(await Promise.all([ref, spanish, japanese].map(elsewhere))).toEqual([
      ['👍 1'],
      ['👍 2'],
      ['👍 3'],
    ]);
    await press(ref, 0);
    expect(shown(ref, spanish, japanese)).toEqual([THUMB, '', THUMB]);
    await press(spanish, 0);
    expect(shown(ref, spanish, japanese)).toEqual(['', '', '']);
    expect(await elsewhere(japanese)).toBeUndefined();
    // Each was put and taken away once.
    expect(countOf('react')).toBe(6);
  });

  it('are put once, whoever joins them, and taken away by nobody but the last', async () => {
    const ref = await said();
    for (const people of [1, 2, 3, 2, 1]) await press(ref, people);
    expect(countOf('react')).toBe(2);
  });

  it('make few requests in a flood', async () => {
    const ref = await said();
    scene.feed.react(ref, THUMB, 100);
    await Promise.all(
      Array.from({ length: 100 }, () => scene.listener.reactionChanged(ref, THUMB, true)),
    );
    await scene.idle();
    await scene.later();
    expect(countOf('reactors')).toBeLessThanOrEqual(2);
    expect(countOf('react')).toBe(2);
  });

  it.each(['🇯🇵', '🇦🇶', '🌐', '400000000000000001', 'party-parrot', '7'])(
    'are not copied as %s',
    async (emoji) => {
      const ref = await said();
      await press(ref, 1, emoji);
      expect(countOf('react')).toBe(0);
    },
  );

  it('are not copied with an emoji that stands for a language', async () => {
    await scene.spaces.change(SPACE, { flags: { on: true, languages: { '🍣': 'ja' } } });
    await press(await said(), 1, '🍣');
    expect(countOf('react')).toBe(0);
  });

  it('are at most five different ones under each copy, until one of them ends', async () => {
    const ref = await said();
    for (const emoji of ['❤', '👀', '🎉', '😂', '🚀', '🙏']) await press(ref, 1, emoji);
    expect(shown(copyIn(SPANISH))).toEqual(['❤️👀🎉😂🚀']);
    await press(ref, 0, '👀');
    await press(ref, 2, '🙏');
    expect(shown(copyIn(SPANISH))).toEqual(['❤️🎉😂🚀🙏']);
  });

  it('of people who opted out are not copied', async () => {
    const ref = await said();
    await scene.privacy.setOptedOut({ platform: SPACE.platform, id: 'eve' }, true);
    await press(ref, ['eve']);
    expect(shown(copyIn(SPANISH))).toEqual(['']);
    await press(ref, ['eve', 'ann']);
    expect(await elsewhere(copyIn(SPANISH))).toEqual(['👍 1']);
  });

  it('of somebody who opts out later go without a press, also where the program ended meanwhile', async () => {
    const ref = await said();
    const person = (id: string) => ({ platform: SPACE.platform, id });
    await press(ref, ['eve', 'ann']);
    await press(ref, ['zoe'], '🎉');
    await scene.privacy.setOptedOut(person('eve'), true);
    await scene.forget(person('eve'));
    await scene.privacy.setOptedOut(person('zoe'), true);
    await scene.restart();
    scene.listener.connected(SPACE.platform);
    await scene.later();
    expect(await elsewhere(copyIn(SPANISH))).toEqual(['👍 1']);
    await scene.privacy.setOptedOut(person('ann'), true);
    await scene.forget(person('ann'));
    await scene.later();
    expect(shown(copyIn(SPANISH), copyIn(JAPANESE))).toEqual(['', '']);
  });

  it('go, and are counted no more, where a copy is not linked any more, whoever of both left', async () => {
    const ref = await said();
    const [spanish, japanese] = [copyIn(SPANISH), copyIn(JAPANESE)];
    await press(ref, ['bob', 'eve']);
    await press(japanese, 1);
    await scene.watches.remove(JAPANESE);
    await scene.later();
    expect(shown(ref, spanish, japanese)).toEqual(['', THUMB, '']);
    expect(await Promise.all([spanish, japanese].map(elsewhere))).toEqual([['👍 2'], undefined]);
    await scene.watches.set(otherGroup);
    await scene.later();
    expect(shown(ref, spanish)).toEqual(['', '']);
    expect(await elsewhere(spanish)).toBeUndefined();
  });

  it('of a copy that a process left as it was when the link ended go when it is back', async () => {
    const ref = await said();
    await press(ref, ['bob']);
    const japanese = copyIn(JAPANESE);
    scene.feed.fail({ call: 'react', channel: JAPANESE, error: lost() });
    await scene.watches.remove(JAPANESE);
    await scene.later();
    expect(shown(japanese)).toEqual([THUMB]);
    await scene.restart();
    scene.listener.connected(SPACE.platform);
    await scene.later();
    expect(shown(japanese)).toEqual(['']);
  });

  const others = mirrorOf([channel('third'), 'fr'], [channel('fourth'), 'de']);
  const changeOthers = async (minute: number): Promise<unknown> =>
    minute % 2 === 0
      ? scene.watches.set(others.map((watch) => ({ ...watch, group: 'others' })))
      : scene.watches.remove(channel('third'));
  const copied = async (as: string, now: string): Promise<void> =>
    scene.store.schema.alterTable(as).renameTo(now).execute();

  it.each<[string, (minute: number) => Promise<unknown>]>([
    ['by and by', async () => undefined],
    [
      'also after a restart',
      async (minute) => {
        if (minute > 0) return;
        await scene.restart();
        scene.listener.connected(SPACE.platform);
      },
    ],
    ['while links of others change all the time', changeOthers],
    [
      'also where the store failed once',
      async (minute) => {
        if (minute === 0) await copied('copied_reaction', 'away');
        if (minute === 1) await copied('away', 'copied_reaction');
      },
    ],
  ])('go from old messages, too, in the end: %s', async (_, act) => {
    const ref = await said();
    await press(ref, ['bob']);
    const japanese = copyIn(JAPANESE);
    await scene.store.write(async (db) => {
      const [row] = await db.selectFrom('copied_reaction').selectAll().limit(1).execute();
      const newer = { ...row!, people: '{}', shown: 0, changed_ms: Date.now() + MINUTE_MS };
      for (let at = 0; at < 1_050; at += 1)
        await db
          .insertInto('copied_reaction')
          .values({ ...newer, channel_id: 'another', message_id: String(at) })
          .execute();
    });
    await scene.watches.remove(JAPANESE);
    for (let minute = 0; minute < 10; minute += 1) {
      await act(minute);
      await scene.later();
    }
    expect(shown(japanese)).toEqual(['']);
  });

  it('are copied neither into a channel that muted theirs nor from or into a paused one', async () => {
    const ref = await said();
    const muted = { [channelKey(ENGLISH)]: { fromMs: 1 } };
    await scene.watches.change(SPANISH, (watch) => ({ ...watch, choices: { muted } }));
    await press(ref, 1);
    expect(shown(copyIn(SPANISH), copyIn(JAPANESE))).toEqual(['', THUMB]);
    await scene.watches.pause(JAPANESE, true);
    await press(ref, 1, '🎉');
    await press(copyIn(JAPANESE), 1, '🎉');
    expect(shown(ref, copyIn(SPANISH), copyIn(JAPANESE))).toEqual(['', '', THUMB]);
  });

  it('are copied neither from nor into a channel that is paused for its whole group', async () => {
    const ref = await said();
    const held = { [channelKey(JAPANESE)]: { fromMs: 1 } };
    await scene.watches.change(ENGLISH, (watch) => ({ ...watch, choices: { held } }));
    await press(ref, 1);
    await press(copyIn(JAPANESE), 1, '🎉');
    expect(shown(ref, copyIn(SPANISH), copyIn(JAPANESE))).toEqual(['', THUMB, '']);
  });

  it('are not copied where moderators turned that off, or keep a channel quiet', async () => {
    const ref = await said();
    await press(ref, 1);
    await scene.spaces.change(SPACE, { reactions: false });
    await press(ref, 1, '🎉');
    expect(shown(copyIn(SPANISH))).toEqual([THUMB]);
    await press(ref, 2);
    expect(shown(copyIn(SPANISH))).toEqual(['']);
    await scene.spaces.change(SPACE, { reactions: true, quietChannels: [SPANISH.id] });
    await press(ref, 3);
    expect(shown(copyIn(SPANISH), copyIn(JAPANESE))).toEqual(['', THUMB]);
  });

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

  it('to messages of other channels, and to ones that are gone, call nobody', async () => {
    const lonely = await scene.say(channel('elsewhere'), 'hello');
    await press(lonely.ref, 1);
    expect(countOf('reactors')).toBe(0);
    const ref = await said();
    scene.feed.remove(copyIn(SPANISH));
    scene.feed.remove(copyIn(JAPANESE));
    await press(ref, 1);
    expect(scene.logged.join('')).not.toContain('were not copied');
  });
});

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
