import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  attachment,
  defineAction,
  defineCommand,
  defineCommandGroup,
  moderator,
  userError,
} from '../../src/command.ts';
import { createDispatcher } from '../../src/dispatch.ts';
import { loadTexts, type MessageKey, type Texts } from '../../src/i18n.ts';
import { createLog } from '../../src/log.ts';
import type { Content } from '../../src/model.ts';
import type { Invocation } from '../../src/platform.ts';
import type { Services } from '../../src/services.ts';

const MEMBER = { platform: 'test', id: 'm', name: 'Ada', locale: 'en', role: 'member' } as const;
const CHANNEL = { space: { platform: 'test', id: 's' }, id: 'c' };

/** The texts of the tests' own commands are their keys. */
const real = loadTexts('locales');
const texts: Texts = {
  ...real,
  has: (key): key is MessageKey => key.startsWith('commands.probe') || real.has(key),
  in: (locale) => (key, params) =>
    key.startsWith('commands.probe') ? key : real.in(locale)(key, params),
};

let ran: unknown[];
let shown: Content[];

const probe = defineCommand('probe', {
  options: z.object({
    text: z.string().min(1).max(10),
    count: z.int().min(1).max(5).optional(),
    loud: z.boolean().optional(),
    kind: z.enum(['one', 'two']).optional(),
    file: attachment().optional(),
  }),
  complete: {
    text: (typed) =>
      Array.from({ length: 40 }, (_, index) => ({ value: `${typed}${index}`, label: 'x' })),
    kind: () => {
      throw new Error('the lookup broke');
    },
  },
  async run({ options, reply, stream, signal }) {
    ran.push(options);
    if (options.text === 'wait')
      await stream(
        (async function* () {
          yield 'half';
          await new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason as Error));
          });
        })(),
      );
    if (options.text === 'fail') throw new TypeError('secret detail');
    if (options.text === 'refuse') throw userError('bad-input', 'glossary.not-csv');
    const breaks = options.text === 'break';
    await stream(
      (async function* () {
        yield 'half';
        await new Promise(setImmediate);
        if (breaks) throw userError('unavailable', 'errors.unavailable');
      })(),
    );
    await reply({ text: options.text === 'same' ? 'half' : 'whole' });
  },
});

const group = defineCommandGroup('probes', {
  guarded: defineAction({
    guards: [moderator],
    run: async ({ reply }) => reply({ text: 'let in' }),
  }),
});

const dispatcher = createDispatcher({
  commands: [probe, group],
  texts,
  log: createLog('silent'),
  services: () => ({}) as Services,
});

beforeEach(() => {
  ran = [];
  shown = [];
});

const run = async (
  command: string,
  options: Record<string, unknown> = {},
  more: Partial<Invocation> = {},
): Promise<Content | undefined> => {
  await dispatcher.dispatch({
    id: '1',
    command,
    options,
    member: MEMBER,
    channel: CHANNEL,
    signal: new AbortController().signal,
    answer: { show: async (content) => void shown.push(content), paceMs: 0 },
    ...more,
  });
  return shown.at(-1);
};

describe('the dispatcher', () => {
  it('runs a command with its options as the schema types them', async () => {
    const given = { text: 'a', count: '3', loud: 'yes', kind: 'TWO' };
    expect(await run('probe', given)).toEqual({ text: 'whole' });
    expect(ran).toEqual([{ text: 'a', count: 3, loud: true, kind: 'two' }]);
  });

  it.each([
    [{}, 'missing'],
    [{ text: '' }, 'empty'],
    [{ text: 'x'.repeat(11) }, 'at most 10 characters'],
    [{ text: 'a', count: '9' }, 'between 1 and 5'],
    [{ text: 'a', count: 'many' }, 'between 1 and 5'],
    [{ text: 'a', loud: 'maybe' }, '`yes` or `no`'],
    [{ text: 'a', kind: 'three' }, '`one`, `two`'],
    [{ text: 'a', file: 'a.wav' }, 'takes a file'],
    [{ text: 'a', colour: 'red' }, '`text`, `count`, `loud`, `kind`, `file`'],
    [{ text: 7 }, 'takes text'],
  ])('refuses %j with a sentence that helps', async (options, expected) => {
    expect(await run('probe', options)).toMatchObject({
      tone: 'error',
      text: expect.stringContaining(expected) as string,
    });
    expect(ran).toEqual([]);
  });

  it('says so when there is no such command, without letting its name break the markup', async () => {
    const content = await run('no`such**\n@everyone');
    expect(content?.text).toContain('`/no such** @everyone`');
  });

  it('answers in the person’s language', async () => {
    const content = await run('nothing', {}, { member: { ...MEMBER, locale: 'ja-JP' } });
    expect(content?.text).toContain('コマンドはありません');
  });

  it('lets guards decide', async () => {
    expect(await run('probes guarded')).toMatchObject({ tone: 'error' });
    expect(await run('probes guarded', {}, { member: { ...MEMBER, role: 'moderator' } })).toEqual({
      text: 'let in',
    });
  });

  it('tells a fault of ours without its details', async () => {
    const content = await run('probe', { text: 'fail' });
    expect(content?.tone).toBe('error');
    expect(content?.text).not.toContain('secret');
  });

  it('shows the sentence that a command throws', async () => {
    expect((await run('probe', { text: 'refuse' }))?.text).toContain('CSV UTF-8');
  });

  it('keeps what was there of an answer that broke off', async () => {
    const content = await run('probe', { text: 'break' });
    expect(content).toMatchObject({ tone: 'error' });
    expect(content?.text).toMatch(/^half\n\n/);
  });

  it('says that it stopped when the asker took it back', async () => {
    const content = await run('probe', { text: 'a' }, { signal: AbortSignal.abort() });
    expect(content).toEqual({ text: 'Stopped.', tone: 'note' });
  });

  it('ends the work for an answer that can no longer be shown', async () => {
    const show = async (): Promise<void> => {
      throw new Error('the message was deleted');
    };
    await run('probe', { text: 'wait' }, { answer: { show, paceMs: 0 } });
  });

  it('does not show the same twice', async () => {
    await run('probe', { text: 'same' });
    expect(shown).toEqual([{ text: 'half' }]);
  });

  it('takes an empty option that may be left out for one that was', async () => {
    await run('probe', { text: 'a', kind: '', count: '' });
    expect(ran).toEqual([{ text: 'a' }]);
  });

  it('lives on when the answer cannot be shown', async () => {
    const show = async (): Promise<void> => {
      throw new Error('the message was deleted');
    };
    await run('probe', { text: 'a' }, { answer: { show, paceMs: 0 } });
  });

  it('describes its commands for the adapters', () => {
    const info = dispatcher.commands('en').find(({ name }) => name === 'probe');
    expect(info?.options.map(({ name, kind, required }) => [name, kind, required])).toEqual([
      ['text', 'text', true],
      ['count', 'integer', false],
      ['loud', 'boolean', false],
      ['kind', 'text', false],
      ['file', 'attachment', false],
    ]);
    expect(info?.options[1]).toMatchObject({ minimum: 1, maximum: 5 });
    expect(info?.options[3]?.choices?.map(({ value }) => value)).toEqual(['one', 'two']);
  });

  it('offers at most 25 choices, and none when the lookup breaks', async () => {
    const request = { command: 'probe', typed: 'a', member: MEMBER, space: CHANNEL.space };
    expect(await dispatcher.complete({ ...request, option: 'text' })).toHaveLength(25);
    expect(await dispatcher.complete({ ...request, option: 'kind' })).toEqual([]);
    expect(await dispatcher.complete({ ...request, option: 'unknown' })).toEqual([]);
  });
});
