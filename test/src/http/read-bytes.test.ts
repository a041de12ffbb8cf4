import { expect, it } from 'vitest';
import { readBytes } from '../../../src/http/read-bytes.ts';

const chunks = (): AsyncIterable<Uint8Array> =>
  ReadableStream.from([Buffer.from('ab'), Buffer.from('c')]);

it('joins the bytes of a reply, and refuses a longer one', async () => {
  expect((await readBytes(chunks(), 3, 'long')).toString()).toBe('abc');
  await expect(readBytes(chunks(), 2, 'long')).rejects.toMatchObject({
    code: 'bad-reply',
    message: 'long',
  });
});
