import { open, type FileHandle } from 'node:fs/promises';

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

const readVarint = (bytes: Uint8Array, start: number): { value: number; end: number } => {
  let value = 0;
  for (let at = start, scale = 1; at < bytes.length; at += 1, scale *= 128) {
    const byte = bytes[at] ?? 0;
    value += (byte & 127) * scale;
    if (byte < 128) return { value, end: at + 1 };
  }
  throw new RangeError('a number is cut off');
};

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

/** Size of what follows a tag, by its wire type; undefined for types that ONNX does not use. */
const SIZES: Readonly<Record<number, number>> = { 1: 8, 5: 4 };

/** Reads the key and the value of one entry. */
const readEntry = (bytes: Buffer): readonly [string, string] => {
  const texts = new Map<number, string>();
  for (let at = 0; at < bytes.length;) {
    const tag = readVarint(bytes, at);
    const length = readVarint(bytes, tag.end);
    texts.set(tag.value >> 3, bytes.toString('utf8', length.end, length.end + length.value));
    at = length.end + length.value;
  }
  return [texts.get(KEY_FIELD) ?? '', texts.get(VALUE_FIELD) ?? ''];
};

const readFields = async (file: FileHandle, size: number): Promise<ReadonlyMap<string, string>> => {
  const found = new Map<string, string>();
  let hasGraph = false;
  let at = 0;
  const head = Buffer.alloc(2 * VARINT_BYTES);
  while (at < size) {
    const { bytesRead } = await file.read(head, 0, head.length, at);
    const seen = head.subarray(0, bytesRead);
    const tag = readVarint(seen, 0);
    const wireType = tag.value & 7;
    if (wireType !== 0 && wireType !== 2) {
      const fixed = SIZES[wireType];
      if (fixed === undefined) throw new RangeError('not a protobuf message');
      at += tag.end + fixed;
      continue;
    }
    const number = readVarint(seen, tag.end);
    if (wireType === 0) {
      at += number.end;
      continue;
    }
    hasGraph ||= tag.value >> 3 === GRAPH_FIELD;
    if (tag.value >> 3 === METADATA_FIELD && number.value <= LARGEST_ENTRY_BYTES) {
      const entry = Buffer.alloc(number.value);
      await file.read(entry, 0, entry.length, at + number.end);
      found.set(...readEntry(entry));
    }
    at += number.end + number.value;
  }
  if (at > size || !hasGraph) throw new RangeError('not a whole model');
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
  const { buffer } = await file.read(
    Buffer.alloc(ORT_NAME.length),
    0,
    ORT_NAME.length,
    ORT_NAME_AT,
  );
  if (buffer.toString('latin1') === ORT_NAME) return new Map();
  try {
    return await readFields(file, (await file.stat()).size);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
};
