import { mkdirSync, mkdtempSync, readdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { createTempStore, type TempStore } from '../../../adapters/web/temp-store.ts';
import { DEAD_PID } from '../../fakes/dead-pid.ts';
import { startWeb } from './start-web.ts';

const open: TempStore[] = [];
const create = (bounds = { files: 10, bytes: 1_000 }, parent?: string): TempStore => {
  const store = createTempStore(bounds, parent);
  open.push(store);
  return store;
};
afterEach(async () => {
  for (const store of open.splice(0)) await store[Symbol.asyncDispose]();
});

const file = { name: 'a.txt', mediaType: 'text/plain' };

const read = async (bytes: AsyncIterable<Uint8Array>): Promise<string> => {
  return Buffer.concat(await Array.fromAsync(bytes)).toString();
};

test('gives back what was put, whole or in part, more than once', async () => {
  const store = create();
  const { id, sizeBytes } = await store.put(file, [Buffer.from('hello '), Buffer.from('you')], 100);
  expect(sizeBytes).toBe(9);
  expect(await read(store.read(id))).toBe('hello you');
  expect(await read(store.read(id, { start: 6, end: 7 }))).toBe('yo');
  expect(store.get(id)).toMatchObject(file);
});

const makeParent = (): string => mkdtempSync(join(tmpdir(), 'dragoman-test-'));

test('says what to do where the folder for temporary files is missing, and goes on once it is there', async () => {
  const parent = join(makeParent(), 'missing');
  const store = create(undefined, parent);
  const put = () => store.put(file, [Buffer.from('hello')], 100);
  await expect(put()).rejects.toMatchObject({
    code: 'unavailable',
    remedy: { key: 'remedies.temporary-files' },
  });
  mkdirSync(parent);
  expect((await put()).sizeBytes).toBe(5);
});

/** The sizes of all files beneath. */
const sizesIn = (parent: string): number[] =>
  readdirSync(parent, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => statSync(join(entry.parentPath, entry.name)).size);

test.each(['../../etc/passwd', '/etc/passwd', '..', 'a\0b', 'C:\\passwd'])(
  'keeps nothing of a name on the disk: %j',
  async (name) => {
    const parent = makeParent();
    const store = create(undefined, parent);
    const { id } = await store.put({ ...file, name }, [Buffer.from('x')], 100);
    const [own = ''] = readdirSync(parent);
    expect(readdirSync(parent, { recursive: true })).toEqual([own, join(own, id)]);
    expect(id).toMatch(/^[\w-]{24}$/);
  },
);

test('stops reading at the limit and leaves nothing of it on the disk', async () => {
  const parent = makeParent();
  const store = create(undefined, parent);
  let given = 0;
  const endless = async function* () {
    for (;;) {
      given += 10;
      yield Buffer.alloc(10);
    }
  };
  await expect(store.put(file, endless(), 95)).rejects.toMatchObject({ code: 'too-large' });
  expect(given).toBeLessThan(100_000);
  await expect(store.put(file, [Buffer.alloc(200)], 95)).rejects.toMatchObject({
    code: 'too-large',
  });
  const broken = async function* () {
    yield Buffer.alloc(10);
    throw new Error('broken off');
  };
  await expect(store.put(file, broken(), 95)).rejects.toThrow('broken off');
  expect(sizesIn(parent)).toEqual([]);
});

test('keeps its bound while files are coming in, and frees what a refused one took', async () => {
  const parent = makeParent();
  const store = create({ files: 100, bytes: 1_000 }, parent);
  const { id: old } = await store.put(file, [Buffer.alloc(300)], 400);
  const gate = Promise.withResolvers<void>();
  const slow = async function* () {
    yield Buffer.alloc(300);
    await gate.promise;
  };
  const results = Promise.allSettled(
    Array.from({ length: 10 }, () => store.put(file, slow(), 400)),
  );
  await expect.poll(() => sizesIn(parent).filter((size) => size > 0)).toEqual([300, 300, 300]);
  gate.resolve();
  const refused = (await results).flatMap((result) =>
    result.status === 'rejected' ? [result.reason as unknown] : [],
  );
  expect(refused).toHaveLength(7);
  for (const reason of refused) expect(reason).toMatchObject({ code: 'rate-limited' });
  expect(store.get(old)).toBeUndefined();
  expect(sizesIn(parent)).toEqual([300, 300, 300]);
  await store.put(file, [Buffer.alloc(100)], 400);
  expect(sizesIn(parent)).toHaveLength(4);
});

test('makes room by dropping the oldest', async () => {
  const store = create({ files: 2, bytes: 100 });
  const ids: string[] = [];
  for (const size of [10, 10, 10]) ids.push((await store.put(file, [Buffer.alloc(size)], 100)).id);
  expect(ids.map((id) => store.get(id) !== undefined)).toEqual([false, true, true]);
  await store.put(file, [Buffer.alloc(95)], 100);
  expect(ids.map((id) => store.get(id) !== undefined)).toEqual([false, false, false]);
  await expect(read(store.read(ids[0]!))).rejects.toMatchObject({ code: 'not-found' });
});

test('leaves no folder behind', async () => {
  const parent = makeParent();
  const store = createTempStore({ files: 1, bytes: 100 }, parent);
  await store.put(file, [Buffer.from('x')], 100);
  expect(readdirSync(parent)).toHaveLength(1);
  await store[Symbol.asyncDispose]();
  expect(readdirSync(parent)).toEqual([]);
});

test('the start of the page sweeps the temporary folder', async () => {
  const parent = makeParent();
  mkdirSync(join(parent, `dragoman-web-${DEAD_PID}-1-abcdef`));
  vi.stubEnv('TMPDIR', parent);
  onTestFinished(() => void vi.unstubAllEnvs());
  await startWeb();
  expect(readdirSync(parent)).toEqual([]);
});
