import { beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../fakes/eventually.ts';
import type { Channel } from '../../../src/model/place.ts';
import type { FakeGuild, FakeMessage } from '../../fakes/discord/index.ts';
import { openDiscord, placeOf } from './support.ts';
import { row, sentence } from '../../../src/rich-text/compose.ts';
import { mention, type MentionTarget } from '../../../src/rich-text/rich-text.ts';
import { shared } from '../../fakes/opened.ts';

/** How those are called whom a text mentions. */

const discord = shared(() => openDiscord({ limits: 'off' }));
beforeEach(() => {
  discord.core.told.length = 0;
});

type Permissions = NonNullable<NonNullable<Parameters<FakeGuild['channel']>[0]>['permissions']>;

const setUp = () => {
  const guild = discord.fake.guild();
  const channel = guild.channel({ name: 'tea-room' });
  const [ann, bob] = [discord.fake.user({ name: 'ann' }), discord.fake.user({ name: 'bob' })];
  for (const user of [ann, bob]) guild.join(user);
  return { guild, channel, ann, bob, here: placeOf(guild, channel) };
};

const told = async ({ id }: FakeMessage): Promise<void> =>
  eventually(() =>
    expect(discord.core.told.some((one) => one.what === 'seen' && one.message.ref.id === id)).toBe(
      true,
    ),
  );

const nameOf = async (here: Channel, target: MentionTarget, id: string) => {
  const named = await discord.feed.named(here, sentence(mention('discord', target, id, 'other')));
  const [only] = row(named);
  return only?.kind === 'mention' ? only.name : undefined;
};

describe('a member', () => {
  test('goes by the name of this server, that of another one is not taken', async () => {
    const { guild, channel, ann, here } = setUp();
    const other = setUp();
    other.guild.join(ann);
    guild.rename(ann, 'Annie');
    other.guild.rename(ann, 'Anne');
    await told(channel.say(ann, 'hello'));
    expect(await nameOf(other.here, 'member', ann.id)).toBeUndefined();
    await told(other.channel.say(ann, 'hello'));
    expect(await nameOf(here, 'member', ann.id)).toBe('Annie');
    expect(await nameOf(other.here, 'member', ann.id)).toBe('Anne');
  });

  test('keeps it though REST does not tell it with a mention', async () => {
    const { guild, channel, ann, bob, here } = setUp();
    guild.rename(bob, 'Bobby');
    await told(channel.say(bob, 'hello'));
    const { id } = channel.say(ann, `hi ${bob.mention}`);
    await discord.feed.read({ channel: here, id });
    expect(await nameOf(here, 'member', bob.id)).toBe('Bobby');
  });

  test('is not taken for a webhook that has its own name', async () => {
    const { channel, ann, here } = setUp();
    const hook = channel.webhook(ann);
    await told(hook.say('hello', 'somebody'));
    expect(await nameOf(here, 'member', hook.id)).toBeUndefined();
  });
});

describe('a channel', () => {
  test('that not everybody here can see is not named', async () => {
    const { guild, channel, ann, here } = setUp();
    const team = guild.role('team', ['ViewChannel']);
    const of = (name: string, permissions: Permissions) => guild.channel({ name, permissions });
    const everyone = { deny: ['ViewChannel'] } as const;
    const hidden = of('layoffs', { everyone, bot: { allow: ['ViewChannel'] } });
    const ours = of('team', { everyone, [team.id]: { allow: ['ViewChannel'] } });
    const core = of('core', { everyone, [team.id]: { allow: ['ViewChannel'] } });
    const without = of('without-team', { [team.id]: everyone });
    const withoutAnn = of('without-one', { [ann.id]: everyone });
    await told(channel.say(ann, 'all is known now'));
    for (const each of [hidden, ours, without, withoutAnn])
      expect(await nameOf(here, 'channel', each.id)).toBeUndefined();
    // The team may see both; of what they read, nobody else reads anything.
    expect(await nameOf(placeOf(guild, ours), 'channel', core.id)).toBe('core');
    expect(await nameOf(placeOf(guild, ours), 'channel', channel.id)).toBe('tea-room');
    expect(await nameOf(placeOf(guild, ours), 'channel', hidden.id)).toBeUndefined();
  });

  test('is not named where another role lets in again who is kept out of it', async () => {
    const { guild, channel, ann } = setUp();
    const [outside, inside] = [guild.role('outside'), guild.role('inside')];
    const out = { deny: ['ViewChannel'] } as const;
    const other = guild.channel({ name: 'layoffs', permissions: { [outside.id]: out } });
    const permissions = { [outside.id]: out, [inside.id]: { allow: ['ViewChannel'] } } as const;
    const readers = guild.channel({ name: 'readers', permissions });
    await told(channel.say(ann, 'all is known now'));
    expect(await nameOf(placeOf(guild, readers), 'channel', other.id)).toBeUndefined();
  });

  test('that somebody was let in alone reads names that they can see', async () => {
    const { guild, channel, ann, bob } = setUp();
    const everyone = { deny: ['ViewChannel'] } as const;
    const welcome = { allow: ['ViewChannel'] } as const;
    const closed = (name: string, who: typeof ann) =>
      guild.channel({ name, permissions: { everyone, [who.id]: welcome } });
    const [first, second, others] = [
      closed('first', ann),
      closed('second', ann),
      closed('others', bob),
    ];
    await told(channel.say(ann, 'all is known now'));
    expect(await nameOf(placeOf(guild, first), 'channel', second.id)).toBe('second');
    expect(await nameOf(placeOf(guild, first), 'channel', others.id)).toBeUndefined();
  });

  test('that is a private thread is not named', async () => {
    const { channel, ann, here } = setUp();
    const thread = channel.startThread(ann, 'open');
    const secret = channel.startThread(ann, 'secret', undefined, 'private');
    await told(secret.say(ann, 'all is known now'));
    expect(await nameOf(here, 'channel', thread.id)).toBe('open');
    expect(await nameOf(here, 'channel', secret.id)).toBeUndefined();
  });
});

test('roles and channels are those of this server alone', async () => {
  const { guild, channel, ann, here } = setUp();
  const other = setUp();
  const role = guild.role('helpers');
  await told(channel.say(ann, 'all is known now'));
  await told(other.channel.say(other.ann, 'here too'));
  expect(await nameOf(here, 'role', role.id)).toBe('helpers');
  expect(await nameOf(here, 'channel', channel.id)).toBe('tea-room');
  expect(await nameOf(other.here, 'role', role.id)).toBeUndefined();
  expect(await nameOf(other.here, 'channel', channel.id)).toBeUndefined();
});
