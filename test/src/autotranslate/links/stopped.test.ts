import { beforeEach, describe, expect, it } from 'vitest';
import type { Channel, MessageRef } from '../../../../src/model/place.ts';
import { mirrorOf } from '../../../fakes/autotranslate.ts';
import { channel, person } from '../../../fakes/channel-feed.ts';
import { ENGLISH, withScene, WORKSPACE } from '../support.ts';
import { THERE } from './support.ts';

describe('a person who was stopped', () => {
  const GUEST = channel('43', undefined, { ...WORKSPACE, id: 'guests' });
  const scene = withScene();
  beforeEach(async () => {
    scene.other.nameSpace(GUEST.space, 'guests.example');
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [THERE, 'fr'], [GUEST, 'pt']));
  });
  const ADA = { platform: WORKSPACE.platform, id: 'ada' };
  const there = (of: Channel): string =>
    (of === ENGLISH ? scene.feed : scene.other).texts(of).join('\n');
  const stop = async (isStopped: boolean, ...spaces: readonly Channel[]): Promise<void> => {
    for (const { space } of spaces)
      if (isStopped) await scene.blocks.add(space, ADA, { name: 'Ada', isBan: false });
      else await scene.blocks.remove(space, (await scene.blocks.of(space, ADA))!.key);
  };
  const edit = async ({ ref }: { ref: MessageRef }, words: string): Promise<void> => {
    await scene.listener.messageChanged(scene.other.edit(ref, words));
    await scene.idle();
  };

  it.each([
    ['one space', [ENGLISH]],
    ['all', [ENGLISH, GUEST]],
  ])('in %s brings by no edit or answer what they wrote meanwhile', async (_, spaces) => {
    await stop(true, ...spaces);
    const message = await scene.say(THERE, 'meanwhile');
    await scene.idle();
    await stop(false, ...spaces);
    await scene.restart();
    await edit(message, 'still meanwhile');
    // Nor once its row was cleared.
    await scene.store.deleteFrom('inbox').execute();
    await edit(message, 'meanwhile for ever');
    await scene.say(THERE, 'fr:bien', { author: person('bob'), replyTo: message.ref });
    await scene.idle();
    expect(there(ENGLISH)).toContain('bob: en(fr:bien)');
    expect(there(ENGLISH)).not.toContain('meanwhile');
    expect(there(GUEST).includes('meanwhile for ever')).toBe(spaces.length === 1);
    const [told] = await scene.inbox.explain(message);
    expect(told?.parts[0]?.removedIn ?? []).toEqual([]);
  });

  it('takes copies along by an edit, which no further one brings back, and by a deletion', async () => {
    const [edited, deleted] = [await scene.say(THERE, 'one'), await scene.say(THERE, 'two')];
    await scene.idle();
    await stop(true, ENGLISH);
    await edit(edited, 'once');
    scene.other.remove(deleted.ref);
    await scene.listener.messagesDeleted([deleted.ref]);
    await scene.idle();
    expect(scene.feed.texts(ENGLISH)).toEqual([]);
    await stop(false, ENGLISH);
    await edit(edited, 'at last');
    expect(scene.feed.texts(ENGLISH)).toEqual([]);
    expect(there(GUEST)).toContain('pt(at last)');
  });

  it('takes words back everywhere after the link has ended, and changes none', async () => {
    const [edited, deleted] = [await scene.say(THERE, 'one'), await scene.say(THERE, 'two')];
    await scene.idle();
    await scene.watches.remove(THERE);
    await edit(edited, 'once');
    scene.other.remove(deleted.ref);
    await scene.listener.messagesDeleted([deleted.ref]);
    await scene.idle();
    for (const place of [ENGLISH, GUEST]) {
      expect(there(place)).toContain('(one)');
      expect(there(place)).not.toMatch(/once|two/);
    }
  });
});
