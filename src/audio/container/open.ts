import type { ByteSource } from '../../model/message.ts';
import {
  type ByteReader,
  createByteReader,
  emptyAudio,
  notAudio,
  unknownAudio,
  unsupportedAudio,
  unsupportedForm,
} from '../bytes.ts';
import { ID3_HEADER_BYTES, isId3, skipId3 } from './mp3-frame.ts';
import { readMp4 } from './mp4.ts';
import { type OpusItem, readOpus } from './ogg-reader.ts';
import { isOneStream } from '../opus/packet.ts';
import { startingWith } from '../pcm.ts';
import {
  type Container,
  isPicture,
  nameRefused,
  sniff,
  SNIFF_BYTES,
  zerosBefore,
} from './sniff.ts';
import { readWebm } from './webm.ts';

export interface OpenAudio extends AsyncDisposable {
  readonly container: Container;
  /** The reader, at the start of the container and behind any ID3 tags. */
  readonly reader: ByteReader;
  /** False for MP3 with anything but whole tags before its first frame, which not everybody reads. */
  readonly isClean: boolean;
}

/** The first byte of a frame of MP3. */
const MP3_SYNC = 0xff;

/** Zeros before the sound that are passed over at a time. */
const ZERO_BYTES = 4_096;

const skipZeros = async (reader: ByteReader): Promise<void> => {
  for (;;) {
    const ahead = await reader.peek(ZERO_BYTES);
    const isZero = ahead.length > 0 && zerosBefore(ahead) === ahead.length;
    if (!isZero) return;
    await reader.skip(ahead.length);
  }
};

/**
 * Starts to read a file and recognises its format. Throws `AppError`: `bad-input` for an empty
 * file, `unsupported` for one that is no audio known here, with its name where that can be told.
 */
export const openAudio = async (source: ByteSource, signal: AbortSignal): Promise<OpenAudio> => {
  let reader = createByteReader(source.open(signal), signal);
  try {
    const isTagged = isId3(await reader.peek(ID3_HEADER_BYTES));
    await skipId3(reader);
    const [first] = await reader.peek(1);
    await skipZeros(reader);
    const head = await reader.peek(SNIFF_BYTES);
    const container = sniff(head);
    const opened = (known: Container, isClean: boolean): OpenAudio => ({
      container: known,
      reader,
      isClean,
      [Symbol.asyncDispose]: () => reader.close(),
    });
    if (container) return opened(container, container !== 'mp3' || first === MP3_SYNC);
    if (isTagged) {
      // The tag's size is wrong: frames are looked for behind its head.
      await reader.close();
      reader = createByteReader(source.open(signal), signal);
      await reader.skip(ID3_HEADER_BYTES);
      return opened('mp3', false);
    }
    if (head.length === 0) throw emptyAudio();
    if (isPicture(head)) throw notAudio();
    const other = nameRefused(head);
    throw other ? unsupportedAudio(other) : unknownAudio();
  } catch (error) {
    await reader.close();
    throw error;
  }
};

const readOpusItems = async (
  { container, reader }: OpenAudio,
  source: ByteSource,
  signal: AbortSignal,
): Promise<AsyncGenerator<OpusItem, unknown, void> | undefined> => {
  if (container === 'ogg-opus') return readOpus(reader);
  if (container === 'webm') return readWebm(reader);
  if (container !== 'mp4') return undefined;
  const audio = await readMp4(reader, () => source.open(signal), signal);
  return audio.codec === 'opus' ? audio.items : undefined;
};

/** Passes on items up to a stream that is neither mono nor stereo, and then throws `unsupported`. */
async function* ofOneStream(items: AsyncIterable<OpusItem>): AsyncGenerator<OpusItem, void, void> {
  for await (const item of items) {
    if (item.kind === 'head' && !isOneStream(item.head))
      throw unsupportedForm('Opus', 'that changes its channels');
    yield item;
  }
}

/**
 * The Opus packets of a mono or stereo file, in any container; undefined where its codec is another
 * one and where it has more channels, which not every recogniser knows.
 */
export const opusItemsOf = async (
  file: OpenAudio,
  source: ByteSource,
  signal: AbortSignal,
): Promise<AsyncIterable<OpusItem> | undefined> => {
  const items = await readOpusItems(file, source, signal);
  if (!items) return undefined;
  const first = await items.next();
  const read = first.done ? [] : [first.value];
  if (read.every((item) => item.kind === 'packet' || isOneStream(item.head)))
    return ofOneStream(startingWith(read, items));
  await items.return(undefined);
  return undefined;
};
