import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../src/text/language/language-names.ts';
import { countCodePoints } from '../../src/text/unicode.ts';
import { sentence } from '../fakes/sentences.ts';
import { repliesTo, replyTo, textsIn } from './shown.ts';
import { withBot, type Place } from './support.ts';

const bot = withBot();

/** Says one more line and waits for its reply: what came before it was left alone. */
const passedOver = async ({ channel, bob }: Place): Promise<void> => {
  const { length } = channel.messages;
  await replyTo(channel.say(bob, 'This line is the last one of them'));
  expect(channel.messages).toHaveLength(length + 2);
};

describe('a channel that is translated in place', () => {
  it('gets one reply under a message, with each language marked', async () => {
    const at = bot.place();
    const told = await bot.use(at, 'autotranslate reply', { languages: 'es, Japanese' });
    expect(told.content).toContain('- Spanish\n- Japanese');
    const said = at.channel.say(at.ann, 'Good morning everybody');
    const { content } = await replyTo(said);
    expect(content).toBe('🇪🇸 es:Good morning everybody\n🇯🇵 ja:Good morning everybody');
    expect(repliesTo(said)).toHaveLength(1);
  });

  it('is told in the language of its server what its moderators set, whatever theirs is', async () => {
    const guild = bot.discord.guild({ name: 'Babel', locale: 'fr' });
    const use = (name: string, options = {}) =>
      bot.discord
        .command(guild.owner, { channel: guild.channel(), name, options, locale: 'de' })
        .answer();
    expect((await use('flags expire', { minutes: 0 })).content).toBe(
      sentence('flags.stay', {}, 'fr'),
    );
  });

  it('is translated into every language that there is', async () => {
    const others = LANGUAGES.filter((language) => language !== 'en');
    const tens = Array.from({ length: Math.ceil(others.length / 10) }, (_, ten) =>
      others.slice(10 * ten, 10 * ten + 10),
    );
    const { guild, ann } = bot.place();
    const shown = await Promise.all(
      tens.map(async (languages) => {
        const at = { ...bot.place(), guild, channel: guild.channel() };
        await bot.use(at, 'autotranslate reply', { languages: languages.join(' ') });
        return (await replyTo(at.channel.say(ann, 'Where is the library?'))).content;
      }),
    );
    const lines = shown.flatMap((content) => content.split('\n'));
    expect(lines.map((line) => / (?<code>[\w-]+):Where is/.exec(line)?.groups?.['code'])).toEqual(
      others,
    );
  });

  it('leaves alone what needs no translation: commands, smiles, other bots, its own answers', async () => {
    const at = await bot.reading();
    const { channel, ann, guild } = at;
    channel.say(ann, '!play a song for me');
    channel.say(ann, '😀 🎉 <:party:123456789012345678>');
    channel.say(bot.discord.user({ name: 'Beep', bot: true }), 'I am another bot');
    channel.webhook(guild.owner).say('The build of the project failed');
    channel.say(ann, 'Buenos días a todos, ¿cómo están ustedes?');
    channel.say(ann, '', { type: 7 });
    await bot.use(at, 'help');
    await passedOver(at);
  });

  it('translates other bots where that is wanted', async () => {
    const at = await bot.reading({ bots: true });
    const hook = at.channel.webhook(at.guild.owner, 'Builds');
    const said = hook.say('The build of the project failed');
    expect((await replyTo(said)).content).toBe('🇪🇸 es:The build of the project failed');
    await passedOver(at);
  });

  it('leaves alone whoever opted out, until they take part again', async () => {
    const at = await bot.reading();
    const { channel, ann } = at;
    const panel = await bot.use(at, 'privacy', {}, ann);
    await bot.press(panel, 'privacy out', undefined, ann);
    channel.say(ann, 'Nobody shall translate this line');
    await passedOver(at);
    await bot.press(panel, 'privacy in', undefined, ann);
    await replyTo(channel.say(ann, 'Now everybody may translate me'));
  });

  it('is quiet where moderators want it', async () => {
    const at = await bot.reading();
    const { guild, channel, ann } = at;
    const panel = await bot.use(at, 'settings');
    await bot.press(panel, 'settings page:quiet', undefined, guild.owner);
    await bot.press(panel, 'settings quiet', [channel.id], guild.owner);
    channel.say(ann, 'Nobody shall translate this line');
    await bot.press(panel, 'settings quiet', [], guild.owner);
    await passedOver(at);
  });

  it('keeps and forces the terms of the glossary', async () => {
    const at = await bot.reading();
    const options = { term: 'guild bank', translation: 'banco del gremio', language: 'es' };
    await bot.use(at, 'glossary add', { term: 'Frostmourne' });
    await bot.use(at, 'glossary add', options);
    bot.speech.translate = (text) => `es ${text.replace('sword', 'espada')}`;
    const said = at.channel.say(at.ann, 'The sword Frostmourne is in the guild bank now');
    const { content } = await replyTo(said);
    expect(content).toBe('🇪🇸 es The espada Frostmourne is in the banco del gremio now');
    const [asked] = bot.speech.seen.slice(-1);
    expect(asked?.form).toContainEqual(['keywords', 'Frostmourne']);
    bot.speech.translate = (text, { target_lang }) => `${target_lang}:${text}`;
  });

  it('sends the last turns along, no more than the service takes', async () => {
    const at = await bot.reading();
    const lines = Array.from({ length: 6 }, (_, index) => `Line ${index}: ${'wörd '.repeat(130)}`);
    for (const line of lines) at.channel.say(at.ann, line);
    const last = at.channel.say(at.bob, 'What do you think about that?');
    await replyTo(last);
    const { context = '' } = bot.translations().at(-1) ?? {};
    expect(countCodePoints(context)).toBeLessThanOrEqual(2_000);
    expect(context.split('\n').map((turn) => turn.slice(0, 11))).toEqual([
      'Ann: Line 3',
      'Ann: Line 4',
      'Ann: Line 5',
    ]);
    expect(at.channel.messages.filter(({ replyTo: source }) => source)).toHaveLength(7);
  });

  it('takes poems: lines stay lines, in what is translated and in what was said before', async () => {
    const at = await bot.reading();
    const poem = Array.from({ length: 40 }, (_, line) => `and ${line}`).join('\n');
    const said = Array.from({ length: 10 }, () => at.channel.say(at.ann, poem));
    for (const each of said) expect((await replyTo(each)).content).toBe(`🇪🇸 es:${poem}`);
    expect(bot.translations().at(-1)?.['text']).toBe(poem);
  });

  it('stops at the limit of the day, and goes on when it is lifted', async () => {
    const at = await bot.reading();
    const { guild, channel, ann } = at;
    const panel = await bot.use(at, 'settings');
    await bot.press(panel, 'settings page:limits', undefined, guild.owner);
    await bot.press(panel, 'settings characters', ['10000'], guild.owner);
    const long = 'A line of many words. '.repeat(180).trim();
    const all = Array.from({ length: 3 }, () => channel.say(ann, long));
    for (const each of all) await replyTo(each);
    await bot.settled(at);
    channel.say(ann, 'This is over the limit of the day');
    await bot.settled(at);
    await bot.press(panel, 'settings characters', ['none'], guild.owner);
    await passedOver(at);
    expect(textsIn(channel).filter((text) => text.includes('over the limit'))).toHaveLength(1);
  });
});
