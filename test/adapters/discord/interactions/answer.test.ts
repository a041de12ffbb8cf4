import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../../fakes/eventually.ts';
import type { Content, Control } from '../../../../src/model/message.ts';
import { hiddenText } from '../../../fakes/hidden-text.ts';
import { rich } from '../../../fakes/rich-text.ts';
import { parseDiscord } from '../../../../adapters/discord/rich-text/parse.ts';
import { withCommands } from './support.ts';

const { discord, setUp, showing } = withCommands();

/** Shows something where an answer to the last command stood. */
const show = async (text: string): Promise<void> =>
  discord.core.invocations.at(-1)?.answer.show({ text: rich(text) });

const LONG = 'A sentence of some length. '.repeat(200);
const FIFTEEN_MINUTES_MS = 15 * 60_000;
const EDIT = 'PATCH /webhooks/:id/:token/messages/:id';

describe('an answer that only the asker sees', () => {
  test('is hidden in all of its messages', async () => {
    const { channel, use } = setUp();
    showing({ text: rich(LONG) });
    const used = use('secret', {});
    await used.until((it) => it.followUps.length === 2);
    expect([used.shown, ...used.followUps].map((one) => one?.ephemeral)).toEqual([
      true,
      true,
      true,
    ]);
    expect(channel.messages).toEqual([]);
  });

  test('has messages below it that are hidden, too, and stay when it changes', async () => {
    const { channel, use } = setUp();
    discord.core.work = async ({ answer }) => {
      await answer.show({ text: rich(LONG) });
      await answer.showBelow?.({ text: rich('below') });
      await answer.show({ text: rich('short') });
    };
    const used = use('secret', {});
    await used.until((it) => it.shown?.content === 'short' && it.followUps.length === 1);
    expect(used.followUps[0]).toMatchObject({ content: 'below', ephemeral: true });
    expect(channel.messages).toEqual([]);
  });

  test('stays hidden when a control of it is pressed', async () => {
    const { channel, ann, use } = setUp();
    const controls: Control[] = [{ kind: 'button', press: 'settings more', label: 'More' }];
    showing({ text: rich('panel'), controls });
    const panel = await use('secret', {}).answer();
    await eventually(() => expect(panel.components).toHaveLength(1));
    showing({ text: rich(LONG) });
    const pressed = discord.fake.press(ann, panel, 'settings more');
    await pressed.until((it) => it.followUps.length === 2);
    expect(channel.messages).toEqual([]);
  });

  test('is shown beside the message of others with the control that was pressed', async () => {
    const { channel, ann, use } = setUp();
    const controls: Control[] = [{ kind: 'button', press: 'settings more', label: 'More' }];
    showing({ text: rich('question'), controls });
    const question = await use().answer();
    await eventually(() => expect(question.components).toHaveLength(1));
    discord.core.work = async ({ answer }) => answer.showAside?.({ text: rich('not you') });
    const pressed = discord.fake.press(ann, question, 'settings more');
    await pressed.until((it) => it.followUps.length === 1);
    expect(pressed.followUps.map(({ ephemeral }) => ephemeral)).toEqual([true]);
    expect(channel.messages).toHaveLength(1);
    expect(question.components).toHaveLength(1);
  });

  test('because it was a refusal, is not told to everybody once its time is over', async () => {
    const { channel, use } = setUp();
    showing({ text: rich('No.'), tone: 'error' });
    await use().answer();
    discord.fake.clock.advance(FIFTEEN_MINUTES_MS);
    await expect(show('No, and here is why.')).rejects.toMatchObject({ code: 'cancelled' });
    expect(channel.messages).toEqual([]);
  });
});

test('a refusal is told to the asker alone, also when nothing could be shown before it', async () => {
  const { channel, use } = setUp();
  discord.core.work = async ({ answer }) => {
    discord.fake.fail(EDIT, { status: 500 }, { while: () => true });
    await answer.show({ text: rich('result') }).catch(() => discord.fake.heal());
    await answer.show({ text: rich('It could not be done.'), tone: 'error' });
  };
  const shown = await use().answer();
  expect(shown.content).toContain('It could not be done.');
  expect(shown.ephemeral).toBe(true);
  expect(channel.messages).toEqual([]);
});

describe('an answer whose time is over', () => {
  test('ends where the bot itself is not', async () => {
    const { fake } = discord;
    const ann = fake.user();
    ann.install();
    const channel = ann.dmWith(fake.user());
    await fake.command(ann, { channel, name: 'translate', options: { text: 'x' } }).answer();
    fake.clock.advance(FIFTEEN_MINUTES_MS);
    await expect(show('late')).rejects.toMatchObject({ code: 'cancelled' });
  });

  test('goes on in one message, and asks no more of what is over', async () => {
    const { channel, use } = setUp();
    await use().answer();
    discord.fake.clock.advance(FIFTEEN_MINUTES_MS);
    await show('late');
    const before = discord.fake.invalidRequests;
    await show('later');
    expect(channel.messages.map(({ content }) => content)).toEqual(['later']);
    expect(discord.fake.invalidRequests).toBe(before);
  });
});

test('an answer of which a further message is deleted ends', async () => {
  const { use } = setUp();
  const [shown, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  discord.core.work = async ({ answer, signal }) => {
    await answer.show({ text: rich(LONG) });
    shown.resolve();
    if (!signal.aborted) await once(signal, 'abort');
    ended.resolve();
  };
  const used = use();
  await shown.promise;
  used.followUps[0]?.delete();
  await ended.promise;
});

test('what could not be shown is not taken for shown', async () => {
  const { use } = setUp();
  showing({ text: rich('first') });
  const used = use();
  await used.until((it) => it.shown?.content === 'first');
  discord.fake.fail(EDIT, { close: 'after' }, { times: 4 });
  await expect(show('second')).rejects.toMatchObject({ retryable: true });
  await show('first');
  expect(used.shown?.content).toBe('first');
});

test('a panel whose controls alone change is shown anew', async () => {
  const { use } = setUp();
  const panel = (press: string): Content => ({
    text: rich('panel'),
    controls: [{ kind: 'button', press, label: 'Press' }],
  });
  showing(panel('settings a'), panel('settings b'));
  const used = use();
  await used.until((it) => JSON.stringify(it.shown?.components ?? []).includes('settings b'));
});

test('an answer whose files alone change is shown anew', async () => {
  const { use } = setUp();
  const withFile = (text: string): Content => ({
    text: rich('file'),
    files: [{ name: 'a.txt', mediaType: 'text/plain', bytes: Buffer.from(text) }],
  });
  showing(withFile('one'), withFile('two'));
  const used = use();
  await used.until((it) => Buffer.from(it.shown?.attachments[0]?.bytes ?? []).toString() === 'two');
  expect(used.shown?.attachments).toHaveLength(1);
});

test('a refusal that comes too late is no fault of anybody', async () => {
  const { use } = setUp();
  const begun = Promise.withResolvers<void>();
  const late = Promise.withResolvers<void>();
  const failed = Promise.withResolvers<unknown>();
  discord.core.work = async ({ answer }) => {
    begun.resolve();
    await late.promise;
    await answer.show({ text: rich('no'), tone: 'error' }).catch(failed.resolve);
  };
  use();
  await begun.promise;
  discord.fake.clock.advance(16 * 60_000);
  late.resolve();
  expect(await failed.promise).toMatchObject({ code: 'cancelled' });
});

test('an answer knows how large its files may be', async () => {
  const { use } = setUp();
  const known = Promise.withResolvers<number | undefined>();
  discord.core.work = async ({ answer }) => known.resolve(answer.fileBytes);
  use();
  expect(await known.promise).toBe(10 * 1_048_576);
});

test('a further message whose answer is lost does not stand twice', async () => {
  const { use } = setUp();
  const failed = Promise.withResolvers<unknown>();
  discord.core.work = async ({ answer }) => {
    await answer.show({ text: rich('short') });
    discord.fake.fail('POST /webhooks/:id/:token', { reset: 'after' });
    await answer.show({ text: rich(LONG) }).catch(failed.resolve);
  };
  const used = use();
  expect(await failed.promise).toMatchObject({ retryable: true });
  expect(used.followUps).toHaveLength(1);
});

test.each(['in time', 'late'])(
  'an answer goes on that takes messages of its own away, though that is told before the reply comes: %s',
  async (when) => {
    const { use } = setUp();
    const signals: AbortSignal[] = [];
    discord.core.work = async ({ answer, signal }) => {
      signals.push(signal);
      await answer.show({ text: rich(LONG) });
      if (when === 'late') discord.fake.clock.advance(FIFTEEN_MINUTES_MS);
      const message = when === 'late' ? 'channels/:id' : 'webhooks/:id/:token';
      discord.fake.fail(`DELETE /${message}/messages/:id`, { reset: 'after' });
      await answer.show({ text: rich('short') });
      await answer.show({ text: rich('end') });
    };
    const used = use();
    await used.until((it) => it.shown?.content === 'end' && it.followUps.length === 0);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  },
);

test('contents asked for at the same time are shown one after the other', async () => {
  const { use } = setUp();
  discord.core.work = async ({ answer }) => {
    discord.fake.fail(EDIT, { latencyMs: 50 });
    await Promise.all([answer.show({ text: rich(LONG) }), answer.show({ text: rich('end') })]);
  };
  const used = use();
  await used.until((it) => it.shown?.content === 'end' && it.followUps.length === 0);
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

  test('that a panel has no room for comes as a file, without what spoilers hide', async () => {
    const controls: Control[] = [{ kind: 'button', press: 'settings more', label: 'More' }];
    showing({ text: hiddenText(200), controls });
    const used = setUp().use();
    await used.until((it) => it.shown?.attachments.length === 1);
    const [file] = used.shown?.attachments ?? [];
    const written = Buffer.from(file?.bytes ?? []).toString();
    expect(written).toContain('The end.');
    expect(written).not.toContain('secret');
    expect(used.followUps).toEqual([]);
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
