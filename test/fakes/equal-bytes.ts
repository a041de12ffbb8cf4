import { expect } from 'vitest';

const isView = (value: unknown): value is Float32Array => ArrayBuffer.isView(value);

/** Arrays of equal bytes are equal: `toEqual` looks at each index as a name, 50 times as long. */
const haveEqualBytes = (a: unknown, b: unknown): true | undefined => {
  if (!isView(a) || !isView(b) || a.constructor !== b.constructor) return undefined;
  const [left, right] = [a, b].map(({ buffer, byteOffset, byteLength }) =>
    Buffer.from(buffer, byteOffset, byteLength),
  );
  return left?.equals(right!) ? true : undefined;
};

let isAdded = false;

/** Has arrays compared by their bytes in all files that this process runs; its first call alone has an effect. */
export const compareBytes = (): void => {
  if (!isAdded) expect.addEqualityTesters([haveEqualBytes]);
  isAdded = true;
};
