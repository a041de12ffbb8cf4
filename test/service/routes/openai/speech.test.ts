import { expect, it } from 'vitest';
import type { Voice } from '../../../../src/api/contract.ts';
import type { SpeechEngine } from '../../../../service/engine.ts';
import { operatorAccount } from '../../../../service/keys/account.ts';
import { createRequestLimiter } from '../../../../service/request-limiter.ts';
import { createSpeechRoute } from '../../../../service/routes/openai/speech.ts';
import { createSpools, SPOOL_LIMITS } from '../../../../service/speech/spool.ts';
import { offering } from '../../support.ts';

const voiceOf = (index: number): Voice => ({
  id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
  description: 'one',
  language: 'English',
  gender: 'Female',
  formats: ['pcm'],
  sample_rates: [16_000],
  streaming: true,
});

it('a request for speech reads the access of its key once for each engine, however many voices it has', async () => {
  const engine: SpeechEngine = {
    voices: async () => Array.from({ length: 300 }, (_, index) => voiceOf(index)),
    speak: async () => ({
      sampleRateHz: 16_000,
      pcm: (async function* () {
        yield new Float32Array(16_000);
      })(),
    }),
  };
  const asked: string[] = [];
  const account = {
    ...operatorAccount('one'),
    allowsVoicesOf: (name: string) => asked.push(name) > 0,
  };
  const limiter = createRequestLimiter({ concurrent: 1, waiting: 1 });
  const reply = await createSpeechRoute(createSpools(SPOOL_LIMITS)).handle({
    ...offering('one', engine, limiter),
    account,
    request: new Request('http://localhost/', {
      method: 'POST',
      body: JSON.stringify({ input: 'Hello.', voice: 'alloy', response_format: 'pcm' }),
    }),
  });
  expect((await reply.arrayBuffer()).byteLength).toBeGreaterThan(0);
  expect(asked).toEqual(['one']);
});

it.each([
  ['af_heart', 'English'],
  ['am_adam', 'English'],
  ['en-US-JennyNeural', 'English'],
  ['alloy', 'English'],
  ['af', 'Afrikaans'],
  ['Amharic', 'Amharic'],
])('the voice %s is one that speaks %s', async (named, language) => {
  const voices = ['Afrikaans', 'Amharic', 'English'].map((each, index) => ({
    ...voiceOf(index),
    language: each,
  }));
  const spoken: string[] = [];
  const engine: SpeechEngine = {
    voices: async () => voices,
    speak: async ({ voiceId }) => {
      spoken.push(voiceId);
      return {
        sampleRateHz: 16_000,
        pcm: (async function* () {
          yield new Float32Array(1_600);
        })(),
      };
    },
  };
  const limiter = createRequestLimiter({ concurrent: 1, waiting: 1 });
  const reply = await createSpeechRoute(createSpools(SPOOL_LIMITS)).handle({
    ...offering('one', engine, limiter),
    account: operatorAccount('one'),
    request: new Request('http://localhost/', {
      method: 'POST',
      body: JSON.stringify({
        input: 'Good morning, everyone.',
        voice: named,
        response_format: 'pcm',
      }),
    }),
  });
  await reply.arrayBuffer();
  expect(spoken).toEqual(voices.filter((one) => one.language === language).map(({ id }) => id));
});

it('a voice that is named by its id in capitals is no other one, also where the key may not use it', async () => {
  const owned = { ...voiceOf(0), id: '00000000-0000-4000-8000-00000000000a' };
  const limiter = createRequestLimiter({ concurrent: 1, waiting: 1 });
  const contexts = Object.entries({ free: voiceOf(1), owned }).map(([name, voice]) =>
    offering(name, { voices: async () => [voice] }, limiter),
  );
  const offers = await Promise.all(contexts.map(({ engines }) => engines.offers('speech')));
  const [context] = contexts;
  const asked: string[] = [];
  const reply = createSpeechRoute(createSpools(SPOOL_LIMITS)).handle({
    ...context!,
    engines: { ...context!.engines, offers: async () => offers.flat() as never },
    account: {
      ...operatorAccount('one'),
      allowsVoicesOf: (name) => name === 'free',
      checkVoicesOf: (name) => {
        asked.push(name);
        throw new Error('not yours');
      },
    },
    request: new Request('http://localhost/', {
      method: 'POST',
      body: JSON.stringify({ input: 'Hello.', voice: owned.id.toUpperCase() }),
    }),
  });
  await expect(reply).rejects.toThrow('not yours');
  expect(asked).toEqual(['owned']);
});
