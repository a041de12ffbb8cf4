import { describe, expect, it } from 'vitest';
import { PATHS } from '../../src/api/contract.ts';
import { crowd, fullest, lineOf } from './crowd.ts';
import { bodyOf, copiesOf, copyOf, repliesTo, replyTo, textsIn } from './shown.ts';
import { withBot } from './support.ts';

const bot = withBot();

const sentences = (count: number): string =>
  Array.from({ length: count }, (_, index) => `This is the sentence number ${index}.`).join(' ');

describe('an edit', () => {
  it('follows to the reply and to every copy', async () => {
    const { channel, ann } = await bot.reading();
    const { english, spanish } = await bot.linked();
    const replied = channel.say(ann, 'The meeting is at three');
    const copied = english.say(ann, 'The meeting is at three');
    await Promise.all([replyTo(replied), copyOf(copied, spanish)]);
    replied.edit('The meeting is at four');
    copied.edit('The meeting is at four');
    const reply = await replyTo(replied, (text) => text.includes('four'));
    const copy = await copyOf(copied, spanish, (text) => text.includes('four'));
    expect([reply.content, bodyOf(copy)]).toEqual([
      '🇪🇸 es:The meeting is at four',
      'es:The meeting is at four',
    ]);
    expect([channel.messages.length, spanish.messages.length]).toEqual([3, 1]);
  });

  it('makes a long copy shorter and a short one longer, with nothing left over', async () => {
    const { channel, ann, ...at } = await bot.reading();
    const { english, spanish } = await bot.linked();
    const replied = channel.say(ann, sentences(20));
    const copied = english.say(ann, sentences(20));
    for (const count of [110, 60, 1, 90]) {
      const text = `${sentences(count)} The end ${count}.`;
      replied.edit(text);
      copied.edit(text);
      const end = `The end ${count}.`;
      await channel.until(() => repliesTo(replied).some(({ content }) => content.includes(end)));
      await copyOf(copied, spanish, (content) => content.includes(end));
      await bot.settled({ channel, ann, ...at });
      const plain = (each: string): string => each.replace(/^🇪🇸(?: \d\/\d)?\s/, '');
      const shown = repliesTo(replied).map(({ content }) => plain(content));
      expect(shown.join(' ')).toBe(`es:${text}`);
      await bot.settled({ channel: english, ann, ...at });
      expect(spanish.messages.map(bodyOf).join(' ')).toBe(`es:${text}`);
    }
  });

  it('that comes before the translation is done wins, and nothing else is ever shown', async () => {
    const { channel, ann } = await bot.reading();
    bot.speech.fail(PATHS.translate, { hang: true });
    const said = channel.say(ann, 'I will come at three');
    await expect.poll(() => bot.speech.hanging()).toBe(1);
    said.edit('I will come at four');
    const reply = await replyTo(said);
    expect(reply.content).toBe('🇪🇸 es:I will come at four');
    expect(reply.edits).toBe(0);
    expect(bot.speech.hanging()).toBe(0);
  });

  it('is not what a preview of a link makes of a message, nor an echo', async () => {
    const { channel, ann } = await bot.reading();
    const said = channel.say(ann, 'Look at this https://example.org/ my friends');
    const reply = await replyTo(said);
    const { length } = bot.translations();
    said.resolveEmbeds();
    said.echo();
    said.pin();
    await replyTo(channel.say(ann, 'Something that comes after it'));
    expect(bot.translations()).toHaveLength(length + 1);
    expect(reply.edits).toBe(0);
  });

  it('to what needs no translation takes the copy away, and one back brings it again', async () => {
    const { channel, ann } = await bot.reading();
    const said = channel.say(ann, 'Some words of somebody');
    await replyTo(said);
    said.edit('🎉');
    await channel.until((messages) => messages.length === 2);
    said.edit('Some other words of somebody');
    expect((await replyTo(said)).content).toBe('🇪🇸 es:Some other words of somebody');
  });

  it('leaves the files where they are, however many messages the copy has', async () => {
    const { english, spanish, ann, ...at } = await bot.linked();
    const attachments = ['a.txt', 'b.txt'].map((name) => ({ name, bytes: Buffer.from(name) }));
    const said = english.say(ann, 'Two files for you', { attachments });
    await copyOf(said, spanish);
    for (const text of ['Two good files for you', sentences(90), 'Two files again for you']) {
      said.edit(text);
      await copyOf(said, spanish, (content) => content.includes(text.slice(-20)));
      await bot.settled({ ...at, ann });
      const files = spanish.messages.map((one) => one.attachments.map(({ name }) => name));
      expect(files.at(-1)).toEqual(['a.txt', 'b.txt']);
      expect(files.flat()).toHaveLength(2);
    }
  });

  it('of somebody else’s copy in a crowded moment changes that one alone', async () => {
    const at = await bot.linked();
    const { spanish } = at;
    const said = await crowd(bot, at);
    const { lines } = fullest(said, spanish);
    expect(lines.length).toBeGreaterThan(3);
    const [kept, edited, deleted, last] = lines;
    said[edited!]!.edit('I take that back');
    said[deleted!]!.delete();
    await copyOf(said[edited!]!, spanish, (text) => text.includes('es:I take that back'));
    await spanish.until(() => copiesOf(said[deleted!]!, spanish).length === 0);
    const all = textsIn(spanish).join('\n');
    for (const index of [kept!, last!]) expect(all).toContain(`${lineOf(index)}\n`);
    for (const index of [edited!, deleted!]) expect(all).not.toContain(`${lineOf(index)}\n`);
  });
});

describe('what is taken away', () => {
  it('takes its copies along: one message, a purge, a ban', async () => {
    const { guild, english, spanish, ann, bob } = await bot.linked();
    const said = Array.from({ length: 6 }, (_, index) =>
      english.say(index < 4 ? ann : bob, `${sentences(70)} Message ${index}`),
    );
    for (const each of said) await copyOf(each, spanish);
    await spanish.until((messages) => messages.length === 12);
    said[0]!.delete();
    await spanish.until((messages) => messages.length === 10);
    english.purge([said[1]!, said[2]!]);
    await spanish.until((messages) => messages.length === 6);
    guild.ban(bob, { deleteMessageSeconds: 3_600 });
    await spanish.until((messages) => messages.length === 2);
    expect(copiesOf(said[3]!, spanish)).toHaveLength(2);
  });

  it('before its translation is done is never shown', async () => {
    const { channel, ann } = await bot.reading();
    bot.speech.fail(PATHS.translate, { hang: true });
    const said = channel.say(ann, 'I never wanted to say that');
    await expect.poll(() => bot.speech.hanging()).toBe(1);
    said.delete();
    await replyTo(channel.say(ann, 'I wanted to say this instead'));
    expect(channel.messages).toHaveLength(3);
    expect(bot.speech.hanging()).toBe(0);
  });

  it('of the copies by moderators does not come back, and the others still follow', async () => {
    const { english, spanish, japanese, ...at } = await bot.linked();
    const said = english.say(at.ann, 'Some bold words of mine');
    const copy = await copyOf(said, spanish);
    await copyOf(said, japanese);
    copy.delete();
    said.edit('Some other words of mine');
    await copyOf(said, japanese, (text) => text.includes('other words'));
    await bot.settled(at);
    expect(spanish.messages).toHaveLength(0);
    said.delete();
    await japanese.until((messages) => messages.length === 0);
  });
});

describe('while the bot is away', () => {
  it('edits and deletes are found when it is back', async () => {
    const { guild, english, spanish, ann, bob } = await bot.linked();
    const said = Array.from({ length: 4 }, (_, index) => english.say(ann, `Old words ${index}`));
    for (const each of said) await copyOf(each, spanish);
    await bot.stop();
    said[0]!.edit('New words of the first one');
    said[1]!.delete();
    english.purge([said[2]!]);
    guild.ban(bob);
    await bot.start();
    await copyOf(said[0]!, spanish, (text) => text.includes('es:New words of the first one'));
    await spanish.until((messages) => messages.length === 2);
    expect(spanish.messages.map(bodyOf)).toEqual([
      'es:New words of the first one',
      'es:Old words 3',
    ]);
  });
});
