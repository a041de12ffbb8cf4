import { describe, expect, it } from 'vitest';
import type { SpeechEngine } from '../../../service/engine.ts';
import { createEngine } from '../../../service/engines/espeak-ng.ts';
import { languagesInWords } from '../../../src/text/language/languages.ts';
import { toMarkup } from '../../../service/engines/espeak-ng/voices.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import type { Voice } from '../../../src/api/contract.ts';
import { testBroken, testContract } from '../../contracts/contract.ts';
import { speechEngineContract } from '../../contracts/speech-engine.ts';
import { engineConfig } from '../support.ts';
import { shared } from '../../fakes/opened.ts';

describe('espeak-ng', () => {
  const engine = shared(() => createEngine({ config: engineConfig(), log: createLog('silent') }));
  const port = async (): Promise<SpeechEngine> => (await engine.abilities()).speech!;

  testContract('keeps the contract of speech engines:', speechEngineContract, port);

  it('names one language a voice, the usual voice of each language first', async () => {
    const voices = await (await port()).voices(new AbortController().signal);
    const languages = voices.map(({ language }) => language.replace(/, [^,]*$/, ''));
    expect(languages[0]).toBe('English (Great Britain)');
    expect(languages.indexOf('French (France)')).toBeLessThan(
      languages.indexOf('French (Belgium)'),
    );
    expect(languages).toContain('Chinese (Mandarin)');
    expect(languages.filter((language) => language.includes(','))).toEqual([
      'English (America, New York City)',
      'English (America, New York City)',
    ]);
  });

  it('describes each voice for people and for clients that look for a language', async () => {
    const voices = await (await port()).voices(new AbortController().signal);
    // Two voices differ only in how they read Latin letters.
    expect(new Set(voices.map(({ description }) => description)).size).toBeGreaterThan(
      voices.length - 6,
    );
    const of = (code: string): Voice[] =>
      voices.filter(({ language }) => language.endsWith(`, ${code}`));
    expect(of('es-ES').concat(of('es'))[1]).toMatchObject({
      name: 'Spanish (Spain), female',
      description: 'Spanish (Spain), female, eSpeak NG',
      gender: 'Female',
    });
    for (const [word, code] of [
      ['Spanish', 'es'],
      ['Japanese', 'ja'],
      ['German', 'de'],
      ['French', 'fr'],
    ] as const) {
      const byWord = voices.filter(({ language }) => language.includes(word));
      expect(byWord.length).toBeGreaterThan(1);
      expect(byWord.every(({ language }) => languagesInWords(language)[0]?.startsWith(code))).toBe(
        true,
      );
      expect(byWord.map(({ language }) => languagesInWords(language).length)).toEqual(
        byWord.map(() => 1),
      );
    }
  });

  it('reads kanji in Japanese as long as their kana, and not as "Chinese letter"', async () => {
    const speech = await port();
    const voices = await speech.voices(new AbortController().signal);
    const { id } = voices.find(({ language }) => language === 'Japanese, ja')!;
    const length = async (text: string): Promise<number> => {
      const { pcm } = await speech.speak(
        { voiceId: id, text, speed: 1 },
        new AbortController().signal,
      );
      let samples = 0;
      for await (const piece of pcm) samples += piece.length;
      return samples;
    };
    // The library's voices vary by some samples from call to call.
    const ratio = (await length('東京へ行きます')) / (await length('トーキョーエイキマス'));
    expect(ratio).toBeCloseTo(1, 1);
  });

  it('gets text that cannot be markup, phonemes or an end', () => {
    expect(toMarkup('a<b>&\0[[x]] [[[')).toBe('a&lt;b&gt;&amp; [ [x]] [ [ [');
  });
});

async function* one(sample: number, length = 2): AsyncGenerator<Float32Array> {
  yield new Float32Array(length).fill(0.5).fill(sample, 0, 1);
}

describe('the contract of speech engines', () => {
  const voice: Voice = {
    id: '7d1c7a6e-3f57-4c2c-9a1e-0d6f2a8b4c11',
    description: 'A',
    language: 'English',
    gender: 'Male',
    formats: ['wav'],
    sample_rates: [24_000],
    streaming: true,
  };
  const good: SpeechEngine = {
    voices: async () => [voice],
    speak: async ({ voiceId, speed }, signal) => {
      signal.throwIfAborted();
      if (voiceId !== voice.id) throw Object.assign(new Error(), { code: 'not-found' });
      return { sampleRateHz: 24_000, pcm: one(0.1, 4 / speed) };
    },
  };

  testContract('is kept by a good fake:', speechEngineContract, () => good);
  testBroken(speechEngineContract, {
    'has ids that are no UUIDs': {
      port: { ...good, voices: async () => [{ ...voice, id: 'alloy' }] },
      fails: 'lists voices as the contract describes them',
    },
    'has new ids each time': {
      port: {
        ...good,
        voices: async () => [{ ...voice, id: crypto.randomUUID() }],
      },
      fails: 'gives a voice the same id each time',
    },
    'makes silence': {
      port: {
        ...good,
        speak: async () => ({
          sampleRateHz: 24_000,
          pcm: (async function* () {
            yield new Float32Array(10);
          })(),
        }),
      },
      fails: 'makes sound that can be heard and does not clip',
    },
    clips: {
      port: { ...good, speak: async () => ({ sampleRateHz: 24_000, pcm: one(1.5) }) },
      fails: 'makes sound that can be heard and does not clip',
    },
    'has one speed': {
      port: { ...good, speak: async () => ({ sampleRateHz: 24_000, pcm: one(0.1) }) },
      fails: 'speaks as fast as it is asked to',
    },
    'takes any voice': {
      port: { ...good, speak: async () => ({ sampleRateHz: 24_000, pcm: one(0.1) }) },
      fails: 'refuses a voice that it does not have',
    },
    'speaks to nobody': {
      port: { ...good, speak: async () => ({ sampleRateHz: 24_000, pcm: one(0.1) }) },
      fails: 'does not speak for somebody who has left',
    },
  });
});
