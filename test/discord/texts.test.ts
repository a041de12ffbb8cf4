import { describe, expect, it } from 'vitest';
import type { FakeMessage } from '../fakes/discord/index.ts';
import { bodyOf, copiesOf, copyOf, repliesTo, replyTo } from './shown.ts';
import { withBot } from './support.ts';

const bot = withBot();

const sentences = (chars: number): string => {
  let text = '';
  for (let index = 0; text.length < chars; index += 1) text += `This is sentence ${index}. `;
  return `${text.slice(0, chars - 5).trimEnd()} End.`;
};

/** Everything that could call somebody. */
const mentionsFor = ({ guild, ann }: ReturnType<typeof bot.place>): string => {
  const role = guild.role('Everybody else');
  return `Hello ${ann.mention} <@!${ann.id}> <@&${role.id}> @everyone @here <#${guild.id}> and you`;
};

/** Discord shows both forms alike; the bot writes the newer one. */
const asShown = (text: string): string => text.replaceAll('<@!', '<@');

const without = (messages: readonly FakeMessage[], mark: RegExp): string =>
  messages.map((one) => bodyOf(one).replace(mark, '')).join(' ');

describe('names that people give themselves', () => {
  it.each([
    ['a role', '<@&123456789012345678>', '<@&123456789012345678>'],
    ['everyone', '@everyone', '@everyone'],
    [
      'markup',
      '**bold** ||x|| [a](https://example.org)',
      '**bold** ||x|| [a](https://example.org)',
    ],
    ['a forbidden word', 'clyde of Discord', 'c lyde of D iscord'],
    ['that of the account, where nothing can be seen', '\u200B\u2060\u00AD', 'eva'],
    ['invisible signs within', 'A\u200Bnn\u202Ea', 'A nn a'],
    ['ninety signs', '🎉'.repeat(45), `${'🎉'.repeat(39)}…`],
    ['line breaks', 'Ann\n> quote\n-# small', 'Ann > quote -# small'],
    ['a footer', '-# [🌐](<https://discord.com/x>)', '-# [🌐](<https://d iscord.com/x>)'],
  ])('such as %s are shown so, and call nobody', async (_, name, shown) => {
    const { english, spanish, japanese, guild, bob } = await bot.linked();
    const eva = bot.discord.user({ name: 'eva' });
    guild.join(eva);
    guild.rename(eva, name);
    japanese.deny('ManageWebhooks');
    const said = english.say(eva, 'I have a strange name, I know');
    const [copy, byBot] = await Promise.all([copyOf(said, spanish), copyOf(said, japanese)]);
    expect(copy.author.replaceAll('\u200A', ' ')).toBe(shown);
    expect(byBot.content.split('\n')).toHaveLength(2);
    const answer = english.say(bob, 'And I answer to you', { replyTo: said });
    const quoted = await copyOf(answer, spanish);
    expect(quoted.content.split('\n')).toHaveLength(3);
    said.edit('I have a strange name, I still know');
    await copyOf(said, japanese, (text) => text.includes('still know'));
    said.delete();
    await spanish.until(() => copiesOf(said, spanish).length === 0);
  });
});

describe('texts of every length', () => {
  it.each([1, 1_990, 2_000, 4_000])('%i characters stand whole in every mode', async (chars) => {
    const here = await bot.reading();
    const { english, spanish, ann } = await bot.linked();
    const threaded = bot.place();
    await bot.use(threaded, 'autotranslate thread', { languages: 'es' });
    const text = chars === 1 ? 'a' : sentences(chars);
    const [replied, copied, aside] = [here.channel, english, threaded.channel].map((channel) =>
      channel.say(ann, text),
    ) as [FakeMessage, FakeMessage, FakeMessage];
    const end = text.slice(-4);
    await here.channel.until(() => repliesTo(replied).some(({ content }) => content.endsWith(end)));
    const mark = /^🇪🇸(?: \d\/\d)?\s/;
    expect(without(repliesTo(replied), mark) === `es:${text}`).toBe(true);
    await copyOf(copied, spanish, (content) => content.includes(`${end}\n-#`));
    expect(without(copiesOf(copied, spanish), mark) === `es:${text}`).toBe(true);
    await bot.discord.until(() => threaded.channel.threads.length === 1);
    const [thread] = threaded.channel.threads;
    await copyOf(aside, thread!, (content) => content.includes(`${end}\n-#`));
    expect(without(copiesOf(aside, thread!), mark) === `es:${text}`).toBe(true);
    for (const { content } of [...spanish.messages, ...here.channel.messages])
      if (content !== text) expect(content.length).toBeLessThanOrEqual(2_000);
  });

  it('code stays code, whatever part of a message it stands in', async () => {
    const { english, spanish, ann } = await bot.linked();
    const code = Array.from({ length: 120 }, (_, line) => `const line${line} = '*_~|@everyone';`);
    const text = `Look at this code:\n\`\`\`ts\n${code.join('\n')}\n\`\`\`\nAnd tell me what is wrong`;
    const said = english.say(ann, text);
    await copyOf(said, spanish, (content) => content.includes('what is wrong'));
    const parts = copiesOf(said, spanish).map(bodyOf);
    expect(parts.length).toBeGreaterThan(1);
    for (const part of parts) expect((part.match(/```/g) ?? []).length % 2).toBe(0);
    for (const line of code) expect(parts.some((part) => part.includes(line))).toBe(true);
  });

  it('mentions of everything stay as they are in every mode, and call nobody', async () => {
    const here = await bot.reading();
    const linked = await bot.linked();
    const { english, spanish, japanese, ann } = linked;
    japanese.deny('ManageWebhooks');
    const [inPlace, mirrored] = [mentionsFor(here), mentionsFor(linked)];
    const replied = here.channel.say(ann, inPlace);
    expect((await replyTo(replied)).content).toBe(`🇪🇸 es:${asShown(inPlace)}`);
    replied.react(ann, '🇯🇵');
    await here.channel.until(() => repliesTo(replied).length === 2);
    const copied = english.say(ann, mirrored);
    expect(bodyOf(await copyOf(copied, spanish))).toBe(`es:${asShown(mirrored)}`);
    await copyOf(copied, japanese);
    replied.edit(`${inPlace} @everyone again`);
    copied.edit(`${mirrored} @everyone again`);
    await replyTo(replied, (text) => text.includes('again'));
    await copyOf(copied, japanese, (text) => text.includes('again'));
    const answer = english.say(ann, 'I answer to that one', { replyTo: copied });
    await Promise.all([copyOf(answer, spanish), copyOf(answer, japanese)]);
    const options = { text: inPlace, to: 'es' };
    const used = bot.discord.command(ann, { channel: here.channel, name: 'translate', options });
    await used.until(({ shown }) => shown?.content === `es:${asShown(inPlace)}`);
    await bot.use(here, 'translate', { text: 'x', to: '@everyone <@&1>' });
    await bot.use(here, 'flags set', { emoji: '@everyone', language: 'es' });
  });

  it('what looks like a footer of ours is somebody’s words', async () => {
    const { english, spanish, ann, bob } = await bot.linked();
    const first = english.say(ann, 'Something that was said before');
    await copyOf(first, spanish);
    const fake = `I pretend\n-# [🌐 inglés](<${first.url}>)`;
    bot.speech.translate = (text) => text;
    const said = english.say(bob, fake);
    const copy = await copyOf(said, spanish);
    expect(copy.content).toContain(`\\-# [🌐 inglés](<${first.url}>)`);
    bot.speech.translate = (text, { target_lang }) => `${target_lang}:${text}`;
    first.delete();
    await spanish.until(({ length }) => length === 1);
    expect(spanish.last?.id).toBe(copy.id);
  });
});
