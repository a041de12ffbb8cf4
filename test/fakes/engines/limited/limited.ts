import type { CreateEngine } from '../../../../service/engine.ts';

const RATE_HZ = 24_000;

/** A voice that has two formats and one sample rate, and cannot be streamed. */
export const createEngine: CreateEngine = () => ({
  name: 'limited',
  serves: ['speech'],
  rank: 2,
  concurrent: 1,
  abilities: async () => ({
    speech: {
      voices: async () => [
        {
          id: '2a4f0b1c-58d3-4c6e-9b7a-1f2e3d4c5b6a',
          description: 'Limited, English, male',
          language: 'English',
          gender: 'Male',
          formats: ['mp3', 'wav'],
          sample_rates: [RATE_HZ],
          streaming: false,
        },
      ],
      speak: async () => ({
        sampleRateHz: RATE_HZ,
        pcm: (async function* () {
          yield new Float32Array(RATE_HZ / 2).fill(0.1);
        })(),
      }),
    },
  }),
  report: async () => ({ name: 'limited', serves: ['speech'], ready: true, detail: 'one voice' }),
  remedy: () => undefined,
  [Symbol.asyncDispose]: async () => undefined,
});
