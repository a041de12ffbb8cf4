import { open, type FileHandle } from 'node:fs/promises';
import { readFieldHead, readFields } from '../../protobuf.ts';

/** Fields of ONNX's `ModelProto` (onnx.proto), an encoded protobuf message. */
const GRAPH_FIELD = 7;
const METADATA_FIELD = 14;
const KEY_FIELD = 1;
const VALUE_FIELD = 2;

/** The name in a file in the format of ONNX's runtime, `.ort`, whose metadata are not read, and its place. */
const ORT_NAME = 'ORTM';
const ORT_NAME_AT = 4;

/** Largest metadata entry that is read; Kokoro's list of speakers has 3 KB. */
const LARGEST_ENTRY_BYTES = 256 * 1024;
/** Longest tag or length of a field. */
const VARINT_BYTES = 10;

const encodeVarint = (value: number): readonly number[] =>
  value < 128 ? [value] : [(value % 128) + 128, ...encodeVarint(Math.floor(value / 128))];

/** A field with text or with other fields. */
const encodeField = (field: number, content: Uint8Array): Buffer =>
  Buffer.from([...encodeVarint(field * 8 + 2), ...encodeVarint(content.length), ...content]);

/** Metadata as they are written at the end of an ONNX file. */
export const encodeMetadata = (metadata: Readonly<Record<string, string | number>>): Buffer =>
  Buffer.concat(
    Object.entries(metadata).map(([key, value]) =>
      encodeField(
        METADATA_FIELD,
        Buffer.concat([
          encodeField(KEY_FIELD, Buffer.from(key)),
          encodeField(VALUE_FIELD, Buffer.from(String(value))),
        ]),
      ),
    ),
  );

/** Reads the key and the value of one entry. */
const readEntry = (bytes: Buffer): readonly [string, string] => {
  const texts = new Map(Array.from(readFields(bytes), (one) => [one.number, String(one.value)]));
  return [texts.get(KEY_FIELD) ?? '', texts.get(VALUE_FIELD) ?? ''];
};

const readModel = async (file: FileHandle, size: number): Promise<ReadonlyMap<string, string>> => {
  const found = new Map<string, string>();
  let hasGraph = false;
  let next = 0;
  const start = Buffer.alloc(2 * VARINT_BYTES);
  while (next < size) {
    const { bytesRead } = await file.read(start, 0, start.length, next);
    const { number, at, length } = readFieldHead(start.subarray(0, bytesRead));
    hasGraph ||= number === GRAPH_FIELD;
    if (number === METADATA_FIELD && length <= LARGEST_ENTRY_BYTES) {
      const entry = Buffer.alloc(length);
      await file.read(entry, 0, length, next + at);
      found.set(...readEntry(entry));
    }
    next += at + length;
  }
  if (next > size || !hasGraph) throw new RangeError('not a whole model');
  return found;
};

/**
 * Reads the metadata of an ONNX file, which tells what kind of model it is, without its weights.
 * Undefined for a file that is no ONNX model, or not a whole one.
 */
export const readOnnxMetadata = async (
  path: string,
): Promise<ReadonlyMap<string, string> | undefined> => {
  await using file = await open(path);
  const start = Buffer.alloc(ORT_NAME.length);
  const { buffer } = await file.read({ buffer: start, position: ORT_NAME_AT });
  if (buffer.toString('latin1') === ORT_NAME) return new Map();
  try {
    return await readModel(file, (await file.stat()).size);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
};
