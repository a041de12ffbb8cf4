import { describe, expect, it } from 'vitest';
import { createEndedWatches } from '../../../src/autotranslate/ended-watches.ts';
import type { ChannelWatch } from '../../../src/model/space.ts';
import { actAs } from '../../../src/store/actor.ts';
import { auditOf } from '../../fakes/audit.ts';
import { watchOf } from '../../fakes/autotranslate.ts';
import { sentence } from '../../fakes/sentences.ts';
import { ENGLISH, GENERAL, JAPANESE, linked, SPANISH, withScene } from './support.ts';

const scene = withScene();
const BY = { name: 'Ada', locale: 'en' };
const anybody = async (): Promise<void> => undefined;

/** Turns channels off at once, and sets them back. */
const undone = async (
  ending: readonly ChannelWatch[],
  meanwhile = (): void => undefined,
): Promise<void> => {
  const { space } = GENERAL;
  const ended = createEndedWatches({ watches: scene.watches, now: Date.now });
  const id = await ended.note(space, ending);
  for (const { channel } of ending) await scene.watches.remove(channel, BY);
  meanwhile();
  await ended.restore(space, id ?? '', BY, anybody);
};

describe('what was turned off and is set back', () => {
  it('has its rules and its pause as before, and translates again', async () => {
    await scene.watches.set([watchOf(GENERAL)]);
    await scene.watches.change(GENERAL, (watch) => ({
      ...watch,
      choices: { rules: { shortest: 3 }, muted: {} },
    }));
    const before = scene.watches.list(GENERAL.space);
    await undone(before);
    expect(scene.watches.list(GENERAL.space)).toEqual(before);
    await scene.say(GENERAL, 'no');
    await scene.say(GENERAL, 'hello');
    await scene.idle();
    expect(scene.feed.texts(GENERAL).join('\n')).toContain('es(hello)');
    expect(scene.feed.texts(GENERAL).join('\n')).not.toContain('es(no)');
  });

  it('is linked again over age restrictions that were agreed to, and over no others', async () => {
    const group = linked().slice(0, 2);
    scene.feed.restrictByAge(SPANISH, true);
    await scene.watches.set(group, { mayMixAges: true });
    await undone(scene.watches.list(ENGLISH.space));
    expect(scene.watches.list(ENGLISH.space)).toHaveLength(2);
    for (const { channel } of group) await scene.watches.remove(channel);
    scene.feed.restrictByAge(SPANISH, false);
    await scene.watches.set(linked());
    const meanwhile = () => scene.feed.restrictByAge(SPANISH, true);
    const [, spanish] = scene.watches.list(ENGLISH.space);
    await expect(undone([spanish!], meanwhile)).rejects.toMatchObject({
      sentence: { key: 'autotranslate.undo-over' },
    });
  });

  it('leaves what was written before as it is, whoever opts out or in meanwhile', async () => {
    await scene.watches.set([watchOf(GENERAL)]);
    const posted = await scene.say(GENERAL, 'hello');
    await scene.idle();
    const ada = { platform: GENERAL.space.platform, id: posted.author.id };
    await scene.privacy.setOptedOut(ada, true);
    const left = await scene.say(GENERAL, 'secret');
    await scene.idle();
    const before = await scene.outcomes();
    for (const optsOut of [true, false]) {
      await scene.privacy.setOptedOut(ada, optsOut);
      await undone(scene.watches.list(GENERAL.space));
      await scene.listener.readMissed(GENERAL);
      await scene.idle();
      expect(await scene.outcomes()).toEqual(before);
      expect(scene.feed.texts(GENERAL)).toContainEqual(expect.stringContaining('es(hello)'));
    }
    expect(before[left.ref.id]).toBe('skipped opted-out');
  });

  it('is in its group again, and is copied there', async () => {
    await scene.watches.set(linked());
    const [english] = scene.watches.list(ENGLISH.space);
    const ann = { id: 'ann', name: 'Ann', space: ENGLISH.space };
    await actAs(ann, () => undone(english ? [english] : []));
    const joined = { name: BY.name, channels: '#?' };
    await expect
      .poll(() => scene.feed.texts(SPANISH).at(-1))
      .toBe(sentence('autotranslate.joined-here', joined, 'es'));
    const [trail] = await auditOf(scene.store, ENGLISH.space);
    expect(trail?.after).toMatchObject({ isUndo: true });
    await scene.say(ENGLISH, 'hello');
    await scene.idle();
    for (const channel of [SPANISH, JAPANESE])
      expect(scene.feed.texts(channel).join('\n')).toContain('(hello)');
  });
});
