import type { ByteSource } from '../../model/file.ts';
import { type ByteReader, createByteReader } from '../bytes.ts';
import { emptyAudio, unknownAudio, unsupportedAudio } from '../errors.ts';
import { skipId3 } from './id3.ts';
import { readMp4 } from './mp4.ts';
import { type OpusItem, readOpus } from './ogg-reader.ts';
import { type Container, nameRefused, sniff, SNIFF_BYTES } from './sniff.ts';
import { readWebm } from './webm.ts';

export interface OpenAudio extends AsyncDisposable {
  readonly container: Container;
  /** The reader, at the start of the container and behind any ID3 tags. */
  readonly reader: ByteReader;
}

/**
 * Starts to read a file and recognises its format. Throws `AppError`: `bad-input` for an empty
 * file, `unsupported` for one that is no audio known here, with its name where that can be told.
 */
export const openAudio = async (source: ByteSource, signal: AbortSignal): Promise<OpenAudio> => {
  const reader = createByteReader(source.open(signal), signal);
  try {
    await skipId3(reader);
    const head = await reader.peek(SNIFF_BYTES);
    if (head.length === 0) throw emptyAudio();
    const container = sniff(head);
    if (container) return { container, reader, [Symbol.asyncDispose]: () => reader.close() };
    const other = nameRefused(head);
    throw other ? unsupportedAudio(other) : unknownAudio();
  } catch (error) {
    await reader.close();
    throw error;
  }
};

/** The Opus packets of a file, in any container; undefined where its codec is another one. */
export const opusItemsOf = async (
  { container, reader }: OpenAudio,
  source: ByteSource,
  signal: AbortSignal,
): Promise<AsyncIterable<OpusItem> | undefined> => {
  if (container === 'ogg-opus') return readOpus(reader);
  if (container === 'webm') return readWebm(reader);
  if (container !== 'mp4') return undefined;
  const audio = await readMp4(reader, () => source.open(signal), signal);
  return audio.codec === 'opus' ? audio.items : undefined;
};
