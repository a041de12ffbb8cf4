import { createServiceClient } from '../src/api/client.ts';
import type { AudioFormat } from '../src/model/message.ts';
import { NO_SPACE } from '../src/model/service.ts';
import { startServerProgram } from '../test/fakes/server-program.ts';
import { fixed, median, printTable } from './measure.ts';

/**
 * Times the first audio of a text of 20 s through the client and the service, streamed as we ask for it,
 * and as one whole file, which is the contract's default.
 */

const TEXT =
  'The quick brown fox jumps over the lazy dog near the river bank. It was a bright cold day in April, ' +
  'and the clocks were striking thirteen. Nobody had seen the ferry since the morning, when it left for ' +
  'the islands. Please wait here until the next one comes; it should not take longer than an hour. ' +
  'If you are in a hurry, there is a bus from the market place at half past four, and at six.';
const RUNS = 15;
const FORMATS: readonly AudioFormat[] = ['pcm', 'ogg', 'mp3'];
const KEY = 'svck:bench-0123456789abcdef';
const PCM_BYTES_PER_SECOND = 48_000;

await using service = await startServerProgram({
  file: 'service/main.ts',
  port: 'SERVICE_PORT',
  environment: { SERVICE_KEYS: KEY },
});
await using client = createServiceClient({ baseUrl: service.url, key: KEY });
const { signal } = new AbortController();
const options = { lane: 'interactive', space: NO_SPACE, signal } as const;
const voices = await client.voices(options);
const voiceId = voices.find(({ language }) => language.startsWith('English (America)'))!.id;

const speak = async (format: AudioFormat, stream: boolean) => {
  const startMs = performance.now();
  let firstMs: number | undefined;
  let bytes = 0;
  const request = { voice_id: voiceId, text: TEXT, format, stream };
  for await (const chunk of await client.speak(request, options)) {
    firstMs ??= performance.now() - startMs;
    bytes += chunk.length;
  }
  return { firstMs: firstMs!, wholeMs: performance.now() - startMs, bytes };
};

const { bytes } = await speak('pcm', true);
const rows = [];
for (const format of FORMATS) {
  const streamed: Awaited<ReturnType<typeof speak>>[] = [];
  const whole: typeof streamed = [];
  for (let run = 0; run < RUNS; run += 1) {
    streamed.push(await speak(format, true));
    whole.push(await speak(format, false));
  }
  const ours = median(streamed.map(({ firstMs }) => firstMs));
  const common = median(whole.map(({ firstMs }) => firstMs));
  const share = median(streamed.map(({ firstMs, wholeMs }) => firstMs / wholeMs));
  rows.push({
    what: `${format}: first audio (${fixed(share)} of the whole streamed reply)`,
    ours: `${fixed(ours, 1)} ms`,
    common: `${fixed(common, 1)} ms`,
    ratio: fixed(ours / common),
  });
}
printTable(`a text of ${fixed(bytes / PCM_BYTES_PER_SECOND, 1)} s, spoken by eSpeak NG`, rows);
