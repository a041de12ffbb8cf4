/** ADPCM in WAV files: differences of four bits each, in the codecs of Microsoft and of the IMA. */
import { decoder } from '@audio/decode-wav';
import type { ByteReader } from '../bytes.ts';
import { damagedAudio } from '../errors.ts';
import { mixToMono, type Pcm } from '../pcm.ts';

/** Bytes of a block before its differences, for each channel, by the codec's code in a WAV file. */
const HEAD_BYTES: Readonly<Record<number, number>> = { 0x02: 7, 0x11: 4 };

export interface AdpcmFormat {
  /** The codec's code in a WAV file. */
  readonly codec: number;
  readonly channels: number;
  readonly sampleRateHz: number;
  /** The bytes of a block, which is decoded without those before it. */
  readonly blockBytes: number;
}

/** Bytes decoded between two turns of the event loop: 32,000 samples, about 1 ms. */
const SLICE_BYTES = 16 * 1024;

/** True for the code of an ADPCM codec in a WAV file's format. */
export const isAdpcm = (codec: number): boolean => Object.hasOwn(HEAD_BYTES, codec);

/** True for a format that is decoded here; the IMA's blocks end with four bytes of each channel. */
export const isAcceptedAdpcm = ({
  codec,
  channels,
  sampleRateHz,
  blockBytes,
}: AdpcmFormat): boolean => {
  const dataBytes = blockBytes - channels * (HEAD_BYTES[codec] ?? 0);
  return (
    (channels === 1 || channels === 2) &&
    sampleRateHz >= 1_000 &&
    sampleRateHz <= 192_000 &&
    dataBytes > 0 &&
    (codec !== 0x11 || dataBytes % (4 * channels) === 0)
  );
};

/** The start of a WAV file, up to its blocks, with the codec's own coefficients. */
const wavHead = ({ codec, channels, sampleRateHz, blockBytes }: AdpcmFormat): Uint8Array => {
  const head = Buffer.alloc(46);
  head.write('RIFF\xff\xff\xff\xffWAVEfmt \x12', 'latin1');
  head.writeUInt16LE(codec, 20);
  head.writeUInt16LE(channels, 22);
  head.writeUInt32LE(sampleRateHz, 24);
  head.writeUInt16LE(blockBytes, 32);
  head.writeUInt16LE(4, 34);
  head.write('data\xff\xff\xff\xff', 38, 'latin1');
  return head;
};

/** Decodes up to `dataBytes` of whole blocks to mono; a last block that is cut is left out. */
export async function* decodeAdpcm(
  reader: ByteReader,
  format: AdpcmFormat,
  dataBytes: number,
): AsyncGenerator<Pcm, void, void> {
  const { sampleRateHz, blockBytes } = format;
  const sliceBytes = blockBytes * Math.max(1, Math.floor(SLICE_BYTES / blockBytes));
  const blocks = decoder();
  blocks.decode(wavHead(format));
  for (let left = dataBytes; left > 0;) {
    const bytes = await reader.take(Math.min(left, sliceBytes));
    if (bytes.length === 0) return;
    left -= bytes.length;
    const { channelData } = blocks.decode(bytes);
    if (channelData.length === 0) throw damagedAudio('a short block of ADPCM');
    yield { samples: mixToMono(channelData), sampleRateHz };
  }
}
