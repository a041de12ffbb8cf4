import { describe, expect, it } from 'vitest';
import { sentence } from '../fakes/sentences.ts';
import { BOT } from '../fakes/discord/permissions.ts';
import { withBot } from './support.ts';

const bot = withBot();

const server = sentence('welcome.server');
const direct = sentence('welcome.direct');

/** A server with a channel, which the bot is about to be added to. */
const newServer = () => {
  const guild = bot.discord.guild({ bot: false });
  return { guild, channel: guild.channel({ name: 'general' }) };
};

describe('a server that the bot is added to', () => {
  it('is greeted once, in the channel of its own messages, with buttons that open the first steps', async () => {
    const { guild, channel } = newServer();
    const system = guild.channel({ name: 'welcome' });
    guild.setSystemChannel(system);
    guild.addBot();
    await bot.discord.until(() => system.messages.length === 1);
    const [greeting] = system.messages;
    expect(greeting?.content).toBe(server);
    for (const [press, key] of [
      ['autotranslate open', 'autotranslate.panel-none'],
      ['captions open', 'captions.how'],
      ['language pick', 'language.choose'],
      ['help all', 'help.topics.translation'],
    ] as const) {
      const pressed = bot.discord.press(guild.owner, greeting!, press);
      await pressed.until(({ shown }) => shown?.content.includes(sentence(key)) === true);
      expect(pressed.shown?.ephemeral).toBe(true);
    }
    await bot.stop();
    await bot.start();
    await bot.use({ ...bot.place(), guild, channel }, 'autotranslate list', {}, guild.owner);
    expect([system, channel].flatMap(({ messages }) => messages)).toHaveLength(1);
  });

  it('is not greeted again where it removed the bot and adds it again', async () => {
    const { guild, channel } = newServer();
    guild.addBot();
    await bot.discord.until(() => channel.messages.length === 1);
    guild.kickBot();
    guild.addBot();
    const at = bot.place();
    await bot.use({ ...at, guild, channel }, 'autotranslate list', {}, guild.owner);
    expect(channel.messages).toHaveLength(1);
  });

  it('is not greeted where the bot has long been there, however many come with a start', async () => {
    const guilds = Array.from({ length: 100 }, () => bot.discord.guild());
    const channels = guilds.map((guild) => guild.channel());
    await bot.stop();
    await bot.start();
    const at = bot.place();
    await bot.use(at, 'autotranslate list');
    expect(channels.flatMap(({ messages }) => messages)).toEqual([]);
  });

  it('leaves channels alone in which not everybody writes: who added it is told, by the audit log', async () => {
    const guild = bot.discord.guild({ bot: false });
    const closed = guild.channel({ permissions: { everyone: { deny: ['SendMessages'] } } });
    const adder = bot.discord.user();
    guild.addBot([...BOT, 'ViewAuditLog'], adder);
    await bot.discord.until(() => adder.dm().messages.length === 1);
    expect(adder.dm().messages[0]?.content).toBe(direct);
    expect(closed.messages).toEqual([]);
  });

  it('is left alone where the bot may neither write nor see who added it', async () => {
    const guild = bot.discord.guild({ bot: false });
    const closed = guild.channel({ permissions: { everyone: { deny: ['SendMessages'] } } });
    guild.addBot();
    const at = bot.place();
    await bot.use(at, 'autotranslate list');
    expect(closed.messages).toEqual([]);
    expect(bot.logged.join('\n')).not.toContain('was not greeted');
  });
});

describe('who calls the bot', () => {
  it('is answered where a message begins with its mention, also without the intent to read messages', async () => {
    await bot.stop();
    bot.discord.revokeIntent('MessageContent');
    await bot.start();
    const at = bot.place();
    at.channel.say(at.ann, 'nobody is called here');
    at.channel.say(at.ann, `<@${bot.discord.botUser.id}> what can you do?`);
    await bot.discord.until(() => at.channel.messages.length === 3);
    expect(at.channel.messages[2]?.content).toBe(server);
    await bot.stop();
    bot.discord.grantIntent('MessageContent');
    await bot.start();
  });

  it('is answered in a direct conversation, in the language that they chose', async () => {
    const at = bot.place();
    await bot.use(at, 'language', { language: 'de' }, at.ann);
    at.ann.dm().say(at.ann, 'help');
    await bot.discord.until(() => at.ann.dm().messages.length === 2);
    const answer = at.ann.dm().messages[1];
    // A command to press has the same name for everybody.
    expect(answer?.content).toBe(sentence('welcome.direct', {}, 'de'));
    expect(answer?.pressable).toEqual(['autotranslate panel', 'translate']);
  });

  it('is not answered without end: twice a minute in one channel, and never to other bots', async () => {
    const at = bot.place();
    const robot = bot.discord.user({ bot: true });
    at.guild.join(robot);
    at.channel.say(robot, `<@${bot.discord.botUser.id}>`);
    for (let time = 0; time < 5; time += 1)
      at.channel.say(at.ann, `<@${bot.discord.botUser.id}> ${time}`);
    const answers = () => at.channel.messages.filter(({ content }) => content === server);
    await bot.discord.until(() => answers().length === 2);
    await bot.use(at, 'autotranslate list');
    expect(answers()).toHaveLength(2);
  });
});
