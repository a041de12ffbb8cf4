import { PATHS } from '../../../src/api/contract.ts';
import { encode } from '../../../src/audio/codec/encode.ts';
import type { AudioFormat } from '../../../src/model/message.ts';
import { postJson, type Answer, type Target } from './target.ts';

const RATE_HZ = 16_000;
const LENGTH_S = 12;

/** Where there is sound, in seconds: two long stretches a second apart, and a short one. */
const STRETCHES = [
  [2, 4],
  [5, 7],
  [9, 9.5],
] as const;

const samples = Float32Array.from({ length: LENGTH_S * RATE_HZ }, (_, at) => {
  const isSound = STRETCHES.some(([from, to]) => at >= from * RATE_HZ && at < to * RATE_HZ);
  return isSound ? Math.sin(at / 5) / 3 : 0;
});
/** Half a second of sound. */
const word = samples.subarray(2 * RATE_HZ, 2.5 * RATE_HZ);

const fileOf = async (format: AudioFormat, sound: Float32Array): Promise<string> => {
  const parts: Uint8Array[] = [];
  const once = (async function* () {
    yield sound;
  })();
  for await (const part of encode(format, RATE_HZ, once)) parts.push(part);
  return Buffer.concat(parts).toString('base64');
};

/** A word as a file of the format. */
export const wordAs = async (format: AudioFormat): Promise<string> => fileOf(format, word);

const spoken = wordAs('wav');

/** All stretches of sound as a file. */
export const recording = fileOf('wav', samples);

type Fields = Readonly<Record<string, unknown>>;

/** Sends a word with these fields; undefined leaves one out. */
export const recognise = async (target: Target, fields: Fields = {}): Promise<Answer> =>
  postJson(target, PATHS.asr, { audio: await spoken, ...fields });

/** Sends the whole recording with these fields. */
export const recogniseAll = async (target: Target, fields: Fields = {}): Promise<Answer> =>
  recognise(target, { audio: await recording, ...fields });

export interface Segment {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The segments of the recording with these parameters. */
export const segmentsWith = async (
  target: Target,
  fields: Fields = {},
): Promise<readonly Segment[]> => {
  const { json } = await recogniseAll(target, { vad: 'segments', ...fields });
  return json['segments'] as Segment[];
};
