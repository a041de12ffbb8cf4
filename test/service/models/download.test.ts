import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  download,
  DOWNLOADS,
  type DownloadDeps,
  type DownloadRequest,
  type DownloadProgress,
} from '../../../service/models/download.ts';
import { startMirror, type Mirror } from '../../fakes/models/mirror.ts';

const CONTENT = randomBytes(300_000);
const SHA256 = createHash('sha256').update(CONTENT).digest('hex');
/** Time that only a silent connection takes. */
const LONG_MS = 30_000;

let root: string;
let mirror: Mirror;
let progress: DownloadProgress[];
let waitsMs: number[];
let deps: DownloadDeps;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'dragoman-download-'));
  mirror = await startMirror();
  progress = [];
  waitsMs = [];
  deps = {
    root,
    random: () => 1,
    onProgress: (one) => progress.push(one),
    signal: new AbortController().signal,
    clock: {
      nowMs: () => 0,
      after: (ms, run) => {
        if (ms >= LONG_MS) return () => {};
        waitsMs.push(ms);
        const timer = setImmediate(run);
        return () => clearImmediate(timer);
      },
    },
  };
});
afterEach(async () => {
  await mirror[Symbol.asyncDispose]();
  rmSync(root, { recursive: true });
});

const get = async (
  url: string,
  wanted: Omit<DownloadRequest, 'url'> = { bytes: CONTENT.length, sha256: SHA256 },
): Promise<Buffer> => readFileSync((await download({ url, ...wanted }, deps)).path);

describe('a download', () => {
  it('brings the file, its checksum and how far it is', async () => {
    const url = mirror.serve('/m.bin', CONTENT);
    expect(await download({ url, sha256: SHA256 }, deps)).toMatchObject({ sha256: SHA256 });
    expect(progress.at(-1)).toEqual({ doneBytes: CONTENT.length, totalBytes: CONTENT.length });
  });

  it('is fetched from a mirror in place of its own address', async () => {
    mirror.serve('/m.bin', CONTENT);
    deps = { ...deps, mirror: `${mirror.url}/` };
    expect(await get('https://nowhere.invalid/m.bin')).toEqual(CONTENT);
  });

  it('is fetched from where its address leads, and goes on there', async () => {
    const location = mirror.serve('/n.bin', CONTENT, { cutAfter: 40_000 }, {});
    const url = mirror.serve('/m.bin', CONTENT, { location });
    expect(await get(url)).toEqual(CONTENT);
    expect(mirror.requests.at(-1)).toMatch(/^\/n\.bin bytes=\d+- "1"$/);
  });

  it('goes on where it was cut, as often as each time brings something', async () => {
    const cut = { cutAfter: 40_000 };
    const url = mirror.serve('/m.bin', CONTENT, ...Array.from({ length: 7 }, () => cut), {});
    expect(await get(url)).toEqual(CONTENT);
    expect(mirror.requests[1]).toMatch(/^\/m\.bin bytes=\d+- "1"$/);
    expect(mirror.requests).toHaveLength(8);
  });

  it('goes on in the next process', async () => {
    const url = mirror.serve('/m.bin', CONTENT, { cutAfter: 100_000 }, { status: 404 });
    await expect(get(url)).rejects.toMatchObject({ code: 'not-found' });
    mirror.serve('/m.bin', CONTENT);
    expect(await get(url)).toEqual(CONTENT);
    expect(progress[0]!.doneBytes).toBeGreaterThan(0);
    expect(mirror.requests.at(-1)).toContain('bytes=');
  });

  it('begins anew when the file has become another one', async () => {
    const other = randomBytes(CONTENT.length);
    const url = mirror.serve(
      '/m.bin',
      CONTENT,
      { cutAfter: 100_000 },
      { etag: '"2"', content: other },
    );
    expect(await get(url, {})).toEqual(other);
  });

  it('is not continued without a checksum or a strong validator', async () => {
    const weak = { etag: 'W/"1"' };
    const url = mirror.serve('/m.bin', CONTENT, { ...weak, cutAfter: 100_000 }, weak);
    expect(await get(url, {})).toEqual(CONTENT);
    expect(mirror.requests).toEqual(['/m.bin', '/m.bin']);
  });

  it('begins anew at a server that has no ranges', async () => {
    const url = mirror.serve('/m.bin', CONTENT, { cutAfter: 100_000 }, { ignoresRange: true });
    expect(await get(url)).toEqual(CONTENT);
  });

  it('that was whole already is not fetched again', async () => {
    const url = mirror.serve('/m.bin', CONTENT);
    await get(url);
    expect(await get(url)).toEqual(CONTENT);
    expect(mirror.requests.at(-1)).toContain(`bytes=${CONTENT.length}-`);
  });

  it('is fetched once more as a whole when two contents were joined', async () => {
    const url = mirror.serve(
      '/m.bin',
      randomBytes(CONTENT.length),
      { cutAfter: 100_000 },
      { status: 404 },
    );
    await expect(get(url)).rejects.toThrow();
    mirror.serve('/m.bin', CONTENT);
    expect(await get(url)).toEqual(CONTENT);
  });

  it('waits as a busy server says, and longer each time without a word', async () => {
    const busy = { status: 503 };
    const url = mirror.serve(
      '/m.bin',
      CONTENT,
      busy,
      { status: 429, headers: { 'retry-after': '7' } },
      {},
    );
    expect(await get(url)).toEqual(CONTENT);
    expect(waitsMs).toEqual([2_000, 7_000]);
  });

  it('counts a connection that sends nothing as cut', async () => {
    const url = mirror.serve('/m.bin', CONTENT, { silentAfter: 100_000 }, {});
    const { clock } = deps;
    let isSilent = false;
    const impatient = {
      ...clock,
      after: (ms: number, run: () => void) => {
        if (ms < LONG_MS || !isSilent) return clock.after(ms, run);
        const timer = setImmediate(run);
        return () => clearImmediate(timer);
      },
    };
    const onProgress = ({ doneBytes }: DownloadProgress): void => {
      isSilent = doneBytes === 100_000;
    };
    const got = await download({ url, sha256: SHA256 }, { ...deps, clock: impatient, onProgress });
    expect(readFileSync(got.path)).toEqual(CONTENT);
    expect(mirror.requests).toHaveLength(2);
  });

  it.each<[string, Parameters<Mirror['serve']>[2], Omit<DownloadRequest, 'url'>, string, RegExp]>([
    ['that is not there', { status: 404 }, {}, 'not-found', /m\.bin does not exist \(404\)/],
    ['that is refused', { status: 403 }, {}, 'forbidden', /refuses the download \(403\)/],
    ['with a strange answer', { status: 418 }, {}, 'bad-reply', /answers 418/],
    ['that leads in a circle', { location: '/m.bin' }, {}, 'bad-reply', /next without end/],
    ['that leads to a file', { location: 'file:///m.bin' }, {}, 'bad-reply', /leads to no address/],
    ['of a wrong content', {}, { sha256: '0'.repeat(64) }, 'bad-reply', /checksum is wrong/],
    [
      'of another size',
      {},
      { bytes: 5 },
      'bad-reply',
      /has 300000 bytes, not the 5 of the catalogue/,
    ],
    [
      'longer than the catalogue says',
      { announced: 'none' },
      { bytes: 5 },
      'bad-reply',
      /sends more than/,
    ],
    [
      'larger than the disk',
      { announced: 9e17 },
      {},
      'too-large',
      /disk of .* is full: .* more are needed/,
    ],
    [
      'that is cut every time',
      { cutAfter: 0 },
      {},
      'unavailable',
      /connection was cut\. Run the command again/,
    ],
    ['from a server that stays busy', { status: 500 }, {}, 'unavailable', /the server answers 500/],
  ])('%s ends in a sentence and leaves no whole file', async (_, way, wanted, code, words) => {
    const url = mirror.serve('/m.bin', CONTENT, way);
    await expect(get(url, wanted)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(words),
    });
  });

  it('that has failed its checksum is not continued', async () => {
    const url = mirror.serve('/m.bin', CONTENT);
    await expect(get(url, { sha256: '0'.repeat(64) })).rejects.toThrow();
    expect(readdirSync(join(root, DOWNLOADS))).toEqual([]);
  });

  it('from where nothing listens says so', async () => {
    const gone = await startMirror();
    await gone[Symbol.asyncDispose]();
    await expect(get(`${gone.url}/m.bin`)).rejects.toMatchObject({
      code: 'unavailable',
      name: 'NoNetworkError',
      message: expect.stringMatching(
        /cannot be reached \(ECONNREFUSED\).*without a network.*models add FOLDER/,
      ),
    });
    expect(waitsMs).toHaveLength(2);
  });

  it('from a host that takes long to say nothing is not tried again', async () => {
    const gone = await startMirror();
    await gone[Symbol.asyncDispose]();
    let nowMs = 0;
    deps = { ...deps, clock: { ...deps.clock, nowMs: () => (nowMs += 10_000) } };
    await expect(get(`${gone.url}/m.bin`)).rejects.toMatchObject({ name: 'NoNetworkError' });
    expect(waitsMs).toEqual([]);
  });

  it('ends at once when the operator stops it', async () => {
    const controller = new AbortController();
    const url = mirror.serve('/m.bin', CONTENT, { silentAfter: 1_000 });
    const onProgress = (): void => controller.abort(new Error('stopped'));
    const stopped = download({ url }, { ...deps, signal: controller.signal, onProgress });
    await expect(stopped).rejects.toThrow('stopped');
  });

  it('comes from a folder in place of the host, where it is at its path or directly in it', async () => {
    const folder = mkdtempSync(join(root, 'folder-'));
    const mirrored = { ...deps, mirror: pathToFileURL(folder).href };
    const url = 'https://models.invalid/some/m.bin';
    const wanted = { url, bytes: CONTENT.length, sha256: SHA256 };
    await expect(download(wanted, mirrored)).rejects.toThrow(/does not exist/);
    writeFileSync(join(folder, 'm.bin'), CONTENT);
    const { path } = await download(wanted, mirrored);
    expect(readFileSync(path)).toEqual(CONTENT);
    mkdirSync(join(folder, 'some'));
    writeFileSync(join(folder, 'some/m.bin'), CONTENT.subarray(1));
    writeFileSync(path, CONTENT.subarray(0, 10));
    await expect(download(wanted, mirrored)).rejects.toThrow(/has 299999 bytes/);
  });

  it('goes on where it ended, from a folder too', async () => {
    const folder = mkdtempSync(join(root, 'folder-'));
    const wanted = { url: mirror.serve('/m.bin', CONTENT, { cutAfter: 100_000 }, { status: 404 }) };
    const checked = { ...wanted, bytes: CONTENT.length, sha256: SHA256 };
    await expect(download(checked, deps)).rejects.toThrow(/does not exist/);
    writeFileSync(join(folder, 'm.bin'), CONTENT);
    progress = [];
    const { path } = await download(checked, { ...deps, mirror: pathToFileURL(folder).href });
    expect(readFileSync(path)).toEqual(CONTENT);
    expect(progress[0]?.doneBytes).toBeGreaterThan(100_000);
  });
});
