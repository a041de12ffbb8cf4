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
import type { Content, Message } from '../../src/model.ts';
import type { Invocation, PressInvocation } from '../../src/platform.ts';
import type { Services, SpaceChoices, Used } from '../../src/services.ts';

const MEMBER = { platform: 'test', id: 'm', name: 'Ada', locale: 'en', role: 'member' } as const;
const CHANNEL = { space: { platform: 'test', id: 's' }, id: 'c' };

/** The texts of the tests' own commands are their keys. */
const real = loadTexts('locales');
const texts: Texts = {
  ...real,
  has: (key): key is MessageKey => key.startsWith('commands.prob') || real.has(key),
  in: (locale) => (key, params) =>
    key.startsWith('commands.prob') ? key : real.in(locale)(key, params),
};

let ran: unknown[];
let shown: Content[];
let recorded: unknown[];
let choices: SpaceChoices;
let optedOut: boolean;
let lookUp: () => Promise<{ value: string; label: string }[]>;
let rested: PromiseWithResolvers<void>;

const NOTHING: Used = { characters: 0, audioMs: 0, messages: 0 };

const services = {
  spaces: { of: async () => choices },
  usage: {
    today: async () => NOTHING,
    record: async (...given: unknown[]) => {
      recorded.push(given.slice(1));
      if (given[1] === 'unlucky') throw new Error('the disk is full');
    },
  },
  privacy: { optedOut: async ({ id }: { id: string }) => optedOut && id === 'author' },
  translator: {
    async *translate({ text }: { text: string }) {
      yield text;
      return { text, from: 'en', to: 'ja', outcome: 'translated' as const };
    },
  },
} as unknown as Services;

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
    loud: () => lookUp(),
  },
  onMessage: ({ text }) => {
    if (text === '') throw userError('bad-input', 'translate.nothing-in-message');
    return { text };
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

const panel = async (): Promise<Content> => ({
  text: 'the panel',
  controls: [{ kind: 'button', press: 'probing go', label: 'Go' }],
});

const probing = defineCommand(
  'probing',
  {
    async run({ services: given, signal, reply }) {
      const request = { text: 'hello', to: 'ja', place: CHANNEL };
      for await (const _ of given.translator.translate(request, signal));
      await reply({ text: 'done' });
    },
  },
  {
    needs: 'watch',
    presses: {
      go: {
        run: async ({ arg, values, member, reply }) => {
          ran.push([arg, values, member.id]);
          await reply({ ...(await panel()), text: 'gone' });
        },
      },
      fail: {
        panel,
        run: async () => {
          throw userError('unavailable', 'errors.unavailable');
        },
      },
      guarded: { guards: [moderator], panel, run: async ({ reply }) => reply({ text: 'let in' }) },
      bare: {
        run: async () => {
          throw new TypeError('secret detail');
        },
      },
    },
  },
);

const dispatcher = createDispatcher({
  commands: [probe, group, probing],
  texts,
  log: createLog('silent'),
  can: (platform) => platform === 'test',
  naming: () => 'plain',
  services: () => services,
  sleep: async () => rested.promise,
});

beforeEach(() => {
  ran = [];
  shown = [];
  recorded = [];
  choices = { flags: { on: true, languages: {} }, roles: {}, quietChannels: [] };
  optedOut = false;
  lookUp = async () => [];
  rested = Promise.withResolvers();
});

const ELSEWHERE = { space: { platform: 'elsewhere', id: 's' }, id: 'c' };

const messageOf = (text: string): Message => ({
  ref: { channel: CHANNEL, id: 'message' },
  position: '1',
  author: { id: 'author', name: 'Bob', kind: 'person' },
  text,
  files: [],
  stickers: [],
});

const press = async (
  given: string,
  more: Partial<PressInvocation> = {},
): Promise<Content | undefined> => {
  await dispatcher.press({
    id: '1',
    press: given,
    values: [],
    member: MEMBER,
    channel: CHANNEL,
    signal: new AbortController().signal,
    answer: { show: async (content) => void shown.push(content), paceMs: 0 },
    ...more,
  });
  return shown.at(-1);
};

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
    const info = dispatcher.commands('en', 'test').find(({ name }) => name === 'probe');
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
    expect(await dispatcher.complete({ ...request, command: 'nothing', option: 'x' })).toEqual([]);
  });

  it('offers nothing when the lookup takes too long, and lets it go on', async () => {
    const asked = Promise.withResolvers<{ value: string; label: string }[]>();
    let ended = false;
    lookUp = async () => {
      const found = await asked.promise;
      ended = true;
      return found;
    };
    const request = { command: 'probe', option: 'loud', typed: '', member: MEMBER };
    const completed = dispatcher.complete({ ...request, space: CHANNEL.space });
    rested.resolve();
    expect(await completed).toEqual([]);
    asked.resolve([]);
    await expect.poll(() => ended).toBe(true);
  });

  it('has what needs a part of the platform only where that is', async () => {
    const named = (platform: string) => dispatcher.commands('en', platform).map(({ name }) => name);
    expect(named('test')).toEqual(['probe', 'probes guarded', 'probing']);
    expect(named('elsewhere')).toEqual(['probe', 'probes guarded']);
    const [, guarded, needing] = dispatcher.commands('en', 'test');
    expect(guarded?.moderators).toBe(true);
    expect(needing?.needs).toBe('watch');
    const content = await run('probing', {}, { channel: ELSEWHERE });
    expect(content?.text).toContain('There is no command `/probing`');
  });

  it('records what a command used, once', async () => {
    expect(await run('probing')).toEqual({ text: 'done' });
    expect(recorded).toEqual([['m', { characters: 5, audioMs: 0, messages: 1 }]]);
    await run('probe', { text: 'a' });
    expect(recorded).toHaveLength(1);
  });

  it('lets an answer stand whose use cannot be recorded', async () => {
    expect(await run('probing', {}, { member: { ...MEMBER, id: 'unlucky' } })).toEqual({
      text: 'done',
    });
    expect(recorded).toHaveLength(1);
  });

  it('keeps those without the roles of a command out, but no moderator', async () => {
    choices = { ...choices, roles: { probe: ['r1', 'r2'] } };
    const as = async (part: object) =>
      run('probe', { text: 'a' }, { member: { ...MEMBER, ...part } });
    expect((await as({}))?.text).toContain('certain roles may use `/probe`');
    expect(await as({ roles: ['r3'] })).toMatchObject({ tone: 'error' });
    expect(ran).toEqual([]);
    expect(await as({ roles: ['r3', 'r2'] })).toEqual({ text: 'whole' });
    expect(await as({ role: 'moderator' })).toEqual({ text: 'whole' });
  });
});

describe('a command used on a message', () => {
  it('gets its options from the message', async () => {
    expect(dispatcher.commands('en', 'test')[0]?.menu).toBe('commands.probe.menu');
    expect(await run('probe', {}, { on: messageOf('hello') })).toEqual({ text: 'whole' });
    expect(ran).toEqual([{ text: 'hello' }]);
  });

  it('says what the message lacks', async () => {
    const content = await run('probe', {}, { on: messageOf('') });
    expect(content).toEqual({
      text: 'There is neither text nor audio in that message.',
      tone: 'error',
    });
  });

  it('checks what comes of the message as it checks what people type', async () => {
    const content = await run('probe', {}, { on: messageOf('x'.repeat(11)) });
    expect(content?.text).toContain('at most 10 characters');
  });

  it('leaves the words of those alone who opted out, but for themselves', async () => {
    optedOut = true;
    const content = await run('probe', {}, { on: messageOf('hello') });
    expect(content?.text).toContain('does not want');
    const author = { ...MEMBER, id: 'author' };
    expect(await run('probe', {}, { on: messageOf('hello'), member: author })).toEqual({
      text: 'whole',
    });
  });

  it('is refused where it is for no message', async () => {
    expect(await run('probing', {}, { on: messageOf('hello') })).toMatchObject({ tone: 'error' });
  });
});

describe('a press', () => {
  it('does what the control says, and shows the panel anew', async () => {
    const content = await press('probing go:a: b', { values: ['x', 'y'] });
    expect(content).toMatchObject({ text: 'gone', controls: [{ label: 'Go' }] });
    expect(ran).toEqual([['a: b', ['x', 'y'], 'm']]);
    await press('probing go');
    expect(ran.at(-1)).toEqual(['', [], 'm']);
  });

  it('that fails keeps the panel, with the reason beneath', async () => {
    const content = await press('probing fail');
    expect(content).toMatchObject({ controls: [{ label: 'Go' }] });
    expect(content?.text).toMatch(/^the panel\n\n> ⚠️ The service cannot be reached/);
  });

  it('that fails without a panel says why, without details', async () => {
    const content = await press('probing bare');
    expect(content).toEqual({
      text: 'Something went wrong on my side. Please try again.',
      tone: 'error',
    });
  });

  it('is for those whom guards and roles let in', async () => {
    expect((await press('probing guarded'))?.text).toContain('Only moderators');
    const member = { ...MEMBER, role: 'moderator' } as const;
    expect(await press('probing guarded', { member })).toEqual({ text: 'let in' });
    choices = { ...choices, roles: { probing: ['r1'] } };
    expect((await press('probing go'))?.text).toContain('certain roles');
  });

  it.each(['probing nothing', 'nothing go', 'probing', '', 'probing constructor', 'a b c d'])(
    'of a control that is out of date says so: %j',
    async (given) => {
      expect((await press(given))?.text).toContain('out of date');
    },
  );

  it('of a command that the platform lacks is out of date', async () => {
    expect((await press('probing go', { channel: ELSEWHERE }))?.text).toContain('out of date');
    expect(ran).toEqual([]);
  });

  it('lives on when its answer cannot be shown', async () => {
    const show = async (): Promise<void> => {
      throw new Error('the message was deleted');
    };
    await press('probing go', { answer: { show, paceMs: 0 } });
    expect(ran).toHaveLength(1);
  });
});
