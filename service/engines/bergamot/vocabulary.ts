import { readFile } from 'node:fs/promises';
import { AppError } from '../../../src/errors.ts';
import { readFields } from '../../protobuf.ts';

/** Kinds of pieces (`sentencepiece_model.proto`, `SentencePiece.Type`). */
const NORMAL = 1;
const USER_DEFINED = 4;
const BYTE = 6;

/** The text of a piece that stands for itself; undefined for others, `isByte` for those of one byte. */
const pieceOf = (bytes: Buffer): { readonly text?: string; readonly isByte: boolean } => {
  let text = '';
  let type = NORMAL;
  for (const { number, value } of readFields(bytes))
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
  for (const { number, value } of readFields(bytes)) {
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
