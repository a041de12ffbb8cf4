import type { AacFrame } from '../container/adts.ts';
import type { Mp4Edit } from '../container/mp4-edit.ts';
import { createAacWindow } from './aac-window.ts';
import { decoderConfig } from './aac-config.ts';
import { damagedAudio, unsupportedAudio } from '../errors.ts';
import { concatSamples, yieldTurn, mixToMono, type Pcm, sliceSamples } from '../pcm.ts';

type AacDecoder = Awaited<ReturnType<(typeof import('@audio/decode-aac'))['decoder']>>;

/** Loads the decoder, which is an optional package: see `docs/decisions/003-audio.md`. */
const createDecoder = async (config: Uint8Array): Promise<AacDecoder> => {
  const asc = decoderConfig(config);
  const library = await import('@audio/decode-aac').catch(() => undefined);
  if (!library) throw unsupportedAudio('AAC');
  try {
    return await library.decoder({ asc });
  } catch (cause) {
    throw damagedAudio('the AAC configuration', cause);
  }
};

/**
 * Access units in a row that may fail to decode: ten seconds are more than damage; each costs 0.2
 * ms.
 */
const MOST_FAILURES = 500;

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i]);

/**
 * Decodes AAC access units to mono, cut to `edit`; a unit that cannot be decoded is passed over.
 * Throws `bad-input` after many of those in a row.
 */
export async function* decodeAac(
  frames: AsyncIterable<AacFrame>,
  edit?: Mp4Edit,
): AsyncGenerator<Pcm, void, void> {
  const window = createAacWindow(edit);
  let decoder: AacDecoder | undefined;
  let config: Uint8Array | undefined;
  let batch: Float32Array[] = [];
  let batchSamples = 0;
  let sampleRateHz = 0;
  let failures = 0;
  const takeBatch = (): Pcm => {
    const samples = concatSamples(batch);
    batch = [];
    batchSamples = 0;
    return { samples, sampleRateHz };
  };
  const decodeUnit = (unit: Uint8Array): ReturnType<AacDecoder['decode']> | undefined => {
    try {
      return decoder?.decode(unit);
    } catch {
      return undefined;
    }
  };
  try {
    for await (const frame of frames) {
      if (!config || !sameBytes(config, frame.config)) {
        decoder?.free();
        decoder = undefined;
        decoder = await createDecoder(frame.config);
        ({ config } = frame);
      }
      const audio = decodeUnit(frame.unit);
      if (!audio || audio.channelData.length === 0) {
        failures += 1;
        if (failures > MOST_FAILURES) throw damagedAudio('AAC access units');
        await yieldTurn();
        continue;
      }
      failures = 0;
      if (audio.sampleRate !== sampleRateHz && batchSamples > 0) yield takeBatch();
      sampleRateHz = audio.sampleRate;
      const mono = window.cut(mixToMono(audio.channelData), sampleRateHz);
      batch.push(mono);
      batchSamples += mono.length;
      if (batchSamples >= sliceSamples(sampleRateHz)) yield takeBatch();
      if (window.isOver()) break;
    }
    if (batchSamples > 0) yield takeBatch();
  } finally {
    decoder?.free();
  }
}
