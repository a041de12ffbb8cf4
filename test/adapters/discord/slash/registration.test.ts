import { expect, test } from 'vitest';
import { createDiscordApi } from '../../../../adapters/discord/api.ts';
import {
  buildCommands,
  type CommandBody,
  type CommandSource,
} from '../../../../adapters/discord/slash/commands.ts';
import { registerCommands } from '../../../../adapters/discord/slash/registration.ts';
import type { CommandInfo } from '../../../../src/model/command-info.ts';
import type { MessageKey } from '../../../../src/errors.ts';
import { startDiscordFake } from '../../../fakes/discord/index.ts';
import { optionsFor } from '../support.ts';
import { shared } from '../../../fakes/opened.ts';

const fake = shared(() => startDiscordFake({ limits: 'off' }));

/** Registers some commands where others stand; resolves with whether anything had to change. */
const register = async (...commands: readonly object[]): Promise<boolean> => {
  const bodies = commands as readonly CommandBody[];
  return registerCommands(createDiscordApi(optionsFor(fake)), fake.applicationId, bodies);
};

const text = (part: object = {}) => ({ type: 3, name: 'text', description: 'What', ...part });
const say = (part: object = {}) => ({
  type: 1,
  name: 'say',
  description: 'Says it',
  integration_types: [0, 1],
  contexts: [0, 1, 2],
  options: [text(), text({ name: 'to' })],
  ...part,
});
const choices = ['a', 'b'].map((name) => ({ name, value: name }));

test.each([
  ['a description', say({ description: 'Speaks' })],
  ['a description in another language', say({ description_localizations: { de: 'Sagt es' } })],
  ['who may use it', say({ default_member_permissions: '32' })],
  ['where it can be used', say({ contexts: [0] })],
  ['who can install it', say({ integration_types: [0] })],
  ['the order of options', say({ options: [text({ name: 'to' }), text()] })],
  ['how long a text may be', say({ options: [text({ max_length: 10 }), text({ name: 'to' })] })],
  ['what is required', say({ options: [text({ required: true }), text({ name: 'to' })] })],
  ['what completes itself', say({ options: [text({ autocomplete: true }), text({ name: 'to' })] })],
  ['choices', say({ options: [text({ choices }), text({ name: 'to' })] })],
])('commands are registered anew when there is another: %s', async (_what, changed) => {
  await register(say());
  expect(await register(changed)).toBe(true);
  expect(await register(changed)).toBe(false);
});

test('and when choices change their places', async () => {
  const offering = (all: readonly object[]) => say({ options: [text({ choices: all })] });
  await register(offering(choices));
  expect(await register(offering(choices.toReversed()))).toBe(true);
});

test('but not for what says the same in other words', async () => {
  const plain = say({ options: [text()] });
  await register(plain);
  const wordy = say({
    contexts: [2, 0, 1],
    integration_types: [1, 0],
    default_member_permissions: null,
    options: [text({ required: false, autocomplete: false, choices: [] })],
  });
  expect(await register(wordy)).toBe(false);
  const menu = { type: 3, name: 'Say', integration_types: [0], contexts: [0] };
  await register(say(), menu);
  expect(await register(menu, say())).toBe(false);
});

const info = (part: Partial<CommandInfo>): CommandInfo => ({
  name: 'say',
  summary: 'Speak',
  slow: false,
  private: false,
  options: [],
  ...part,
});

const texts: CommandSource['texts'] = {
  locales: ['en', 'de'],
  pick: ([wanted = '']) => (wanted === 'de' ? 'de' : 'en'),
  in: () => (key) => key,
  has: (_key): _key is MessageKey => false,
};

test('a command of which one part is for everybody is hidden from nobody', () => {
  const build = (...commands: CommandInfo[]) => buildCommands({ texts, commands: () => commands });
  const set = info({ name: 'flags set', moderators: true });
  const list = info({ name: 'flags list' });
  expect(build(set, list)[0]).not.toHaveProperty('default_member_permissions');
  expect(build(set)[0]).toHaveProperty('default_member_permissions', '32');
});

test('of each text, the longest language counts towards what a command may have', () => {
  const inLanguage = (chars: number): readonly CommandInfo[] => [
    info({
      options: Array.from({ length: 25 }, (_, at) => ({
        name: `o${at}`,
        kind: 'text',
        description: 'x',
        required: false,
        autocompletes: false,
        choices: Array.from({ length: 5 }, (__, each) => ({
          value: `${each}`,
          label: `${each}${'x'.repeat(chars)}`,
        })),
      })),
    }),
  ];
  const build = (german: number) =>
    buildCommands({ texts, commands: (locale) => inLanguage(locale === 'de' ? german : 1) });
  expect(build(1)).toHaveLength(1);
  expect(() => build(80)).toThrow(/over 8000/);
});
