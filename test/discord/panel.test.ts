import { expect, it } from 'vitest';
import { sentence, sentenceLike } from '../fakes/sentences.ts';
import { replyTo } from './shown.ts';
import { withBot } from './support.ts';

const bot = withBot();

it('a channel is set up by pressing, previewed, paused, resumed and turned off, and is told each time', async () => {
  const at = bot.place();
  const { guild, channel, ann } = at;
  const by = guild.owner;
  const told = (key: 'on-here' | 'paused-here' | 'resumed-here' | 'off-here') =>
    bot.discord.until(() =>
      channel.messages.some(({ content }) => sentenceLike(`autotranslate.${key}`).test(content)),
    );
  channel.say(ann, 'good morning everybody');
  const panel = await bot.use(at, 'autotranslate panel');
  expect(panel.ephemeral).toBe(true);
  await bot.press(panel, 'autotranslate page', [channel.id], by);
  await bot.press(panel, `autotranslate languages:${channel.id}`, ['es', 'ja', 'fr'], by);
  await told('on-here');
  await bot.press(panel, `autotranslate preview:${channel.id}`, undefined, by);
  expect(panel.content).toContain('ja:good morning everybody');
  const reply = await replyTo(channel.say(ann, 'hello my friends'));
  expect(reply.content).toContain('es:hello my friends');

  await bot.press(panel, `autotranslate pause:${channel.id}`, undefined, by);
  await told('paused-here');
  const unread = channel.say(ann, 'nobody has to read this line');
  await bot.settled(at);
  await bot.press(panel, `autotranslate resume:${channel.id}`, undefined, by);
  await told('resumed-here');
  await replyTo(channel.say(ann, 'everybody may read this line'));
  const shown = channel.messages.map(({ content }) => content).join('\n');
  expect(shown).not.toContain(`es:${unread.content}`);

  await bot.press(panel, `autotranslate sure:${channel.id}`, undefined, by);
  expect(panel.content).toContain(
    sentence('autotranslate.panel-sure', { channel: `<#${channel.id}>` }),
  );
  await bot.press(panel, `autotranslate off:${channel.id}`, undefined, by);
  expect(panel.content).toContain(sentence('autotranslate.panel-none'));
  await told('off-here');
});

it('several changes of a channel are one message there, until somebody writes below', async () => {
  const at = bot.place();
  const { guild, channel, ann } = at;
  const panel = await bot.use(at, 'autotranslate panel');
  const press = (control: string, values?: readonly string[]) =>
    bot.press(panel, `autotranslate ${control}`, values, guild.owner);
  await press('page', [channel.id]);
  await press(`languages:${channel.id}`, ['es', 'ja', 'fr']);
  await press(`languages:${channel.id}`, ['es', 'ja']);
  await press(`mode:${channel.id}`, ['compact']);
  await press(`languages:${channel.id}`, ['es']);
  await press(`pause:${channel.id}`);
  const on = sentenceLike('autotranslate.on-here', { name: 'owner', languages: 'Spanish' });
  const paused = sentence('autotranslate.paused-here', { name: 'owner' });
  await bot.discord.until(() => channel.messages.some(({ content }) => content.includes(paused)));
  expect(channel.messages.map(({ content }) => content)).toEqual([expect.stringMatching(on)]);

  channel.say(ann, 'why is nothing translated here?');
  await press(`resume:${channel.id}`);
  const resumed = sentence('autotranslate.resumed-here', { name: 'owner' });
  await bot.discord.until(() => channel.messages.length > 2);
  expect(channel.messages.at(-1)!.content).toContain(resumed);
  expect(channel.messages[0]!.content).toContain(paused);
});

it('a channel that is deleted while it is chosen is refused, and the panel stays', async () => {
  const at = bot.place();
  const other = at.guild.channel({ name: 'short-lived' });
  const panel = await bot.use(at, 'autotranslate panel');
  await bot.press(panel, 'autotranslate page', [other.id], at.guild.owner);
  other.delete();
  await bot.press(panel, `autotranslate languages:${other.id}`, ['es'], at.guild.owner);
  const gone = sentence('watch.deleted', { channel: `<#${other.id}>` });
  expect(panel.content).toContain(`⚠️ ${gone}`);
  await bot.press(panel, 'autotranslate page', undefined, at.guild.owner);
  expect(panel.content).toContain(sentence('autotranslate.panel-none'));
});
