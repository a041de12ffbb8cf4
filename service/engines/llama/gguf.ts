import { open, type FileHandle } from 'node:fs/promises';

/** Start of each file in the format GGUF, and the versions of it that are read. */
const MAGIC = 'GGUF';
const VERSIONS = new Set([2, 3]);
/** Bytes of the head that are read at first, and at most: it takes 7 MB with 262,144 words. */
const FIRST_BYTES = 1 << 23;
const MOST_BYTES = 1 << 26;
const LONGEST_TEXT_BYTES = 1 << 20;
/** Longest list of numbers that is kept: one for each layer. */
const LONGEST_LIST = 1_024;
const USUAL_ALIGNMENT = 32;

/** Sizes of numbers in bytes by the type of a value (`gguf_type`), and the types that are none. */
const NUMBER_BYTES: readonly number[] = [1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8];
const BOOL = 7;
const TEXT = 8;
const LIST = 9;

/** Bytes of 256 weights by the type of a tensor (`ggml_type`, sizes of `ggml-common.h`). */
const BYTES_OF_256: readonly number[] = [
  1_024, 512, 144, 160, 0, 0, 176, 192, 272, 288, 84, 110, 144, 176, 210, 292, 66, 74, 98, 50, 144,
  110, 82, 136, 256, 512, 1_024, 2_048, 2_048, 56, 512, 0, 0, 0, 54, 66, 0, 0, 0, 136, 144,
];

type Value = string | number | boolean | readonly number[];

/** Facts that the head of a GGUF file states. */
export interface GgufHead {
  readonly metadata: ReadonlyMap<string, Value>;
  /** Least size of the whole file, by its tensors. */
  readonly wholeBytes: number;
  /** Weights, but for tables that are only looked up by layer. */
  readonly parameters: number;
}

/** The head is longer than what was read of it. */
class CutError extends RangeError {}

/** Reads one value after the other. Throws `CutError` at the end, another `RangeError` for what is no GGUF. */
const createCursor = (bytes: Buffer) => {
  let at = 0;
  const skip = (count: number): number => {
    const start = at;
    at += count;
    if (at > bytes.length) throw new CutError();
    return start;
  };
  const u32 = (): number => bytes.readUInt32LE(skip(4));
  const u64 = (): number => {
    const value = Number(bytes.readBigUInt64LE(skip(8)));
    if (!Number.isSafeInteger(value)) throw new RangeError('no such number');
    return value;
  };
  const textBytes = (): number => {
    const length = u64();
    if (length > LONGEST_TEXT_BYTES) throw new RangeError('no such text');
    return length;
  };
  const text = (): string => {
    const length = textBytes();
    const start = skip(length);
    return bytes.toString('utf8', start, start + length);
  };
  const number = (type: number): number => {
    const size = NUMBER_BYTES[type];
    if (!size) throw new RangeError('no such type');
    if (type === 10 || type === 11) return u64();
    const start = skip(size);
    if (type === 6) return bytes.readFloatLE(start);
    if (type === 12) return bytes.readDoubleLE(start);
    return type % 2 === 1 && type !== BOOL
      ? bytes.readIntLE(start, size)
      : bytes.readUIntLE(start, size);
  };
  /** A list; undefined for one that is not kept. */
  const list = (): readonly number[] | undefined => {
    const type = u32();
    const count = u64();
    if (type === TEXT) {
      for (let i = 0; i < count; i += 1) skip(textBytes());
      return undefined;
    }
    if (count <= LONGEST_LIST) return Array.from({ length: count }, () => number(type));
    const size = NUMBER_BYTES[type];
    if (!size) throw new RangeError('no such type');
    skip(size * count);
    return undefined;
  };
  const value = (): Value | undefined => {
    const type = u32();
    if (type === TEXT) return text();
    if (type === LIST) return list();
    return type === BOOL ? number(type) !== 0 : number(type);
  };
  return { skip, u32, u64, text, value, position: () => at };
};

const parse = (bytes: Buffer): GgufHead => {
  const { skip, u32, u64, text, value, position } = createCursor(bytes);
  skip(MAGIC.length);
  if (!VERSIONS.has(u32())) throw new RangeError('no such version');
  const tensors = u64();
  const values = u64();
  const metadata = new Map<string, Value>();
  for (let i = 0; i < values; i += 1) {
    const name = text();
    const found = value();
    if (found !== undefined) metadata.set(name, found);
  }
  let parameters = 0;
  let dataBytes = 0;
  for (let i = 0; i < tensors; i += 1) {
    const name = text();
    const dimensions = u32();
    if (dimensions > 8) throw new RangeError('no such tensor');
    let weights = 1;
    for (let j = 0; j < dimensions; j += 1) weights *= u64();
    const size = BYTES_OF_256[u32()] ?? 0;
    dataBytes = Math.max(dataBytes, u64() + Math.ceil((weights * size) / 256));
    if (!name.startsWith('per_layer_token_embd')) parameters += weights;
  }
  const alignment = Number(metadata.get('general.alignment') ?? USUAL_ALIGNMENT);
  return {
    metadata,
    parameters,
    wholeBytes: Math.ceil(position() / alignment) * alignment + dataBytes,
  };
};

const readHead = async (
  file: FileHandle,
  fileBytes: number,
): Promise<GgufHead | 'cut' | 'other'> => {
  for (let size = FIRST_BYTES; ; size *= 4) {
    const length = Math.min(size, fileBytes);
    const { buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, 0);
    if (buffer.toString('latin1', 0, MAGIC.length) !== MAGIC) return 'other';
    try {
      const head = parse(buffer);
      return head.wholeBytes > fileBytes ? 'cut' : head;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      if (!(error instanceof CutError) || size >= MOST_BYTES) return 'other';
      if (size >= fileBytes) return 'cut';
    }
  }
};

/**
 * Reads the head of a GGUF file, which tells what model it is, without its weights. `cut` for a file
 * that is shorter than its own tensors, `other` for one that is no GGUF.
 */
export const readGguf = async (path: string): Promise<GgufHead | 'cut' | 'other'> => {
  await using file = await open(path);
  return await readHead(file, (await file.stat()).size);
};
