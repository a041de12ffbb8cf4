/** Encodes fields of protobuf messages, as far as model files need them. */

const varint = (value: number | bigint): Buffer => {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  return Buffer.from([...bytes, Number(rest)]);
};

/** A number of any integer type. */
export const integer = (field: number, value: number | bigint): Buffer =>
  Buffer.concat([varint(field * 8), varint(value)]);

export const float = (field: number, value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return Buffer.concat([varint(field * 8 + 5), bytes]);
};

/** Text, bytes or another message. */
export const block = (field: number, content: string | Uint8Array): Buffer => {
  const bytes = Buffer.from(content as string);
  return Buffer.concat([varint(field * 8 + 2), varint(bytes.length), bytes]);
};
