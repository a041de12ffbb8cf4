import { createEngineHealth } from '../service/engine-health.ts';
import { NO_SPACE } from '../src/model/lane.ts';
import assert from 'node:assert/strict';
import { startRecognitionSession } from '../service/realtime/recognition-session.ts';
import { operatorAccount } from '../service/keys/account.ts';
import { createRequestLimiter } from '../service/request-limiter.ts';
import { createAvailability } from '../src/api/realtime/availability.ts';
import { createRecognitionSessions } from '../src/api/realtime/recognition-session.ts';
import { sleep, type Clock } from '../src/async/clock.ts';
import { createSemaphore } from '../src/async/semaphore.ts';
import { createLog } from '../src/telemetry/log.ts';
import { USUAL_PAUSE_MS } from '../src/model/space-choices.ts';
import type { Recogniser } from '../src/ports/recogniser.ts';
import { createBatchRecogniser } from '../src/voice/stt/batch-recogniser.ts';
import { createSttPipeline } from '../src/voice/stt/pipeline.ts';
import { createRealtimeRecogniser } from '../src/voice/stt/realtime-recogniser.ts';
import type { TranscriptEvent } from '../src/voice/stt/transcript-emitter.ts';
import { createTestClock, type TestClock } from '../test/fakes/clock.ts';
import { levelOf, pcmOf, wordAt } from '../test/fakes/realtime-recognition.ts';
import { createWire, type ServeSession, type WireFault } from '../test/fakes/realtime-wire.ts';
import { silentPacket, wordClient, wordIn, wordPacket } from '../test/fakes/recogniser.ts';
import { fixed, median, printTable } from './measure.ts';

/**
 * Realtime recognition by our client and our service beside requests with whole files, in simulated
 * time: 20 ms of network each way, and an engine that takes a fixed time for each call.
 */

const NETWORK_MS = 20;
const PACKET_MS = 20;
const WORD_PACKETS = 20;
const UTTERANCES = 20;
const WORDS_EACH = 8;
const SILENT_PACKETS = 5;
const PAUSE_MS = 2_000;
const log = createLog('silent');

const wordsIn = (samples: Float32Array): string => {
  const words: string[] = [];
  for (const sample of samples) {
    const word = wordAt(Math.round(sample * 32_768));
    if (word !== undefined && word !== words.at(-1)) words.push(word);
  }
  return words.join(' ');
};

/** The built-in service's sessions over an engine that knows the words. */
const serving =
  (clock: Clock, engineMs: number): ServeSession =>
  (peer) => {
    let samples = 0;
    const session = startRecognitionSession({
      peer: { ...peer, sendAudio: async () => undefined },
      account: operatorAccount('bench'),
      offers: [
        {
          name: 'bench',
          limiter: createRequestLimiter({ concurrent: 2, waiting: 32 }),
          health: createEngineHealth(clock),
          engine: {
            longestMs: 28_000,
            recognise: async (audio, _, signal) => {
              if (engineMs > 0) await sleep(clock, engineMs, signal);
              return { text: wordsIn(audio), language: 'en', confidence: 0.9 };
            },
          },
        },
      ],
      clock,
      log,
    });
    return {
      message: (text) => {
        samples += (JSON.parse(text) as { audio?: string }).audio?.length ?? 0;
        session.message(text);
      },
      closed: session.closed,
      get heardMs() {
        return (samples * 0.75) / 32;
      },
    };
  };

const batchOf = (clock: Clock, engineMs: number): Recogniser =>
  createBatchRecogniser(
    {
      transcribe: async (audio, parameters, options) => {
        await sleep(clock, 2 * NETWORK_MS + engineMs, options.signal);
        return wordClient.transcribe(audio, parameters, options);
      },
    },
    { space: NO_SPACE },
  );

const realtimeOf = (clock: Clock, engineMs: number): Recogniser => {
  const { openSocket } = createWire(clock, [], serving(clock, engineMs));
  return createRealtimeRecogniser({
    space: NO_SPACE,
    recognition: {
      of: async () => ({
        openSession: createRecognitionSessions({ openSocket, clock, random: () => 1 }),
        availability: createAvailability('recognition', { clock, log }),
      }),
      sessions: createSemaphore(16),
    },
    batch: batchOf(clock, engineMs),
    clock,
    createDecoder: async () => {
      let packets = 0;
      return {
        // Speech has moments of silence.
        decode: (data) => {
          packets += 1;
          const level = packets % WORD_PACKETS < 2 ? 0 : levelOf(wordIn(data) ?? '');
          return new Float32Array(320).fill(level / 32_768);
        },
        free: () => undefined,
      };
    },
  });
};

/** Speaks through a room's pipeline: when the first words and the final text of each utterance came. */
const converse = async (
  recogniserOf: (clock: Clock, engineMs: number) => Recogniser,
  engineMs: number,
): Promise<{ readonly firstMs: number; readonly finalMs: number; readonly right: number }> => {
  const clock: TestClock = createTestClock();
  const events: (TranscriptEvent & { readonly atMs: number })[] = [];
  const pipeline = createSttPipeline({
    recogniser: recogniserOf(clock, engineMs),
    clock,
    listener: {
      speechBegan: () => undefined,
      transcript: (event) => void events.push({ ...event, atMs: clock.nowMs() }),
      withheld: () => undefined,
      lost: () => undefined,
      trouble: () => undefined,
    },
    hints: async () => ({ hotwords: [], languages: [] }),
  });
  let sequence = 0;
  const send = async (data: Uint8Array): Promise<void> => {
    await clock.advance(PACKET_MS);
    const arrivedMs = clock.nowMs();
    const timestampSamples = Math.round(arrivedMs) * 48;
    pipeline.packet({ speakerId: 'ann', data, sequence, timestampSamples, arrivedMs });
    sequence += 1;
  };
  const firsts: number[] = [];
  const finals: number[] = [];
  let right = 0;
  for (let utterance = 0; utterance < UTTERANCES; utterance += 1) {
    const words = Array.from({ length: WORDS_EACH }, (_, at) => `word${utterance}x${at}`);
    const startMs = clock.nowMs();
    for (const word of words)
      for (let count = 0; count < WORD_PACKETS; count += 1) await send(wordPacket(word));
    const endMs = clock.nowMs();
    // As programs do that people speak with: a little silence, and then nothing.
    for (let count = 0; count < SILENT_PACKETS; count += 1) await send(silentPacket());
    await clock.advance(PAUSE_MS);
    const own = events.filter(({ atMs }) => atMs > startMs);
    firsts.push((own[0]?.atMs ?? NaN) - startMs);
    const final = own.find(({ isFinal }) => isFinal);
    finals.push((final?.atMs ?? NaN) - endMs - USUAL_PAUSE_MS);
    if (final?.text === words.join(' ')) right += 1;
  }
  await pipeline[Symbol.asyncDispose]();
  return { firstMs: median(firsts), finalMs: median(finals), right };
};

/** A minute of 100 words, with a pause after every seventh. */
const SPOKEN = Array.from({ length: 100 }, (_, at) => `minute${at}`);
const MINUTE = Buffer.concat(
  SPOKEN.flatMap((word, at) => [pcmOf(word, 5_760), pcmOf('', at % 7 === 6 ? 20_640 : 640)]),
);
const APPEND_BYTES = 3_200;
const cuts = (): WireFault[] => [12_000, 15_350, 17_700].map((cutAfterMs) => ({ cutAfterMs }));

const speakMinute = async (clock: TestClock, append: (pcm: Buffer) => void): Promise<void> => {
  for (let at = 0; at < MINUTE.length; at += APPEND_BYTES) {
    append(MINUTE.subarray(at, at + APPEND_BYTES));
    await clock.advance(100);
  }
};

const faultsOf = (text: string): { readonly lost: number; readonly doubled: number } => {
  const words = text.split(' ');
  return {
    lost: SPOKEN.filter((word) => !words.includes(word)).length,
    doubled: words.length - new Set(words).size,
  };
};

const oursWithCuts = async () => {
  const clock = createTestClock();
  const wire = createWire(clock, cuts(), serving(clock, 0));
  const session = createRecognitionSessions({
    openSocket: wire.openSocket,
    clock,
    random: () => 1,
  })({
    asker: { lane: 'live', space: NO_SPACE },
    changed: () => undefined,
    failed: (error) => assert.fail(error),
  });
  await speakMinute(clock, session.append);
  const finished = session.finish();
  await clock.advance(10_000);
  assert.equal(wire.opened, 4);
  return faultsOf((await finished).text);
};

/** A client that opens another connection where one breaks, and goes on with what is spoken then. */
const commonWithCuts = async () => {
  const clock = createTestClock();
  const wire = createWire(clock, cuts(), serving(clock, 0));
  const texts: string[] = [];
  let socket: ReturnType<typeof wire.openSocket>;
  const open = (): void => {
    socket = wire.openSocket('', {
      opened: () => undefined,
      message: (data) => {
        const { type, text } = JSON.parse(String(data)) as { type: string; text: string };
        if (type === 'asr.final_result') texts.push(text);
      },
      closed: (error) => {
        if (error) open();
      },
    });
  };
  open();
  await speakMinute(clock, (pcm) =>
    socket.send({ type: 'input_audio.append', audio: pcm.toString('base64') }),
  );
  socket!.send({ type: 'session.close' });
  await clock.advance(10_000);
  return faultsOf(texts.join(' '));
};

const rows = [];
for (const engineMs of [0, 300]) {
  const ours = await converse(realtimeOf, engineMs);
  const common = await converse(batchOf, engineMs);
  assert.deepEqual([ours.right, common.right], [UTTERANCES, UTTERANCES]);
  for (const [what, key] of [
    ['first words, after speech began', 'firstMs'],
    ['whole text, after the pause that ends it', 'finalMs'],
  ] as const)
    rows.push({
      what: `${what} (engine: ${engineMs} ms)`,
      ours: `${fixed(ours[key], 0)} ms`,
      common: `${fixed(common[key], 0)} ms`,
      ratio: fixed(ours[key] / common[key]),
    });
}
const [ours, common] = [await oursWithCuts(), await commonWithCuts()];
for (const key of ['lost', 'doubled'] as const)
  rows.push({
    what: `words ${key}, of 100 in a minute with three cuts`,
    ours: String(ours[key]),
    common: String(common[key]),
    ratio: '–',
  });
printTable('Realtime recognition (requests with files; reopening alone)', rows);
