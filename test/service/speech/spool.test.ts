import { mkdtempSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createSpools, type Spool, type SpoolLimits } from '../../../service/speech/spool.ts';

const signal = new AbortController().signal;
const part = (byte: number, size = 10): Buffer => Buffer.alloc(size, byte);

const readAll = async (spool: Spool): Promise<Buffer> => {
  return Buffer.concat(await Array.fromAsync(spool.read(signal)));
};

describe('a spool', () => {
  let folder: string;
  const create = (limits: Partial<SpoolLimits> = {}) =>
    createSpools({ memoryBytes: 25, totalBytes: 1_000, most: 4, folder, ...limits });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'dragoman-test-'));
  });

  it('gives what was written in order, from memory and from a file', async () => {
    await using spool = create().open('a');
    for (let i = 0; i < 40; i += 1) await spool.write(part(i));
    spool.end();
    expect(await readAll(spool)).toEqual(
      Buffer.concat(Array.from({ length: 40 }, (_, i) => part(i))),
    );
    expect(spool.bytes).toBe(400);
  });

  it('is read while it is written, whichever is faster', async () => {
    await using spool = create().open('a');
    const reading = readAll(spool);
    const write = async (): Promise<void> => {
      for (let i = 0; i < 200; i += 1) {
        await spool.write(part(i % 250, 1 + (i % 40)));
        if (i % 7 === 0) await new Promise(setImmediate);
      }
      spool.end();
    };
    await write();
    expect(await reading).toEqual(
      Buffer.concat(Array.from({ length: 200 }, (_, i) => part(i % 250, 1 + (i % 40)))),
    );
  });

  it('leaves no file with a name, even while it uses one', async () => {
    await using spool = create().open('a');
    await spool.write(part(1, 500));
    expect(readdirSync(folder)).toEqual([]);
  });

  it('says what to do where there is no room for its file', async () => {
    await using spool = create({ folder: join(folder, 'missing') }).open('a');
    await expect(spool.write(part(1, 500))).rejects.toMatchObject({
      named: 'ErrStorage',
      message: expect.stringMatching(/folder is missing.*TMPDIR/),
    });
  });

  it('removes what a killed process left, and nothing else', async () => {
    const old = new Date(Date.now() - 120_000);
    for (const name of ['dragoman-spool-left', 'dragoman-spool-new', 'another'])
      writeFileSync(join(folder, name), 'x');
    for (const name of ['dragoman-spool-left', 'another']) utimesSync(join(folder, name), old, old);
    await using spool = create().open('a');
    await spool.write(part(1, 500));
    expect(readdirSync(folder).toSorted()).toEqual(['another', 'dragoman-spool-new']);
  });

  it('passes an error on after the bytes before it', async () => {
    await using spool = create().open('a');
    await spool.write(part(1));
    spool.end(new Error('broken'));
    const reader = spool.read(signal);
    expect((await reader.next()).value).toHaveLength(10);
    await expect(reader.next()).rejects.toThrow('broken');
  });

  it('stops waiting when its signal is aborted', async () => {
    await using spool = create().open('a');
    const leaving = new AbortController();
    const reading = spool.read(leaving.signal).next();
    leaving.abort(new Error('left'));
    await expect(reading).rejects.toThrow('left');
  });

  it('is refused with the time to wait while too much is unread', async () => {
    const spools = create({ totalBytes: 100 });
    await using first = spools.open('a');
    await first.write(part(1, 100));
    expect(() => spools.open('a')).toThrow(
      expect.objectContaining({ named: 'ErrRateLimited', retryAfterMs: 5_000 }),
    );
    first.end();
    await readAll(first);
    await spools.open('a')[Symbol.asyncDispose]();
  });

  it('is refused when there are too many, until one is gone', async () => {
    const spools = create({ most: 1 });
    const first = spools.open('a');
    expect(() => spools.open('a')).toThrow(expect.objectContaining({ named: 'ErrRateLimited' }));
    await first[Symbol.asyncDispose]();
    await spools.open('a')[Symbol.asyncDispose]();
  });

  it('is there for a key, however much and however many another has', async () => {
    const spools = create({ totalBytes: 100, most: 8 });
    await using long = spools.open('many');
    await long.write(part(1, 80));
    expect(() => spools.open('many')).toThrow(expect.objectContaining({ named: 'ErrRateLimited' }));
    await using few = spools.open('few');
    await few.write(part(2));
    await few.room(signal);
    await readAll((long.end(), long));
    await using all = new AsyncDisposableStack();
    for (let place = 0; place < 5; place += 1) all.use(spools.open('many'));
    expect(() => spools.open('many')).toThrow(expect.objectContaining({ named: 'ErrRateLimited' }));
    all.use(spools.open('few'));
  });

  it('has room for one whose reader has caught up, however much others hold', async () => {
    const spools = create({ totalBytes: 100 });
    await using slow = spools.open('a');
    await using quick = spools.open('a');
    await slow.write(part(1, 100));
    await quick.room(signal);
    await quick.write(part(2));
    let roomy = false;
    const wait = async (): Promise<void> => {
      await quick.room(signal);
      roomy = true;
    };
    const waiting = wait();
    await new Promise(setImmediate);
    expect(roomy).toBe(false);
    expect((await quick.read(signal).next()).value).toHaveLength(10);
    await waiting;
  });
});
