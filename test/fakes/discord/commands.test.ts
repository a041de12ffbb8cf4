import { expect, test } from 'vitest';
import { startDiscordFake } from './index.ts';
import { request } from './login.ts';

const option = (part: object = {}) => ({ type: 3, name: 'text', description: 'x', ...part });
const command = (part: object = {}) => ({ name: 'say', description: 'x', ...part });
const numbered = (count: number, make: (name: string) => object) =>
  Array.from({ length: count }, (_, index) => make(`n${index}`));
const subcommand = (name: string, options: object[] = []) => ({
  type: 1,
  name,
  description: 'x',
  options,
});

test.each([
  ['capital letters', [command({ name: 'Say' })]],
  ['spaces in a name', [command({ name: 'say it' })]],
  ['33 letters', [command({ name: 'x'.repeat(33) })]],
  ['no description', [{ name: 'say' }]],
  ['101 letters of description', [command({ description: 'x'.repeat(101) })]],
  ['an unknown locale', [command({ name_localizations: { es: 'di' } })]],
  ['capital letters in a locale', [command({ name_localizations: { de: 'Sag' } })]],
  ['26 options', [command({ options: numbered(26, (name) => option({ name })) })]],
  [
    '26 choices',
    [command({ options: [option({ choices: numbered(26, (name) => ({ name, value: name })) })] })],
  ],
  ['one option twice', [command({ options: [option(), option()] })]],
  [
    'required after optional',
    [command({ options: [option(), option({ name: 'b', required: true })] })],
  ],
  [
    'choices that complete themselves',
    [command({ options: [option({ autocomplete: true, choices: [{ name: 'a', value: 'a' }] })] })],
  ],
  ['subcommands beside options', [command({ options: [subcommand('add'), option()] })]],
  [
    'more than 8,000 characters',
    [
      command({
        options: numbered(25, (name) =>
          option({
            name,
            description: 'x'.repeat(50),
            choices: numbered(25, (one) => ({ name: `${one} ${'x'.repeat(10)}`, value: one })),
          }),
        ),
      }),
    ],
  ],
  ['101 commands', numbered(101, (name) => command({ name }))],
  ['16 message commands', numbered(16, (name) => ({ type: 3, name }))],
  ['a description of a menu entry', [{ type: 3, name: 'Translate', description: 'x' }]],
  ['one name twice', [command(), command()]],
  ['an unknown context', [command({ contexts: [3] })]],
])('refuses to register %s', async (_what, commands) => {
  await using discord = await startDiscordFake();
  const answer = await request(
    discord,
    `PUT /applications/${discord.applicationId}/commands`,
    commands,
  );
  expect([answer.status, answer.body['code']]).toEqual([400, 50035]);
  expect(discord.commands).toEqual([]);
});

test('registers names of every script, localised, and keeps the id of what stays', async () => {
  await using discord = await startDiscordFake();
  const path = `PUT /applications/${discord.applicationId}/commands`;
  const set = [
    command({
      name: '翻訳',
      name_localizations: { ja: '翻訳', 'es-ES': 'traducción', hi: 'अनुवाद' },
      options: [
        subcommand('add', [option({ required: true })]),
        { type: 2, name: 'more', description: 'x', options: [subcommand('one')] },
      ],
    }),
    { type: 3, name: 'Translate this' },
  ];
  expect((await request(discord, path, set)).status).toBe(200);
  const [first] = discord.commands;
  await request(discord, path, set.slice(0, 1));
  expect(discord.commands.map((one) => one.id)).toEqual([first?.id]);
  expect(first).toMatchObject({
    type: 1,
    integration_types: [0],
    default_member_permissions: null,
  });
});

test('commands of a server are its own, and need the bot there', async () => {
  await using discord = await startDiscordFake();
  const [own, foreign] = [discord.guild(), discord.guild({ bot: false })];
  const path = (id: string) => `PUT /applications/${discord.applicationId}/guilds/${id}/commands`;
  await request(discord, path(own.id), [command()]);
  expect(discord.guildCommands(own).map((one) => one.name)).toEqual(['say']);
  expect(discord.commands).toEqual([]);
  expect((await request(discord, path(foreign.id), [command()])).body['code']).toBe(50001);
});

test('the application tells which intents it was granted; a wrong token is told nothing', async () => {
  await using discord = await startDiscordFake({ privilegedIntents: ['MessageContent'] });
  const { body } = await request(discord, 'GET /applications/@me');
  expect(body['flags']).toBe(1 << 19);
  expect((await request(discord, 'GET /users/@me', undefined, 'nonsense')).status).toBe(401);
  expect(discord.invalidRequests).toBe(1);
});
