import { RECOGNITION_RATE_HZ, type CreateEngine } from '../../../../service/engine.ts';

const fail = async (): Promise<never> => {
  throw new TypeError('a fault of the engine');
};

/** An engine that fails as only a fault in its code can. */
export const createEngine: CreateEngine = () => ({
  name: 'faulty',
  serves: ['speech', 'recognition'],
  rank: 1,
  concurrent: 1,
  abilities: async () => ({
    speech: {
      voices: async () => [
        {
          id: '5d1f7c62-0a49-4e0f-8f1b-6f3c2b1a9e80',
          description: 'Faulty, English, male',
          language: 'English',
          gender: 'Male',
          formats: ['mp3'],
          sample_rates: [RECOGNITION_RATE_HZ],
          streaming: true,
        },
      ],
      speak: fail,
    },
    recognition: { longestMs: 60_000, recognise: fail },
  }),
  report: async () => ({ name: 'faulty', serves: ['speech'], ready: true, detail: 'it fails' }),
  remedy: () => undefined,
  [Symbol.asyncDispose]: async () => undefined,
});
