import { describe, expect, it } from 'vitest';
import type { Message } from '../../../src/model/message.ts';
import { watchOf } from '../../fakes/autotranslate.ts';
import { SPACE } from '../../fakes/channel-feed.ts';
import { GENERAL, refused, untilGivenUp, withScene } from './support.ts';

const scene = withScene();

const partsOf = async (message: Message) =>
  (await scene.inbox.explain(message)).flatMap(({ parts }) => parts);
const watchGeneral = async (): Promise<void> => scene.watches.set([watchOf(GENERAL)]);

describe('an explanation of a message that was skipped, waits or was given up', () => {
  it('gives the reason for which it was skipped', async () => {
    await watchGeneral();
    const message = await scene.say(GENERAL, '!play a song');
    await scene.idle();
    expect(await partsOf(message)).toMatchObject([
      { state: 'skipped', reason: { key: 'why.skipped.command' } },
    ]);
  });

  it('gives the time at which the limit for which it was skipped resets', async () => {
    await scene.spaces.change(SPACE, { dailyCharacters: 1 });
    await watchGeneral();
    const message = await scene.say(GENERAL, 'hello');
    await scene.idle();
    const params = { reset: { kind: 'timestamp', style: 't' } };
    expect(await partsOf(message)).toMatchObject([
      { state: 'skipped', reason: { key: 'why.skipped.daily-limit', params } },
    ]);
  });

  it('gives the fault that it waits for and the next try, and later that it was given up', async () => {
    await watchGeneral();
    scene.poisoned.add('hello');
    const message = await scene.say(GENERAL, 'hello');
    await scene.idle();
    const [waiting] = await partsOf(message);
    expect(waiting).toMatchObject({ state: 'waiting', reason: { key: 'reasons.unavailable' } });
    await untilGivenUp(scene);
    expect(await partsOf(message)).toMatchObject([
      { state: 'dead', reason: { key: 'reasons.unavailable' } },
    ]);
  });

  it('gives the outage that it waits for', async () => {
    await watchGeneral();
    scene.service.fault = refused(401);
    const message = await scene.say(GENERAL, 'hello');
    await scene.idle();
    const [waiting] = await partsOf(message);
    const { outage } = await scene.inbox.backlog(SPACE);
    expect(waiting).toMatchObject({ state: 'waiting', reason: outage?.reason });
  });
});
