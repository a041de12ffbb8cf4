import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createKeyHider, hidePrivate, hideKeyInStream } from '../../../src/http/secrets.ts';
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

describe('words of a server', () => {
  it.each([
    [
      'Incorrect API key provided: sk-ab12cd34. See https://platform.example.com/keys',
      ['sk-ab12', 'platform'],
    ],
    ['connect ECONNREFUSED 10.0.12.7:8000', ['10.0.12.7', '8000']],
    ['no route to gpu-3.cluster.local or whisper:9000', ['gpu-3', '9000']],
    ['The account of ops@example.org (org-x7Yz81) is over its quota', ['ops@', 'x7Yz81']],
    ['request 8f14e45fceea167a5a36dedd4bea2543 failed', ['8f14e45f']],
  ])('say nothing of machines, accounts and people: %s', (words, secret) => {
    const hidden = hidePrivate(words);
    for (const part of secret) expect(hidden).not.toContain(part);
    expect(hidden).toContain('…');
  });

  it.each([
    'The text is too long: 12:30 is 5 characters',
    'Unsupported language pair en-XA to zh-Hant',
  ])('are kept where they name none: %s', (words) => expect(hidePrivate(words)).toBe(words));
});
