import { beforeEach, expect, test } from 'vitest';
import { eventually } from '../../../fakes/eventually.ts';
import { openDiscord } from '../support.ts';
import { shared } from '../../../fakes/opened.ts';

const discord = shared(() => openDiscord({ limits: 'off' }));
beforeEach(() => {
  discord.core.told.length = 0;
});

const changes = (): string[] =>
  discord.core.told.flatMap((one) => (one.what === 'accessChanged' ? [one.space.id] : []));

/** A server with a channel in which the bot may not write. */
const setUp = () => {
  const guild = discord.fake.guild();
  const channel = guild.channel();
  channel.deny('SendMessages');
  return { guild, channel };
};

/** Resolves when everything sent so far was taken. */
const allTaken = async (channel: ReturnType<typeof setUp>['channel']): Promise<void> => {
  channel.say(discord.fake.user(), 'last');
  await eventually(() => expect(discord.core.told.at(-1)?.what).toBe('seen'));
};

test('new permissions in a channel are told', async () => {
  const { guild, channel } = setUp();
  await allTaken(channel);
  discord.core.told.length = 0;
  channel.allow('SendMessages');
  await eventually(() => expect(changes()).toEqual([guild.id]));
});

test('other changes of channels are not told, such as names and places in the list', async () => {
  const { guild, channel } = setUp();
  await allTaken(channel);
  discord.core.told.length = 0;
  const others = Array.from({ length: 20 }, () => guild.channel());
  for (const [index, other] of [channel, ...others].entries()) other.rename(`channel-${index}`);
  await allTaken(channel);
  expect(changes()).toEqual([]);
});

test('a channel that is shown to adults alone is told when that changes', async () => {
  const { channel } = setUp();
  await allTaken(channel);
  discord.core.told.length = 0;
  for (const isRestricted of [true, true, false]) channel.restrictByAge(isRestricted);
  await eventually(() => {
    const changed = discord.core.told.flatMap((one) =>
      one.what === 'ageRestriction' ? [one.isRestricted] : [],
    );
    expect(changed).toEqual([true, false]);
  });
});

test('a new name of a server is told with the former one, once', async () => {
  const { guild, channel } = setUp();
  await allTaken(channel);
  discord.core.told.length = 0;
  const former = guild.name;
  for (const name of ['Mar Azul', 'Mar Azul', 'Mar Rojo']) guild.renameTo(name);
  await eventually(() => {
    const renamed = discord.core.told.flatMap((one) =>
      one.what === 'renamed' ? [[one.former, one.name]] : [],
    );
    expect(renamed).toEqual([
      [former, 'Mar Azul'],
      ['Mar Azul', 'Mar Rojo'],
    ]);
  });
});
