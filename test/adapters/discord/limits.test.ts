import { expect, test } from 'vitest';
import { linkTo, spaceOf } from '../../../adapters/discord/ids.ts';
import type { Content, Control } from '../../../src/model/message.ts';
import { openDiscord, placeOf } from './support.ts';
import { rich } from '../../fakes/rich-text.ts';
import { shared } from '../../fakes/opened.ts';

/** What the core gives, at the edges of what Discord takes: our Discord refuses what is over them. */

const discord = shared(() => openDiscord({ limits: 'off' }));

const post = async (content: Content) => {
  const guild = discord.fake.guild();
  const channel = guild.channel();
  await discord.adapter.platform.post(placeOf(guild, channel), content);
  return channel.messages;
};

const button = (press: string, label = 'Press'): Control => ({
  kind: 'button',
  press: `settings ${press}`,
  label,
});
const rowsOf = ({ components }: { readonly components: readonly Record<string, unknown>[] }) =>
  components.map((row) => row['components'] as readonly Record<string, unknown>[]);

test('buttons stand side by side, five to a row', async () => {
  const controls = Array.from({ length: 7 }, (_, at) => button(`n${at}`));
  const [message] = await post({ text: rich('panel'), controls });
  expect(rowsOf(message!).map((row) => row.length)).toEqual([5, 2]);
});

test('more rows than a message has are left out', async () => {
  const controls = Array.from({ length: 6 }, (_, at): Control => ({
    kind: 'channels',
    press: `settings n${at}`,
    label: 'Choose',
    chosen: [],
  }));
  const [message] = await post({ text: rich('panel'), controls });
  expect(message?.components).toHaveLength(5);
});

test('what is too long in a control is cut, in whole characters', async () => {
  const long = '🦊'.repeat(120);
  const choices = Array.from({ length: 30 }, (_, at) => ({
    value: `${at}`,
    label: `${at}${long}`,
  }));
  const [message] = await post({
    text: rich('panel'),
    controls: [
      button('a', long),
      { kind: 'choice', press: 'settings b', label: long.repeat(2), choices, most: 30 },
    ],
  });
  const [[shown], [menu]] = rowsOf(message!) as [
    [{ label: string }],
    [{ placeholder: string; max_values: number; options: { label: string }[] }],
  ];
  expect(menu.options).toHaveLength(25);
  expect(menu.max_values).toBe(25);
  for (const label of [shown.label, menu.placeholder, menu.options[0]?.label ?? '']) {
    expect(label).toMatch(/🦊…$/u);
    expect(label.isWellFormed()).toBe(true);
  }
});

test('controls with no text above them stand under an empty line', async () => {
  const [message] = await post({ text: rich(''), controls: [button('a')] });
  expect(message?.components).toHaveLength(1);
});

test('more files than a message has stand in the next one', async () => {
  const files = Array.from({ length: 11 }, (_, at) => ({
    name: `${at}.txt`,
    mediaType: 'text/plain',
    bytes: Buffer.from('x'),
  }));
  const messages = await post({ text: rich('files'), files });
  expect(messages.map(({ attachments }) => attachments.length)).toEqual([10, 1]);
});

test('a long text comes in messages that all arrive', async () => {
  const messages = await post({ text: rich('One sentence. '.repeat(300)) });
  expect(messages.map(({ content }) => content).join(' ')).toBe(
    'One sentence. '.repeat(300).trim(),
  );
});

test('two messages that say the same both arrive', async () => {
  const guild = discord.fake.guild();
  const channel = guild.channel();
  for (let times = 0; times < 2; times += 1)
    await discord.adapter.platform.post(placeOf(guild, channel), { text: rich('same') });
  expect(channel.messages).toHaveLength(2);
});

test('half of a character is sent as a sign that one is missing', async () => {
  const [message] = await post({ text: rich('cut \uD83E here') });
  expect(message?.content).toBe('cut \uFFFD here');
});

test('channels of elsewhere, and what is no channel, are told as not found', async () => {
  const guild = discord.fake.guild();
  const { id, state } = guild.channel();
  const here = { platform: 'discord', id: guild.id };
  for (const channel of [
    { space: { ...here, platform: 'web' }, id },
    { space: here, id: `${id}/../${id}` },
    { space: here, id: '12' },
  ]) {
    const posting = discord.adapter.platform.post(channel, { text: rich('x') });
    await expect(posting).rejects.toMatchObject({ code: 'not-found' });
  }
  expect(state.messages.size).toBe(0);
});

test('direct messages are linked to as Discord does', () => {
  const id = '1573312802024587264';
  expect(linkTo({ space: spaceOf(undefined, id), id }, '7')).toBe(
    `https://discord.com/channels/@me/${id}/7`,
  );
});
