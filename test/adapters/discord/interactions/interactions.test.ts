import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../../fakes/eventually.ts';
import type { Attachment } from '../../../../src/model/file.ts';
import type { Content } from '../../../../src/model/content.ts';
import { openDiscord, placeOf, type TestDiscord } from '../support.ts';
import { rich } from '../../../fakes/rich-text.ts';
import { parseDiscord } from '../../../../adapters/discord/rich-text/parse.ts';

let discord: TestDiscord;
beforeAll(async () => {
  discord = await openDiscord({ limits: 'off' });
});
afterAll(async () => discord[Symbol.asyncDispose]());
beforeEach(() => {
  const { core, fake } = discord;
  core.invocations.length = 0;
  core.presses.length = 0;
  core.logged.length = 0;
  core.work = async ({ answer }) => answer.show({ text: rich('done') });
  fake.heal();
  fake.pings.length = 0;
});

const setUp = () => {
  const guild = discord.fake.guild();
  const channel = guild.channel();
  const ann = discord.fake.user({ name: 'Ann', locale: 'zh-TW' });
  guild.join(ann);
  const use = (name = 'translate', options: Record<string, string> = { text: 'hi' }) =>
    discord.fake.command(ann, { channel, name, options });
  return { guild, channel, ann, use };
};

/** Shows each content when the last one stands. */
const showing = (...contents: Content[]): void => {
  discord.core.work = async ({ answer }) => {
    for (const content of contents) await answer.show(content);
  };
};

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

  test('that Discord takes for over is not done', async () => {
    discord.fake.fail('POST /interactions/:id/:token/callback', {
      status: 404,
      body: { message: 'Unknown interaction', code: 10_062 },
    });
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

describe('an answer', () => {
  test('never pings', async () => {
    const { ann, use } = setUp();
    showing(
      { text: parseDiscord(`@everyone ${ann.mention} ${'and more. '.repeat(300)}`) },
      { text: parseDiscord('@here') },
    );
    const used = use();
    await used.until((it) => it.shown?.content === '@here');
    expect(discord.fake.pings).toEqual([]);
  });

  test('grows into further messages and shrinks back', async () => {
    const long = 'A sentence of some length. '.repeat(200);
    showing({ text: rich(long) });
    const used = setUp().use();
    await used.until((it) => it.followUps.length === 2);
    const all = [used.shown, ...used.followUps].map((one) => one?.content).join(' ');
    expect(all.replaceAll(/\s+/g, ' ').trim()).toBe(long.trim());
    const [invocation] = discord.core.invocations;
    await invocation?.answer.show({ text: rich('short') });
    expect(used.followUps).toEqual([]);
    expect(used.shown?.content).toBe('short');
  });

  test('drops its files when it shows something else', async () => {
    const file = { name: 'a.txt', mediaType: 'text/plain', bytes: Buffer.from('a') };
    showing({ text: rich('with'), files: [file] }, { text: rich('without') });
    const used = setUp().use();
    await used.until((it) => it.shown?.content === 'without');
    expect(used.shown?.attachments).toEqual([]);
  });

  test('of more than can be read comes as a file too', async () => {
    const text = 'A sentence of some length. '.repeat(1_000);
    showing({ text: rich(text) });
    const used = setUp().use();
    await used.until((it) => it.followUps.length === 3);
    const [file] = used.followUps.at(-1)?.attachments ?? [];
    expect(Buffer.from(file?.bytes ?? []).toString()).toBe(text.trim());
  });

  test('where only the asker has the app keeps to five follow-ups, the rest in a file', async () => {
    const { fake, core } = discord;
    const ann = fake.user();
    ann.install();
    const channel = ann.dmWith(fake.user());
    const words = (count: number): string => 'word '.repeat(count * 390);
    showing(
      { text: rich(words(5)) },
      { text: rich('x') },
      { text: rich(words(3)) },
      { text: rich('end') },
    );
    const used = fake.command(ann, { channel, name: 'translate', options: { text: 'x' } });
    await used.until((it) => it.shown?.content === 'end' && it.followUps.length === 0);
    expect(core.logged.filter((line) => line.includes('"level":50'))).toEqual([]);
    const followUps = fake.requests.filter(
      ({ route, path }) => route.startsWith('POST /webhooks') && path.includes(used.state.token),
    );
    expect(followUps.length).toBeLessThanOrEqual(5);
  });

  test('goes on as a message of the bot when the time for it is over', async () => {
    const { use, channel } = setUp();
    const used = use();
    await used.answer();
    discord.fake.clock.advance(16 * 60_000);
    await discord.core.invocations[0]?.answer.show({ text: rich('late') });
    expect(channel.last?.content).toBe('late');
    expect(channel.messages).toHaveLength(1);
  });

  test('in private that is late is not shown to everybody', async () => {
    const { use, channel } = setUp();
    await use('secret', {}).answer();
    discord.fake.clock.advance(16 * 60_000);
    const late = discord.core.invocations[0]?.answer.show({ text: rich('late') });
    await expect(late).rejects.toMatchObject({ code: 'cancelled' });
    expect(channel.messages).toEqual([]);
  });

  test('that was deleted ends the work for it', async () => {
    const { use, channel } = setUp();
    await use().answer();
    const [invocation] = discord.core.invocations;
    expect(invocation?.signal.aborted).toBe(false);
    channel.last?.delete();
    await expect(invocation?.answer.show({ text: rich('more') })).rejects.toMatchObject({
      code: 'not-found',
    });
    expect(invocation?.signal.aborted).toBe(true);
  });

  test('whose channel goes while it is made ends the work too', async () => {
    const { use, channel } = setUp();
    const [shown, aborted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    discord.core.work = async ({ signal, answer }) => {
      await answer.show({ text: rich('working') });
      shown.resolve();
      signal.addEventListener('abort', () => aborted.resolve());
      await aborted.promise;
    };
    use();
    await shown.promise;
    channel.delete();
    await aborted.promise;
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
    expect(discord.core.presses).toMatchObject([{ press: 'settings limit', values: ['2'] }]);
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
