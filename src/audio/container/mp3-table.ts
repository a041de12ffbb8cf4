/** Reads the table that encoders write into the first frame of an MP3 file (Xing, Info, VBRI). */
import { ascii, viewOf } from '../bytes.ts';

/** Numbers of samples that an encoder added to a sound: the part of LAME in a Xing or Info table. */
export interface Mp3Gapless {
  /** The frames of audio that follow the table. */
  readonly frames: number;
  readonly delaySamples: number;
  readonly paddingSamples: number;
}

export interface Mp3Table {
  readonly gapless?: Mp3Gapless;
}

/** The place of VBRI, whatever the side information. */
const VBRI_AT = 36;
const FRAMES_GIVEN = 1;
/** Bytes of the fields before LAME's part, by the flag that says whether they are there. */
const FIELD_BYTES = [4, 4, 100, 4];
const ENCODERS = ['LAME', 'Lavf', 'Lavc'];
/** The place of delay and padding, of 12 bits each, behind the name of the encoder. */
const DELAYS_AT = 21;

const parseGapless = (data: Uint8Array, tagAt: number): Mp3Gapless | undefined => {
  if (data.length < tagAt + 8) return undefined;
  const flags = viewOf(data).getUint32(tagAt + 4);
  const lameAt = FIELD_BYTES.reduce(
    (at, bytes, bit) => ((flags & (1 << bit)) === 0 ? at : at + bytes),
    tagAt + 8,
  );
  const isKnown = ENCODERS.includes(ascii(data, lameAt, 4));
  if ((flags & FRAMES_GIVEN) === 0 || !isKnown || data.length < lameAt + DELAYS_AT + 3)
    return undefined;
  const delays = viewOf(data).getUint32(lameAt + DELAYS_AT - 1) & 0xff_ffff;
  return {
    frames: viewOf(data).getUint32(tagAt + 8),
    delaySamples: delays >> 12,
    paddingSamples: delays & 0xfff,
  };
};

/** Parses a frame's table; undefined for a frame of audio. `tagAt` is the end of its side information. */
export const parseMp3Table = (data: Uint8Array, tagAt: number): Mp3Table | undefined => {
  if (ascii(data, VBRI_AT, 4) === 'VBRI') return {};
  if (!['Xing', 'Info'].includes(ascii(data, tagAt, 4))) return undefined;
  const gapless = parseGapless(data, tagAt);
  return gapless ? { gapless } : {};
};
