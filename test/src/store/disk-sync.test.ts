import { describe, expect, it } from 'vitest';
import { createDiskSync } from '../../../src/store/writer.ts';

/** A disk that is done with what it was asked for when the test says so. */
const slowDisk = () => {
  const asked: PromiseWithResolvers<void>[] = [];
  return {
    asked,
    flush: (): Promise<void> => {
      const turn = Promise.withResolvers<void>();
      asked.push(turn);
      return turn.promise;
    },
  };
};

const settled = async (promise: Promise<unknown>): Promise<boolean> => {
  const later = new Promise<false>((resolve) => {
    setImmediate(resolve, false);
  });
  return Promise.race([promise.then(() => true), later]);
};

describe('waiting for the disk', () => {
  it('is shared by those who come while it is busy, and by nobody who came before', async () => {
    const { asked, flush } = slowDisk();
    const synced = createDiskSync(flush);
    const first = synced();
    const others = Promise.all([synced(), synced()]);
    asked[0]?.resolve();
    expect(await settled(first)).toBe(true);
    // What they wrote may have come too late for the first turn.
    expect(await settled(others)).toBe(false);
    expect(asked).toHaveLength(2);
    asked[1]?.resolve();
    expect(await settled(others)).toBe(true);
    expect(asked).toHaveLength(2);
  });

  it('fails for those whom it fails, and is tried anew for the others', async () => {
    const { asked, flush } = slowDisk();
    const synced = createDiskSync(flush);
    const first = synced();
    const second = synced();
    asked[0]?.reject(new Error('broken'));
    await expect(first).rejects.toThrow('broken');
    asked[1]?.resolve();
    await second;
    const third = synced();
    asked[2]?.resolve();
    await third;
    expect(asked).toHaveLength(3);
  });
});
