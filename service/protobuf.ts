/** Wire types of protocol buffers; the others have a length of their own. */
const VARINT = 0;
const LENGTH = 2;
const LENGTHS: Readonly<Record<number, number>> = { [VARINT]: 0, 1: 8, 5: 4 };

/**
 * Reads the beginning of a field of protocol buffers: its number, its value where that is a number, and the place
 * and length of its content. Throws `RangeError` where there is none.
 */
export const readFieldHead = (bytes: Buffer, start = 0) => {
  let at = start;
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes.readUInt8(at);
      at += 1;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  };
  const key = varint();
  const type = key % 8;
  const value = type === VARINT ? varint() : undefined;
  const length = type === LENGTH ? varint() : LENGTHS[type];
  if (length === undefined) throw new RangeError('an unknown wire type');
  return { number: Math.floor(key / 8), value, at, length };
};

/** Reads the fields of a message of protocol buffers. Throws `RangeError` for one that is cut. */
export function* readFields(bytes: Buffer) {
  for (let next = 0; next < bytes.length;) {
    const { number, value, at, length } = readFieldHead(bytes, next);
    next = at + length;
    if (next > bytes.length) throw new RangeError('the message is cut');
    yield { number, value: value ?? bytes.subarray(at, next) };
  }
}
