import { mkdtempSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { PATHS } from '../src/api/contract.ts';
import { REALTIME_RATE_HZ } from '../src/api/realtime/contract.ts';
import { toS16le } from '../src/audio/pcm.ts';
import {
  streamSoundOf,
  STREAM_WINDOW_MS,
  writeTinyStream,
} from '../test/fakes/models/tiny-stream.ts';
import { LETTER_MS } from '../test/fakes/models/tones.ts';
import { startServerProgram } from '../test/fakes/server-program.ts';
import { fixed, median, quantile } from './measure.ts';

/**
 * Times words of people who speak at once, over `/ws/asr/realtime` with a streaming model that itself takes no time:
 * what remains of the delay, without the sound that the model waits for, is ours.
 */

const KEY = 'svck:bench-0123456789abcdef';
const WORDS = ['alfa', 'beta', 'gama', 'delta', 'omega', 'sigma'];
const SENTENCES = 5;
const PACKET_MS = 100;
const PACKET_SAMPLES = (REALTIME_RATE_HZ * PACKET_MS) / 1_000;
const BUDGET_MS = 300;

const model = mkdtempSync(join(tmpdir(), 'dragoman-stream-en-'));
writeTinyStream(model);
await using service = await startServerProgram({
  file: 'service/main.ts',
  port: 'SERVICE_PORT',
  environment: { SERVICE_KEYS: KEY, SERVICE_SHERPA_MODEL: model },
});

const text = WORDS.join(' ');
const pause = new Float32Array(REALTIME_RATE_HZ);
const sound = new Float32Array([...streamSoundOf(text), ...pause]);
/** Time of the end of each word from the beginning of the sentence. */
const endsMs = WORDS.map((_, at) => WORDS.slice(0, at + 1).join(' ').length * LETTER_MS);

interface Heard {
  readonly wordsMs: number[];
  readonly finalsMs: number[];
  late: number;
  right: number;
}

/** Speaks some sentences in real time; times are those behind the end of what was said. */
const speak = async (): Promise<Heard> => {
  const heard: Heard = { wordsMs: [], finalsMs: [], late: 0, right: 0 };
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}${PATHS.realtimeRecognition}`, {
    headers: { authorization: `Bearer ${KEY}` },
  });
  await new Promise((resolve) => {
    socket.once('open', resolve);
  });
  let beganMs = 0;
  let stoppedMs = 0;
  let words = 0;
  const all = Promise.withResolvers<void>();
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as {
      readonly type: string;
      readonly text?: string;
      readonly partials?: boolean;
    };
    const nowMs = performance.now();
    if (message.type === 'speech_started' && message.partials === false) heard.late += 1;
    if (message.type === 'speech_stopped') stoppedMs = nowMs;
    if (message.type === 'asr.partial_result')
      for (; message.text?.startsWith(WORDS.slice(0, words + 1).join(' ')); words += 1) {
        if (words === WORDS.length) break;
        heard.wordsMs.push(nowMs - beganMs - endsMs[words]!);
      }
    if (message.type !== 'asr.final_result') return;
    heard.finalsMs.push(nowMs - stoppedMs);
    heard.right += message.text === text ? 1 : 0;
    if (heard.finalsMs.length === SENTENCES) all.resolve();
  });
  for (let sentence = 0; sentence < SENTENCES; sentence += 1) {
    words = 0;
    beganMs = performance.now();
    for (let at = 0; at < sound.length; at += PACKET_SAMPLES) {
      const packet = sound.subarray(at, at + PACKET_SAMPLES);
      const atMs = beganMs + ((at + packet.length) * 1_000) / REALTIME_RATE_HZ;
      await sleep(Math.max(0, atMs - performance.now()));
      const audio = Buffer.from(toS16le(packet).buffer).toString('base64');
      socket.send(JSON.stringify({ type: 'input_audio.append', audio }));
    }
  }
  await all.promise;
  socket.close();
  return heard;
};

// The model is loaded by the first words.
await speak();
for (const people of [1, availableParallelism(), 8]) {
  const all = await Promise.all(Array.from({ length: people }, speak));
  const own = all.flatMap(({ wordsMs }) => wordsMs.map((ms) => ms - STREAM_WINDOW_MS));
  const finals = all.flatMap(({ finalsMs }) => finalsMs);
  const right = all.reduce((sum, one) => sum + one.right, 0);
  const late = all.reduce((sum, one) => sum + one.late, 0);
  const told = [
    `a word on top of its chunk: median ${fixed(median(own), 0)} ms, p95 ${fixed(quantile(own, 0.95), 0)} ms`,
    `the final text behind the end: p95 ${fixed(quantile(finals, 0.95), 0)} ms`,
    `${right} of ${people * SENTENCES} sentences are right, ${late} were told to be late`,
  ];
  console.log(`${people} who speak at once: ${told.join('; ')}`);
  if (quantile(own, 0.95) > BUDGET_MS || right < people * SENTENCES) process.exitCode = 1;
}
