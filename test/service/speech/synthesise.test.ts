import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { SpeechEngine } from '../../../service/engine.ts';
import { operatorAccount } from '../../../service/keys/account.ts';
import { createRequestLimiter } from '../../../service/request-limiter.ts';
import { synthesise } from '../../../service/speech/synthesise.ts';
import { createSpools } from '../../../service/speech/spool.ts';
import { eventually } from '../../fakes/eventually.ts';

const RATE_HZ = 8_000;
const TEXT = 'One two. Three. Four five six.';
const COSTS = ['One two. ', 'Three. ', 'Four five six.'].map(({ length }) => length);

/** Speech in which the sound of the last sentence begins, and goes on as `rest` says. */
const speak = (rest: (signal: AbortSignal) => Promise<void>, stream = true) => {
  const charges: number[] = [];
  let began = 0;
  let whole = 0;
  const engine: SpeechEngine = {
    voices: async () => [],
    speak: async ({ text }, signal) => ({
      sampleRateHz: RATE_HZ,
      pcm: (async function* () {
        yield new Float32Array(RATE_HZ);
        began += 1;
        if (text.startsWith('Four')) await rest(signal);
      })(),
    }),
  };
  const left = new AbortController();
  const order = {
    engine,
    voiceId: 'x',
    text: TEXT,
    temperature: undefined,
    speed: 1,
    stream,
  } as const;
  const speech = synthesise(
    { ...order, format: 'pcm', sampleRateHz: RATE_HZ },
    {
      offer: { name: 'one', limiter: createRequestLimiter({ concurrent: 1, waiting: 1 }) },
      spools: createSpools({ memoryBytes: 1e6, totalBytes: 1e7, most: 1 }),
      account: { ...operatorAccount('one'), charge: ({ amount }) => void charges.push(amount) },
      signal: left.signal,
      onAudio: () => void (whole += 1),
    },
  );
  /** Resolves once the sound of the last sentence was taken from the engine for the client. */
  const begun = async (): Promise<void> => {
    await eventually(() => expect([began, whole]).toEqual([3, 2]));
    await setImmediate();
  };
  return { speech, charges, left, begun };
};
const untilAborted = async (signal: AbortSignal): Promise<void> => {
  await new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });
};
const failing = async (): Promise<void> => {
  throw new Error('the engine failed');
};

describe('the price of speech', () => {
  it('is that of each sentence of a stream', async () => {
    const { speech, charges } = speak(async () => {});
    await speech.file();
    expect(charges).toEqual(COSTS);
    await speech[Symbol.asyncDispose]();
    expect(charges).toEqual(COSTS);
  });

  it('has the sentence in it in which the client leaves a stream', async () => {
    const { speech, charges, left, begun } = speak(untilAborted);
    await begun();
    left.abort(new Error('the client left'));
    await speech[Symbol.asyncDispose]();
    expect(charges).toEqual(COSTS);
  });

  it('does not have the sentence in it at which the engine fails', async () => {
    const { speech, charges } = speak(failing);
    await expect(speech.file()).rejects.toThrow('the engine failed');
    await speech[Symbol.asyncDispose]();
    expect(charges).toEqual(COSTS.slice(0, 2));
  });

  it('of a file is that of the whole text, and nothing when it is not whole', async () => {
    const whole = speak(async () => {}, false);
    await whole.speech.file();
    expect(whole.charges).toEqual([TEXT.length]);
    const failed = speak(failing, false);
    await expect(failed.speech.file()).rejects.toThrow('the engine failed');
    expect(failed.charges).toEqual([]);
  });
});
