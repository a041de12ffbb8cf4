import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Channel } from '../../../src/model.ts';
import type { FakeMessage } from '../../fakes/discord/index.ts';
import { openDiscord, placeOf, type TestDiscord } from './support.ts';

/** How those are called whom a text mentions. */

let discord: TestDiscord;
beforeAll(async () => {
  discord = await openDiscord({ limits: 'off' });
});
afterAll(async () => discord[Symbol.asyncDispose]());
beforeEach(() => {
  discord.core.told.length = 0;
});

const setUp = () => {
  const guild = discord.fake.guild();
  const channel = guild.channel({ name: 'tea-room' });
  const [ann, bob] = [discord.fake.user({ name: 'ann' }), discord.fake.user({ name: 'bob' })];
  for (const user of [ann, bob]) guild.join(user);
  return { guild, channel, ann, bob, here: placeOf(guild, channel) };
};

const told = async ({ id }: FakeMessage): Promise<void> =>
  vi.waitFor(() =>
    expect(discord.core.told.some((one) => one.what === 'seen' && one.message.ref.id === id)).toBe(
      true,
    ),
  );

const nameOf = (here: Channel, kind: 'member' | 'role' | 'channel', id: string) =>
  discord.watch.names(here)(kind, id);

describe('a member', () => {
  test('goes by the name of this server, that of another one is not taken', async () => {
    const { guild, channel, ann, here } = setUp();
    const other = setUp();
    other.guild.join(ann);
    guild.rename(ann, 'Annie');
    other.guild.rename(ann, 'Anne');
    await told(channel.say(ann, 'hello'));
    expect(nameOf(other.here, 'member', ann.id)).toBeUndefined();
    await told(other.channel.say(ann, 'hello'));
    expect(nameOf(here, 'member', ann.id)).toBe('Annie');
    expect(nameOf(other.here, 'member', ann.id)).toBe('Anne');
  });

  test('keeps it though REST does not tell it with a mention', async () => {
    const { guild, channel, ann, bob, here } = setUp();
    guild.rename(bob, 'Bobby');
    await told(channel.say(bob, 'hello'));
    const { id } = channel.say(ann, `hi ${bob.mention}`);
    await discord.watch.read({ channel: here, id });
    expect(nameOf(here, 'member', bob.id)).toBe('Bobby');
  });

  test('is not taken for a webhook that has its own name', async () => {
    const { channel, ann, here } = setUp();
    const hook = channel.webhook(ann);
    await told(hook.say('hello', 'somebody'));
    expect(nameOf(here, 'member', hook.id)).toBeUndefined();
  });
});

test('roles and channels are those of this server alone', async () => {
  const { guild, channel, ann, here } = setUp();
  const other = setUp();
  const role = guild.role('helpers');
  await told(channel.say(ann, 'all is known now'));
  await told(other.channel.say(other.ann, 'here too'));
  expect(nameOf(here, 'role', role.id)).toBe('helpers');
  expect(nameOf(here, 'channel', channel.id)).toBe('tea-room');
  expect(nameOf(other.here, 'role', role.id)).toBeUndefined();
  expect(nameOf(other.here, 'channel', channel.id)).toBeUndefined();
});
