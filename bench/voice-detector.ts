import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { bytesSource } from '../src/audio/bytes.ts';
import { decodeTo } from '../src/audio/codec/decode.ts';
import { OPUS_CLOCK_HZ } from '../src/audio/opus/packet.ts';
import { concatSamples } from '../src/audio/pcm.ts';
import { createSpeechDetector } from '../src/audio/speech-detector/speech-detector.ts';
import { createLevelMeter, VAD_RATE_HZ } from '../src/audio/vad.ts';
import type { Utterance } from '../src/ports/recogniser.ts';
import { createLog } from '../src/telemetry/log.ts';
import { createEndpointer } from '../src/voice/stt/endpointer.ts';
import { createGatedRecogniser, NO_SPEECH } from '../src/voice/stt/gated-recogniser.ts';
import { loadSpeechWeights } from '../src/voice/stt/speech-weights.ts';
import { APPLICATION, encodePackets } from '../test/fakes/opus.ts';
import { createRandom } from '../test/fakes/random.ts';
import { fixed } from './measure.ts';

/**
 * Sounds that reach the recogniser from a voice channel, and speech that does not:
 *
 *     node bench/voice-detector.ts SOUNDS
 *
 * SOUNDS has a folder for each kind of recording; in those whose name begins with `noise` nobody speaks.
 */

const PACKET_SAMPLES = 960;
const PACKET_MS = 20;
/** Silence around a recording. */
const BEFORE_SAMPLES = 30 * PACKET_SAMPLES;
const AFTER_SAMPLES = 60 * PACKET_SAMPLES;

const DAMAGES = [
  { name: 'as sent', bitrate: 40_000, loss: 0 },
  { name: '16 kbit/s', bitrate: 16_000, loss: 0 },
  { name: '10 % lost', bitrate: 40_000, loss: 0.1 },
] as const;

const NONE = { seconds: 0, utterances: 0, passed: 0, sent: 0, kept: 0, cutMs: 0, detectMs: 0 };

const processorTimed = async <T>(run: () => Promise<T>): Promise<readonly [T, number]> => {
  const before = process.cpuUsage();
  const result = await run();
  const { user, system } = process.cpuUsage(before);
  return [result, (user + system) / 1_000];
};

const { signal } = new AbortController();
const read = async (file: string, rateHz: number): Promise<Float32Array> => {
  const source = bytesSource([await readFile(file)]);
  return concatSamples(await Array.fromAsync(decodeTo(source, rateHz, signal)));
};

/** Frames of 20 ms with speech: over -55 dB, and at most 28 dB under the loudest of the recording. */
const spokenFrames = (samples: Float32Array): readonly boolean[] => {
  const levels = createLevelMeter()(samples);
  const loud = levels.toSorted((a, b) => a - b)[Math.floor(levels.length * 0.95)] ?? 0;
  return levels.map((level) => level > Math.max(-55, loud - 28));
};

const gated = createGatedRecogniser({
  detectSpeech: createSpeechDetector(async () => loadSpeechWeights(createLog('warn'))),
  clock: { nowMs: () => 0 },
  recogniser: {
    growEveryMs: 0,
    start: () => ({
      grow: () => undefined,
      finish: async () => ({ text: 'speech', language: '', confidence: undefined }),
    }),
  },
});

const hasSpeech = async (utterance: Utterance): Promise<boolean> => {
  const recognition = gated.start({
    hints: async () => ({ hotwords: [] }),
    signal,
    partial: () => undefined,
    final: () => undefined,
  });
  return (await recognition.finish(utterance, Infinity)) !== NO_SPEECH;
};

const cut = async (packets: readonly Uint8Array[], loss: number): Promise<readonly Utterance[]> => {
  const random = createRandom(7);
  const endpointer = createEndpointer();
  const events = [];
  let lost = 0;
  for (const [sequence, data] of packets.entries()) {
    // Two packets in a row are lost at a time.
    if (lost > 0) lost -= 1;
    else if (random() < loss / 2) lost = 2;
    const at = sequence * PACKET_MS;
    const packet = { speakerId: 'ann', data, sequence, timestampSamples: at * 48, arrivedMs: at };
    if (lost === 0) events.push(...endpointer.take(packet));
    await nextTurn();
  }
  events.push(...endpointer.endAll());
  endpointer[Symbol.dispose]();
  return events.flatMap(({ kind, utterance }) => (kind === 'ended' ? [utterance] : []));
};

const measure = async (
  file: string,
  { bitrate, loss }: (typeof DAMAGES)[number],
  sums: typeof NONE,
): Promise<void> => {
  const recording = await read(file, OPUS_CLOCK_HZ);
  const random = createRandom(1);
  const sound = Float32Array.from(
    { length: BEFORE_SAMPLES + recording.length + AFTER_SAMPLES },
    (_, at) => (recording[at - BEFORE_SAMPLES] ?? 0) + 0.0005 * (2 * random() - 1),
  );
  const packets = encodePackets(sound, { application: APPLICATION.voip, bitrate });
  const spoken = spokenFrames(await read(file, VAD_RATE_HZ));
  const [utterances, cutMs] = await processorTimed(async () => cut(packets, loss));
  sums.seconds += sound.length / OPUS_CLOCK_HZ;
  sums.cutMs += cutMs;
  for (const utterance of utterances) {
    const [isPassed, detectMs] = await processorTimed(async () => hasSpeech(utterance));
    const [from, to] = [utterance.packets[0]!, utterance.packets.at(-1)!].map(({ sequence }) =>
      Math.max(0, sequence - BEFORE_SAMPLES / PACKET_SAMPLES),
    );
    const frames = spoken.slice(from, to).filter(Boolean).length;
    sums.utterances += 1;
    sums.sent += frames;
    sums.detectMs += detectMs;
    if (!isPassed) continue;
    sums.passed += 1;
    sums.kept += frames;
  }
};

const [folder] = process.argv.slice(2);
if (folder === undefined) console.log('Say a folder with folders of sounds.');
else {
  console.log(
    '| sounds | damage | utterances | passed | kept | endpointer, ms/s | detector, ms/s |',
  );
  console.log('|---|---|---|---|---|---|---|');
  for (const kind of (await readdir(folder)).toSorted())
    for (const damage of DAMAGES) {
      const sums = { ...NONE };
      for (const file of await readdir(join(folder, kind)))
        await measure(join(folder, kind, file), damage, sums);
      const { utterances, passed, sent, kept, seconds, cutMs, detectMs } = sums;
      const share = kind.startsWith('noise') ? '–' : `${fixed((100 * kept) / sent)} %`;
      const costs = [cutMs, detectMs].map((ms) => fixed(ms / seconds));
      console.log(`| ${[kind, damage.name, utterances, passed, share, ...costs].join(' | ')} |`);
    }
}
