import { expect, test } from 'vitest';
import { parseDiscord } from '../../../adapters/discord/rich-text/parse.ts';
import { AppError } from '../../../src/errors.ts';
import { plainWords } from '../../../src/rich-text/compose.ts';
import type { Member } from '../../../src/model/place.ts';
import { plainText } from '../../../src/rich-text/walk.ts';
import { PLATFORM_CONTRACT } from '../../contracts/platform.ts';
import type { FakeMessage, FakeUser } from '../../fakes/discord/index.ts';
import { openDiscord, placeOf } from './support.ts';
import { shared } from '../../fakes/opened.ts';

const discord = shared(() => openDiscord({ limits: 'off' }));

const TONES: readonly (readonly [string, string])[] = [
  ['ℹ️ ', 'note'],
  ['⚠️ ', 'error'],
];

/** Discord keeps plain letters alone in a file's name, and shows the name that was given. */
const givenName = (kept: string): string =>
  discord.fake.requests
    .flatMap(({ files }) => files.map(({ name }) => name))
    .find((name) => name.replaceAll(/[^\w.-]+/g, '_') === kept) ?? kept;

const seen = ({ id, content, attachments, components }: FakeMessage) => {
  const [mark = '', tone = 'plain'] = TONES.find(([each]) => content.startsWith(each)) ?? [];
  const text = plainText(parseDiscord(content.slice(mark.length))).replaceAll('\u200B', '');
  const files = attachments.map(({ name, bytes }) => ({
    name: givenName(name),
    bytes: bytes.byteLength,
  }));
  const controls = components.flatMap((row) =>
    (row['components'] as { label?: string; placeholder?: string }[]).map(
      ({ label, placeholder }) => label ?? placeholder ?? '',
    ),
  );
  return { id, text, tone, files, controls };
};

const memberOf = ({ id, name }: FakeUser): Member => ({
  platform: 'discord',
  id,
  name,
  locale: 'en',
  role: 'member',
});

test.each(Object.entries(PLATFORM_CONTRACT))('%s', async (_, check) => {
  const { fake, adapter } = discord;
  const guild = fake.guild();
  const channel = guild.channel();
  const [asker, other] = [fake.user(), fake.user()];
  await check({
    platform: adapter.platform,
    channel: placeOf(guild, channel),
    asker: memberOf(asker),
    other: memberOf(other),
    seenBy: async ({ id }) => {
      const who = id === asker.id ? asker : other;
      return [...channel.messages, ...who.dm().messages].map(seen);
    },
  });
});

test('a private message is not sent once its sender must not act any more', async () => {
  const { fake, adapter } = discord;
  const ann = fake.user();
  const content = { text: plainWords('hello') };
  const assertHeld = (): void => {
    throw new AppError('cancelled', 'the lease is not held any more');
  };
  const { tell } = adapter.platform;
  await expect(tell!(memberOf(ann), content, { assertHeld })).rejects.toMatchObject({
    code: 'cancelled',
  });
  expect(ann.dm().messages).toEqual([]);
  await tell!(memberOf(ann), content);
  expect(ann.dm().messages).toHaveLength(1);
});
