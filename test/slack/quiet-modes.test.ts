import { describe, expect, it } from 'vitest';
import { sentence } from '../fakes/sentences.ts';
import { repliesTo, withSlackBot } from './support.ts';

const bot = withSlackBot();

const LONG = 'Nobody knows when the train to the coast leaves today. '.repeat(4).trim();

describe('a channel with compact replies', () => {
  it('gets small lines, and a button where something was cut', async () => {
    const at = bot.place();
    await bot.use(at, 'autotranslate compact languages:es,ja');
    const short = at.channel.say(at.ann, 'Good morning to you all');
    await bot.slack.until(() => repliesTo(short).length === 1);
    const [reply] = repliesTo(short);
    expect(reply?.blocks.map(({ type }) => type)).toEqual(['context', 'context']);
    expect(reply?.words).toContain('🇪🇸 es:Good morning to you all');
    const long = at.channel.say(at.ann, LONG);
    await bot.slack.until(() => repliesTo(long).length === 1);
    const cut = repliesTo(long)[0]!;
    expect(cut.blocks.at(-1)?.['type']).toBe('actions');
    bot.slack.act(at.bob, cut, `translate whole:${long.ts}`);
    await bot.slack.until(() => at.channel.ephemeralsFor(at.bob).length === 1);
    expect(at.channel.ephemeralsFor(at.ann)).toEqual([]);
    expect(repliesTo(long)).toHaveLength(1);
    long.edit('The train leaves at nine');
    await bot.slack.until(() => cut.words.includes('at nine'));
    expect(cut.blocks.map(({ type }) => type)).toEqual(['context', 'context']);
  });
});

describe('a channel that is translated on request', () => {
  it('gets nothing by itself, and its line shows messages to the one who presses', async () => {
    const at = bot.place();
    const [, asked] = sentence('autotranslate.request-set', { channel: '…' }).split('…');
    await bot.use(at, 'autotranslate request', { part: asked! });
    const said = at.channel.say(at.ann, 'Good morning to you all');
    const line = at.channel.posts.find(({ words }) => words.includes('Pin this message'))!;
    bot.slack.act(at.bob, line, 'catchup recent');
    await bot.slack.until(() => at.channel.ephemeralsFor(at.bob).length > 0);
    expect(JSON.stringify(at.channel.ephemeralsFor(at.bob))).toContain('Good morning to you all');
    expect(repliesTo(said)).toEqual([]);
  });
});

describe('the reaction 🌐', () => {
  it('shows a translation to the one who reacted, in the language that they chose', async () => {
    const at = bot.place();
    await bot.use(at, 'language language:es', { by: at.bob });
    const before = at.channel.ephemeralsFor(at.bob).length;
    const said = at.channel.say(at.ann, 'The train leaves at seven');
    said.react(at.bob, 'globe_with_meridians');
    await bot.slack.until(() => at.channel.ephemeralsFor(at.bob).length > before);
    const shown = at.channel.ephemeralsFor(at.bob).slice(before);
    expect(JSON.stringify(shown)).toContain('es:The train leaves at seven');
    expect(shown).toHaveLength(1);
    expect(at.channel.ephemeralsFor(at.ann)).toEqual([]);
    expect(repliesTo(said)).toEqual([]);
  });

  it('brings nothing of people who opted out', async () => {
    const at = bot.place();
    at.ann.openHome();
    await bot.slack.until(() => at.ann.home.length > 0);
    bot.slack.act(at.ann, at.ann.homeView!, 'privacy out');
    await bot.slack.until(() => JSON.stringify(at.ann.home).includes('"privacy in"'));
    await bot.use(at, 'language language:es', { by: at.bob });
    const before = at.channel.ephemeralsFor(at.bob).length;
    at.channel.say(at.ann, 'Nobody may translate this').react(at.bob, 'globe_with_meridians');
    await bot.slack.until(() => at.channel.ephemeralsFor(at.bob).length > before);
    const shown = JSON.stringify(at.channel.ephemeralsFor(at.bob).slice(before));
    expect(shown).not.toContain('es:');
  });
});

describe('a flag of the language that a message is in', () => {
  it('tells that to the one who pressed it alone', async () => {
    const at = bot.place();
    const said = at.channel.say(at.ann, 'Good morning to you all, how are you today?');
    said.react(at.bob, 'flag-gb');
    await bot.slack.until(() => at.channel.ephemeralsFor(at.bob).length === 1);
    expect(JSON.stringify(at.channel.ephemeralsFor(at.bob))).toContain(
      sentence('translate.same-language', { language: 'English' }),
    );
    expect(at.channel.ephemeralsFor(at.ann)).toEqual([]);
    expect(repliesTo(said)).toEqual([]);
  });
});
