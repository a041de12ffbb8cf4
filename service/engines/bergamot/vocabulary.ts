import { readFile } from 'node:fs/promises';
import { AppError } from '../../../src/errors.ts';

/** Kinds of pieces (`sentencepiece_model.proto`, `SentencePiece.Type`). */
const NORMAL = 1;
const USER_DEFINED = 4;
const BYTE = 6;

/** Wire types of protocol buffers. */
const VARINT = 0;
const FIXED_64 = 1;
const LENGTH = 2;
const FIXED_32 = 5;

interface Field {
  readonly number: number;
  readonly value: number | Buffer;
}

/** Reads the fields of a message of protocol buffers; throws `RangeError` for one that is cut. */
function* fieldsOf(bytes: Buffer): Generator<Field> {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes.readUInt8(at);
      at += 1;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  };
  const skip = (length: number): number => {
    const from = at;
    at += length;
    if (at > bytes.length) throw new RangeError('the message is cut');
    return from;
  };
  while (at < bytes.length) {
    const key = varint();
    const number = Math.floor(key / 8);
    const type = key % 8;
    if (type === VARINT) yield { number, value: varint() };
    else if (type === LENGTH) {
      const length = varint();
      const from = skip(length);
      yield { number, value: bytes.subarray(from, at) };
    } else if (type === FIXED_32) skip(4);
    else if (type === FIXED_64) skip(8);
    else throw new RangeError('an unknown wire type');
  }
}

/** The text of a piece that stands for itself; undefined for others, `isByte` for those of one byte. */
const pieceOf = (bytes: Buffer): { readonly text?: string; readonly isByte: boolean } => {
  let text = '';
  let type = NORMAL;
  for (const { number, value } of fieldsOf(bytes))
    if (number === 1 && typeof value !== 'number') text = value.toString('utf8');
    else if (number === 3 && typeof value === 'number') type = value;
  return type === NORMAL || type === USER_DEFINED
    ? { text, isByte: false }
    : { isByte: type === BYTE };
};

/** True for a text of which a model reads every character. */
export type Vocabulary = (text: string) => boolean;

/**
 * Finds the characters in the pieces of a SentencePiece model (`.spm`): of others a translation model
 * makes nothing, or something else.
 */
export const parseVocabulary = (bytes: Buffer): Vocabulary => {
  const characters = new Set<string>([' ']);
  let isAnyKnown = false;
  for (const { number, value } of fieldsOf(bytes)) {
    if (number !== 1 || typeof value === 'number') continue;
    const { text, isByte } = pieceOf(value);
    isAnyKnown ||= isByte;
    for (const char of text ?? '') characters.add(char);
  }
  return (text) =>
    isAnyKnown || Array.from(text.normalize('NFKC')).every((char) => characters.has(char));
};

/** Reads the vocabulary in a file. Rejects with `AppError` (`config`) for a broken one. */
export const readVocabulary = async (path: string): Promise<Vocabulary> => {
  const bytes = await readFile(path);
  try {
    return parseVocabulary(bytes);
  } catch (cause) {
    throw new AppError('config', `${path}: this is not a whole vocabulary (.spm)`, { cause });
  }
};
