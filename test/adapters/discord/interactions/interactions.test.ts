import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../../fakes/eventually.ts';
import type { Attachment, Content } from '../../../../src/model/message.ts';
import { placeOf } from '../support.ts';
import { rich } from '../../../fakes/rich-text.ts';
import { parseDiscord } from '../../../../adapters/discord/rich-text/parse.ts';
import { withCommands } from './support.ts';

const { discord, setUp, showing } = withCommands('zh-TW');

describe('a command', () => {
  test('is acknowledged while the core does nothing yet', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    discord.core.work = async ({ signal }) => {
      resolve();
      await once(signal, 'abort');
    };
    const used = setUp().use();
    await promise;
    expect(used).toMatchObject({ deferred: true, ephemeral: false, shown: undefined });
  });

  test('that could not be done is told to the asker alone', async () => {
    showing({ text: rich('I do not know that language.'), tone: 'error' });
    const { channel, use } = setUp();
    const shown = await use().answer();
    expect(shown.content).toContain('I do not know that language.');
    expect(shown.ephemeral).toBe(true);
    expect(channel.messages).toEqual([]);
  });

  test('that breaks off stays where its beginning was shown', async () => {
    showing({ text: rich('Half') }, { text: rich('Half\n\nThe rest is lost.'), tone: 'error' });
    const { use } = setUp();
    const used = use();
    await used.until(({ shown }) => shown?.content.includes('The rest') ?? false);
    expect(used.shown?.ephemeral).toBe(false);
    expect(used.followUps).toEqual([]);
  });

  test('tells who asked for what, and where', async () => {
    const { guild, channel, ann, use } = setUp();
    guild.rename(ann, 'Anna');
    const role = guild.role('Helpers', ['ManageGuild']);
    guild.state.members.get(ann.id)?.roles.push(role.id);
    await use('glossary add', { term: 'dragoman' }).answer();
    expect(discord.core.invocations).toMatchObject([
      {
        command: 'glossary add',
        options: { term: 'dragoman' },
        member: {
          id: ann.id,
          name: 'Anna',
          locale: 'zh-Hant',
          role: 'moderator',
          roles: [role.id],
        },
        channel: placeOf(guild, channel),
      },
    ]);
  });

  test('in a direct message makes a space of its own, in which everybody moderates', async () => {
    const { ann } = setUp();
    const channel = ann.dm();
    await discord.fake
      .command(ann, { channel, name: 'translate', options: { text: 'x' } })
      .answer();
    expect(discord.core.invocations).toMatchObject([
      { channel: { space: { id: `dm:${channel.id}` } }, member: { role: 'moderator' } },
    ]);
  });

  test('in a thread says which channel it belongs to', async () => {
    const { guild, channel, ann } = setUp();
    const thread = channel.startThread(ann, 'aside');
    await discord.fake
      .command(ann, { channel: thread, name: 'translate', options: { text: 'x' } })
      .answer();
    expect(discord.core.invocations[0]?.channel).toEqual({
      ...placeOf(guild, thread),
      parentId: channel.id,
    });
  });

  test('reads what was typed as Discord shows it', async () => {
    const { channel, ann, use } = setUp();
    const typed = `**so** ${ann.mention} in <#${channel.id}>`;
    await use('translate', { text: typed }).answer();
    expect(discord.core.invocations[0]?.readText?.(typed)).toEqual(parseDiscord(typed));
  });

  test('that is private is answered to the asker alone', async () => {
    const used = setUp().use('secret', {});
    expect((await used.answer()).ephemeral).toBe(true);
  });

  test('that is for moderators alone is begun where only the asker sees that it is refused', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    discord.core.work = async ({ signal }) => {
      resolve();
      await once(signal, 'abort');
    };
    const used = setUp().use('glossary add', { term: 'fox' });
    await promise;
    expect(used).toMatchObject({ deferred: true, ephemeral: true });
  });

  test('reads an attached file', async () => {
    const { ann, channel } = setUp();
    let read = '';
    discord.core.work = async (invocation) => {
      const file = ('options' in invocation && invocation.options['audio']) as Attachment;
      for await (const chunk of file.open()) read += Buffer.from(chunk).toString();
      await invocation.answer.show({
        text: rich(`${file.name} ${file.mediaType} ${file.sizeBytes}`),
      });
    };
    const audio = { name: 'a.ogg', contentType: 'audio/ogg', bytes: Buffer.from('sound') };
    const used = discord.fake.command(ann, { channel, name: 'transcribe', options: { audio } });
    expect((await used.answer()).content).toBe('a.ogg audio/ogg 5');
    expect(read).toBe('sound');
  });

  test('from the menu of a message brings the message, and is answered in private', async () => {
    const { channel, ann } = setUp();
    const target = channel.say(ann, 'hello');
    const used = discord.fake.command(ann, { name: 'Translate', target });
    expect((await used.answer()).ephemeral).toBe(true);
    expect(discord.core.invocations).toMatchObject([
      { command: 'translate', options: {}, on: { text: rich('hello'), ref: { id: target.id } } },
    ]);
  });

  test.each([
    ['Discord takes for over', 404, { message: 'Unknown interaction', code: 10_062 }],
    [
      'somebody else has acknowledged',
      400,
      { message: 'Interaction has already been acknowledged.', code: 40_060 },
    ],
  ])('that %s is not done', async (_, status, body) => {
    discord.fake.fail('POST /interactions/:id/:token/callback', { status, body });
    setUp().use();
    await eventually(() =>
      expect(discord.core.logged.join('')).toContain('interaction not acknowledged'),
    );
    expect(discord.core.invocations).toEqual([]);
  });

  test('is done once where the answer to its acknowledgement is lost', async () => {
    discord.fake.fail('POST /interactions/:id/:token/callback', { reset: 'after' });
    await setUp().use().answer();
    expect(discord.core.invocations).toHaveLength(1);
  });
});

describe('a control', () => {
  test('that is pressed shows its panel anew in the same message', async () => {
    const { use, ann, channel } = setUp();
    showing({
      text: rich('panel'),
      controls: [
        { kind: 'button', press: 'settings flags:on', label: 'On', look: 'primary' },
        { kind: 'button', press: 'settings flags:off', label: 'Off' },
        {
          kind: 'choice',
          press: 'settings limit',
          label: 'Limit',
          choices: [
            { value: '1', label: 'One', chosen: true },
            { value: '2', label: 'Two' },
          ],
        },
        { kind: 'roles', press: 'settings roles:say', label: 'Roles', chosen: [] },
        { kind: 'channels', press: 'settings quiet', label: 'Quiet', chosen: [channel.id] },
      ],
    });
    const panel = await use().answer();
    expect(panel.components.map((row) => row['components'])).toMatchObject([
      [
        { type: 2, style: 1 },
        { type: 2, style: 2 },
      ],
      [{ type: 3, min_values: 1, max_values: 1 }],
      [{ type: 6, min_values: 0 }],
      [{ type: 8, default_values: [{ id: channel.id, type: 'channel' }] }],
    ]);
    showing({ text: rich('changed') });
    const pressed = discord.fake.press(ann, panel, 'settings limit', ['2']);
    await pressed.until(() => panel.content === 'changed');
    expect(pressed.deferred).toBe(true);
    expect(panel.components).toEqual([]);
    expect(channel.messages).toHaveLength(1);
    expect(discord.core.presses).toMatchObject([
      { press: 'settings limit', values: ['2'], control: { chosen: ['1'] } },
    ]);
  });

  test.each([
    ['roles', 'settings roles:say', []],
    ['channels', 'settings quiet', ['chosen']],
    ['people', 'autotranslate rulepeople', ['chosen']],
  ] as const)('of %s tells what it showed as chosen', async (kind, press, shown) => {
    const { use, ann, channel } = setUp();
    const chosen = shown.map(() => channel.id);
    showing({ text: rich('panel'), controls: [{ kind, press, label: 'These', chosen }] });
    const panel = await use().answer();
    const pressed = discord.fake.press(ann, panel, press, ['7']);
    await pressed.until(() => discord.core.presses.length === 1);
    expect(discord.core.presses).toMatchObject([{ values: ['7'], control: { chosen } }]);
  });
});

describe('a control that answers its presser alone', () => {
  const notice: Content = {
    text: rich('notice'),
    controls: [{ kind: 'button', press: 'secret choose:out', label: 'Leave me out' }],
  };

  test('leaves what everybody sees as it is', async () => {
    const { guild, use, channel } = setUp();
    const bob = discord.fake.user({ name: 'Bob' });
    guild.join(bob);
    showing(notice);
    const panel = await use().answer();
    showing({ text: rich('You are left out.'), tone: 'error' });
    const pressed = discord.fake.press(bob, panel, 'secret choose:out');
    const answer = await pressed.answer();
    expect(answer.ephemeral).toBe(true);
    expect(answer.content).toContain('You are left out.');
    expect(channel.messages.map(({ content }) => content)).toEqual(['notice']);
    expect(panel.components).toHaveLength(1);
  });

  test('is answered in its place where the presser alone sees it already', async () => {
    const { ann, use, channel } = setUp();
    showing(notice);
    const panel = await use('secret', {}).answer();
    showing({ text: rich('You are left out.') });
    const pressed = discord.fake.press(ann, panel, 'secret choose:out');
    await pressed.until(() => panel.content === 'You are left out.');
    expect(pressed.followUps).toEqual([]);
    expect(channel.messages).toEqual([]);
  });
});

describe('a panel with a long text', () => {
  test('is one message, so that a press leaves nothing of it', async () => {
    const { use, ann, channel } = setUp();
    const controls = [{ kind: 'button', press: 'settings more', label: 'More' }] as const;
    showing({ text: rich('word '.repeat(900)), controls });
    const panel = await use().answer();
    await eventually(() => expect(panel.components).toHaveLength(1));
    expect(panel.attachments).toHaveLength(1);
    showing({ text: rich('changed') });
    const pressed = discord.fake.press(ann, panel, 'settings more');
    await pressed.until(() => panel.content === 'changed');
    expect(channel.messages.map(({ content }) => content)).toEqual(['changed']);
  });
});

describe('an option that completes itself', () => {
  const typing = async ({ ann, channel }: ReturnType<typeof setUp>) =>
    discord.fake.autocomplete(ann, {
      channel,
      name: 'translate',
      options: { text: 'hi', to: 'jap' },
      focused: 'to',
    });

  test('offers what the core finds', async () => {
    discord.core.completing = async () =>
      Array.from({ length: 25 }, (_, index) => ({
        value: `v${index}`,
        label: `${index % 20} ${'x'.repeat(200)}`,
      }));
    const choices = await typing(setUp());
    expect(choices).toHaveLength(20);
    expect(choices[0]?.name).toHaveLength(100);
  });
});

test('what is logged holds nobody’s text and no token', async () => {
  const { use } = setUp();
  discord.core.work = async ({ answer }) => {
    discord.fake.fail('PATCH /webhooks/:id/:token/messages/:id', {
      status: 400,
      body: { code: 50_035, message: 'Invalid Form Body' },
    });
    await answer.show({ text: rich('a very secret text') });
  };
  const used = use('translate', { text: 'another secret' });
  await used.until((it) => it.acknowledged);
  await discord.fake.until(() =>
    discord.fake.requests.some(({ method, status }) => method === 'PATCH' && status === 400),
  );
  const logged = discord.core.logged.join('\n');
  expect(logged).not.toContain('secret');
  expect(logged).not.toContain(discord.fake.token);
});

test.each([true, 'after'] as const)(
  'an interaction whose acknowledgement hangs (%s) is acknowledged in time and done once',
  async (hang) => {
    discord.fake.fail('POST /interactions/:id/:token/callback', { hang });
    const shown = await setUp().use().answer();
    expect(shown.content).toBe('done');
    expect(discord.core.invocations).toHaveLength(1);
  },
);

test('an interaction is done once where the answers to all its acknowledgements are late', async () => {
  discord.fake.fail('POST /interactions/:id/:token/callback', { latencyMs: 1_200 }, { times: 3 });
  const shown = await setUp().use().answer();
  expect(shown.content).toBe('done');
  expect(discord.core.invocations).toHaveLength(1);
});

describe('who uses a command', () => {
  test.each([
    [['ManageGuild'], 'moderator'],
    [['Administrator'], 'moderator'],
    [['ManageMessages', 'ManageChannels', 'KickMembers'], 'member'],
  ] as const)('with %j is a %s', async (permissions, role) => {
    const { guild, channel } = setUp();
    const bob = discord.fake.user();
    guild.join(bob, [guild.role('role', permissions)]);
    const options = { text: 'x' };
    await discord.fake.command(bob, { channel, name: 'translate', options }).answer();
    expect(discord.core.invocations.at(-1)?.member.role).toBe(role);
  });
});

describe('what an option completes itself with', () => {
  const offered = async (...choices: { value: string; label: string }[]) => {
    const { ann, channel } = setUp();
    discord.core.completing = async () => choices;
    const options = { text: 'hi', to: 'x' };
    const use = { channel, name: 'translate', options, focused: 'to' };
    return discord.fake.autocomplete(ann, use);
  };

  test('leaves out what is too long to be chosen', async () => {
    const choices = [
      { value: 'v'.repeat(101), label: 'long' },
      { value: 'short', label: 'short' },
    ];
    expect(await offered(...choices)).toEqual([{ name: 'short', value: 'short' }]);
  });

  test('keeps the best of those that are called the same', async () => {
    const choices = ['v'.repeat(101), 'best', 'other'].map((value) => ({ value, label: 'Same' }));
    expect(await offered(...choices)).toEqual([{ name: 'Same', value: 'best' }]);
  });
});
