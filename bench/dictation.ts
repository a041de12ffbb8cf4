import assert from 'node:assert/strict';
import { sleep, type Clock } from '../src/async/clock.ts';
import { createLog } from '../src/telemetry/log.ts';
import { NO_SPACE } from '../src/model/lane.ts';
import type { DictatedWords } from '../src/model/transcript.ts';
import type { Recogniser } from '../src/ports/recogniser.ts';
import { createDictationOpener } from '../src/voice/dictation.ts';
import { createBatchRecogniser } from '../src/voice/stt/batch-recogniser.ts';
import { createTestClock } from '../test/fakes/clock.ts';
import {
  createStreamingRecogniser,
  silentPacket,
  wordClient,
  wordPacket,
} from '../test/fakes/recogniser.ts';
import { fixed, printTable } from './measure.ts';

/**
 * A recording of half a minute on the page, recognised while it is made, beside one that is sent when
 * it is complete; in simulated time, with an engine that takes a tenth of the audio's length.
 */

const NETWORK_MS = 20;
const ENGINE_SHARE = 0.1;
const PACKET_MS = 20;
const CHUNK_PACKETS = 12;
const UTTERANCES = 7;
const WORDS_EACH = 8;
const WORD_PACKETS = 20;
const PAUSE_PACKETS = 50;

const words = Array.from({ length: UTTERANCES * WORDS_EACH }, (_, at) => `word${at}`);
const packets = words.flatMap((word, at) => [
  ...Array.from({ length: WORD_PACKETS }, () => wordPacket(word)),
  ...((at + 1) % WORDS_EACH === 0 && at + 1 < words.length
    ? Array.from({ length: PAUSE_PACKETS }, silentPacket)
    : []),
]);
const audioMs = packets.length * PACKET_MS;

/** Audio that was sent to be recognised. */
let sentMs = 0;

const requestsOf = (clock: Clock, partialEveryMs?: number): Recogniser =>
  createBatchRecogniser(
    {
      transcribe: async (audio, parameters, options) => {
        sentMs += options.audioMs ?? 0;
        await sleep(clock, 2 * NETWORK_MS + ENGINE_SHARE * (options.audioMs ?? 0), options.signal);
        return wordClient.transcribe(audio, parameters, options);
      },
    },
    { space: NO_SPACE, ...(partialEveryMs === undefined ? {} : { partialEveryMs }) },
  );

const dictate = async (recogniserOf: (clock: Clock) => Recogniser) => {
  const clock = createTestClock();
  const startMs = clock.nowMs();
  const shown: (DictatedWords & { readonly atMs: number })[] = [];
  const recogniser = recogniserOf(clock);
  sentMs = 0;
  const open = createDictationOpener({
    services: {
      glossary: { applying: async () => [] },
      privacy: { optedOut: async () => false },
      settings: { of: async () => ({}) },
      limits: { fault: async () => undefined },
      usage: { record: async () => undefined },
    } as never,
    createRecogniser: () => recogniser,
    partials: true,
    clock,
    log: createLog('silent'),
  });
  using dictation = await open({
    member: { platform: 'web', id: 'ada' },
    channel: { space: NO_SPACE, id: 'playground' },
    listener: {
      words: (each) => void shown.push({ ...each, atMs: clock.nowMs() }),
      ended: (error) => assert.fail(error),
    },
  });
  for (let at = 0; at < packets.length; at += CHUNK_PACKETS) {
    const chunk = packets.slice(at, at + CHUNK_PACKETS);
    await clock.advance(chunk.length * PACKET_MS);
    for (const packet of chunk) dictation.packet(packet);
  }
  const endMs = clock.nowMs();
  const finished = dictation.finish().then((text) => ({ text, atMs: clock.nowMs() }));
  await clock.advance(5_000);
  const { text, atMs } = await finished;
  assert.equal(text?.text, words.join(' '));
  return { firstMs: (shown[0]?.atMs ?? NaN) - startMs, textMs: atMs - endMs, sentMs };
};

const whole = 2 * NETWORK_MS + ENGINE_SHARE * audioMs;
const common = { firstMs: audioMs + whole, textMs: whole };
for (const [name, recogniserOf] of [
  ['requests', requestsOf],
  ['requests after each pause', (clock: Clock) => requestsOf(clock, 0)],
  ['a service that works along', () => createStreamingRecogniser()],
] as const) {
  const ours = await dictate(recogniserOf);
  const times = (
    [
      ['first words, after speech began', 'firstMs'],
      ['whole text, after the end of the recording', 'textMs'],
    ] as const
  ).map(([what, key]) => ({
    what,
    ours: `${fixed(ours[key] / 1_000)} s`,
    common: `${fixed(common[key] / 1_000)} s`,
    ratio: fixed(ours[key] / common[key]),
  }));
  const sent = {
    what: 'audio that requests bring to be recognised',
    ours: `${fixed(ours.sentMs / 1_000, 0)} s`,
    common: `${fixed(audioMs / 1_000, 0)} s`,
    ratio: fixed(ours.sentMs / audioMs),
  };
  const title = `A recording of ${fixed(audioMs / 1_000, 0)} s, by ${name} (sent when complete)`;
  printTable(title, [...times, sent]);
}
