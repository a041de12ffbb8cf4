import { describe, expect, test } from 'vitest';
import { eventually } from '../fakes/eventually.ts';
import { withBot } from './support.ts';
import { sentence } from '../fakes/sentences.ts';

const bot = withBot();

type Use = readonly [name: string, options: Parameters<typeof bot.use>[2]];

/** Moderators of a server can give their commands to others in Discord's own settings. */
const giveToEverybody = (name: string): void => {
  const command = bot.discord.commands.find((one) => one.name === name.split(' ')[0]);
  if (command) command['default_member_permissions'] = null;
};

const csv = () => ({
  name: 'words.csv',
  contentType: 'text/csv',
  bytes: Buffer.from('term,language,translation\nfox,es,zorro\n'),
});

describe('a command that changes the server', () => {
  test.each<Use>([
    ['autotranslate reply', { languages: 'es' }],
    ['autotranslate thread', { languages: 'es' }],
    ['autotranslate mirror', { channels: '<#1> en, <#2> es' }],
    ['autotranslate off', {}],
    ['autotranslate list', {}],
    ['settings', {}],
    ['flags set', { emoji: '🏴', language: 'en' }],
    ['flags remove', { emoji: '🏴' }],
    ['glossary add', { term: 'fox' }],
    ['glossary remove', { term: 'fox' }],
    ['glossary import', { file: csv() }],
  ])('is refused to who does not moderate, also where it is given to them: /%s', async (...use) => {
    const at = bot.place();
    giveToEverybody(use[0]);
    const shown = await bot.use(at, ...use, at.ann);
    expect(shown.content).toContain(sentence('errors.needs-moderator', { platform: 'discord' }));
    expect(shown.content).toContain('Manage Server');
    expect(shown.ephemeral).toBe(true);
    expect(at.channel.messages).toEqual([]);
  });
});

describe('what concerns one person, or moderators', () => {
  test.each<Use>([
    ['settings', {}],
    ['usage', {}],
    ['status', {}],
    ['privacy', {}],
    ['flags list', {}],
    ['autotranslate list', {}],
    ['glossary list', {}],
    ['glossary export', {}],
  ])('is answered to the asker alone: /%s', async (...use) => {
    // There is something to tell: that there is nothing is told to the asker alone anyway.
    const at = await bot.reading();
    await bot.use(at, 'glossary add', { term: 'fox' });
    await bot.use(at, 'flags set', { emoji: '🏴', language: 'en' });
    await bot.use(at, 'translate', { text: 'How are you today?', to: 'es' });
    const before = at.channel.messages.length;
    // What was used is recorded after the answer.
    const shown = await eventually(async () => {
      const answer = await bot.use(at, ...use);
      expect(answer.content).not.toMatch(/^ℹ️/);
      return answer;
    });
    expect(shown.ephemeral).toBe(true);
    expect(at.channel.messages).toHaveLength(before);
  });

  test('a change of the server is for all to see', async () => {
    const at = bot.place();
    await bot.use(at, 'autotranslate reply', { languages: 'es' });
    expect(at.channel.last?.ephemeral).toBe(false);
  });
});

test('which channels are watched is told to moderators alone', async () => {
  const at = await bot.reading();
  expect((await bot.use(at, 'status')).content).toContain(`<#${at.channel.id}>`);
  const theirs = await bot.use(at, 'status', {}, at.ann);
  expect(theirs.content).not.toContain(`<#${at.channel.id}>`);
});

test('a member whom a command was given to by role may use it, others may not', async () => {
  const at = bot.place();
  const [readers, others] = [at.guild.role('readers'), at.guild.role('others')];
  at.guild.state.members.get(at.ann.id)?.roles.push(others.id, readers.id);
  at.guild.state.members.get(at.bob.id)?.roles.push(others.id);
  const open = async (press: string, values: readonly string[] = []) =>
    bot.press(panel, press, values, at.guild.owner);
  const panel = await bot.use(at, 'settings');
  await open('settings page:roles');
  await open('settings command', ['translate']);
  await open('settings roles:translate', [readers.id]);
  const translate = { text: 'How are you today?', to: 'es' };
  const [may, mayNot] = [
    await bot.use(at, 'translate', translate, at.ann),
    await bot.use(at, 'translate', translate, at.bob),
  ];
  expect(may.content).toContain('How are you');
  expect(mayNot.content).toContain(sentence('errors.needs-role', { command: 'translate' }));
  expect(mayNot.ephemeral).toBe(true);
});

test('a message is explained by its link to its author and moderators, of channels here that they see', async () => {
  const at = await bot.reading();
  const { guild, channel, ann, bob } = at;
  const said = channel.say(ann, '!play that song again');
  await bot.settled(at);
  const told = sentence('why.skipped.command');
  const none = sentence('why.not-found');
  const why = async (message: string, by = guild.owner) =>
    (await bot.use(at, 'why', { message }, by)).content;
  for (const by of [ann, guild.owner])
    for (const typed of [said.url, `<${said.url}>`, said.id])
      expect(await why(typed, by)).toContain(told);
  expect(await why(said.url, bob)).toContain(
    sentence('why.not-yours', { entry: sentence('commands.translate.menu') }),
  );

  const hidden = guild.channel({ permissions: { [ann.id]: { deny: ['ViewChannel'] } } });
  const secret = hidden.say(ann, 'I wrote this while I saw the channel').url;
  const elsewhere = await bot.reading();
  elsewhere.guild.join(ann);
  const foreign = elsewhere.channel.say(ann, '!play that song again').url;
  // Names this server, and a channel of the other.
  const forged = foreign.replace(elsewhere.guild.id, guild.id);
  const never = `${said.url.slice(0, -18)}100000000000000000`;
  for (const typed of [secret, foreign, forged, never, 'https://example.org', 'that message'])
    expect(await why(typed, ann)).toContain(none);
  expect(await why(secret)).not.toContain(none);
});
