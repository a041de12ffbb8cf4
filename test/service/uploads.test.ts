import { describe, expect, it } from 'vitest';
import { createUploadLimiter } from '../../service/uploads.ts';

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
    const uploads = createUploadLimiter({ concurrent: 5, maxBytes: 10 });
    const first = uploads.open('a');
    expect(await first.receive(bytes(3, 4), all)).toBe(7);
    using second = uploads.open('a');
    await expect(second.receive(bytes(2, 2), all)).rejects.toMatchObject({
      named: 'ErrRateLimited',
      retryAfterMs: 1_000,
    });
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    using third = uploads.open('a');
    expect(await third.receive(bytes(8), all)).toBe(8);
    using fourth = uploads.open('a');
    await expect(fourth.receive(bytes(1), all)).rejects.toMatchObject({
      named: 'ErrRateLimited',
    });
  });

  it('are read so many at a time', async () => {
    const uploads = createUploadLimiter({ concurrent: 1, maxBytes: 10 });
    using first = uploads.open('a');
    const release = Promise.withResolvers<void>();
    const reading = first.receive(bytes(), () => release.promise);
    using second = uploads.open('a');
    await expect(second.receive(bytes(1), all)).rejects.toMatchObject({
      named: 'ErrRateLimited',
    });
    release.resolve();
    await reading;
    expect(await second.receive(bytes(1), all)).toBe(1);
  });

  it('leave room for other keys, in number and in bytes', async () => {
    const uploads = createUploadLimiter({ concurrent: 4, maxBytes: 100 });
    using many = uploads.open('many');
    await expect(many.receive(bytes(30, 30, 20, 10), all)).rejects.toMatchObject({
      named: 'ErrRateLimited',
    });
    using few = uploads.open('few');
    expect(await few.receive(bytes(10), all)).toBe(10);
    const release = Promise.withResolvers<void>();
    const reading = Array.from({ length: 4 }, async () =>
      uploads.open('many').receive(bytes(), () => release.promise),
    );
    await expect(reading[3]).rejects.toMatchObject({ named: 'ErrRateLimited' });
    expect(await few.receive(bytes(1), all)).toBe(1);
    release.resolve();
    await Promise.all(reading.slice(0, 3));
  });
});
