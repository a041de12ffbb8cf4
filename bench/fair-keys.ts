import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { Agent, fetch } from 'undici';
import { PATHS, type Voice } from '../src/api/contract.ts';
import { startServerProgram } from '../test/fakes/server-program.ts';
import { fixed, median, printTable } from './measure.ts';

/**
 * Times the requests of one key for speech, alone and while another key always has 200 long ones in flight,
 * which it sends again when they are answered or refused.
 */

const IN_FLIGHT = 200;
const RUNS = 25;
const MANY = 'svck:bench-many-0123456789';
const FEW = 'svck:bench-few-0123456789';
const SENTENCE = 'The quick brown fox jumps over the lazy dog near the river bank. ';
const LONG = SENTENCE.repeat(40);
const SHORT = SENTENCE.repeat(2);
const KINDS = [
  { format: 'mp3', stream: false },
  { format: 'ogg', stream: true },
  { format: 'flac', stream: false },
  { format: 'pcm', stream: true },
] as const;

interface Speech {
  readonly url: string;
  readonly voice_id: string;
  readonly format: string;
  readonly stream: boolean;
}

const dispatcher = new Agent({ connections: 2 * IN_FLIGHT });

const speak = async (key: string, text: string, { url, ...speech }: Speech) => {
  const startMs = performance.now();
  const reply = await fetch(url + PATHS.tts, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ ...speech, text }),
    dispatcher,
  });
  await reply.arrayBuffer();
  return { tookMs: performance.now() - startMs, isRefused: reply.status === 429 };
};

const flood = async (speech: Speech): Promise<void> => {
  for (;;) {
    const { isRefused } = await speak(MANY, LONG, speech);
    if (isRefused) await delay(1_000);
  }
};

/** The median time of the few requests, and how many were refused. */
const measure = async (speech: Speech) => {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const { tookMs, isRefused } = await speak(FEW, SHORT, speech);
    if (!isRefused) times.push(tookMs);
    await delay(50);
  }
  return { medianMs: median(times), refused: RUNS - times.length };
};

const compare = async (): Promise<void> => {
  await using service = await startServerProgram({
    file: 'service/main.ts',
    port: 'SERVICE_PORT',
    environment: { SERVICE_KEYS: `${MANY},${FEW}` },
  });
  const { url } = service;
  const headers = { authorization: `Bearer ${FEW}` };
  const listed = await fetch(url + PATHS.voices, { headers });
  const { voices } = (await listed.json()) as { readonly voices: readonly Voice[] };
  const voice_id = voices.find(({ language }) => language.startsWith('English (America)'))!.id;

  const rows = [];
  for (const { format, stream } of KINDS) {
    const speech: Speech = { url, voice_id, format, stream };
    await measure(speech);
    const alone = await measure(speech);
    // In a thread of its own, so that reading its replies delays nothing here.
    const worker = new Worker(new URL(import.meta.url), { workerData: speech });
    await once(worker, 'online');
    await delay(3_000);
    const beside = await measure(speech);
    await worker.terminate();
    await delay(2_000);
    rows.push({
      what: `${format}, ${stream ? 'streamed' : 'whole'}: ${beside.refused} of ${RUNS} refused`,
      ours: `${fixed(beside.medianMs, 1)} ms`,
      common: `${fixed(alone.medianMs, 1)} ms`,
      ratio: fixed(beside.medianMs / alone.medianMs),
    });
  }
  printTable('two sentences, while another key has 200 long requests in flight; and alone', rows);
};

if (isMainThread) await compare();
else await Promise.all(Array.from({ length: IN_FLIGHT }, () => flood(workerData as Speech)));
