import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createKeyHider, hideKeyInStream } from '../../../src/http/secrets.ts';
import { traceOf } from '../../fakes/key-canary.ts';

const KEY = 'svck:a+Key/of-some.Length=12';
const WRITINGS = [
  KEY,
  KEY.slice(5),
  KEY.replaceAll('/', '\\/'),
  encodeURIComponent(KEY),
  Buffer.from(KEY).toString('base64'),
  Buffer.from(KEY).toString('base64url'),
];

const anyText = fc
  .array(fc.oneof(fc.constantFrom(...WRITINGS, 'svck:', 'ключ …'), fc.string()))
  .map((parts) => parts.join(' '));

const chunked = async function* (bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
};

const streamed = async (text: string, size: number): Promise<string> =>
  Buffer.concat(
    await Array.fromAsync(hideKeyInStream(chunked(Buffer.from(text), size), KEY)),
  ).toString();

describe('a key in the words of a server', () => {
  it.each([...WRITINGS, Buffer.from(`${KEY}:`).toString('base64')])('is hidden: %s', (written) => {
    const hidden = createKeyHider(KEY)(`it said ${written}, twice ${written}`);
    // Of base64, the last two bytes at most stay.
    expect(hidden).toMatch(/^it said ….{0,4}, twice ….{0,4}$/);
  });

  it('is hidden in a stream, wherever it is cut, and all else is kept', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, fc.integer({ min: 1, max: 40 }), async (text, size) => {
        const hidden = await streamed(text, size);
        expect(traceOf(KEY, hidden)).toBeUndefined();
        if (!WRITINGS.some((written) => text.includes(written))) expect(hidden).toBe(text);
      }),
    );
  });

  it('delays nothing that it cannot begin with', async () => {
    const pieces = hideKeyInStream(chunked(Buffer.from('data: one\n\n'), 11), KEY);
    expect(String((await pieces.next()).value)).toBe('data: one\n\n');
  });
});
