import { describe, expect, it } from 'vitest';
import { removeOnNotices } from '../fakes/on-notices.ts';
import { copyOf, repliesTo, replyTo } from './shown.ts';
import { withBot } from './support.ts';
import { sentence } from '../fakes/sentences.ts';

const bot = withBot();

describe('/autotranslate', () => {
  it('names the permissions that are missing, and changes nothing until they are there', async () => {
    const at = bot.place();
    const { guild, channel, ann } = at;
    const closed = guild.channel({ name: 'closed' });
    closed.deny('SendMessages', 'ReadMessageHistory');
    const told = await bot.use(at, 'autotranslate reply', { languages: 'es', channel: closed });
    expect(told.content).toContain('Read Message History, Send Messages');
    const channels = `<#${channel.id}> en, <#${closed.id}> es`;
    expect((await bot.use(at, 'autotranslate mirror', { channels })).content).toContain('⚠️');
    const hidden = guild.channel({ name: 'hidden' });
    hidden.deny('ViewChannel');
    const other = await bot.use(at, 'autotranslate thread', { languages: 'es', channel: hidden });
    expect(other.content).toContain('View Channel');
    channel.say(ann, 'Nobody translates me as yet');
    expect((await bot.use(at, 'autotranslate list')).content).toContain(
      sentence('autotranslate.none'),
    );
    closed.allow('SendMessages', 'ReadMessageHistory');
    await bot.use(at, 'autotranslate reply', { languages: 'es', channel: closed });
    await replyTo(closed.say(ann, 'Now somebody translates me'));
  });

  it('says in words what it cannot make sense of', async () => {
    const at = bot.place();
    const elsewhere = bot.place();
    const [one, two] = [at.channel, at.guild.channel()];
    for (const channels of [
      'anything',
      `<#${one.id}> en`,
      `<#${one.id}> en, <#${one.id}> es`,
      `<#${one.id}> en, <#${two.id}> Klingon`,
      `<#${one.id}> en, <#${two.id}> en`,
      `<#${one.id}> en, <#${elsewhere.channel.id}> es`,
      '@everyone <@&1> <#1> x, <#2> y',
    ])
      expect((await bot.use(at, 'autotranslate mirror', { channels })).content).toMatch(/^⚠️ /);
    for (const languages of ['Klingon', ', ,', 'a'.repeat(2_000)])
      expect((await bot.use(at, 'autotranslate reply', { languages })).content).toMatch(/^⚠️ /);
  });

  it('links a forum, which shows the threads of a channel alone, and has no mode of its own threads', async () => {
    const at = bot.place();
    const forum = at.guild.channel({ type: 'forum' });
    const channels = `<#${at.channel.id}> en, <#${forum.id}> es`;
    const told = await bot.use(at, 'autotranslate mirror', { channels });
    expect(told.content).toContain(sentence('autotranslate.mirror'));
    at.channel.say(at.ann, 'Nobody reads this in the forum');
    const thread = at.channel.startThread(at.ann, 'The shop is open again');
    thread.say(at.ann, 'It opens at nine in the morning');
    await bot.settled(at);
    expect(forum.threads.map(({ name }) => name)).toEqual(['es:The shop is open again']);
    await bot.use(at, 'autotranslate off', { channel: forum });
    const threaded = { languages: 'es', channel: forum };
    expect((await bot.use(at, 'autotranslate thread', threaded)).content).toMatch(/^⚠️ /);
  });

  it('works in the chat of voice channels, in announcements, and in threads of them', async () => {
    const at = bot.place();
    const voice = at.guild.channel({ type: 'voice' });
    const news = at.guild.channel({ type: 'announcement' });
    await bot.use(at, 'autotranslate reply', { languages: 'es', channel: voice });
    await replyTo(voice.say(at.ann, 'Can all of you hear me?'));
    await bot.use(at, 'autotranslate thread', { languages: 'es', channel: news });
    const said = news.say(at.ann, 'The shop is open again');
    await bot.discord.until(() => news.threads.length === 1);
    await copyOf(said, news.threads[0]!);
    const thread = news.startThread(at.bob, 'About the shop');
    await bot.use({ ...at, channel: thread }, 'autotranslate reply', { languages: 'es' });
    await replyTo(thread.say(at.ann, 'When is it closed again?'));
  });

  it('leaves alone what was said before, also when it is edited later', async () => {
    const at = bot.place();
    const before = at.channel.say(at.ann, 'This was said before');
    await bot.use(at, 'autotranslate reply', { languages: 'es' });
    before.edit('This was said before and changed');
    await replyTo(at.channel.say(at.ann, 'This was said afterwards'));
    expect(repliesTo(before)).toHaveLength(0);
  });

  it('takes the place of what was there: one group, then another, then none', async () => {
    const { english, spanish, japanese, ...at } = await bot.linked();
    const french = { languages: 'fr', channel: english };
    const asked = await bot.use(at, 'autotranslate reply', french);
    await bot.press(asked, `autotranslate end:${english.id}`, undefined, at.guild.owner);
    await bot.use(at, 'autotranslate reply', french);
    const said = english.say(at.ann, 'Now I am translated in place');
    expect((await replyTo(said)).content).toContain('fr:');
    const other = spanish.say(at.ann, 'Esto ya no va al canal inglés, sino al japonés');
    await copyOf(other, japanese);
    await removeOnNotices(bot.discord, [english]);
    expect(english.messages).toHaveLength(3);
    await bot.use(at, 'autotranslate off', { channel: english });
    await bot.discord.until(() => english.messages.length > 3);
    english.say(at.ann, 'Now I am not translated any more');
    await replyTo((await bot.reading()).channel.say(at.ann, 'But I am in another place'));
    const newest = english.messages.slice(3).map(({ content }) => content);
    expect(newest).toEqual([
      expect.stringContaining(sentence('autotranslate.off-here', { name: 'owner' })),
      'Now I am not translated any more',
    ]);
  });
});

describe('without the intent to read what people write', () => {
  it('says so, and works where people call it', async () => {
    const at = await bot.reading();
    await bot.stop();
    bot.discord.revokeIntent('MessageContent');
    await bot.start();
    expect((await bot.use(at, 'status')).content).toContain('Message Content Intent');
    const unread = at.channel.say(at.ann, 'You cannot read what I write');
    const target = at.channel.say(at.ann, 'But you can read this one');
    const locale = 'es-ES';
    const used = bot.discord.command(at.bob, {
      name: sentence('commands.translate.menu'),
      target,
      locale,
    });
    await used.until(({ shown }) => shown?.content === 'es:But you can read this one');
    await bot.stop();
    bot.discord.grantIntent('MessageContent');
    await bot.start();
    await replyTo(unread);
  });
});
