import type { StreamMetadata } from 'libflacjs/dist/libflac.js';
import { AppError } from '../../errors.ts';
import { concatBytes, viewOf } from '../bytes.ts';
import { createLengthLimit, anyRate, type EncoderKind, NO_BYTES } from './encoder.ts';
import { toInt16 } from '../pcm.ts';

const BITS_PER_SAMPLE = 16;
/** The reference encoder's default. */
const COMPRESSION_LEVEL = 5;
/** `fLaC`, a block header, and STREAMINFO (RFC 9639 section 8.2). */
const HEADER_BYTES = 42;

const failed = (step: string): AppError => new AppError('internal', `libFLAC failed to ${step}`);

const loadLibrary = async () => {
  const { default: libflac } = await import('libflacjs/dist/libflac.js');
  if (!libflac.isReady()) await new Promise((resolve) => libflac.on('ready', resolve));
  return libflac;
};

/** Completes the header with figures known only at the end, as libFLAC would by seeking back. */
const completeHeader = (file: Uint8Array, info: StreamMetadata): void => {
  const view = viewOf(file);
  const uint24 = (at: number, value: number): void => {
    view.setUint8(at, value >>> 16);
    view.setUint16(at + 1, value & 0xffff);
  };
  view.setUint16(8, info.min_blocksize);
  view.setUint16(10, info.max_blocksize);
  uint24(12, info.min_framesize);
  uint24(15, info.max_framesize);
  view.setUint32(22, info.total_samples);
  file.set(Buffer.from(info.md5sum, 'hex'), 26);
};

export const flac: EncoderKind = {
  streamable: false,
  supportsRate: anyRate,
  create: async (sampleRateHz) => {
    const libflac = await loadLibrary();
    const count = createLengthLimit(sampleRateHz);
    let written: Uint8Array[] = [];
    let info: StreamMetadata | undefined;
    const encoder = libflac.create_libflac_encoder(
      sampleRateHz,
      1,
      BITS_PER_SAMPLE,
      COMPRESSION_LEVEL,
    );
    const status = libflac.init_encoder_stream(
      encoder,
      (bytes) => {
        written.push(bytes.slice());
      },
      (metadata) => {
        info = metadata;
      },
    );
    const free = (): void => {
      libflac.FLAC__stream_encoder_delete(encoder);
      written = [];
    };
    if (encoder === 0 || status !== 0) {
      free();
      throw failed('start');
    }
    return {
      push: (samples) => {
        count(samples.length);
        const integers = Int32Array.from(toInt16(samples));
        if (!libflac.FLAC__stream_encoder_process_interleaved(encoder, integers, integers.length))
          throw failed('encode');
        return NO_BYTES;
      },
      end: () => {
        if (!libflac.FLAC__stream_encoder_finish(encoder) || !info) throw failed('finish');
        const file = concatBytes(written);
        if (file.length >= HEADER_BYTES) completeHeader(file, info);
        return [file];
      },
      free,
    };
  },
};
