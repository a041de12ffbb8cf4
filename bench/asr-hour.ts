import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { PATHS } from '../src/api/contract.ts';
import { encode } from '../src/audio/codec/encode.ts';
import type { AudioFormat } from '../src/model/file.ts';
import { startFakeOpenai } from '../test/fakes/openai.ts';
import { createRandom } from '../test/fakes/random.ts';
import { startServerProgram } from '../test/fakes/server-program.ts';
import manifest from '../package.json' with { type: 'json' };
import { fixed } from './measure.ts';
import { readVitals, VITALS_MODULE } from './voice/vitals.ts';

/**
 * An hour of audio like speech through the service with segments, over an engine that answers at once:
 * how far the service's memory grows, and how long its event loop stands still.
 */

const MINUTES = Number(process.argv[2] ?? 60);
const RATE_HZ = 24_000;
/** Formats, and the minutes of each that fit into a body. */
const FORMATS: readonly (readonly [AudioFormat, number])[] = [
  ['ogg', MINUTES],
  ['mp3', MINUTES],
  ['flac', Math.min(MINUTES, 10)],
  ['wav', Math.min(MINUTES, 10)],
];
const KEY = 'svck:bench-0123456789abcdef';
const LOOK_EVERY_MS = 10;

/** Four seconds of noise in syllables of 0.2 s, then a pause of one second, again and again. */
const speech = async function* (seconds: number): AsyncGenerator<Float32Array, void, void> {
  const random = createRandom(7);
  for (let second = 0; second < seconds; second += 1) {
    const loudness = second % 5 === 4 ? 0.0005 : 0.2;
    yield Float32Array.from(
      { length: RATE_HZ },
      (_, at) => loudness * (2 * random() - 1) * Math.abs(Math.sin((Math.PI * at) / RATE_HZ / 0.2)),
    );
  }
};

const bodyOf = async (format: AudioFormat, minutes: number): Promise<string> => {
  const file = await Array.fromAsync(encode(format, RATE_HZ, speech(60 * minutes)));
  return JSON.stringify({ vad: 'segments', audio: Buffer.concat(file).toString('base64') });
};

const folder = mkdtempSync(join(tmpdir(), 'dragoman-bench-'));
const vitalsFile = join(folder, 'vitals');
await using backEnd = await startFakeOpenai({
  transcript: () => ({ text: 'four words of speech' }),
});
/** Of Node.js, as `npm run service` gives them. */
const FLAGS = manifest.scripts.service.split(' ').filter((word) => word.startsWith('--'));
await using service = await startServerProgram({
  file: 'service/main.ts',
  port: 'SERVICE_PORT',
  flags: [...FLAGS, '--import', VITALS_MODULE],
  environment: {
    SERVICE_KEYS: KEY,
    SERVICE_OPENAI_URL: backEnd.url,
    SERVICE_MODELS: folder,
    VITALS_FILE: vitalsFile,
  },
});
const { pid, url } = service;

const rssMb = (): number =>
  Number(/VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;

const recognise = async (body: string): Promise<number> => {
  const reply = await request(url + PATHS.asr, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}` },
    body,
    headersTimeout: 0,
  });
  const { segments } = (await reply.body.json()) as { segments: unknown[] };
  return segments.length;
};

const title = 'audio like speech with segments';
console.log(`\n### ${title}\n`);
console.log(
  '| format | audio | body | segments | growth of memory | longest stand-still | p99 | time |',
);
console.log('|---|---|---|---|---|---|---|---|');
for (const [format, minutes] of FORMATS) {
  // Code and buffers of a first request are there before the measured one.
  await recognise(await bodyOf(format, 1));
  const body = await bodyOf(format, minutes);
  await readVitals(pid, vitalsFile);
  const before = rssMb();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, rssMb());
  }, LOOK_EVERY_MS);
  const startMs = performance.now();
  const segments = await recognise(body);
  const seconds = (performance.now() - startMs) / 1_000;
  clearInterval(timer);
  const { worstMs, p99Ms } = await readVitals(pid, vitalsFile);
  console.log(
    `| ${format} | ${minutes} min | ${fixed(body.length / 1e6, 1)} MB | ${segments} | ${fixed(peak - before, 0)} MB | ${fixed(worstMs, 1)} ms | ${fixed(p99Ms, 1)} ms | ${fixed(seconds, 1)} s |`,
  );
}
rmSync(folder, { recursive: true });
