import { describe, expect, it } from 'vitest';
import { sentence } from '../fakes/sentences.ts';
import { pressesOf, repliesTo, replyTo } from './shown.ts';
import { withBot } from './support.ts';

const bot = withBot();

const LONG = 'Nobody knows when the train to the coast leaves today. '.repeat(4).trim();

describe('a channel with compact replies', () => {
  const watched = async () => {
    const at = bot.place();
    await bot.use(at, 'autotranslate compact', { languages: 'es, ja' });
    return at;
  };

  it('gets small lines with flags alone', async () => {
    const at = await watched();
    const reply = await replyTo(at.channel.say(at.ann, 'Good morning everybody'));
    expect(reply.content).toBe('-# 🇪🇸 es:Good morning everybody\n-# 🇯🇵 ja:Good morning everybody');
    expect(pressesOf(reply)).toEqual([]);
  });

  it('gets one reply for quick messages of one person, whose lines follow them', async () => {
    const at = await watched();
    const [first, second] = ['Good morning everybody', 'The weather is lovely today'];
    const said = at.channel.say(at.ann, first);
    const reply = await replyTo(said);
    const more = at.channel.say(at.ann, second);
    await bot.discord.until(() => reply.content.includes('lovely'));
    expect(reply.content).toBe(
      `-# 🇪🇸 es:${first}\n-# es:${second}\n-# 🇯🇵 ja:${first}\n-# ja:${second}`,
    );
    expect(repliesTo(more)).toEqual([]);
    said.delete();
    await bot.discord.until(() => !reply.content.includes('morning'));
    expect(reply.content).toBe(`-# 🇪🇸 es:${second}\n-# 🇯🇵 ja:${second}`);
    more.delete();
    await bot.discord.until(() => !at.channel.messages.includes(reply));
  });

  it('shows the whole of what was cut to the one who presses, and to nobody else', async () => {
    const at = await watched();
    const said = at.channel.say(at.ann, LONG);
    const reply = await replyTo(said);
    expect(reply.content.length).toBeLessThan(LONG.length);
    expect(pressesOf(reply)).toEqual([`translate whole:${said.id}`]);
    await bot.use(at, 'language', { language: 'es' }, at.bob);
    const pressed = bot.discord.press(at.bob, reply, `translate whole:${said.id}`);
    await pressed.until(({ shown }) => (shown?.content ?? '') !== '');
    expect(pressed.shown?.ephemeral).toBe(true);
    expect(pressed.shown?.content).toContain(`es:${LONG}`);
    expect(pressesOf(reply)).toHaveLength(1);
  });

  it('loses its button where an edit makes the text short', async () => {
    const at = await watched();
    const said = at.channel.say(at.ann, LONG);
    const reply = await replyTo(said);
    said.edit('The train leaves at nine');
    await bot.discord.until(() => reply.content.includes('at nine'));
    expect(pressesOf(reply)).toEqual([]);
    said.delete();
    await bot.discord.until(() => repliesTo(said).length === 0);
  });

  it('has its reply found again when the answer to its post is lost', async () => {
    const at = await watched();
    await bot.stop();
    const said = at.channel.say(at.ann, 'Good night everybody');
    await bot.start();
    await replyTo(said);
    await bot.settled(at);
    expect(repliesTo(said)).toHaveLength(1);
  });
});

describe('a channel that is translated on request', () => {
  it('has a line with buttons, and nothing under its messages', async () => {
    const at = bot.place();
    const answer = await bot.use(at, 'autotranslate request');
    expect(answer.ephemeral).toBe(true);
    const line = at.channel.last!;
    expect(line.ephemeral).toBe(false);
    expect(pressesOf(line)).toEqual(['catchup recent', 'language pick']);
    const said = at.channel.say(at.ann, 'Good morning everybody');
    await bot.settled(at);
    expect(repliesTo(said)).toEqual([]);
    const pressed = bot.discord.press(at.bob, line, 'catchup recent');
    await pressed.until(({ shown }) => (shown?.content ?? '') !== '');
    expect(pressed.shown?.ephemeral).toBe(true);
    expect(pressed.shown?.content).toContain('Good morning everybody');
    expect(line.content).toContain(
      sentence('autotranslate.request', { channel: `<#${at.channel.id}>` }),
    );
  });
});
