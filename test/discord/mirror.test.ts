import { describe, expect, it } from 'vitest';
import type { FakeMessage } from '../fakes/discord/index.ts';
import { crowd, fullest, lineOf } from './crowd.ts';
import { bodyOf, copiesOf, copyOf, textsIn } from './shown.ts';
import { withBot } from './support.ts';
import { sentence } from '../fakes/sentences.ts';

const bot = withBot();
/** The people who were mentioned, once each for every mention, since the last call. */
const mentioned = () => bot.discord.pings.splice(0).map(({ id }) => id);

describe('linked channels', () => {
  it('show each message in every language, under its author’s name and picture, marked', async () => {
    const { english, spanish, japanese, guild } = await bot.linked();
    const eva = bot.discord.user({ name: 'Eva', avatar: 'a'.repeat(32) });
    guild.join(eva);
    guild.rename(eva, 'Eva 🌸');
    const said = english.say(eva, 'The **tea** is ready');
    const [es, ja] = await Promise.all([copyOf(said, spanish), copyOf(said, japanese)]);
    expect([bodyOf(es), bodyOf(ja)]).toEqual([
      'es:The **tea** is ready',
      'ja:The **tea** is ready',
    ]);
    expect(es.content).toContain('-# [🌐 inglés](<');
    expect(ja.content).toContain('-# [🌐 英語](<');
    expect(es).toMatchObject({ author: 'Eva 🌸', avatarUrl: expect.stringContaining(eva.id) });
    expect(textsIn(english)).toEqual(['The **tea** is ready']);
  });

  it('carry what is in the other language already as it is', async () => {
    const { english, spanish, ann } = await bot.linked();
    const said = english.say(ann, 'Buenos días a todos, ¿cómo están ustedes?');
    const copy = await copyOf(said, spanish);
    expect(bodyOf(copy)).toBe('Buenos días a todos, ¿cómo están ustedes?');
    expect(copy.content).toContain('-# [↗](<');
  });

  it('show what the service translates into nothing as it was written, with the reason', async () => {
    const { english, spanish, ann } = await bot.linked();
    const { translate } = bot.speech;
    bot.speech.translate = (text, fields) =>
      text.includes('riddle') ? ' ' : translate(text, fields);
    const [riddle, line] = ['I have a riddle for you', 'And now a plain line'].map((text) =>
      english.say(ann, text),
    );
    const copy = await copyOf(riddle!, spanish);
    const reason = sentence('reasons.bad-reply', {}, 'es');
    const note = sentence('autotranslate.not-translated', { reason }, 'es');
    expect(bodyOf(copy)).toBe('I have a riddle for you');
    expect(copy.content).toContain(`-# [⚠️ ${note}](<`);
    expect(bodyOf(await copyOf(line!, spanish))).toBe('es:And now a plain line');
    bot.speech.translate = translate;
  });

  it('carry files byte by byte, stickers, smiles and polls', async () => {
    const { english, spanish, ann } = await bot.linked();
    const picture = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 251));
    const files = [
      { name: 'picture.png', contentType: 'image/png', bytes: picture },
      { name: 'notes.txt', contentType: 'text/plain', bytes: Buffer.from('notes') },
    ];
    const withFiles = await copyOf(
      english.say(ann, 'Look at these pictures', { attachments: files }),
      spanish,
    );
    expect(bodyOf(withFiles)).toBe('es:Look at these pictures');
    expect(withFiles.attachments.map(({ name }) => name)).toEqual(['picture.png', 'notes.txt']);
    expect(Buffer.compare(withFiles.attachments[0]!.bytes, picture)).toBe(0);
    const bare = await copyOf(english.say(ann, '', { attachments: files.slice(0, 1) }), spanish);
    expect(Buffer.compare(bare.attachments[0]!.bytes, picture)).toBe(0);
    const sticker = await copyOf(english.say(ann, '', { stickers: ['wave'] }), spanish);
    expect(bodyOf(sticker)).toMatch(
      /^\[wave\]\(https:\/\/media\.discordapp\.net\/stickers\/\d+\.png\)$/,
    );
    const smile = await copyOf(english.say(ann, '🎉 <:party:123456789012345678>'), spanish);
    expect(bodyOf(smile)).toBe('🎉 <:party:123456789012345678>');
    const poll = { question: 'Shall we have tea?', answers: ['Yes please', 'No thanks'] };
    const asked = await copyOf(english.say(ann, '', { poll }), spanish);
    expect(bodyOf(asked)).toBe('es:Shall we have tea?\n- Yes please\n- No thanks');
  });

  it('carry forwards, also of what stands in a channel that nobody watches', async () => {
    const { english, spanish, channel, ann, bob } = await bot.linked();
    const bytes = Buffer.from('a picture');
    const elsewhere = channel.say(bob, 'This was said in another channel', {
      attachments: [{ name: 'a.png', contentType: 'image/png', bytes }],
    });
    const copy = await copyOf(english.say(ann, '', { forward: elsewhere }), spanish);
    expect(copy.author).toBe('Ann');
    expect(bodyOf(copy)).toBe('-# ↪\nes:This was said in another channel');
    expect(Buffer.compare(copy.attachments[0]!.bytes, bytes)).toBe(0);
  });

  it('quote what a message answers to as its readers have it, in chains both ways', async () => {
    const { english, spanish, japanese, ann, bob } = await bot.linked();
    const quoted = (copy: FakeMessage): string => copy.content.split('\n')[0] ?? '';
    const linkOf = ({ url }: FakeMessage): string => `(<${url}>)`;
    const first = english.say(ann, 'Shall we meet at three?');
    const firstEs = await copyOf(first, spanish);
    const firstJa = await copyOf(first, japanese);
    const second = spanish.say(bob, 'Sí, nos vemos a las tres en la plaza', { replyTo: firstEs });
    const [secondEn, secondJa] = await Promise.all([
      copyOf(second, english),
      copyOf(second, japanese),
    ]);
    expect(quoted(secondEn)).toBe(`-# ↪ <@${ann.id}>: [Shall we meet at three?]${linkOf(first)}`);
    expect(quoted(secondJa)).toBe(`-# ↪ [**Ann**: ja:Shall we meet at three?]${linkOf(firstJa)}`);
    const third = english.say(ann, 'See you there then, my friend', { replyTo: secondEn });
    const [thirdEs, thirdJa] = await Promise.all([copyOf(third, spanish), copyOf(third, japanese)]);
    expect(quoted(thirdEs)).toBe(
      `-# ↪ <@${bob.id}>: [Sí, nos vemos a las tres en la plaza]${linkOf(second)}`,
    );
    expect(quoted(thirdJa)).toContain(linkOf(secondJa));
    expect(quoted(thirdJa)).toContain('[**Bob**: ja:Sí, nos vemos a las tres en la plaza]');
    const fourth = japanese.say(bob, 'はい、もちろん行きますよ', { replyTo: thirdJa });
    expect(quoted(await copyOf(fourth, english))).toContain(linkOf(third));
    expect(quoted(await copyOf(fourth, spanish))).toContain(linkOf(thirdEs));
    expect(mentioned()).toEqual([ann.id, bob.id, ann.id]);
  });

  it('quote no name of a channel to who cannot see that channel', async () => {
    const at = bot.place();
    const team = at.guild.role('team', ['ViewChannel']);
    const closed = (name: string) =>
      at.guild.channel({
        name,
        permissions: {
          everyone: { deny: ['ViewChannel'] },
          [team.id]: { allow: ['ViewChannel'] },
          bot: { allow: ['ViewChannel'] },
        },
      });
    const [inside, plans, open] = [closed('inside'), closed('plans'), at.guild.channel()];
    const channels = `<#${inside.id}> en, <#${open.id}> es, <#${plans.id}> ja`;
    await bot.use(at, 'autotranslate mirror', { channels });
    const asked = inside.say(at.ann, `Who has written in <#${plans.id}> today?`);
    await Promise.all([copyOf(asked, open), copyOf(asked, plans)]);
    const answer = inside.say(at.bob, 'Nobody has, as far as I know', { replyTo: asked });
    expect((await copyOf(answer, open)).content).not.toContain('plans');
    expect((await copyOf(answer, plans)).content).toContain('plans');
  });

  it('quote one of several lines that share a message as what it is', async () => {
    const at = await bot.linked();
    const { english, spanish, ann } = at;
    const said = await crowd(bot, at);
    const { message, lines } = fullest(said, spanish);
    const [, second] = lines;
    const author = second! % 2 === 0 ? 'Ann' : 'Bob';
    const answer = english.say(ann, 'What did you say just then?', { replyTo: said[second!]! });
    const [quoted] = (await copyOf(answer, spanish)).content.split('\n');
    expect(quoted).toBe(`-# ↪ [**${author}**: es:${lineOf(second!)}](<${message.url}>)`);
  });

  it('quote whom and what a message mentions by name, and call its author alone', async () => {
    const { english, spanish, japanese, guild, ann, bob } = await bot.linked();
    const crew = guild.role('Crew');
    guild.rename(ann, 'Annie [@everyone]');
    const asked = english.say(bob, `Ask <@${ann.id}> or <@&${crew.id}> in <#${japanese.id}> soon`);
    await copyOf(asked, spanish);
    const names = 'Ask @Annie \\[@\u2060everyone\\] or @Crew in #日本語 soon';
    const [inSpanish] = (
      await copyOf(english.say(ann, 'I do not know them', { replyTo: asked }), spanish)
    ).content.split('\n');
    expect(inSpanish).toContain(`[**Bob**: es:${names}]`);
    const answer = spanish.say(ann, 'Pues no los conozco a ellos', {
      replyTo: await copyOf(asked, spanish),
    });
    expect((await copyOf(answer, english)).content).toContain(`<@${bob.id}>: [${names}]`);
    expect(mentioned()).toEqual([bob.id]);
  });

  it('never answer themselves, and keep the order of everybody', async () => {
    const { english, spanish, japanese, ann, bob } = await bot.linked();
    const said = Array.from({ length: 12 }, (_, index) => {
      const [channel, by] = index % 3 === 0 ? [spanish, bob] : [english, ann];
      return channel.say(by, `This is the sentence with the number ${index}`);
    });
    await copyOf(said.at(-1)!, japanese);
    await copyOf(said.at(-1)!, spanish);
    const numbers = textsIn(japanese).flatMap((text) =>
      [...text.matchAll(/number (?<number>\d+)/g)].map(({ groups }) => Number(groups?.['number'])),
    );
    expect(numbers).toEqual(said.map((_, index) => index));
    for (const [index, each] of said.entries())
      expect(copiesOf(each, index % 3 === 0 ? english : spanish)).toHaveLength(1);
  });
});

describe('a group of channels', () => {
  it('ends with `off`, and a channel that is left alone ends with it', async () => {
    const { english, spanish, japanese, ...at } = await bot.linked();
    await bot.use(at, 'autotranslate off', { channel: japanese });
    const said = english.say(at.ann, 'Only the Spanish channel has me');
    await copyOf(said, spanish);
    const channels = `<#${english.id}>、<#${spanish.id}>`;
    const over = { by: 'person', name: 'owner', channels };
    expect(textsIn(japanese)).toEqual([
      [
        `ℹ️ ${sentence('autotranslate.unlinked-here', over, 'ja')}`,
        sentence('autotranslate.off-now', {}, 'ja'),
      ].join('\n'),
    ]);
    const told = await bot.use(at, 'autotranslate off', { channel: spanish });
    expect(told.content).toContain(
      sentence('autotranslate.off-too', { channel: `<#${english.id}>` }),
    );
  });
});
