import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PATHS } from '../../src/api/contract.ts';
import type { FakeMessage } from '../fakes/discord/index.ts';
import { copyOf, repliesTo, replyTo, textsIn } from './shown.ts';
import { withBot, type Place } from './support.ts';
import { sentence } from '../fakes/sentences.ts';

const bot = withBot();
const JAPAN = '🇯🇵';

const say = ({ channel, bob }: Place): FakeMessage =>
  channel.say(bob, 'The train leaves at seven tomorrow');

/** Presses a flag that works after everything before it, and checks that nothing else came of that. */
const nothingCameOf = async (flagged: FakeMessage, { ann }: Place): Promise<void> => {
  flagged.react(ann, '🇫🇷');
  await replyTo(flagged, (text) => text.startsWith('🇫🇷'));
  expect(repliesTo(flagged)).toHaveLength(1);
  flagged.unreact(ann, '🇫🇷');
  await flagged.channel.until(() => repliesTo(flagged).length === 0);
};

describe('a flag under a message', () => {
  it('gives its translation once, however many press it, until the last has gone', async () => {
    const at = bot.place();
    const { channel, ann, bob } = at;
    const said = say(at);
    const asked = bot.translations().length;
    const people = [ann, bob, ...Array.from({ length: 8 }, () => bot.discord.user())];
    for (const each of people) said.react(each, JAPAN);
    const reply = await replyTo(said);
    expect(reply.content).toBe('🇯🇵 ja:The train leaves at seven tomorrow');
    for (const each of people.slice(1)) said.unreact(each, JAPAN);
    await nothingCameOf(say(at), at);
    expect(repliesTo(said)).toHaveLength(1);
    said.unreact(ann, JAPAN);
    await channel.until(() => repliesTo(said).length === 0);
    said.react(bob, JAPAN);
    await replyTo(said);
    expect(bot.translations().length - asked).toBe(3);
  });

  it('stands beside others, follows an edit and goes with its message', async () => {
    const at = bot.place();
    const said = say(at);
    said.react(at.ann, JAPAN);
    said.react(at.ann, '🇪🇸');
    await at.channel.until(() => repliesTo(said).length === 2);
    said.edit('The train leaves at eight tomorrow');
    await at.channel.until(
      () => repliesTo(said).filter(({ content }) => content.includes('eight')).length === 2,
    );
    said.delete();
    await at.channel.until(({ length }) => length === 0);
  });

  it('that another bot offers, for people to press, asks for nothing', async () => {
    const at = bot.place();
    const menu = bot.discord.user({ name: 'RoleMenu', bot: true });
    at.guild.join(menu);
    const offered = at.channel.say(menu, 'Press the flag of the language that you speak');
    for (const flag of [JAPAN, '🇪🇸', '🇫🇷']) offered.react(menu, flag);
    await nothingCameOf(say(at), at);
    expect(repliesTo(offered)).toEqual([]);
    offered.react(at.ann, JAPAN);
    await replyTo(offered);
    offered.unreact(at.ann, JAPAN);
    await at.channel.until(() => repliesTo(offered).length === 0);
  });

  it('that is taken back before the translation is there leaves nothing', async () => {
    const at = bot.place();
    const said = say(at);
    bot.speech.fail(PATHS.translate, { hang: true });
    said.react(at.ann, JAPAN);
    await expect.poll(() => bot.speech.hanging()).toBe(1);
    said.unreact(at.ann, JAPAN);
    await expect.poll(() => bot.speech.hanging()).toBe(0);
    await nothingCameOf(said, at);
  });

  it('means what moderators say, or nothing where they want none', async () => {
    const at = bot.place();
    const { guild, ann } = at;
    await bot.use(at, 'flags set', { emoji: '🍣', language: 'Japanese' });
    const said = say(at);
    said.react(ann, '🍣');
    expect((await replyTo(said)).content).toContain('ja:The train');
    await bot.use(at, 'flags remove', { emoji: '🍣' });
    const other = say(at);
    other.react(ann, '🍣');
    await nothingCameOf(other, at);
    const panel = await bot.use(at, 'settings');
    await bot.press(panel, 'settings flags:off', undefined, guild.owner);
    other.react(ann, JAPAN);
    await bot.press(panel, 'settings flags:on', undefined, guild.owner);
    await nothingCameOf(other, at);
  });

  it('on a copy translates what its author wrote', async () => {
    const { english, spanish, ann, bob, ...at } = await bot.linked();
    const copy = await copyOf(english.say(bob, 'I would like some more tea'), spanish);
    await bot.settled({ ...at, ann, bob });
    copy.react(ann, JAPAN);
    expect((await replyTo(copy)).content).toBe('🇯🇵 ja:I would like some more tea');
  });

  it('on a voice message writes it down, on an embed says what it says', async () => {
    const { channel, ann, bob } = bot.place();
    bot.speech.hears = [{ text: 'see you at the station', language: 'en' }];
    const bytes = new Uint8Array(readFileSync('test/fixtures/audio/speech.opus'));
    const voice = channel.say(bob, '', { voice: { bytes, durationSecs: 3 } });
    voice.react(ann, JAPAN);
    const heard = await replyTo(voice, (text) => text.includes('ja:'));
    expect(heard.content).toBe('🇯🇵 ja:see you at the station\n🎧 see you at the station');
    const embeds = [{ type: 'rich', description: 'Rain all over the day' }];
    const news = channel.say(bot.discord.user({ name: 'News', bot: true }), '', { embeds });
    news.react(ann, JAPAN);
    expect((await replyTo(news)).content).toBe('🇯🇵 ja:Rain all over the day');
  });

  it('does nothing where it is not needed or not wanted', async () => {
    const at = bot.place();
    const { channel, ann, bob } = at;
    const said = say(at);
    said.react(bot.discord.botUser, JAPAN);
    said.react(ann, '🇪🇺');
    said.react(ann, '🎉');
    await nothingCameOf(said, at);
    const panel = await bot.use(at, 'privacy', {}, bob);
    await bot.press(panel, 'privacy out', undefined, bob);
    said.react(ann, JAPAN);
    await nothingCameOf(channel.say(ann, 'I want to be translated'), at);
    await bot.press(panel, 'privacy in', undefined, bob);
    await nothingCameOf(said, at);
    channel.say(bob, '', { type: 7 }).react(ann, JAPAN);
    const dm = bob.dm();
    dm.say(bob, 'Nobody follows what is said in here').react(bob, JAPAN);
    await nothingCameOf(said, at);
    expect(channel.messages).toHaveLength(3);
    expect(textsIn(dm).filter((text) => text.includes('ja:'))).toEqual([]);
  });

  it('brings nothing where the message is in its language already, and says so where it has no words', async () => {
    const at = bot.place();
    const said = say(at);
    said.react(at.ann, '🇬🇧');
    await bot.settled(at);
    expect(repliesTo(said)).toEqual([]);
    const smile = at.channel.say(at.bob, '🎉');
    smile.react(at.ann, '🇬🇧');
    expect((await replyTo(smile)).content).toBe(`🇬🇧 ${sentence('translate.nothing-to-translate')}`);
  });

  it('that cannot be served says why until it can, and goes when it is taken back', async () => {
    const at = bot.place();
    const said = say(at);
    const body = JSON.stringify({ context: [], code: 400, name: 'ErrNo', error: 'never' });
    bot.speech.fail(PATHS.translate, { status: 400, body });
    said.react(at.ann, '🇪🇸');
    const reply = await replyTo(said);
    expect(reply.content).toBe(`🇪🇸 ${sentence('service.refused', {}, 'es')}`);
    const status = await bot.use(at, 'status');
    await bot.press(status, 'status retry', undefined, at.guild.owner);
    await at.channel.until(() => repliesTo(said)[0]?.content.startsWith('🇪🇸 es:') ?? false);
    expect(repliesTo(said).map(({ id }) => id)).toEqual([reply.id]);
    said.unreact(at.ann, '🇪🇸');
    await at.channel.until(() => repliesTo(said).length === 0);
  });

  it('on a copy follows what its author writes later', async () => {
    const { english, spanish, ann, bob, ...at } = await bot.linked();
    const said = english.say(bob, 'I would like some more tea');
    const copy = await copyOf(said, spanish);
    await bot.settled({ ...at, ann, bob });
    copy.react(ann, JAPAN);
    await replyTo(copy);
    said.edit('I would like some more coffee');
    await spanish.until(
      () => repliesTo(copy)[0]?.content === '🇯🇵 ja:I would like some more coffee',
    );
    said.delete();
    await spanish.until(({ length }) => length === 0);
  });

  it('whose reply got lost on the way back leaves nothing when it is taken back', async () => {
    const at = await bot.reading();
    const said = say(at);
    await replyTo(said);
    bot.discord.fail('POST /channels/:id/messages', { reset: 'after' }, { times: 30 });
    said.react(at.ann, JAPAN);
    await at.channel.until(() => repliesTo(said).length === 2);
    said.unreact(at.ann, JAPAN);
    await at.channel.until(() => repliesTo(said).length === 1);
    bot.discord.heal();
    expect(repliesTo(said)[0]?.content).toMatch(/^🇪🇸/);
  });

  it('gives no second translation where there is one already', async () => {
    const at = await bot.reading();
    const said = say(at);
    await replyTo(said);
    said.react(at.ann, '🇪🇸');
    said.react(at.ann, JAPAN);
    await at.channel.until(() => repliesTo(said).length === 2);
    expect(repliesTo(said).map(({ content }) => content.split(':')[0])).toEqual(['🇪🇸 es', '🇯🇵 ja']);
  });
});
