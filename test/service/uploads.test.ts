import { describe, expect, it } from 'vitest';
import { createUploadLimiter } from '../../service/uploads.ts';

const signal = new AbortController().signal;

async function* bytes(...sizes: number[]): AsyncGenerator<Uint8Array> {
  for (const size of sizes) yield new Uint8Array(size);
}
const all = async (body: AsyncIterable<Uint8Array>): Promise<number> => {
  let size = 0;
  for await (const chunk of body) size += chunk.length;
  return size;
};

describe('uploads', () => {
  it('are turned away when too much is held, until some is let go', async () => {
    const uploads = createUploadLimiter({ concurrent: 5, waiting: 0, maxBytes: 10 });
    const first = uploads.open();
    expect(await first.receive(bytes(3, 4), all, signal)).toBe(7);
    using second = uploads.open();
    await expect(second.receive(bytes(2, 2), all, signal)).rejects.toMatchObject({
      named: 'ErrRateLimited',
      retryAfterMs: 1_000,
    });
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    using third = uploads.open();
    expect(await third.receive(bytes(8), all, signal)).toBe(8);
    using fourth = uploads.open();
    await expect(fourth.receive(bytes(1), all, signal)).rejects.toMatchObject({
      named: 'ErrRateLimited',
    });
  });

  it('are read so many at a time', async () => {
    const uploads = createUploadLimiter({ concurrent: 1, waiting: 0, maxBytes: 10 });
    using first = uploads.open();
    const release = Promise.withResolvers<void>();
    const reading = first.receive(bytes(), () => release.promise, signal);
    using second = uploads.open();
    await expect(second.receive(bytes(1), all, signal)).rejects.toMatchObject({
      named: 'ErrRateLimited',
    });
    release.resolve();
    await reading;
    expect(await second.receive(bytes(1), all, signal)).toBe(1);
  });
});
