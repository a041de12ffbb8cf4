import {
  Events,
  MessageFlags,
  ModalBuilder,
  type ChatInputCommandInteraction,
  type Interaction,
} from 'discord.js';
import { expect, test } from 'vitest';
import { startDiscordFake } from './index.ts';
import { login, request } from './login.ts';

const COMMANDS = [
  {
    name: 'say',
    description: 'Says it',
    integration_types: [0, 1],
    contexts: [0, 1, 2],
    options: [
      { type: 3, name: 'text', description: 'What', required: true, max_length: 20 },
      { type: 3, name: 'tongue', description: 'In which', autocomplete: true },
      { type: 11, name: 'file', description: 'With' },
      { type: 6, name: 'to', description: 'To' },
    ],
  },
  {
    name: 'glossary',
    description: 'Words',
    default_member_permissions: '32',
    contexts: [0],
    options: [
      {
        type: 1,
        name: 'add',
        description: 'Adds',
        options: [
          {
            type: 4,
            name: 'count',
            description: 'How many',
            required: true,
            choices: [{ name: 'one', value: 1 }],
          },
        ],
      },
    ],
  },
  { name: 'Translate', type: 3 },
];

const setUp = async (answer: (use: Interaction) => unknown = () => undefined) => {
  const discord = await startDiscordFake();
  const guild = discord.guild();
  const channel = guild.channel();
  const bot = await login(discord);
  await bot.client.application.commands.set(COMMANDS);
  const faults: unknown[] = [];
  bot.client.on(Events.InteractionCreate, (use) => {
    Promise.resolve(answer(use)).catch((error: { code?: unknown }) => faults.push(error.code));
  });
  const end = async () => {
    await bot[Symbol.asyncDispose]();
    await discord[Symbol.asyncDispose]();
  };
  return {
    discord,
    guild,
    channel,
    ann: discord.user({ name: 'ann', locale: 'ja' }),
    faults,
    [Symbol.asyncDispose]: end,
  };
};

const slash = (run: (use: ChatInputCommandInteraction) => unknown) => (use: Interaction) =>
  use.isChatInputCommand() ? run(use) : undefined;

test('a command brings its options, files and people; "thinking" is no answer yet', async () => {
  await using at = await setUp(
    slash(async (use) => {
      await use.deferReply({ flags: MessageFlags.Ephemeral });
      const file = use.options.getAttachment('file');
      const bytes = await (await fetch(file?.url ?? '')).text();
      await use.editReply(
        `${use.options.getString('text')} ${bytes} ${use.options.getUser('to')?.username} ${use.locale}`,
      );
      await use.followUp({
        content: 'and more',
        files: [{ attachment: Buffer.from('x'), name: 'x.txt' }],
      });
    }),
  );
  const file = { name: 'a.txt', contentType: 'text/plain', bytes: Buffer.from('bytes') };
  const use = at.discord.command(at.ann, {
    channel: at.channel,
    name: 'say',
    options: { text: 'hi', file, to: at.ann },
  });
  expect([use.acknowledged, use.shown]).toEqual([false, undefined]);
  expect((await use.answer()).content).toBe('hi bytes ann ja');
  await use.until((it) => it.followUps.length === 1);
  expect([use.deferred, use.ephemeral, use.followUps[0]?.ephemeral]).toEqual([true, true, false]);
  expect(use.followUps[0]?.attachments[0]?.name).toBe('x.txt');
  expect(at.channel.messages.map((one) => one.content)).toEqual(['and more']);
  expect(use.acknowledgedAfterMs).toBeLessThan(3000);
});

test('an answer after three seconds finds no interaction, a second one finds it answered', async () => {
  await using at = await setUp(
    slash(async (use) => {
      if (use.options.getString('text') === 'late') at.discord.clock.advance(3000);
      await use.reply('here');
      await use.reply('here again');
    }),
  );
  const late = at.discord.command(at.ann, {
    channel: at.channel,
    name: 'say',
    options: { text: 'late' },
  });
  await expect.poll(() => at.faults).toEqual([10062]);
  expect(late.acknowledged).toBe(false);
  const use = at.discord.command(at.ann, {
    channel: at.channel,
    name: 'say',
    options: { text: 'x' },
  });
  await use.answer();
  // discord.js refuses the second answer by itself; sent past it, the server does.
  await expect.poll(() => at.faults).toEqual([10062, 'InteractionAlreadyReplied']);
  const path = `POST /interactions/${use.state.id}/${use.state.token}/callback`;
  const again = await request(at.discord, path, { type: 4, data: { content: 'x' } });
  expect(again.body['code']).toBe(40060);
});

test('the token ends after fifteen minutes', async () => {
  await using at = await setUp(slash((use) => use.reply('first')));
  const use = at.discord.command(at.ann, {
    channel: at.channel,
    name: 'say',
    options: { text: 'x' },
  });
  await use.answer();
  const path = `/webhooks/${at.discord.applicationId}/${use.state.token}`;
  expect((await request(at.discord, `POST ${path}`, { content: 'x' })).status).toBe(200);
  at.discord.clock.advance(15 * 60_000);
  const answer = await request(at.discord, `PATCH ${path}/messages/@original`, { content: 'x' });
  expect([answer.status, answer.body['code']]).toEqual([401, 50027]);
});

test('nothing can follow before there is a first answer, and the first after "thinking" replaces it', async () => {
  await using at = await setUp();
  const use = at.discord.command(at.ann, {
    channel: at.channel,
    name: 'say',
    options: { text: 'x' },
  });
  const path = `/webhooks/${at.discord.applicationId}/${use.state.token}`;
  expect((await request(at.discord, `POST ${path}`, { content: 'x' })).body['code']).toBe(10015);
  await request(at.discord, `POST /interactions/${use.state.id}/${use.state.token}/callback`, {
    type: 5,
  });
  await request(at.discord, `POST ${path}`, { content: 'in its place' });
  expect(use.shown?.content).toBe('in its place');
  expect(use.followUps).toEqual([]);
});

test('what is installed by a person alone has five follow-ups, also where the bot is not', async () => {
  await using at = await setUp(slash((use) => use.reply(`context ${use.context}`)));
  const foreign = at.discord.guild({ bot: false }).channel();
  const where = { channel: foreign, name: 'say', options: { text: 'x' } };
  expect(() => at.discord.command(at.ann, where)).toThrow('neither');
  at.ann.install();
  const use = at.discord.command(at.ann, where);
  expect((await use.answer()).content).toBe('context 0');
  const path = `POST /webhooks/${at.discord.applicationId}/${use.state.token}`;
  const codes: unknown[] = [];
  for (let index = 0; index < 6; index += 1) {
    at.discord.clock.advance(1000);
    codes.push((await request(at.discord, path, { content: 'x' })).body['code']);
  }
  expect(codes).toEqual([undefined, undefined, undefined, undefined, undefined, 40094]);
  const aside = at.discord.command(at.ann, { ...where, channel: at.ann.dmWith(at.discord.user()) });
  expect((await aside.answer()).content).toBe('context 2');
  const direct = at.discord.command(at.ann, { ...where, channel: at.ann.dm() });
  expect((await direct.answer()).content).toBe('context 1');
});

test('only what is registered can be used, as it is registered', async () => {
  await using at = await setUp();
  const { discord, ann, channel } = at;
  const using =
    (name: string, options = {}, by = ann) =>
    () =>
      discord.command(by, { channel, name, options });
  expect(using('nothing')).toThrow('no command nothing');
  expect(using('say')).toThrow('text: is required');
  expect(using('say', { text: 'x', more: 1 })).toThrow('no option more');
  expect(using('say', { text: 7 })).toThrow('does not fit type 3');
  expect(using('say', { text: 'x'.repeat(21) })).toThrow('21 characters');
  expect(using('glossary add', { count: 1 })).toThrow('may not use glossary');
  expect(using('glossary', {}, at.guild.owner)).toThrow('needs a subcommand');
  expect(using('glossary add', { count: 2 }, at.guild.owner)).toThrow('no choice');
  const moderator = discord.user();
  at.guild.join(moderator, [at.guild.role('mods', ['ManageGuild'])]);
  expect(using('glossary add', { count: 1 }, moderator)().acknowledged).toBe(false);
  const direct = { channel: ann.dm(), name: 'glossary add', options: { count: 1 } };
  expect(() => discord.command(ann, direct)).toThrow('not offered in context 1');
});

test('an option completes itself, with at most 25 choices of at most 100 characters', async () => {
  let choices = [{ name: 'Japanese', value: 'ja' }];
  await using at = await setUp((use) => (use.isAutocomplete() ? use.respond(choices) : undefined));
  const typing = { channel: at.channel, name: 'say', focused: 'tongue', options: { tongue: 'ja' } };
  expect(await at.discord.autocomplete(at.ann, typing)).toEqual(choices);
  choices = Array.from({ length: 26 }, (_, index) => ({
    name: String(index),
    value: String(index),
  }));
  void at.discord.autocomplete(at.ann, typing).catch(() => undefined);
  await expect.poll(() => at.faults).toEqual([50035]);
  choices = [{ name: 'x'.repeat(101), value: 'x' }];
  void at.discord.autocomplete(at.ann, typing).catch(() => undefined);
  await expect.poll(() => at.faults).toEqual([50035, 50035]);
});

test('an entry of a message menu brings the message with its text', async () => {
  await using at = await setUp((use) =>
    use.isMessageContextMenuCommand() ? use.reply(`of ${use.targetMessage.content}`) : undefined,
  );
  const said = at.channel.say(at.ann, 'bonjour');
  const use = at.discord.command(at.ann, { name: 'Translate', target: said });
  expect((await use.answer()).content).toBe('of bonjour');
});

test('buttons, menus and dialogs work where they are shown', async () => {
  const modal = new ModalBuilder({
    custom_id: 'form',
    title: 'Tell',
    components: [
      {
        type: 1,
        components: [{ type: 4, custom_id: 'why', label: 'Why', style: 1, min_length: 3 }],
      },
    ],
  });
  const row = (component: object) => ({ type: 1, components: [component] });
  await using at = await setUp(async (use) => {
    if (use.isChatInputCommand())
      await use.reply({
        content: 'panel',
        flags: MessageFlags.Ephemeral,
        components: [
          row({ type: 2, style: 1, label: 'Ask', custom_id: 'ask' }),
          row({
            type: 3,
            custom_id: 'pick',
            options: [
              { label: 'A', value: 'a' },
              { label: 'B', value: 'b' },
            ],
          }),
        ],
      });
    if (use.isButton()) await use.showModal(modal);
    if (use.isStringSelectMenu())
      await use.update({ content: `picked ${use.values.join()}`, components: [] });
    if (use.isModalSubmit()) await use.reply(`because ${use.fields.getTextInputValue('why')}`);
  });
  const { discord, ann } = at;
  const use = discord.command(ann, { channel: at.channel, name: 'say', options: { text: 'x' } });
  const panel = await use.answer();
  expect(at.channel.messages).toEqual([]);
  const asked = await discord.press(ann, panel, 'ask').until((it) => it.modal !== undefined);
  expect(() => discord.submit(asked, { why: 'x' })).toThrow('needs why');
  expect((await discord.submit(asked, { why: 'curious' }).answer()).content).toBe(
    'because curious',
  );
  expect(() => discord.press(ann, panel, 'pick', ['c'])).toThrow('no option c');
  await discord.press(ann, panel, 'pick', ['b']).until((it) => it.acknowledged);
  expect(panel.content).toBe('picked b');
  expect(() => discord.press(ann, panel, 'ask')).toThrow('shows no ask');
});
