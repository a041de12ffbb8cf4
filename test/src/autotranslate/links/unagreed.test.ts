import { beforeEach, describe, expect, it } from 'vitest';
import { auditOf } from '../../../fakes/audit.ts';
import { mirrorOf } from '../../../fakes/autotranslate.ts';
import { channel } from '../../../fakes/channel-feed.ts';
import { sentence } from '../../../fakes/sentences.ts';
import { channelKey, type Channel } from '../../../../src/model/place.ts';
import { OPEN_LINKS } from '../../../../src/model/space.ts';
import { actAs } from '../../../../src/store/actor.ts';
import { ENGLISH, SPANISH, withScene, WORKSPACE } from '../support.ts';
import { ADA, admitAll, linkIn, mirror, THERE } from './support.ts';

const HOUR_MS = 3_600_000;
const GUEST = channel('43', undefined, { ...WORKSPACE, id: 'guests' });
const KEY = channelKey(GUEST);
const MODS = channel('mods', undefined, WORKSPACE);

describe('a channel that comes into a group without a yes of one of its spaces', () => {
  const scene = withScene(mirrorOf([ENGLISH, 'en'], [THERE, 'fr']));
  const feedOf = (of: Channel) => (of.space === ENGLISH.space ? scene.feed : scene.other);
  const shown = (of: Channel): string => feedOf(of).texts(of).join('\n');
  let hours = 0;

  /** Says something some hours after all that was done before. */
  const say = async (of: Channel, text: string, part = {}) => {
    hours += 1;
    scene.clock.aheadMs = hours * HOUR_MS;
    const position = String(Date.now() + hours * HOUR_MS).padStart(20, '0');
    const message = await scene.say(of, text, { position, ...part });
    await scene.idle();
    return message;
  };
  const agree = async (of = THERE): Promise<void> => {
    hours += 1;
    scene.clock.aheadMs = hours * HOUR_MS;
    const nora = { id: 'nora', name: 'Nora', space: of.space };
    await actAs(nora, () => scene.watches.agree(of, KEY));
  };
  const stateOf = async (of: Channel) =>
    (await scene.watches.members(scene.watches.of(of)!)).map((each) => [each.key, each.unagreed]);

  beforeEach(async () => {
    hours = 0;
    scene.feed.nameSpace(ENGLISH.space, 'Babel');
    scene.other.nameSpace(WORKSPACE, 'Nord');
    scene.other.nameSpace(GUEST.space, 'Acme');
    await scene.spaces.change(WORKSPACE, { moderators: { channel: MODS.id, locale: 'en' } });
    const { code } = await scene.watches.invite(mirror(ENGLISH, 'en'), false, ADA);
    await linkIn(scene, code, mirror(GUEST, 'pt'), admitAll);
  });

  it('shares nothing with that space, in both directions, until a moderator there agrees; then what is new', async () => {
    const [nord, acme] = [await say(THERE, 'from nord'), await say(GUEST, 'from acme')];
    await say(ENGLISH, 'from babel');
    for (const each of [THERE, GUEST]) expect(shown(each)).toContain('from babel');
    for (const words of ['from nord', 'from acme']) expect(shown(ENGLISH)).toContain(words);
    await scene.restart();
    await scene.listener.messageChanged(scene.other.edit(nord.ref, 'nord, edited'));
    await say(ENGLISH, 'an answer', { replyTo: nord.ref });
    await scene.listener.pinChanged(acme.ref, true);
    await scene.idle();
    expect([shown(GUEST).includes('nord'), shown(THERE).includes('acme')]).toEqual([false, false]);
    expect(scene.other.pinned(THERE)).toEqual([]);
    await agree();
    await scene.listener.messageChanged(scene.other.edit(nord.ref, 'nord, edited again'));
    await say(ENGLISH, 'another answer', { replyTo: acme.ref });
    expect([shown(GUEST).includes('nord,'), shown(THERE).includes('acme')]).toEqual([false, false]);
    await say(THERE, 'new in nord');
    await say(GUEST, 'new in acme');
    expect(shown(GUEST)).toContain('new in nord');
    expect(shown(THERE)).toContain('new in acme');
    expect(shown(GUEST)).not.toContain('from nord');
  });

  it('is let in only where the bot is still in both channels', async () => {
    for (const lost of [THERE, GUEST]) {
      scene.other.lose(lost);
      await expect(agree()).rejects.toMatchObject({
        sentence: { key: lost === THERE ? 'watch.not-there' : 'autotranslate.link-unreached' },
      });
      expect(await stateOf(THERE)).toContainEqual([KEY, 'here']);
      scene.other.lose();
    }
    await agree();
    expect(await stateOf(THERE)).toContainEqual([KEY, undefined]);
  });

  it('has no reactions of that space under its copies, and copies none there', async () => {
    const { ref } = await say(ENGLISH, 'hello');
    const copies = [THERE, GUEST].map(
      (of) =>
        scene.other.messages(of).find(({ text }) => JSON.stringify(text).includes('hello'))!.ref,
    );
    const [nord, acme] = copies as [typeof ref, typeof ref];
    const react = async (): Promise<void> => {
      scene.clock.aheadMs += 1_000;
      scene.other.react(nord, '👍', 1);
      await scene.listener.reactionChanged(nord, '👍', true);
      await scene.idle();
    };
    await react();
    expect([scene.feed.reacted(ref), scene.other.reacted(acme)]).toEqual([['👍'], []]);
    await agree();
    await react();
    expect(scene.other.reacted(acme)).toEqual(['👍']);
  });

  it('is told of in that space, with what moderators there can do; the others read what is not shared', async () => {
    const named = { channels: '#channel-43 · Acme (Other)', channel: '', count: 1 };
    const heard = sentence('autotranslate.unagreed-here', named, 'fr', 'under interpreter');
    await expect.poll(() => shown(THERE)).toContain(heard.slice(0, 40));
    const presses = ['letin', 'keepout'].map((word) => `autotranslate ${word}:42|${KEY}`);
    expect(scene.other.asked(THERE)).toEqual(presses);
    await expect.poll(() => shown(MODS)).toContain('Acme');
    expect(scene.other.asked(MODS)).toEqual(presses);
    const there = sentence(
      'autotranslate.unagreed-elsewhere',
      { channels: '#channel-42 · Nord (Other)' },
      'pt',
    );
    await expect.poll(() => shown(GUEST)).toContain(there);
    const linked = scene.other.texts(GUEST).find((text) => text.includes('Babel'));
    expect(linked).not.toContain('Nord');
    expect(await stateOf(THERE)).toEqual([
      ['place english', undefined],
      [KEY, 'here'],
    ]);
    expect(await stateOf(GUEST)).toEqual([
      ['place english', undefined],
      ['other 42', 'elsewhere'],
    ]);
    await agree();
    expect([...(await stateOf(THERE)), ...(await stateOf(GUEST))].flat()).not.toContain('here');
    await expect.poll(() => shown(GUEST)).toContain('#channel-42 · Nord');
  });

  it('has a reason for what is shown nowhere', async () => {
    await scene.watches.remove(ENGLISH);
    const { ref } = await say(THERE, 'to nobody');
    expect((await scene.outcomes())[ref.id]).toBe('skipped unagreed');
  });

  it('stays shut by a further channel of either space, also where the first one leaves', async () => {
    const [more, again] = [
      channel('44', undefined, WORKSPACE),
      channel('45', undefined, GUEST.space),
    ];
    const { group } = scene.watches.of(ENGLISH)!;
    await scene.watches.set([{ ...mirror(more, 'de'), group: group! }]);
    await scene.watches.set([{ ...mirror(again, 'it'), group: group! }]);
    await scene.watches.remove(THERE);
    await scene.watches.remove(GUEST);
    await say(more, 'from nord');
    await say(again, 'from acme');
    expect([shown(again).includes('nord'), shown(more).includes('acme')]).toEqual([false, false]);
    await scene.watches.agree(more, channelKey(again));
    await say(again, 'new in acme');
    expect(shown(more)).toContain('new in acme');
  });

  it('comes in anew without that yes where it left meanwhile', async () => {
    await agree();
    await scene.watches.remove(GUEST);
    const { code } = await scene.watches.invite(mirror(ENGLISH, 'en'), false, ADA);
    await linkIn(scene, code, mirror(GUEST, 'pt'), admitAll);
    await say(THERE, 'from nord');
    expect(shown(GUEST)).not.toContain('from nord');
  });

  it('is let in by no other space, and for no other one, nor removed by its own guests', async () => {
    const gone = { sentence: { key: 'members.gone' } };
    await scene.watches.agree(ENGLISH, KEY);
    await scene.watches.agree(GUEST, channelKey(THERE));
    for (const key of ['other forged', '', channelKey(THERE)])
      await expect(scene.watches.agree(THERE, key)).rejects.toMatchObject(gone);
    await expect(scene.watches.agree(SPANISH, KEY)).rejects.toMatchObject(gone);
    expect(await stateOf(THERE)).toContainEqual([KEY, 'here']);
    await say(THERE, 'from nord');
    expect(shown(GUEST)).not.toContain('from nord');
    await scene.watches.expel(THERE, KEY);
    expect(scene.watches.list(GUEST.space)).toEqual([]);
  });

  it('is let in by no moderator where the policy of their space allows no such link', async () => {
    await scene.spaces.change(WORKSPACE, { links: { ...OPEN_LINKS, outside: 'nobody' } });
    await expect(agree()).rejects.toMatchObject({ sentence: { key: 'links.not-allowed' } });
    expect(await stateOf(THERE)).toContainEqual([KEY, 'here']);
    await scene.spaces.change(WORKSPACE, { links: OPEN_LINKS });
    await agree();
    expect(await stateOf(THERE)).not.toContainEqual([KEY, 'here']);
  });

  it('is noted with the yes of that space, on both sides', async () => {
    await agree();
    await agree();
    const [nord] = await auditOf(scene.store, WORKSPACE);
    expect(nord).toMatchObject({
      by: { name: 'Nora' },
      channelId: THERE.id,
      before: { unagreed: ['#channel-43 · Acme (Other)'] },
    });
    const [acme] = await auditOf(scene.store, GUEST.space);
    expect(acme).toMatchObject({ channelId: GUEST.id, elsewhere: 'Nord (Other)' });
    expect(JSON.stringify(acme)).not.toContain('Nora');
  });
});
