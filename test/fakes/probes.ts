import { z } from 'zod';
import {
  attachment,
  defineAction,
  defineCommand,
  defineCommandGroup,
  moderator,
  richText,
} from '../../src/command/command.ts';
import { userError, type MessageKey } from '../../src/errors.ts';
import { createDispatcher } from '../../src/command/dispatcher.ts';
import type { Texts } from '../../src/i18n/texts.ts';
import { silentLog } from './silent-log.ts';
import { writerOf, type Content, type Message } from '../../src/model/message.ts';
import type { Person } from '../../src/model/place.ts';
import type { RichText } from '../../src/rich-text/rich-text.ts';
import { plainText } from '../../src/rich-text/walk.ts';
import type { Invocation, Platform, PressInvocation } from '../../src/ports/platform.ts';
import type { Services } from '../../src/command/services.ts';
import { fakePlatform, shownOf, type Shown } from './platform.ts';
import { NO_RESERVATION } from './reservation.ts';
import { rich } from './rich-text.ts';
import { realTexts as real } from './texts.ts';
import { CHOICES } from './settings.ts';

export const MEMBER = {
  platform: 'test',
  id: 'm',
  name: 'Ada',
  locale: 'en',
  role: 'member',
} as const;
export const CHANNEL = { space: { platform: 'test', id: 's' }, id: 'c' };
/** On a platform with rooms, whose channels cannot be watched. */
export const SPOKEN = { space: { platform: 'spoken', id: 's' }, id: 'c' };
/** On a platform with neither. */
export const ELSEWHERE = { space: { platform: 'elsewhere', id: 's' }, id: 'c' };

const PORTS: Readonly<Record<string, readonly ('voice' | 'feed' | 'mirrors')[]>> = {
  test: ['voice', 'feed', 'mirrors'],
  spoken: ['voice'],
};
const platformOf = (name: string): Platform => fakePlatform(name, PORTS[name]);

/** The texts of the tests' own commands are their keys. */
const texts: Texts = {
  ...real,
  has: (key): key is MessageKey => key.startsWith('commands.prob') || real.has(key),
  in: (locale) => (key, params) =>
    key.startsWith('commands.prob') ? key : real.in(locale)(key, params),
};

/** The dispatcher over commands that do, and fail in, whatever commands can. */
export const createProbes = () => {
  /** What the commands were given. */
  const ran: unknown[] = [];
  const shown: Shown[] = [];
  const recorded: unknown[] = [];
  const script = {
    choices: CHOICES,
    /** Whether the author of messages opted out. */
    optedOut: false,
    authorsOf: async (message: Message): Promise<readonly Person[]> => [writerOf(message)],
    lookUp: async (): Promise<{ value: string; label: string }[]> => [],
    /** Ends the time that looking up may take. */
    rested: Promise.withResolvers<void>(),
  };

  const services = {
    spaces: { of: async () => script.choices },
    limits: { fault: async () => undefined, reserve: async () => NO_RESERVATION },
    usage: {
      record: async (...given: unknown[]) => {
        recorded.push(given.slice(1));
        if (given[1] === 'unlucky') throw new Error('the disk is full');
      },
    },
    privacy: { optedOut: async ({ id }: { id: string }) => script.optedOut && id === 'author' },
    translator: {
      async *translate({ text }: { text: RichText }) {
        yield text;
        return { text, from: 'en', to: 'ja', outcome: 'translated' as const };
      },
    },
  } as unknown as Services;

  const probe = defineCommand('probe', {
    options: z.object({
      text: richText({ max: 10 }),
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
      loud: () => script.lookUp(),
    },
    onMessage: ({ text }) => {
      if (text.length === 0) throw userError('bad-input', 'translate.nothing-in-message');
      return { text };
    },
    async run({ options, reply, stream, signal }) {
      const text = plainText(options.text);
      ran.push({ ...options, text });
      if (text === 'wait')
        await stream(
          (async function* () {
            yield 'half';
            await new Promise((_, reject) => {
              signal.addEventListener('abort', () => reject(signal.reason as Error));
            });
          })(),
          rich,
        );
      if (text === 'fail') throw new TypeError('secret detail');
      if (text === 'refuse') throw userError('bad-input', 'glossary.not-csv');
      const breaks = text === 'break';
      await stream(
        (async function* () {
          yield 'half';
          await new Promise(setImmediate);
          if (breaks) throw userError('unavailable', 'errors.unavailable');
        })(),
        rich,
      );
      await reply({ text: rich(text === 'same' ? 'half' : 'whole') });
    },
  });

  const group = defineCommandGroup('probes', {
    guarded: defineAction({
      guards: [moderator],
      run: async ({ reply }) => reply({ text: rich('let in') }),
    }),
  });

  const panel = async (): Promise<Content> => ({
    text: rich('the panel'),
    controls: [{ kind: 'button', press: 'probing go', label: 'Go' }],
  });

  const probing = defineCommand(
    'probing',
    {
      async run({ services: given, signal, reply }) {
        const request = {
          text: rich('hello'),
          to: 'ja',
          place: CHANNEL,
          lane: 'interactive',
        } as const;
        for await (const _ of given.translator.translate(request, signal));
        await reply({ text: rich('done') });
      },
    },
    {
      needs: 'watch',
      presses: {
        go: {
          run: async ({ arg, values, member, reply }) => {
            ran.push([arg, values, member.id]);
            await reply({ ...(await panel()), text: rich('gone') });
          },
        },
        fail: {
          panel,
          run: async () => {
            throw userError('unavailable', 'errors.unavailable');
          },
        },
        guarded: {
          guards: [moderator],
          panel,
          run: async ({ reply }) => reply({ text: rich('let in') }),
        },
        alone: {
          private: true,
          isForEverybody: true,
          run: async ({ reply }) => reply({ text: rich('for you alone') }),
        },
        bare: {
          run: async () => {
            throw new TypeError('secret detail');
          },
        },
      },
    },
  );

  const speaking = defineCommand(
    'probespeech',
    { run: async ({ reply }) => reply({ text: rich('said') }) },
    { needs: 'rooms' },
  );

  const dispatcher = createDispatcher({
    commands: [probe, group, probing, speaking],
    texts,
    log: silentLog,
    platforms: { find: platformOf, get: platformOf },
    optedOutOf: async (message) =>
      (await script.authorsOf(message)).filter(({ id }) => script.optedOut && id === 'author'),
    operators: new Set(),
    services,
    sleep: async () => script.rested.promise,
  });

  const press = async (
    given: string,
    more: Partial<PressInvocation> = {},
  ): Promise<Shown | undefined> => {
    await dispatcher.press({
      id: '1',
      press: given,
      values: [],
      control: {},
      member: MEMBER,
      channel: CHANNEL,
      signal: new AbortController().signal,
      answer: { show: async (content) => void shown.push(shownOf(content)), paceMs: 0 },
      ...more,
    });
    return shown.at(-1);
  };

  const run = async (
    command: string,
    options: Record<string, unknown> = {},
    more: Partial<Invocation> = {},
  ): Promise<Shown | undefined> => {
    await dispatcher.dispatch({
      id: '1',
      command,
      options,
      member: MEMBER,
      channel: CHANNEL,
      signal: new AbortController().signal,
      answer: { show: async (content) => void shown.push(shownOf(content)), paceMs: 0 },
      ...more,
    });
    return shown.at(-1);
  };

  return { dispatcher, script, ran, shown, recorded, run, press };
};
