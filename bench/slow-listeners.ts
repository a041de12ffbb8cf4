import { request } from 'undici';
import { PATHS } from '../src/api/contract.ts';
import { startServerProgram } from '../test/fakes/server-program.ts';
import { fixed, median, printTable } from './measure.ts';

/**
 * Times a short text alone, behind four long texts that are read at playing speed, and behind four
 * that are still being spoken, as one client sees them.
 */

const LONG = 'The quick brown fox jumps over the lazy dog near the river bank. '.repeat(76).trim();
const SHORT = 'Hi.';
const LISTENERS = 4;
const RUNS = 15;
const BYTES_PER_SECOND = 48_000;

const keys = Array.from({ length: 6 }, (_, index) => `svck:bench-0123456789abcdef${index}`);

/** In a process of its own: the listeners' work is not the service's. */
await using service = await startServerProgram({
  file: 'service/main.ts',
  port: 'SERVICE_PORT',
  environment: { SERVICE_KEYS: keys.join(',') },
});

const headersOf = (key: number) => ({ authorization: `Bearer ${keys[key] ?? ''}` });
const { body: listed } = await request(service.url + PATHS.voices, { headers: headersOf(0) });
const { voices } = (await listed.json()) as { voices: { id: string; language: string }[] };
const voice = voices.find(({ language }) => language.startsWith('English (America)'))?.id;

const ask = async (text: string, key: number, signal?: AbortSignal) => {
  const reply = await request(service.url + PATHS.tts, {
    method: 'POST',
    headers: headersOf(key),
    body: JSON.stringify({ voice_id: voice, text, format: 'pcm', stream: true }),
    ...(signal ? { signal } : {}),
  });
  if (reply.statusCode !== 200) throw new Error(`answered ${reply.statusCode}`);
  return reply.body;
};

/** Reads a reply as somebody does who plays it; resolves once its first byte is there. */
const listen = async (key: number, signal: AbortSignal): Promise<void> => {
  const body = await ask(LONG, key, signal);
  const reader = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const first = await reader.next();
  const play = async (): Promise<void> => {
    for (let next = first; !next.done; next = await reader.next())
      await new Promise((resolve) => {
        setTimeout(resolve, (1_000 * next.value.length) / BYTES_PER_SECOND);
      });
  };
  play().catch(() => {});
};

const timeShort = async (key: number): Promise<number> => {
  const startMs = performance.now();
  await (await ask(SHORT, key)).dump();
  return performance.now() - startMs;
};

const alone = async (): Promise<number> => timeShort(0);

const among = async (sameKey: boolean, waitMs: number): Promise<number> => {
  const leaving = new AbortController();
  const listeners = Promise.allSettled(
    Array.from({ length: LISTENERS }, (_, index) =>
      listen(sameKey ? 0 : index + 1, leaving.signal),
    ),
  );
  await new Promise((resolve) => {
    setTimeout(resolve, waitMs);
  });
  const ms = await timeShort(0);
  leaving.abort();
  await listeners;
  await new Promise((resolve) => {
    setTimeout(resolve, 100);
  });
  return ms;
};

for (let run = 0; run < 5; run += 1) await alone();
const cases = [
  ['four that listen at playing speed, one key', true, 3_000],
  ['four that are being spoken, one key', true, 400],
  ['four that are being spoken, a key each', false, 400],
] as const;
const rows = [];
for (const [what, sameKey, waitMs] of cases) {
  const runs = waitMs > 1_000 ? 3 : RUNS;
  const [own, others]: [number[], number[]] = [[], []];
  for (let run = 0; run < runs; run += 1) {
    own.push(await alone(), await alone(), await alone());
    others.push(await among(sameKey, waitMs));
  }
  rows.push({
    what,
    ours: `${fixed(median(others), 1)} ms`,
    common: `${fixed(median(own), 1)} ms`,
    ratio: fixed(median(others) / median(own)),
  });
}
printTable('A short text behind four long ones (the common way: alone)', rows);
