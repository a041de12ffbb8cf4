import { describe, expect, it } from 'vitest';
import type { Channel } from '../../../../src/model/place.ts';
import { OPEN_LINKS, type ChannelWatch, type LinkPolicy } from '../../../../src/model/space.ts';
import { createLinkPolicies } from '../../../../src/autotranslate/links/policy.ts';
import type { LinkConditions } from '../../../../src/model/watches.ts';
import { channel } from '../../../fakes/channel-feed.ts';
import { sentence } from '../../../fakes/sentences.ts';
import { ENGLISH, withScene, WORKSPACE } from '../support.ts';

const THERE = channel('42', undefined, WORKSPACE);
const HIDDEN = channel('private', undefined, WORKSPACE);
const ADA = { id: 'ada', name: 'Ada' };
const agreed: LinkConditions = { admit: async () => undefined, mayMixAges: false, by: ADA };
const mirror = (of: Channel, language: string): ChannelWatch => ({
  channel: of,
  mode: 'mirror',
  languages: [language],
  transcribes: true,
  bots: false,
});

describe('the policy of a space for links', () => {
  const scene = withScene([]);
  const set = (space: { platform: string; id: string }, links: Partial<LinkPolicy>) =>
    scene.spaces.change(space, { links: { ...OPEN_LINKS, ...links } });
  const propose = async (to: Channel = THERE) => {
    const { code } = await scene.watches.invite(mirror(ENGLISH, 'en'), false, ADA);
    return scene.watches.propose(code, mirror(to, 'fr'), agreed);
  };
  const linked = () => scene.watches.list(WORKSPACE).length;
  const lacks = (key: string, id: string) =>
    isRefused(key, { ids: { list: [{ kind: 'code', text: id }] } });
  const isRefused = (key: string, params: object = {}) => ({
    code: 'forbidden',
    sentence: { key, params },
  });

  it('lets nobody make a code, or use one, where nobody may be linked', async () => {
    await set(WORKSPACE, { outside: 'nobody' });
    await expect(propose()).rejects.toMatchObject(isRefused('links.not-allowed'));
    await set(WORKSPACE, {});
    await set(ENGLISH.space, { outside: 'nobody' });
    await expect(propose()).rejects.toMatchObject(isRefused('links.not-allowed'));
  });

  it('lets approved spaces alone be linked, on both sides', async () => {
    await set(ENGLISH.space, { outside: 'approved', approved: ['T0OTHER'] });
    await expect(propose()).rejects.toMatchObject(lacks('links.not-approved-there', WORKSPACE.id));
    await set(ENGLISH.space, {});
    await set(WORKSPACE, { outside: 'approved' });
    await expect(propose()).rejects.toMatchObject(lacks('links.not-approved', ENGLISH.space.id));
    await set(WORKSPACE, {});
    await set(ENGLISH.space, { outside: 'approved', approved: [WORKSPACE.id] });
    await expect(propose()).resolves.toMatchObject({ names: [expect.any(String)] });
  });

  it('tells moderators once who is to be approved, with the button for it', async () => {
    const MODS = channel('mods');
    scene.other.nameSpace(WORKSPACE, 'tower.example');
    await scene.spaces.change(ENGLISH.space, {
      moderators: { channel: MODS.id, locale: 'de' },
      links: { ...OPEN_LINKS, outside: 'approved' },
    });
    for (const _ of [1, 2]) await expect(propose()).rejects.toBeDefined();
    const about = { server: 'tower.example (Other)', id: WORKSPACE.id };
    const said = sentence('moderators.unapproved', about, 'de');
    await expect.poll(() => scene.feed.texts(MODS)).toEqual([expect.stringContaining(said)]);
    expect(scene.feed.asked(MODS)).toEqual([`settings approve:${WORKSPACE.id}`]);
  });

  it('says what is not approved without waiting for the names of servers', async () => {
    const policies = createLinkPolicies({
      spaces: { of: async () => ({ links: { ...OPEN_LINKS, outside: 'approved' } }) } as never,
      platforms: { find: () => undefined },
      moderators: { unapproved: () => undefined },
      lookalike: () => new Promise<never>(() => undefined),
    });
    await expect(
      policies.demand([mirror(ENGLISH, 'en'), mirror(THERE, 'fr')], WORKSPACE),
    ).rejects.toMatchObject(lacks('links.not-approved-there', WORKSPACE.id));
  });

  it.each([
    ['a private channel', { privateChannels: false }, HIDDEN],
    ['another channel than those chosen', { channels: ['41'] }, THERE],
  ])('keeps %s from being linked', async (_, links, of) => {
    await set(WORKSPACE, links);
    await expect(propose(of)).rejects.toMatchObject(isRefused('links.not-allowed'));
    await set(WORKSPACE, { privateChannels: true, channels: [] });
    await expect(propose(of)).resolves.toBeDefined();
  });

  it('keeps a further channel of a linked space from joining, too', async () => {
    const { id } = await propose();
    await scene.watches.ask(id, WORKSPACE, agreed.admit);
    await scene.watches.answer(id, ENGLISH.space, true, agreed.admit);
    const join = () => scene.watches.join(mirror(channel('private'), 'de'), ENGLISH);
    await set(ENGLISH.space, { privateChannels: false });
    await expect(join()).rejects.toMatchObject(isRefused('links.not-allowed'));
    await set(ENGLISH.space, {});
    await set(WORKSPACE, { outside: 'nobody' });
    await expect(join()).rejects.toMatchObject(isRefused('links.not-allowed-there'));
    expect(linked()).toBe(1);
    await set(WORKSPACE, {});
    expect(await join()).toHaveLength(3);
  });

  it('holds for what was asked for before it was set, and not for what is linked', async () => {
    const { id } = await propose();
    await scene.watches.ask(id, WORKSPACE, agreed.admit);
    await set(ENGLISH.space, { outside: 'nobody' });
    const answer = () => scene.watches.answer(id, ENGLISH.space, true, agreed.admit);
    await expect(answer()).rejects.toMatchObject(isRefused('links.not-allowed'));
    expect(linked()).toBe(0);
    await set(ENGLISH.space, {});
    await answer();
    await set(ENGLISH.space, { outside: 'nobody' });
    expect(linked()).toBe(1);
  });

  it('closes what it says unreadably, as another version may', async () => {
    await scene.store
      .insertInto('space_setting')
      .values({ platform: WORKSPACE.platform, space_id: WORKSPACE.id, choices: '{"links":7}' })
      .execute();
    expect((await scene.spaces.of(WORKSPACE)).links?.outside).toBe('nobody');
  });
});
