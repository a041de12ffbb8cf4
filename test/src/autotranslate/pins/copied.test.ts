import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import type { Message } from '../../../../src/model/message.ts';
import { channelKey, type Channel } from '../../../../src/model/place.ts';
import { channel } from '../../../fakes/channel-feed.ts';
import { eventually } from '../../../fakes/eventually.ts';
import { mirrorOf } from '../../../fakes/autotranslate.ts';
import {
  ENGLISH,
  JAPANESE,
  linked,
  otherGroup,
  SPANISH,
  withScene,
  WORKSPACE,
} from '../support.ts';

describe('pins of linked channels', () => {
  const scene = withScene(linked());

  const said = async (): Promise<Message> => {
    const message = await scene.say(ENGLISH, 'hello');
    await scene.idle();
    return message;
  };

  it('are copied, and taken back, also after a restart; other edits call nobody', async () => {
    const { ref } = await said();
    await scene.listener.pinChanged(ref, false);
    expect(scene.feed.calls).not.toContain('pin');
    await scene.listener.pinChanged(ref, true);
    await scene.listener.pinChanged(ref, true);
    expect(scene.feed.calls.filter((call) => call === 'pin')).toHaveLength(2);
    expect(scene.feed.pinned(SPANISH)).toEqual(['ada: es(hello) [🌐 inglés]']);
    expect(scene.feed.pinned(JAPANESE)).toHaveLength(1);
    await scene.restart();
    await scene.listener.pinChanged(ref, false);
    expect([...scene.feed.pinned(SPANISH), ...scene.feed.pinned(JAPANESE)]).toEqual([]);
  });

  it('of copies stay where they are', async () => {
    await said();
    const [copy] = scene.feed.messages(SPANISH) as [Message];
    await scene.listener.pinChanged(copy.ref, true);
    expect(scene.feed.calls).not.toContain('pin');
  });

  it('go on where one channel refuses them, and leave muted ones alone', async () => {
    const { ref } = await said();
    const refused = new AppError('forbidden', 'a permission is missing');
    scene.feed.fail({ call: 'pin', channel: SPANISH, error: refused });
    await scene.listener.pinChanged(ref, true);
    expect([scene.feed.pinned(SPANISH).length, scene.feed.pinned(JAPANESE).length]).toEqual([0, 1]);
    await scene.listener.pinChanged(ref, false);
    const muted = { [channelKey(ENGLISH)]: { fromMs: 1 } };
    await scene.watches.change(JAPANESE, (watch) => ({ ...watch, choices: { muted } }));
    await scene.listener.pinChanged(ref, true);
    expect([scene.feed.pinned(SPANISH).length, scene.feed.pinned(JAPANESE).length]).toEqual([1, 0]);
  });

  const pins = (): number => scene.feed.calls.filter((call) => call === 'pin').length;

  it('follow the last of many changes of a message in a few minutes, and no report waits for that', async () => {
    const [{ ref }, other] = [await said(), await said()];
    for (let at = 1; at <= 22; at += 1) await scene.listener.pinChanged(ref, at % 2 === 1);
    expect(pins()).toBe(3 * 2);
    expect(scene.feed.pinned(SPANISH)).toHaveLength(1);
    await scene.listener.pinChanged(other.ref, true);
    expect(scene.feed.pinned(SPANISH)).toHaveLength(2);
    for (let minutes = 0; minutes < 6; minutes += 1) await scene.later();
    await eventually(() => expect(pins()).toBe(5 * 2));
    expect(scene.feed.pinned(SPANISH)).toHaveLength(1);
  });

  it('of many messages of a server come one after the other', async () => {
    const all: Message[] = [];
    for (let at = 0; at < 22; at += 1) all.push(await said());
    for (const { ref } of all) await scene.listener.pinChanged(ref, true);
    expect(pins()).toBe(20 * 2);
    await scene.later();
    await eventually(() => expect(scene.feed.pinned(JAPANESE)).toHaveLength(22));
  });

  it('stay out of channels that are not linked any more, and of paused ones', async () => {
    const { ref } = await said();
    await scene.watches.set(otherGroup);
    await scene.listener.pinChanged(ref, true);
    expect([scene.feed.pinned(SPANISH).length, scene.feed.pinned(JAPANESE).length]).toEqual([0, 1]);
    await scene.watches.pause(JAPANESE, true);
    await scene.listener.pinChanged(ref, false);
    expect(scene.feed.pinned(JAPANESE)).toHaveLength(1);
  });

  const missed = (): void =>
    scene.listener.messagesMissed([ENGLISH, SPANISH].map((one) => ({ channel: one, newest: '' })));
  const pinned = () => [SPANISH, JAPANESE].map((one) => scene.feed.pinned(one).length);

  it('go on after a process that ended in between, and follow what changed meanwhile', async () => {
    const { ref } = await said();
    scene.feed.pin(ref);
    const begun = Promise.withResolvers<void>();
    scene.feed.during('pin', () => {
      begun.resolve();
      return new Promise(() => {});
    });
    void scene.listener.pinChanged(ref, true);
    await begun.promise;
    await scene.restart();
    expect(pinned()).toEqual([0, 0]);
    missed();
    await scene.later();
    await eventually(() => expect(pinned()).toEqual([1, 1]));
    scene.feed.pin(ref, false);
    await scene.restart();
    missed();
    await scene.later();
    await eventually(() => expect(pinned()).toEqual([0, 0]));
  });

  it('in threads follow what changed while nothing was reported, too', async () => {
    const thread = scene.feed.startThread(ENGLISH, 'plans');
    const { ref } = await scene.say(thread, 'hello');
    await scene.idle();
    const copies = [...scene.feed.threads.keys()]
      .filter((id) => /^(?:spanish|japanese)\//.test(id))
      .map((id) => channel(id, id.split('/')[0]));
    const there = () => copies.map((one) => scene.feed.pinned(one).length);
    for (const isPinned of [true, false]) {
      scene.feed.pin(ref, isPinned);
      await scene.restart();
      missed();
      await scene.later();
      const count = Number(isPinned);
      await eventually(() => expect(there()).toEqual([count, count]));
    }
    expect(scene.feed.calls.filter((call) => call === 'pinned').length).toBeLessThanOrEqual(12);
  });

  it('of copies by people stay when pins are compared, and channels that cannot be read change nothing', async () => {
    const { ref } = await said();
    await scene.listener.pinChanged(ref, true);
    const second = await scene.say(ENGLISH, 'second');
    await scene.idle();
    const copy = scene.feed.messages(SPANISH).at(-1) as Message;
    scene.feed.pin(copy.ref);
    scene.feed.pin(second.ref);
    const refused = new AppError('forbidden', 'a permission is missing');
    scene.feed.fail({ call: 'pinned', channel: ENGLISH, error: refused });
    missed();
    await scene.later();
    await eventually(() => expect(scene.logged.join()).toContain('could not be read'));
    await eventually(() => expect(scene.feed.calls.filter((c) => c === 'pinned')).toHaveLength(3));
    expect(pinned()).toEqual([2, 1]);
    expect(scene.feed.calls.filter((call) => call === 'pin')).toHaveLength(2);
  });
});

describe('pins of a server whose platform answers no more', () => {
  const [TEAM, ...FAR] = ['team', 'one', 'two', 'three'].map((id) =>
    channel(id, undefined, WORKSPACE),
  ) as [Channel, ...Channel[]];
  const groupOf = (group: string, ...channels: readonly Channel[]) =>
    mirrorOf(...channels.map((one) => [one, 'en'] as const)).map((one) => ({ ...one, group }));
  const scene = withScene([
    ...groupOf('shared', ENGLISH, TEAM),
    ...groupOf('own', SPANISH, JAPANESE),
    ...FAR.flatMap((one) => groupOf(one.id, one, channel(`${one.id}-en`, undefined, WORKSPACE))),
  ]);
  const missed = (...channels: readonly Channel[]): void =>
    scene.listener.messagesMissed(channels.map((one) => ({ channel: one, newest: '' })));
  const readings = (): number => scene.other.calls.filter((call) => call === 'pinned').length;

  it('keep neither those of others nor its own for long from being compared', async () => {
    const [own, shared] = [await scene.say(SPANISH, 'hello'), await scene.say(TEAM, 'hello')];
    await scene.idle();
    scene.feed.pin(own.ref);
    scene.other.pin(shared.ref);
    for (let time = 0; time < 3; time += 1)
      scene.other.during('pinned', () => new Promise(() => {}));
    missed(...FAR);
    missed(SPANISH);
    await scene.later();
    await eventually(() => expect(scene.feed.pinned(JAPANESE)).toHaveLength(1));
    missed(TEAM);
    await eventually(async () => {
      await scene.later();
      expect(scene.feed.pinned(ENGLISH)).toHaveLength(1);
    });
    expect(readings()).toBe(1);
  });
});
