/** Speech as Opus packets of 20 ms, which is what rooms play. */
import { untilAborted } from '../../async/abort.ts';
import { AppError, toAppError } from '../../errors.ts';
import type { AudioFormat, ByteSource } from '../../model/file.ts';
import { createByteReader } from '../bytes.ts';
import { decode } from '../codec/decode.ts';
import { decodeOpus } from '../codec/decode-opus.ts';
import { damagedAudio, throwIfAborted, unsupportedAudio } from '../faults.ts';
import { type OpusItem, readOpus } from '../container/ogg-reader.ts';
import { PRE_SKIP_SAMPLES } from '../container/ogg-writer.ts';
import { OPUS_CLOCK_HZ, parseToc } from './packet.ts';
import { createPacketEncoder, opusRateFor } from './encoder.ts';
import { createRepacketizer } from './repacketizer.ts';
import { s16leSamples } from './input.ts';
import type { OpusHead } from './head.ts';
import { WARM_UP_PACKETS } from './gain.ts';
import { inSlices, type Pcm, sliceSamples } from '../pcm.ts';
import { resample, toOneRate } from '../resample.ts';
import { sniff } from '../container/sniff.ts';

/** Audio as the service gives it. `sampleRateHz` counts for `pcm`; files say their own. */
export interface GivenSpeech {
  readonly format: AudioFormat;
  readonly sampleRateHz: number;
  readonly chunks: AsyncIterable<Uint8Array>;
}

type Packets = AsyncGenerator<Uint8Array, void, void>;

/** Enough to know an Ogg file by its first packet. */
const OGG_HEAD_BYTES = 64;

async function* encoded(
  sound: AsyncIterable<Float32Array>,
  sampleRateHz: number,
  signal: AbortSignal,
): Packets {
  const encoder = await createPacketEncoder(sampleRateHz, signal);
  try {
    for await (const slice of inSlices(sound, sliceSamples(sampleRateHz))) {
      throwIfAborted(signal);
      yield* encoder.push(slice);
    }
    yield* encoder.end();
  } finally {
    encoder.free();
  }
}

async function* startingWith<Item>(
  first: readonly Item[],
  rest: AsyncIterable<Item>,
): AsyncGenerator<Item, void, void> {
  yield* first;
  yield* rest;
}

async function* recoded(sound: AsyncGenerator<Pcm, void, void>, signal: AbortSignal): Packets {
  try {
    const first = await sound.next();
    if (first.done) return;
    const rateHz = opusRateFor(first.value.sampleRateHz);
    yield* encoded(toOneRate(startingWith([first.value], sound), rateHz), rateHz, signal);
  } finally {
    await sound.return();
  }
}

const fromPcm = ({ chunks, sampleRateHz }: GivenSpeech, signal: AbortSignal): Packets => {
  const rateHz = opusRateFor(sampleRateHz);
  return encoded(resample(s16leSamples(chunks), sampleRateHz, rateHz), rateHz, signal);
};

const itemOf = (data: Uint8Array): OpusItem[] => {
  const samples = parseToc(data)?.samples ?? 0;
  return samples > 0 ? [{ kind: 'packet', data, samples, keepSamples: samples }] : [];
};

/** Played as it is, a packet sounds as its own bytes say: no gain, one stream. */
const isPlain = ({ gain, mappingFamily }: OpusHead): boolean => gain === 0 && mappingFamily === 0;

/** Packets that need no decoding, as they are; from the first that does, all. */
async function* fromOpus(items: AsyncIterable<OpusItem>, signal: AbortSignal): Packets {
  const fitter = createRepacketizer();
  let head: OpusHead | undefined;
  let before: Uint8Array[] = [];
  for await (const item of items) {
    if (item.kind === 'head') {
      if (head && !isPlain(item.head)) throw unsupportedAudio('Opus that changes its channels');
      ({ head } = item);
      continue;
    }
    if (!head || item.keepSamples === 0) continue;
    const packets = isPlain(head) ? fitter.push(item.data) : undefined;
    if (packets) {
      yield* packets;
      before = [...before, ...packets].slice(-WARM_UP_PACKETS);
      continue;
    }
    const held = fitter.held();
    const known = [...before, ...(held ? [held] : [])].flatMap(itemOf);
    // What is encoded comes out later by as much as is left out here: no seam is heard.
    const preSkipSamples = before.length > 0 ? PRE_SKIP_SAMPLES : 0;
    const start: OpusItem[] = [{ kind: 'head', head: { ...head, preSkipSamples } }, ...known];
    const sound = decodeOpus(startingWith([...start, item], items), OPUS_CLOCK_HZ);
    let repeated = before.length;
    for await (const packet of recoded(sound, signal)) {
      if (repeated > 0) repeated -= 1;
      else yield packet;
    }
    return;
  }
  yield* fitter.end();
}

async function* fromFile({ chunks }: GivenSpeech, signal: AbortSignal): Packets {
  const reader = createByteReader(chunks, signal);
  try {
    const head = await reader.peek(OGG_HEAD_BYTES);
    if (sniff(head) === 'ogg-opus') return yield* fromOpus(readOpus(reader), signal);
    let isRead = false;
    const once: ByteSource = {
      sizeBytes: undefined,
      open: () => {
        if (isRead) throw unsupportedAudio('speech that must be read twice');
        isRead = true;
        return reader.rest();
      },
    };
    yield* recoded(decode(once, signal, OPUS_CLOCK_HZ), signal);
  } finally {
    await reader.close();
  }
}

/**
 * The speech as Opus packets of 20 ms, each as early as what has come allows. Opus is passed through,
 * taken apart or put together where its packets are longer or shorter, and decoded only from where
 * that cannot be done; all else is encoded, mono. Speech that is damaged gives what can be heard.
 * Throws `AppError`: as `decode` does, `bad-input` where nothing can be heard, the signal's reason;
 * errors of the source pass.
 */
export async function* opusFrames(speech: GivenSpeech, signal: AbortSignal): Packets {
  const given = { ...speech, chunks: untilAborted(speech.chunks, signal) };
  let heard = false;
  try {
    for await (const packet of given.format === 'pcm'
      ? fromPcm(given, signal)
      : fromFile(given, signal)) {
      heard = true;
      yield packet;
    }
  } catch (error) {
    const broke = error instanceof AppError && error.code === 'bad-input';
    if (!broke || !heard) throw error === signal.reason ? toAppError(error) : error;
  }
  if (!heard) throw damagedAudio('no sound in this speech');
}
