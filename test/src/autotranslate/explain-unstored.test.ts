import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../src/async/clock.ts';
import type { Message } from '../../../src/model/message.ts';
import { watchOf } from '../../fakes/autotranslate.ts';
import { SPACE } from '../../fakes/channel-feed.ts';
import { GENERAL, withScene } from './support.ts';

const scene = withScene();

const partsOf = async (message: Message) =>
  (await scene.inbox.explain(message)).flatMap(({ parts }) => parts);
const watchGeneral = async (): Promise<void> => scene.watches.set([watchOf(GENERAL)]);

describe('an explanation of a message that is not stored', () => {
  it('says that the channel is not set up', async () => {
    const message = await scene.say(GENERAL, 'hello');
    expect(await partsOf(message)).toEqual([
      { state: 'unknown', reason: { key: 'why.unknown.not-set' } },
    ]);
  });

  it('says that it came before that', async () => {
    const message = await scene.say(GENERAL, 'hello');
    scene.clock.aheadMs += DAY_MS;
    await watchGeneral();
    expect(await partsOf(message)).toMatchObject([{ reason: { key: 'why.unknown.before' } }]);
  });

  it('says that its row was cleared', async () => {
    await watchGeneral();
    const message = scene.feed.say(GENERAL, 'hello');
    scene.clock.aheadMs += 100 * DAY_MS;
    expect(await partsOf(message)).toMatchObject([{ reason: { key: 'why.unknown.cleared' } }]);
  });

  it('says that it was not reported, or is our own', async () => {
    await watchGeneral();
    const message = scene.feed.say(GENERAL, 'hello');
    expect(await partsOf(message)).toMatchObject([{ reason: { key: 'why.unknown.unreported' } }]);
    const own = scene.feed.say(GENERAL, 'hello', {
      author: { id: 'us', name: 'us', kind: 'ourselves' },
    });
    expect(await partsOf(own)).toMatchObject([{ reason: { key: 'why.unknown.own' } }]);
  });

  it('says that moderators keep the channel quiet', async () => {
    await watchGeneral();
    await scene.spaces.change(SPACE, { quietChannels: [GENERAL.id] });
    const message = scene.feed.say(GENERAL, 'hello');
    expect(await partsOf(message)).toMatchObject([
      { reason: { key: 'why.unknown.quiet-channel' } },
    ]);
  });
});
