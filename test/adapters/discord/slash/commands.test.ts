import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDiscordApi } from '../../../../adapters/discord/api.ts';
import { buildCommands, type CommandSource } from '../../../../adapters/discord/slash/commands.ts';
import { registerCommands } from '../../../../adapters/discord/slash/registration.ts';
import { commandFault, type Command } from '../../../../src/command/command.ts';
import type { CommandInfo } from '../../../../src/model/command-info.ts';
import { actionsOf, describeAction } from '../../../../src/command/catalogue.ts';
import { discover } from '../../../../src/app/modules.ts';
import type { MessageKey } from '../../../../src/errors.ts';
import { startDiscordFake } from '../../../fakes/discord/index.ts';
import { createDiscordAdapter } from '../../../../adapters/discord/adapter.ts';
import { createTestCore, optionsFor } from '../support.ts';

const ROOT = join(import.meta.dirname, '../../../..');

const NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  en: { 'commands.say.name': 'say', 'options.names.text': 'text', 'options.names.to': 'to' },
  es: { 'commands.say.name': 'decir', 'options.names.text': 'Texto Largo' },
  'pt-BR': { 'commands.say.name': 'falar' },
  zh: { 'commands.say.name': '说' },
};

/** Locales of which some names are no names to Discord. */
const texts: CommandSource['texts'] = {
  locales: Object.keys(NAMES),
  pick: ([wanted = '']) =>
    Object.keys(NAMES).find((locale) => wanted.startsWith(locale.split('-')[0] ?? '')) ?? 'en',
  in: (locale) => (key) => NAMES[locale]?.[key] ?? NAMES['en']?.[key] ?? key,
  has: (key): key is MessageKey => key in (NAMES['en'] ?? {}),
};

const say = (part: Partial<CommandInfo> = {}): CommandInfo => ({
  name: 'say',
  summary: 'Speak',
  slow: false,
  private: false,
  options: [
    { name: 'to', kind: 'text', description: 'Whom', required: false, autocompletes: true },
    { name: 'text', kind: 'text', description: 'What', required: true, autocompletes: false },
  ],
  ...part,
});

const build = (...commands: CommandInfo[]) => buildCommands({ texts, commands: () => commands });

test('names are said in each of Discord’s locales that there are texts for', () => {
  const [command] = build(say());
  expect(command).toMatchObject({
    name: 'say',
    name_localizations: {
      'es-ES': 'decir',
      'es-419': 'decir',
      'pt-BR': 'falar',
      'zh-CN': '说',
      'zh-TW': '说',
    },
    contexts: [0, 1, 2],
    integration_types: [0, 1],
  });
});

test('a name that is none to Discord is left out, and what is required comes first', () => {
  const [command] = build(say());
  expect(command?.['options']).toMatchObject([
    { name: 'text', required: true },
    { name: 'to', autocomplete: true },
  ]);
  expect(JSON.stringify(command)).not.toContain('Texto Largo');
});

test('every kind of channel where people write can be chosen', () => {
  const where = { ...say().options[0]!, name: 'channel', kind: 'channel' } as const;
  const [command] = build(say({ options: [where] }));
  // Text, voice, announcements, their threads, public and private threads, stages, forums, media.
  expect(command?.['options']).toMatchObject([
    {
      channel_types: expect.toSatisfy((types: number[]) =>
        [0, 2, 5, 10, 11, 12, 13, 15, 16].every((type) => types.includes(type)),
      ),
    },
  ]);
});

test('where a voice channel is wanted, only voice channels can be chosen', () => {
  const where = { ...say().options[0]!, name: 'channel', kind: 'channel', only: 'voice' } as const;
  const [command] = build(say({ options: [where] }));
  expect(command?.['options']).toMatchObject([{ channel_types: [2, 13] }]);
});

test('what needs watched channels is for servers, what is for moderators for them', () => {
  const [command] = build(say({ needs: 'watch', moderators: true }));
  expect(command).toMatchObject({
    contexts: [0],
    integration_types: [0],
    default_member_permissions: '32',
  });
});

test('a text that Discord would refuse is named', () => {
  expect(() => build(say({ summary: 'x'.repeat(101) }))).toThrow(/description of \/say in en/);
  expect(() => build(say({ menu: 'x'.repeat(33) }))).toThrow(/menu's name of \/say/);
  const options = Array.from({ length: 25 }, (_, index) => ({
    ...say().options[1]!,
    name: `o${index}`,
    choices: Array.from({ length: 5 }, (__, each) => ({ value: `${each}`, label: 'y'.repeat(80) })),
  }));
  expect(() => build(say({ options }))).toThrow(/\/say: its texts have over 8000/);
});

test('Discord takes all commands that there are, and keeps them as they are', async () => {
  await using fake = await startDiscordFake({ limits: 'off' });
  const { texts: all } = createTestCore();
  const commands = await discover<Command>(join(ROOT, 'commands'), commandFault);
  const bodies = buildCommands({
    texts: all,
    commands: (locale) =>
      commands
        .flatMap(actionsOf)
        .map((action) => describeAction(action, all, locale, { naming: 'plain', hasRooms: true })),
  });
  const api = createDiscordApi({ url: fake.url, token: fake.token, requestsPerSecond: 50 });
  expect(await registerCommands(api, fake.applicationId, bodies)).toBe(true);
  expect(await registerCommands(api, fake.applicationId, bodies)).toBe(false);
});

test('commands of several words become one with subcommands', async () => {
  await using fake = await startDiscordFake({ limits: 'off' });
  await using adapter = createDiscordAdapter(optionsFor(fake), createTestCore());
  await adapter.start();
  expect(fake.commands.map(({ type, name }) => `${type} ${name}`).toSorted()).toEqual([
    '1 autotranslate',
    '1 glossary',
    '1 secret',
    '1 transcribe',
    '1 translate',
    '3 Translate',
  ]);
  const glossary = fake.commands.find(({ name }) => name === 'glossary');
  expect(glossary?.['options']).toMatchObject([
    { type: 1, name: 'add', options: [{ name: 'term', required: true }] },
    { type: 1, name: 'list' },
  ]);
});
