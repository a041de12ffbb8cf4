/**
 * The binary language of MLS (RFC 9420, section 2.1): numbers in network order, vectors behind a
 * length of 1, 2 or 4 bytes whose two highest bits tell its size.
 */
export const concat = (...parts: readonly Uint8Array[]): Buffer => Buffer.concat(parts);

export const u8 = (value: number): Buffer => Buffer.from([value]);

export const u16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
};

export const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

export const u64 = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
};

const lengthOf = (value: number): Buffer => {
  if (value < 2 ** 6) return u8(value);
  if (value < 2 ** 14) return u16(value | 0x40_00);
  if (value < 2 ** 30) return u32(value + 0x80_00_00_00);
  throw new RangeError('the vector is longer than MLS allows');
};

export const vector = (...parts: readonly Uint8Array[]): Buffer => {
  const body = concat(...parts);
  return concat(lengthOf(body.length), body);
};

/** Reads such bytes from front to back; throws a RangeError where they end too early. */
export class TlsReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
  get at(): number {
    return this.#at;
  }
  get done(): boolean {
    return this.#at === this.#bytes.length;
  }
  take(length: number): Buffer {
    if (this.#at + length > this.#bytes.length) throw new RangeError('the bytes end too early');
    return this.#bytes.subarray(this.#at, (this.#at += length));
  }
  /** What has been read since that place. */
  since(start: number): Buffer {
    return this.#bytes.subarray(start, this.#at);
  }
  rest(): Buffer {
    return this.take(this.#bytes.length - this.#at);
  }
  u8(): number {
    return this.take(1).readUInt8();
  }
  u16(): number {
    return this.take(2).readUInt16BE();
  }
  u32(): number {
    return this.take(4).readUInt32BE();
  }
  u64(): bigint {
    return this.take(8).readBigUInt64BE();
  }
  vector(): Buffer {
    const first = this.u8();
    const size = first >> 6;
    if (size === 3) throw new RangeError('no length begins like this');
    let length = first & 0x3f;
    for (let more = 2 ** size - 1; more > 0; more -= 1) length = length * 256 + this.u8();
    return this.take(length);
  }
  /** Every item of a vector. */
  each<Item>(read: (reader: TlsReader) => Item): Item[] {
    const inner = new TlsReader(this.vector());
    const items: Item[] = [];
    while (!inner.done) items.push(read(inner));
    return items;
  }
}
