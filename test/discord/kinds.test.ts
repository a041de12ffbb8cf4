import { MessageType } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { serve } from '../fakes/serve.ts';
import { bodyOf, copiesOf, copyOf, replyTo, textsIn } from './shown.ts';
import { withBot } from './support.ts';

const bot = withBot();
const WRITTEN: readonly number[] = [
  MessageType.Default,
  MessageType.Reply,
  MessageType.ChatInputCommand,
  MessageType.ContextMenuCommand,
];
const SYSTEM = [
  ...Object.values(MessageType).filter((type) => typeof type === 'number'),
  // Types to come.
  99,
].filter((type) => !WRITTEN.includes(type));

describe('messages of every kind', () => {
  it('that Discord says itself are neither translated nor copied', async () => {
    const { channel, ann } = await bot.reading();
    const { english, spanish } = await bot.linked();
    for (const to of [channel, english])
      for (const type of SYSTEM) to.say(ann, 'Ann has done something', { type });
    const reply = await replyTo(channel.say(ann, 'I have done it myself'));
    const copy = await copyOf(english.say(ann, 'I have done it myself'), spanish);
    expect(channel.messages.filter(({ replyTo: to }) => to).map(({ id }) => id)).toEqual([
      reply.id,
    ]);
    expect(spanish.messages.map(({ id }) => id)).toEqual([copy.id]);
  });

  it('that hold one thing alone become what can be made of them', async () => {
    const { channel, ann, bob } = await bot.reading();
    const { english, spanish } = await bot.linked();
    const poll = { question: 'Which of these days?', answers: ['On Monday', 'On Tuesday'] };
    const embeds = [{ type: 'rich', title: 'The weather of today' }];
    const link = [{ type: 'link', url: 'https://example.org/', title: 'Example of a page' }];
    const robot = bot.discord.user({ bot: true });
    for (const to of [channel, english]) {
      to.say(ann, '', { stickers: ['wave', 'hug'] });
      to.say(ann, '', { embeds: link });
      to.say(robot, '', { embeds });
      to.say(ann, '‎​⁠');
      to.say(ann, 'https://example.org/ <#123456789012345678> `code`');
    }
    const asked = channel.say(bob, '', { poll });
    expect((await replyTo(asked)).content).toMatch(/^🇪🇸 es:Which of these days\?\s+- On Monday/);
    const copy = await copyOf(english.say(bob, '', { poll }), spanish);
    expect(bodyOf(copy)).toContain('es:Which of these days?');
    expect(channel.messages.filter(({ replyTo: to }) => to)).toHaveLength(1);
    expect(spanish.messages.map(bodyOf).slice(0, -1)).toEqual([
      expect.stringMatching(/^\[wave\]\(.*\)\n\[hug\]\(.*\)$/),
      'https://example.org/ <#123456789012345678> `code`',
    ]);
  });

  it('that are forwarded or answered with nothing behind them are no fault', async () => {
    const { english, spanish, channel, ann, bob } = await bot.linked();
    const source = channel.say(bob, 'This will be gone in a moment');
    const answered = english.say(bob, 'This will be gone as well');
    const forward = english.say(ann, '', { forward: source });
    source.delete();
    const answer = english.say(ann, 'I answer to that line', { replyTo: answered });
    answered.delete();
    expect(bodyOf(await copyOf(forward, spanish))).toContain('es:This will be gone in a moment');
    await copyOf(answer, spanish, (text) => text.includes('es:I answer to that line'));
    expect(copiesOf(answer, spanish)).toHaveLength(1);
  });
});

describe('an address in what people write', () => {
  it('is never fetched, wherever it stands: only Discord’s own files are', async () => {
    const at = await bot.reading({ bots: true });
    const { english, spanish, ann } = await bot.linked();
    await using canary = await serve((_, response) => response.end('secret'));
    const url = `${canary.url}/secret.ogg`;
    const embeds = [{ type: 'rich', description: `Read ${url} now`, url, image: { url } }];
    const avatar = bot.discord.user({ avatar: '../../../x' });
    const file = (text: string) => ({
      name: url,
      contentType: 'audio/ogg',
      bytes: Buffer.from(text),
    });
    const use = async (name: string, options: Parameters<typeof bot.use>[2]): Promise<void> => {
      await bot.use(at, name, options);
    };
    await use('translate', { text: `Please read ${url} for me`, to: url });
    await use('translate', { text: `Please read ${url} for me`, to: 'es' });
    await use('ask', { question: `What stands at ${url}?` });
    await use('say', { text: url, voice: url });
    await use('transcribe', { audio: file(url), language: 'en' });
    await use('glossary add', { term: url, translation: url });
    await use('glossary import', { file: { ...file(`term\n${url}`), name: 'g.csv' } });
    bot.discord.fail('GET /cdn', { status: 302, headers: { location: url } });
    await use('transcribe', { audio: file('sound') });
    await replyTo(at.channel.say(bot.discord.user({ bot: true }), 'Look at this', { embeds }));
    await replyTo(at.channel.say(ann, `The file stands at ${url} my friends`));
    const said = english.say(avatar, `Look at ${url} please`, { attachments: [file('x')], embeds });
    await copyOf(said, spanish);
    await bot.settled(at);
    expect(canary.asked).toEqual([]);
    expect(textsIn(at.channel).join()).not.toContain('secret file');
  });
});
