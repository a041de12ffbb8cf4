/** Makes Opus packets of 20 ms, the length that voice channels play, of any speech. */
import { untilAborted } from '../../async/abort.ts';
import { AppError, toAppError } from '../../errors.ts';
import type { AudioFormat, ByteSource } from '../../model/message.ts';
import {
  createByteReader,
  damagedAudio,
  throwIfAborted,
  unsupportedAudio,
} from '../../audio/bytes.ts';
import { decode } from '../../audio/codec/decode.ts';
import { decodeOpus } from '../../audio/codec/decode-opus.ts';
import { type OpusItem, readOpus } from '../../audio/container/ogg-reader.ts';
import { PRE_SKIP_SAMPLES } from '../../audio/container/ogg-writer.ts';
import {
  OPUS_CLOCK_HZ,
  parseToc,
  WARM_UP_PACKETS,
  type OpusHead,
} from '../../audio/opus/packet.ts';
import { createPacketEncoder, opusRateFor } from '../../audio/opus/encoder.ts';
import { createRepacketizer } from '../../audio/opus/layout.ts';
import { fromS16le, inSlices, type Pcm, sliceSamples, startingWith } from '../../audio/pcm.ts';
import { resample, toOneRate } from '../../audio/resample.ts';
import { sniff } from '../../audio/container/sniff.ts';

/** Speech as the service sends it. `sampleRateHz` applies to `pcm`; files give their own. */
export interface SpeechAudio {
  readonly format: AudioFormat;
  readonly sampleRateHz: number;
  readonly chunks: AsyncIterable<Uint8Array>;
}

type Packets = AsyncGenerator<Uint8Array, void, void>;

/** The bytes that show an Ogg file by its first packet. */
const OGG_HEAD_BYTES = 64;

async function* encodePcm(
  pcm: AsyncIterable<Float32Array>,
  sampleRateHz: number,
  signal: AbortSignal,
): Packets {
  const encoder = await createPacketEncoder(sampleRateHz, signal);
  try {
    for await (const slice of inSlices(pcm, sliceSamples(sampleRateHz))) {
      throwIfAborted(signal);
      yield* encoder.push(slice);
    }
    yield* encoder.end();
  } finally {
    encoder.free();
  }
}

async function* transcoded(pcm: AsyncGenerator<Pcm, void, void>, signal: AbortSignal): Packets {
  try {
    const first = await pcm.next();
    if (first.done) return;
    const rateHz = opusRateFor(first.value.sampleRateHz);
    yield* encodePcm(toOneRate(startingWith([first.value], pcm), rateHz), rateHz, signal);
  } finally {
    await pcm.return();
  }
}

const fromPcm = ({ chunks, sampleRateHz }: SpeechAudio, signal: AbortSignal): Packets => {
  const rateHz = opusRateFor(sampleRateHz);
  return encodePcm(resample(fromS16le(chunks), sampleRateHz, rateHz), rateHz, signal);
};

const itemOf = (data: Uint8Array): OpusItem[] => {
  const samples = parseToc(data)?.samples ?? 0;
  return samples > 0 ? [{ kind: 'packet', data, samples, keepSamples: samples }] : [];
};

/** True for streams whose packets can be played as they are: no gain, one stream. */
const isPlain = ({ gain, mappingFamily }: OpusHead): boolean => gain === 0 && mappingFamily === 0;

/** Passes on packets that need no decoding; from the first that does, decodes and encodes the rest. */
async function* fromOpus(items: AsyncIterable<OpusItem>, signal: AbortSignal): Packets {
  const repacketizer = createRepacketizer();
  let head: OpusHead | undefined;
  let previous: Uint8Array[] = [];
  for await (const item of items) {
    if (item.kind === 'head') {
      if (head && !isPlain(item.head)) throw unsupportedAudio('Opus that changes its channels');
      ({ head } = item);
      continue;
    }
    if (!head || item.keepSamples === 0) continue;
    const packets = isPlain(head) ? repacketizer.push(item.data) : undefined;
    if (packets) {
      yield* packets;
      previous = [...previous, ...packets].slice(-WARM_UP_PACKETS);
      continue;
    }
    const pending = repacketizer.pending();
    const known = [...previous, ...(pending ? [pending] : [])].flatMap(itemOf);
    // The encoder's delay is as long as the part dropped here: no gap is heard.
    const preSkipSamples = previous.length > 0 ? PRE_SKIP_SAMPLES : 0;
    const start: OpusItem[] = [{ kind: 'head', head: { ...head, preSkipSamples } }, ...known];
    const pcm = decodeOpus(startingWith([...start, item], items), OPUS_CLOCK_HZ);
    let repeatedPackets = previous.length;
    for await (const packet of transcoded(pcm, signal)) {
      if (repeatedPackets > 0) repeatedPackets -= 1;
      else yield packet;
    }
    return;
  }
  yield* repacketizer.end();
}

async function* fromFile({ chunks }: SpeechAudio, signal: AbortSignal): Packets {
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
    yield* transcoded(decode(once, signal, OPUS_CLOCK_HZ), signal);
  } finally {
    await reader.close();
  }
}

/**
 * Makes Opus packets of 20 ms of speech, each as early as its bytes allow. Opus is passed on, split
 * or joined where its packets are longer or shorter, and decoded only from where that cannot be
 * done; any other format is encoded, mono. Damaged speech gives what can be decoded. Throws
 * `AppError`: as `decode` does, `bad-input` where nothing can be decoded, the signal's reason;
 * errors of the source pass.
 */
export async function* speechPackets(speech: SpeechAudio, signal: AbortSignal): Packets {
  const input = { ...speech, chunks: untilAborted(speech.chunks, signal) };
  let hasPackets = false;
  try {
    for await (const packet of input.format === 'pcm'
      ? fromPcm(input, signal)
      : fromFile(input, signal)) {
      hasPackets = true;
      yield packet;
    }
  } catch (error) {
    const broke = error instanceof AppError && error.code === 'bad-input';
    if (!broke || !hasPackets) throw error === signal.reason ? toAppError(error) : error;
  }
  if (!hasPackets) throw damagedAudio('no sound in this speech');
}
