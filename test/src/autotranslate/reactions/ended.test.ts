import { describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../../../src/async/clock.ts';
import { mirrorOf } from '../../../fakes/autotranslate.ts';
import { channel, lost, SPACE } from '../../../fakes/channel-feed.ts';
import { JAPANESE, otherGroup, SPANISH } from '../support.ts';
import { THUMB, withReactions } from './support.ts';

describe('reactions to messages of linked channels', () => {
  const { scene, said, copyIn, press, shown, elsewhere } = withReactions();

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
});
