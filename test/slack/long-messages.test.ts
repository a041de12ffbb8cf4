import { describe, expect, it } from 'vitest';
import type { Composed } from '../fakes/slack/driver/compose.ts';
import type { FakeChannel, FakeMessage } from '../fakes/slack/index.ts';
import { withSlackBot, type Place } from './support.ts';

const bot = withSlackBot();

const MODES = ['reply', 'below', 'mirror'] as const;
type Mode = (typeof MODES)[number];

/** A channel in one mode, with the one in which its translations stand. */
const watched = async (mode: Mode): Promise<Place & { readonly shown: FakeChannel }> => {
  const at = bot.place();
  const spanish = at.workspace.channel({ name: 'es', members: [at.admin] });
  const [en, es] = [`<#${at.channel.id}>`, `<#${spanish.id}>`];
  if (mode === 'mirror') await bot.use(at, `autotranslate mirror channels:"${en} en, ${es} es"`);
  else await bot.use(at, `autotranslate reply languages:es below:${mode === 'below'}`);
  return { ...at, shown: mode === 'mirror' ? spanish : at.channel };
};

/** What was posted since the answer to the command, in order, without notices. */
const translations = ({ posts }: FakeChannel): readonly FakeMessage[] =>
  posts.filter(({ words }) => !/auto-translate|privacy/iu.test(words));

const words = ({ shown }: { readonly shown: FakeChannel }): string =>
  translations(shown)
    .map((post) => post.words)
    .join('\n');

const expectWithinLimits = ({ shown }: { readonly shown: FakeChannel }): void => {
  for (const { text, blocks } of translations(shown)) {
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4_000);
    expect(blocks.length).toBeLessThanOrEqual(50);
  }
};

/** Resolves when each of these words stands there; then each stands there once. */
const expectEach = async (
  at: { readonly shown: FakeChannel },
  parts: readonly string[],
): Promise<void> => {
  await bot.slack.until(() => parts.every((part) => words(at).includes(part)));
  for (const part of parts) expect(words(at).split(part)).toHaveLength(2);
  expectWithinLimits(at);
};

const numbered = (count: number, of: (index: number) => string): readonly string[] =>
  Array.from({ length: count }, (_, index) => of(index));

const line = (...elements: readonly object[]) => ({ type: 'rich_text_section', elements });
const said = (text: string) => ({ type: 'text', text });

describe.each(MODES)('the translation of a message at Slack’s limits, in the mode %s,', (mode) => {
  it('of 4,000 bytes of Japanese is whole, and stays so after an edit', async () => {
    const at = await watched(mode);
    const parts = numbered(66, (index) => `第${index}番目の駅で友達に会いました。`);
    const text = parts.join('');
    expect(Buffer.byteLength(text)).toBeGreaterThan(3_000);
    const message = at.channel.say(at.ann, text.slice(0, 1_333));
    await expectEach(at, parts);
    message.edit(`${text}最後です。`);
    await expectEach(at, [...parts, '最後です。']);
    message.delete();
    await bot.slack.until(() => translations(at.shown).length === 0);
  });

  it('of 12,000 characters is whole and in order', async () => {
    const at = await watched(mode);
    const parts = numbered(240, (index) => `This is sentence ${index} of a very long story here.`);
    const text = parts.join(' ').padEnd(12_000, '.');
    expect(text.length).toBeGreaterThanOrEqual(12_000);
    at.channel.say(at.ann, text);
    await expectEach(at, parts);
    const places = parts.map((part) => words(at).indexOf(part));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  it('of 12,000 Japanese characters is whole', async () => {
    const at = await watched(mode);
    const parts = numbered(600, (index) => `第${index}番目の駅で友達に会いました、それから。`);
    at.channel.say(at.ann, parts.join(''));
    await expectEach(at, parts);
  });

  it('of 40 blocks is whole', async () => {
    const at = await watched(mode);
    const parts = numbered(40, (index) => `paragraph ${index} of the report.`);
    const blocks = parts.map((part) => ({
      type: 'rich_text',
      elements: [line(said(`This is the ${part} It is quite long, so that it takes some room.`))],
    }));
    at.channel.say(at.ann, { text: 'old', blocks });
    await expectEach(at, parts);
  });

  it('of lists nested eight deep keeps every item at its depth', async () => {
    const at = await watched(mode);
    const depths = numbered(9, (index) => `the item at depth ${index} here`);
    const lists = depths.map((text, indent) => ({
      type: 'rich_text_list',
      style: indent % 2 === 0 ? 'bullet' : 'ordered',
      indent,
      elements: [line(said(text))],
    }));
    at.channel.say(at.ann, { elements: lists } as unknown as Composed);
    await expectEach(at, depths);
    const shown = JSON.stringify(translations(at.shown).map(({ blocks }) => blocks));
    for (const indent of depths.keys()) expect(shown).toContain(`"indent":${indent}`);
  });

  it('of 100 mentions names everybody and notifies nobody', async () => {
    const at = await watched(mode);
    const people = numbered(100, (index) => `Person${index}!`).map((displayName) =>
      at.workspace.user({ displayName }),
    );
    const elements = [
      said('Good morning to each of you '),
      ...people.flatMap(({ id }) => [{ type: 'user', user_id: id }, said(' and ')]),
    ];
    at.channel.say(at.ann, { elements: [line(...elements)] } as unknown as Composed);
    const shown = (): string => JSON.stringify(translations(at.shown).map(({ blocks }) => blocks));
    await bot.slack.until(() =>
      people.every(({ state }) => shown().includes(`@${state.displayName}`)),
    );
    expectWithinLimits(at);
    expect(bot.slack.pings).toEqual([]);
  });
});
