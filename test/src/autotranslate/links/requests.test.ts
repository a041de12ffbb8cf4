import { describe, expect, it } from 'vitest';
import { isPaused } from '../../../../src/model/space.ts';
import { setupMark } from '../../../../src/autotranslate/replaced.ts';
import { actAs } from '../../../../src/store/actor.ts';
import { auditOf } from '../../../fakes/audit.ts';
import { mirrorOf, watchOf } from '../../../fakes/autotranslate.ts';
import { channel, lost, SPACE } from '../../../fakes/channel-feed.ts';
import { kindsOfColumnsWith } from '../../../fakes/every-table.ts';
import { sentence } from '../../../fakes/sentences.ts';
import { ENGLISH, WORKSPACE } from '../support.ts';
import { mirror, THERE } from './support.ts';
import { admit, conditions, inviteTo, isOver, propose, withRequests } from './request-support.ts';

describe('a link', () => {
  const { scene, linked, ask } = withRequests();

  it('shows each side the other one, its server, and who asks', async () => {
    scene.feed.nameSpace(SPACE, 'Babel');
    scene.other.nameSpace(WORKSPACE, 'tower.example');
    const { id, by, names } = await propose(scene.watches);
    expect([by, names]).toEqual(['Ann · Babel (Place)', ['Babel (Place)']]);
    expect(scene.feed.texts(ENGLISH)).toEqual([]);
    await scene.watches.ask(id, WORKSPACE, admit);
    const [question] = scene.feed.texts(ENGLISH);
    expect(question).toContain(
      'Bob · tower.example (Other) asks to link this channel with #channel-42 · tower.example',
    );
    expect(scene.feed.asked(ENGLISH)).toEqual([
      `autotranslate link:${id}/${setupMark(undefined)}`,
      `autotranslate refuse:${id}`,
    ]);
  });

  it('stores nobody whom rules of either channel name, neither with its code nor with what is asked', async () => {
    const rules = { people: { of: ['RULEDPERSON'] } };
    const ruled = (watch: ReturnType<typeof mirror>) => ({ ...watch, choices: { rules } });
    const invited = ruled(mirror(ENGLISH, 'en'));
    const { code } = await scene.watches.invite(invited, false, { id: 'ann', name: 'Ann' });
    expect(await kindsOfColumnsWith(scene.store, 'RULEDPERSON')).toEqual({});
    await scene.watches.propose(code, ruled(mirror(THERE, 'es')), conditions);
    expect(await kindsOfColumnsWith(scene.store, 'RULEDPERSON')).toEqual({});
  });

  it('is asked for once, however often that is pressed', async () => {
    const { id } = await propose(scene.watches);
    for (let press = 0; press < 3; press += 1)
      expect(await scene.watches.ask(id, WORKSPACE, admit)).toBe('asked');
    expect(scene.feed.texts(ENGLISH)).toHaveLength(1);
  });

  it.each([true, false])(
    'says how it stands to its own side alone, until it is answered (agreed: %s)',
    async (isAgreed) => {
      const { id } = await propose(scene.watches);
      const states = () =>
        Promise.all([
          scene.watches.stateOf(id, WORKSPACE, 'joining'),
          scene.watches.stateOf(id, SPACE, 'invited'),
          scene.watches.stateOf(id, SPACE, 'joining'),
        ]);
      expect(await states()).toEqual(['drafted', 'drafted', 'over']);
      await scene.watches.ask(id, WORKSPACE, admit);
      expect(await states()).toEqual(['asked', 'asked', 'over']);
      await scene.watches.answer(id, SPACE, isAgreed, admit);
      expect(await states()).toEqual(['over', 'over', 'over']);
    },
  );

  it('is asked for once by two who press at once', async () => {
    const { id } = await propose(scene.watches);
    const press = () => scene.watches.ask(id, WORKSPACE, admit);
    expect(await Promise.all([press(), press()])).toEqual(['asked', 'asked']);
    expect(scene.feed.texts(ENGLISH)).toHaveLength(1);
  });

  it('keeps what was chosen for a channel after it was asked for', async () => {
    await scene.watches.set(mirrorOf([THERE, 'es'], [channel('43', undefined, WORKSPACE), 'fr']));
    for (const isPausing of [true, false]) await scene.watches.pause(THERE, isPausing);
    const code = await inviteTo(scene.watches);
    const { id } = await scene.watches.propose(code, scene.watches.of(THERE)!, conditions);
    await scene.watches.ask(id, WORKSPACE, admit);
    await scene.watches.pause(THERE, true);
    await scene.watches.answer(id, SPACE, true, admit);
    expect(isPaused(scene.watches.of(THERE)!)).toBe(true);
  });

  it('is made of no code twice', async () => {
    const code = await inviteTo(scene.watches);
    const [one, two] = [
      await scene.watches.propose(code, mirror(THERE, 'es'), conditions),
      await scene.watches.propose(code, mirror(THERE, 'fr'), conditions),
    ];
    await scene.watches.ask(one.id, WORKSPACE, admit);
    await expect(scene.watches.ask(two.id, WORKSPACE, admit)).rejects.toMatchObject({
      sentence: { key: 'autotranslate.link-unknown' },
    });
  });

  it('is shown to both sides while it is open, and can be withdrawn by the one that asked', async () => {
    scene.feed.nameSpace(SPACE, 'Babel');
    scene.other.nameSpace(WORKSPACE, 'tower.example');
    await propose(scene.watches);
    expect(await scene.watches.openLinks(THERE)).toEqual([]);
    expect(await scene.watches.openLinksIn(WORKSPACE)).toEqual([]);
    const id = await ask();
    expect(await scene.watches.openLinksIn(SPACE)).toEqual([ENGLISH]);
    expect(await scene.watches.openLinksIn(WORKSPACE)).toEqual([THERE]);
    const open = { id, by: 'Bob', expiresMs: expect.any(Number) as number };
    expect(await scene.watches.openLinks(ENGLISH)).toEqual([
      {
        ...open,
        by: 'Bob · tower.example (Other)',
        isAsked: true,
        channel: '#channel-42 · tower.example (Other)',
      },
    ]);
    expect(await scene.watches.openLinks(THERE)).toEqual([
      { ...open, isAsked: false, channel: 'Babel (Place)' },
    ]);
    expect(await scene.watches.openLinks(channel('43', undefined, WORKSPACE))).toEqual([]);
    await expect(scene.watches.withdraw(id, SPACE, admit)).rejects.toMatchObject(isOver);
    const refuse = async (): Promise<void> => {
      throw new Error('not here');
    };
    await expect(scene.watches.withdraw(id, WORKSPACE, refuse)).rejects.toThrow('not here');
    const bob = { id: 'bob', name: 'Bob', space: WORKSPACE };
    await actAs(bob, () => scene.watches.withdraw(id, WORKSPACE, admit));
    expect(scene.feed.asked(ENGLISH)).toEqual([]);
    expect(scene.feed.texts(ENGLISH)).toEqual([sentence('autotranslate.link-withdrawn')]);
    expect(await scene.watches.openLinks(ENGLISH)).toEqual([]);
    await expect(scene.watches.answer(id, SPACE, true, admit)).rejects.toMatchObject(isOver);
    const noted = async (space: typeof SPACE) => (await auditOf(scene.store, space))[0];
    const what = 'link-withdrawn';
    expect(await noted(WORKSPACE)).toMatchObject({ what, by: { name: 'Bob' } });
    expect(await noted(SPACE)).toMatchObject({ what, elsewhere: 'tower.example (Other)' });
  });

  it('is noted on the side that is asked, with the asker until they have their data deleted', async () => {
    scene.other.nameSpace(WORKSPACE, 'tower.example');
    await ask();
    const noted = async () => (await auditOf(scene.store, SPACE))[0];
    expect(await noted()).toMatchObject({
      what: 'link-asked',
      channelId: 'english',
      by: undefined,
      after: {
        name: 'Bob · tower.example (Other)',
        linkedElsewhere: ['#channel-42 · tower.example (Other)'],
      },
    });
    await scene.privacy.forget({ platform: WORKSPACE.platform, id: 'bob' });
    expect((await noted())?.after).not.toHaveProperty('name');
  });

  it('is asked for with what the channel loses by it', async () => {
    await scene.watches.set([watchOf(ENGLISH, { languages: ['es'] })]);
    await ask();
    const before = `${sentence('autotranslate.modes.reply')} · Spanish`;
    const replaced = sentence('autotranslate.link-replaces', { channel: '#?', before });
    expect(scene.feed.texts(ENGLISH)[0]).toContain(`⚠️ ${replaced}`);
  });

  it('is asked for again where the channel could not be written to', async () => {
    scene.feed.fail({ call: 'post', error: lost() });
    const { id } = await propose(scene.watches);
    expect(await scene.watches.ask(id, WORKSPACE, admit)).toBe('unasked');
    expect(await scene.watches.ask(id, WORKSPACE, admit)).toBe('asked');
    expect(scene.feed.texts(ENGLISH)).toHaveLength(1);
  });

  it('is asked for after a restart where the question did not stand', async () => {
    scene.feed.fail({ call: 'post', error: lost() });
    const { id } = await propose(scene.watches);
    await scene.watches.ask(id, WORKSPACE, admit);
    await scene.restart();
    for (let times = 0; times < 2; times += 1) scene.listener.connected('place');
    await expect.poll(() => scene.feed.texts(ENGLISH).length).toBe(1);
    await scene.watches.answer(id, SPACE, true, admit);
    expect(linked()).toBe(2);
  });
});
