import { createServiceClient } from '../../../src/api/client.ts';
import { decode } from '../../../src/audio/codec/decode.ts';
import type { ByteSource } from '../../../src/model/message.ts';
import { startSpeechFake } from '../../fakes/speech.ts';
import { createHastyClock } from '../../fakes/clock.ts';
import { fresh } from '../../fakes/opened.ts';

const signal = new AbortController().signal;

/** The service's fake, a client of it, and the waits of the client, ms: anew for each test of a file. */
export const freshClient = () => {
  const slept: number[] = [];
  const fake = fresh(() => startSpeechFake());
  const client = fresh(() => {
    slept.length = 0;
    return createServiceClient({
      baseUrl: fake.url,
      key: fake.key,
      retry: { random: () => 0, sleep: async (ms) => void slept.push(ms) },
      clock: createHastyClock((ms) => slept.push(ms)),
    });
  });
  return { fake, client, slept };
};

export const statesOf = async <R>(states: AsyncGenerator<string, R, void>) => {
  const seen: string[] = [];
  for (;;) {
    const { done, value } = await states.next();
    if (done) return { seen, result: value };
    seen.push(value);
  }
};

export const bytesOf = async (chunks: AsyncIterable<Uint8Array>): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync(chunks));

export const secondsOf = async (audio: ByteSource): Promise<number> => {
  let seconds = 0;
  for await (const { samples, sampleRateHz } of decode(audio, signal))
    seconds += samples.length / sampleRateHz;
  return seconds;
};

export const source = (
  bytes: Uint8Array,
  sizeBytes: number | undefined = bytes.length,
): ByteSource => ({
  sizeBytes,
  async *open() {
    for (let at = 0; at < bytes.length; at += 1_000) yield bytes.subarray(at, at + 1_000);
  },
});

export const JAPANESE = { sourceLang: 'en', targetLang: 'ja' };
