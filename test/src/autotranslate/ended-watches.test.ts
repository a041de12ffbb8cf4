import { describe, expect, it } from 'vitest';
import type { Channel } from '../../../src/model/place.ts';
import type { ChannelWatch } from '../../../src/model/space.ts';
import { actAs } from '../../../src/store/actor.ts';
import { auditOf } from '../../fakes/audit.ts';
import { watchOf } from '../../fakes/autotranslate.ts';
import { sentence } from '../../fakes/sentences.ts';
import { ENGLISH, GENERAL, JAPANESE, linked, SPANISH, withScene } from './support.ts';

const scene = withScene();
const BY = { name: 'Ada', locale: 'en' };
const anybody = async (): Promise<void> => undefined;

const ANN = { id: 'ann', name: 'Ann', space: ENGLISH.space };

/** Does what ends watches, or the rules of one; resolves with the id of what sets that back. */
const ending = (
  watches: readonly ChannelWatch[],
  isOfRules: boolean,
  work: () => Promise<unknown>,
) =>
  actAs(ANN, async () => {
    const [, id] = await scene.endedWatches.ending(GENERAL.space, watches, isOfRules, work);
    return id ?? '';
  });

const off = (channel: Channel, watches: readonly ChannelWatch[]): Promise<string> =>
  ending(watches, false, () => scene.watches.remove(channel, BY));

/** Turns channels off at once, and sets them back. */
const undone = async (
  ended: readonly ChannelWatch[],
  meanwhile = (): void => undefined,
): Promise<void> => {
  const { space } = GENERAL;
  const [first, ...others] = ended;
  const id = first ? await off(first.channel, ended) : '';
  for (const { channel } of others) await scene.watches.remove(channel, BY);
  meanwhile();
  await scene.endedWatches.restore(space, id, BY, anybody);
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
    await actAs(ANN, () => undone(english ? [english] : []));
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

  it('is a whole group that was turned off at once, of which each channel is told once', async () => {
    await scene.watches.set(linked());
    const before = new Set(scene.watches.list(ENGLISH.space));
    const group = [...before];
    const id = await ending(group, false, () => scene.watches.remove(SPANISH, BY, group));
    expect(scene.watches.list(ENGLISH.space)).toEqual([]);
    const told = { by: 'person', name: BY.name, channels: '#? y #?' };
    for (const one of [SPANISH, JAPANESE, ENGLISH])
      await expect.poll(() => scene.feed.texts(one)).toHaveLength(1);
    expect(scene.feed.texts(SPANISH)[0]).toContain(
      sentence('autotranslate.unlinked-here', told, 'es'),
    );
    await actAs(ANN, () => scene.endedWatches.restore(ENGLISH.space, id, BY, anybody));
    expect(new Set(scene.watches.list(ENGLISH.space))).toEqual(before);
  });

  it('is set back by the next process, once, whoever presses at the same moment', async () => {
    const { space } = GENERAL;
    await scene.watches.set([watchOf(GENERAL)]);
    const before = scene.watches.list(space);
    const id = await off(GENERAL, before);
    await scene.restart();
    const restore = () => scene.endedWatches.restore(space, id, BY, anybody);
    const both = await Promise.allSettled([restore(), restore()]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(scene.watches.list(space)).toEqual(before);
    await scene.watches.remove(GENERAL);
    const used = { sentence: { key: 'autotranslate.undone-already' } };
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: used,
    });
    await expect(restore()).rejects.toMatchObject(used);
    expect(scene.watches.list(space)).toEqual([]);
  });

  it('is set back once as rules of all channels, whoever presses at the same moment', async () => {
    const { space } = GENERAL;
    const rules = { words: { of: ['gg'] } };
    await scene.spaces.change(space, { rules });
    const id = await ending([], true, () => scene.spaces.change(space, { rules: {} }));
    const restore = () => scene.endedWatches.restore(space, id, BY, anybody);
    const both = await Promise.allSettled([restore(), restore()]);
    expect((await scene.spaces.of(space)).rules).toEqual(rules);
    expect(both.filter(({ status }) => status === 'rejected')).toMatchObject([
      { reason: { sentence: { key: 'autotranslate.undone-already' } } },
    ]);
    await scene.spaces.change(space, { rules: {} });
    await expect(restore()).rejects.toBeDefined();
    expect((await scene.spaces.of(space)).rules).toEqual({});
  });

  it('has its rules again, whatever else was changed meanwhile, but other rules', async () => {
    const { space } = GENERAL;
    const rules = { shortest: 3 };
    const end = async (): Promise<string> => {
      const watch = watchOf(GENERAL, { choices: { rules } });
      await scene.watches.set([watch]);
      const none = () => ({ ...watch, choices: { rules: {} } });
      return ending([watch], true, () => scene.watches.change(GENERAL, none));
    };
    const id = await end();
    await scene.watches.pause(GENERAL, true);
    await scene.endedWatches.restore(space, id, BY, anybody);
    expect(scene.watches.list(space)[0]?.choices).toMatchObject({ rules, pause: {} });
    for (const meanwhile of [
      () => scene.watches.set([watchOf(GENERAL, { choices: { rules: { shortest: 5 } } })]),
      () => scene.watches.remove(GENERAL),
    ]) {
      const next = await end();
      await meanwhile();
      const before = scene.watches.list(space);
      await expect(scene.endedWatches.restore(space, next, BY, anybody)).rejects.toMatchObject({
        sentence: { key: 'autotranslate.undo-over' },
      });
      expect(scene.watches.list(space)).toEqual(before);
    }
  });
});
