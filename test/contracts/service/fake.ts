import { VOICE, startSpeechFake, type SpeechFake } from '../../fakes/speech.ts';
import { hearSegments } from '../../fakes/speech-recognition.ts';
import { REFUSAL, type ServiceSubject, type Situation } from './target.ts';

const STATUSES: Partial<Record<Situation, number>> = {
  'key without a provider of speech': 403,
  'key without batch recognition': 403,
  'key over its limit': 429,
  'busy back end': 429,
  'nothing registered': 404,
  'internal failure': 500,
  'unreachable back end': 502,
};

/**
 * The test fake of the service, with a second voice that can do less.
 *
 * @param change what is otherwise about it
 */
export const openFake = async (
  change: (fake: SpeechFake) => void = () => {},
): Promise<ServiceSubject & AsyncDisposable> => {
  const fake = await startSpeechFake();
  fake.voices = [
    { ...VOICE, sample_rates: [16_000, 24_000, 48_000] },
    {
      ...VOICE,
      id: '2a4f0b1c-58d3-4c6e-9b7a-1f2e3d4c5b6a',
      formats: ['mp3', 'wav'],
      streaming: false,
    },
  ];
  fake.segment = hearSegments;
  fake.sound = async function* () {
    yield Float32Array.from({ length: 12_000 }, (_, at) => Math.sin(at / 8));
  };
  change(fake);
  return {
    url: fake.url,
    key: fake.key,
    when: async (situation, path) => {
      if (situation === 'key that was revoked') return { url: fake.url, key: 'svck:revoked' };
      if (situation === 'key whose free credit is spent')
        return { url: fake.url, key: fake.spentKey };
      const status = STATUSES[situation];
      fake.fail(path, status === undefined ? REFUSAL : { status });
      return fake;
    },
    [Symbol.asyncDispose]: async () => fake[Symbol.asyncDispose](),
  };
};
