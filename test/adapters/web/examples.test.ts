import { describe, expect, test, vi } from 'vitest';
import { findExamples } from '../../../adapters/web/examples.ts';
import { AppError } from '../../../src/errors.ts';
import type { ServiceStatus } from '../../../src/model/service.ts';
import { createFakeCore } from '../../fakes/core.ts';
import { sentence } from '../../fakes/sentences.ts';
import { VOICE } from '../../fakes/speech.ts';
import { startWeb } from './start-web.ts';

type Ability = ServiceStatus['engines'][number]['serves'][number];

interface Service {
  readonly abilities?: readonly Ability[];
  /** Pairs that can be translated, as `en-es`. Default: the service does not say. */
  readonly pairs?: readonly string[];
  /** Languages with a voice. */
  readonly spoken?: readonly string[];
  readonly status?: () => Promise<ServiceStatus>;
}

const ALL: readonly Ability[] = ['translation', 'speech', 'chat', 'recognition'];

const engine = (serves: readonly Ability[], ready: boolean) => ({
  name: 'engine',
  serves,
  ready,
  detail: '',
});

const examplesFor = async (
  locale: string,
  { abilities = ALL, pairs, spoken = ['en'], status }: Service,
) => {
  const core = createFakeCore();
  const engines = [engine(abilities, true), engine(ALL, false)];
  const services = {
    ...core.services,
    translates: async (to: string, from?: string) => pairs?.includes(`${from}-${to}`),
    speaker: {
      ...core.services.speaker,
      voices: async ({ language = '' }) => (spoken.includes(language) ? [VOICE] : []),
    },
    languages: {
      ...core.services.languages,
      // It is as sure of Spanish as anybody is.
      detect: (text: string) =>
        text === sentence('web.example.text', {}, 'es')
          ? { language: 'es', confidence: 1 }
          : undefined,
    },
  };
  const deps = {
    core: { ...core, services },
    status: status ?? (async () => ({ builtIn: true, reachable: true, engines })),
  };
  const found = await findExamples(deps, locale, new AbortController().signal);
  return { ...found, lines: found.examples.map(({ line }) => line) };
};

const ENGLISH = sentence('web.example.text');
const SPANISH = sentence('web.example.text', {}, 'es');

describe('the examples', () => {
  test('are of a pair and a voice that exist, in the words of the reader', async () => {
    const { lines, transcribes } = await examplesFor('es', {
      pairs: ['es-fr', 'en-es'],
      spoken: ['es', 'en'],
    });
    expect(lines).toEqual([
      `/translate text:"${SPANISH}" to:fr`,
      `/say text:"${SPANISH}"`,
      `/ask question:"${sentence('web.example.question', {}, 'es')}"`,
    ]);
    expect(transcribes).toBe(true);
  });

  test('are English where nothing speaks or translates the reader’s language', async () => {
    const { lines } = await examplesFor('ja', {
      abilities: ['translation', 'speech'],
      pairs: ['en-es'],
    });
    expect(lines[0]).toBe(`/translate text:"${ENGLISH}" to:es from:en`);
    expect(lines[1]).toMatch(`/say text:"${ENGLISH}"`);
  });

  test('come with the way to add translation only where nothing translates', async () => {
    expect(await examplesFor('en', {})).not.toHaveProperty('hint');
    const { hint } = await examplesFor('en', { abilities: ['speech'] });
    expect(hint).toBe(sentence('remedies.no-translation'));
  });

  test.each<[string, Service]>([
    ['no engine is ready', { abilities: [] }],
    ['no pair and no voice exist', { abilities: ['translation', 'speech'], pairs: [], spoken: [] }],
    [
      'the service cannot be reached',
      { status: () => Promise.reject(new AppError('unavailable', 'it is away')) },
    ],
  ])('are none that would fail when %s', async (_, service) => {
    expect(await examplesFor('en', service)).toMatchObject({ lines: [], transcribes: false });
  });

  test('trust a service elsewhere that does not say which pairs it has', async () => {
    const { lines } = await examplesFor('en', { abilities: ['translation'] });
    expect(lines).toHaveLength(1);
  });

  test('are served to the page', async () => {
    const reply = await (await startWeb()).visit().request('/api/examples');
    expect(await reply.json()).toMatchObject({
      examples: [{ command: 'translate', line: expect.stringContaining('to:es') }],
      transcribes: false,
    });
  });

  test('ask the service once for all who open the page', async () => {
    const web = await startWeb({ now: () => 0 });
    const asked = vi.spyOn(web.core.services, 'status');
    const visitors = Array.from({ length: 5 }, () => web.visit());
    const replies = await Promise.all(visitors.map((each) => each.request('/api/examples')));
    expect(replies.map(({ status }) => status)).toEqual(visitors.map(() => 200));
    expect(asked).toHaveBeenCalledTimes(1);
  });
});
