import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import prism from 'prism-media';
import { createPacketDecoder } from '../src/audio/opus/decoder.ts';
import { createPacketEncoder } from '../src/audio/opus/encoder.ts';
import { createFrameEncoder } from '../src/audio/opus/frame-encoder.ts';
import { speechPackets } from '../src/voice/tts/speech-packets.ts';
import { inSlices, sliceSamples, toS16le } from '../src/audio/pcm.ts';
import { resample } from '../src/audio/resample.ts';
import { decodePackets, encoderLibrary } from '../test/fakes/opus.ts';
import { fixed, median, printTable } from './measure.ts';
import { joined, openSynthesiser } from './voice/sounds.ts';

/**
 * The Opus codecs as rooms use them, and the common way: prism-media, which encodes and decodes 48 kHz
 * stereo with opusscript.
 */

const ROUNDS = 15;
const SECONDS = 20;
const RATE_HZ = 24_000;
const { signal } = new AbortController();

await using synthesiser = await openSynthesiser();
const said = 'We shall meet at the station tomorrow morning, and then take the first train.';
const { sound } = await synthesiser.say(said, 'English (America)');
const once48 = async function* (): AsyncGenerator<Float32Array> {
  yield sound;
};
const spoken = joined(await Array.fromAsync(resample(once48(), 48_000, RATE_HZ)));
const long = Float32Array.from(
  { length: RATE_HZ * SECONDS },
  (_, at) => spoken[at % spoken.length]!,
);
const mono = toS16le(long);

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 16_384) yield bytes.subarray(at, at + 16_384);
}
const asSpeech = (pcm: Uint8Array, sampleRateHz: number) =>
  ({ format: 'pcm', sampleRateHz, chunks: chunksOf(pcm) }) as const;

const encodeOurs = (): Promise<Uint8Array[]> =>
  Array.fromAsync(speechPackets(asSpeech(mono, RATE_HZ), signal));

const whole = async function* (): AsyncGenerator<Float32Array> {
  yield long;
};
/** What the common way is fed with: each sample twice, at 48 kHz. */
const stereo48 = async function* (): AsyncGenerator<Uint8Array> {
  for await (const slice of inSlices(resample(whole(), RATE_HZ, 48_000), sliceSamples(48_000)))
    yield toS16le(Float32Array.from({ length: 2 * slice.length }, (_, at) => slice[at >> 1]!));
};
const stereo = await Array.fromAsync(stereo48());
const PRISM = { rate: 48_000, channels: 2, frameSize: 960 };

const encodeCommon = async (): Promise<Uint8Array[]> => {
  const encoder = new prism.opus.Encoder(PRISM);
  const packets: Uint8Array[] = [];
  await pipeline(Readable.from(stereo), encoder, async (stream: AsyncIterable<Uint8Array>) => {
    for await (const packet of stream) packets.push(packet);
  });
  return packets;
};

const [ours, common] = [await encodeOurs(), await encodeCommon()];

const decodeOurs = async (): Promise<void> => {
  const decoder = await createPacketDecoder(16_000);
  for (const packet of ours) decoder.decode(packet);
  decoder.free();
};
const decodeCommon = async (): Promise<void> => {
  const decoder = new prism.opus.Decoder(PRISM);
  decoder.resume();
  for (const packet of common) if (!decoder.write(packet)) await once(decoder, 'drain');
  decoder.end();
  await once(decoder, 'end');
};

const cpuMs = async (work: () => Promise<unknown>): Promise<number> => {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / SECONDS;
};

const compare = async (
  what: string,
  our: () => Promise<unknown>,
  their: () => Promise<unknown>,
) => {
  await cpuMs(our);
  await cpuMs(their);
  const [a, b]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    a.push(await cpuMs(our));
    b.push(await cpuMs(their));
  }
  const ratio = median(a.map((ms, round) => ms / (b[round] ?? Number.NaN)));
  const [oursMs, commonMs] = [median(a), median(b)];
  return {
    what,
    ours: `${fixed(oursMs)} ms`,
    common: `${fixed(commonMs)} ms`,
    ratio: fixed(ratio),
  };
};

/** The decoded packets against the speech at 24 kHz, at the lag that fits best, in dB. */
const signalToNoise = async (packets: readonly Uint8Array[]): Promise<number> => {
  const heard = await decodePackets(packets, RATE_HZ);
  const ratios = Array.from({ length: 600 }, (_, lag) => {
    let [power, noise] = [0, 0];
    for (let at = RATE_HZ / 5; at < 3 * RATE_HZ; at += 1) {
      power += long[at]! ** 2;
      noise += (heard[at + lag]! - long[at]!) ** 2;
    }
    return 10 * Math.log10(power / noise);
  });
  return Math.max(...ratios);
};

const kbitOf = (packets: readonly Uint8Array[]): number =>
  (packets.reduce((sum, { length }) => sum + length, 0) * 8) / 1_000 / SECONDS;

/** Resident memory for each of sixteen that are alive, in KB. */
const memoryOf = async (create: () => Promise<{ free(): void }>): Promise<number> => {
  (await create()).free();
  const before = process.memoryUsage.rss();
  const alive = await Promise.all(Array.from({ length: 16 }, create));
  const after = process.memoryUsage.rss();
  for (const one of alive) one.free();
  return (after - before) / 16 / 1_000;
};

interface OneEncoder {
  encode(): void;
  free(): void;
}
const MOST_PACKETS = 50_000;

/** Encodes with sixteen encoders that come and go; the packets until one of them fails. */
const packetsUntilFailure = (create: () => OneEncoder): string => {
  const alive = new Map<number, OneEncoder>();
  let state = 1;
  const below = (end: number): number => {
    state = (state * 16_807) % 2_147_483_647;
    return state % end;
  };
  for (let packets = 0; packets < MOST_PACKETS;) {
    const slot = below(16);
    const encoder = alive.get(slot);
    try {
      if (!encoder) alive.set(slot, create());
      else if (below(20) === 0) {
        encoder.free();
        alive.delete(slot);
      } else {
        encoder.encode();
        packets += 1;
      }
    } catch {
      return `${packets}`;
    }
  }
  for (const encoder of alive.values()) encoder.free();
  return `over ${MOST_PACKETS}`;
};

const frame = long.subarray(RATE_HZ, RATE_HZ + RATE_HZ / 50);
const ourEncoder = (): OneEncoder => {
  const encoder = createFrameEncoder(RATE_HZ);
  return { encode: () => encoder.encode(frame), free: () => encoder.free() };
};
const libraryEncoder = (): OneEncoder => {
  const Library = encoderLibrary();
  const encoder = new Library(RATE_HZ, 1, Library.Application.AUDIO);
  const bytes = Buffer.from(toS16le(frame).buffer);
  return {
    encode: () => encoder.encode(bytes, frame.length),
    free: () => encoder.delete(),
  };
};

const results = [
  await compare('encoding, processor time for a second', encodeOurs, encodeCommon),
  await compare('decoding, processor time for a second', decodeOurs, decodeCommon),
];
const [ourDb, commonDb] = [await signalToNoise(ours), await signalToNoise(common)];
const [ourKbit, commonKbit] = [kbitOf(ours), kbitOf(common)];
const encoderKb = await memoryOf(async () => {
  const encoder = await createPacketEncoder(RATE_HZ);
  encoder.push(long.subarray(0, RATE_HZ / 4));
  return encoder;
});
const decoderKb = await memoryOf(async () => {
  const decoder = await createPacketDecoder(16_000);
  decoder.decode(ours[5]!);
  return decoder;
});
printTable('Opus as rooms use it', [
  ...results,
  {
    what: 'bits a second',
    ours: `${fixed(ourKbit, 0)} kbit/s`,
    common: `${fixed(commonKbit, 0)} kbit/s`,
    ratio: fixed(ourKbit / commonKbit),
  },
  {
    what: 'signal to noise',
    ours: `${fixed(ourDb, 1)} dB`,
    common: `${fixed(commonDb, 1)} dB`,
    ratio: '–',
  },
  { what: 'memory of an encoder', ours: `${fixed(encoderKb, 0)} KB`, common: '–', ratio: '–' },
  { what: 'memory of a decoder', ours: `${fixed(decoderKb, 0)} KB`, common: '–', ratio: '–' },
  {
    what: 'packets until one of sixteen encoders that come and go fails',
    ours: packetsUntilFailure(ourEncoder),
    common: packetsUntilFailure(libraryEncoder),
    ratio: '–',
  },
]);
