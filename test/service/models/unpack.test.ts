import { randomBytes } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import * as fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { copyFolder, innermostFolder, unpack } from '../../../service/models/unpack.ts';
import type { UnpackLimits } from '../../../service/models/unpack.ts';
import { fillDisk } from '../../fakes/full-disk.ts';
import { casesOf } from '../../fakes/cases.ts';
import { makeTar, makeZip, type ArchiveEntry } from '../../fakes/models/archive.ts';

/** A `.tar.bz2` of `model/tokens.txt` and `model/data/x.bin`, which Node cannot make. */
const TAR_BZ2 =
  'QlpoOTFBWSZTWYaRML4AAGzb4NmQQAHtgEAAdi+eQBAAAIAIKCAAkoaUeoNBoAA9QNlBIkU8pppoDT1NA0A6eLz8xlzBfKCSNu/MvOAy6NhBVJDQMt79ZkuJQsxEVIBGRAiZg5t45SlgWoTKmhgXQk34+Bj3s/AzQNRVqIMENBbcwjcpEBi4AiLFsQNIP4u5IpwoSENImF8A';

const { signal } = new AbortController();
let root: string;
let target: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'dragoman-unpack-'));
  target = join(root, 'inside/target');
  mkdirSync(target, { recursive: true });
});

const open = async (name: string, content: Uint8Array, limits?: UnpackLimits): Promise<void> => {
  const path = join(root, 'archive');
  writeFileSync(path, content);
  await unpack(path, name, target, signal, limits);
};

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();

const FILES: readonly ArchiveEntry[] = [
  { name: 'model', type: 'directory' },
  { name: 'model/tokens.txt', content: 'a 0' },
  { name: './model/data/x.bin', content: 'x' },
  { name: 'model/._tokens.txt', content: 'clutter' },
];

describe('an archive', () => {
  it.each([
    ['m.tar', async () => makeTar(FILES)],
    ['m.tar.gz', async () => gzipSync(await makeTar(FILES))],
    ['m.tgz', async () => gzipSync(await makeTar(FILES))],
    ['m.tar.bz2', async () => Buffer.from(TAR_BZ2, 'base64')],
    [
      'm.zip',
      async () =>
        makeZip([
          { name: 'model/', content: '', mode: 0o040755 },
          { name: 'model/tokens.txt', content: 'a 0' },
          { name: 'model/data/x.bin', content: 'x' },
          { name: '__MACOSX/model/._tokens.txt', content: 'clutter' },
        ]),
    ],
  ])('%s is unpacked', async (name, make) => {
    await open(name, await make());
    expect(filesIn(target)).toEqual(['model/data/x.bin', 'model/tokens.txt']);
    expect(readFileSync(join(target, 'model/tokens.txt'), 'utf8')).toMatch(/^a 0/);
    expect(await innermostFolder(target)).toBe(join(target, 'model'));
  });

  it.each([
    ['gz', gzipSync('words')],
    ['zst', zstdCompressSync('words')],
  ])('that is one compressed file becomes that file (%s)', async (ending, content) => {
    await open(`vocab.enes.spm.${ending}`, content);
    expect(readFileSync(join(target, 'vocab.enes.spm'), 'utf8')).toBe('words');
  });

  it('that is no archive is taken as it is', async () => {
    await open('model.onnx', Buffer.from('weights'));
    expect(filesIn(target)).toEqual(['model.onnx']);
  });

  it.each<[string, ArchiveEntry]>([
    ['a path out of it', { name: '../../evil', content: 'x' }],
    ['a path out of it within', { name: 'a/../../../evil', content: 'x' }],
    ['an absolute path', { name: '/tmp/evil', content: 'x' }],
    ['a path of Windows', { name: '..\\evil', content: 'x' }],
    ['a drive', { name: 'C:evil', content: 'x' }],
    ['a link out of it', { name: 'link', type: 'symlink', linkname: '/etc/passwd' }],
    ['a hard link', { name: 'link', type: 'link', linkname: '/etc/passwd' }],
    ['a device', { name: 'null', type: 'character-device' }],
    ['a pipe', { name: 'pipe', type: 'fifo' }],
  ])('with %s is refused, and nothing is written outside', async (_, entry) => {
    await expect(open('m.tar', await makeTar([entry]))).rejects.toMatchObject({
      code: 'bad-reply',
      message: expect.stringMatching(/^m\.tar cannot be unpacked: "/),
    });
    expect(filesIn(root)).toEqual(['archive']);
  });

  it.each([
    ['a path out of it', [{ name: '../../evil', content: 'x' }]],
    ['a link', [{ name: 'link', content: '/etc/passwd', mode: 0o120777 }]],
  ])('of zip with %s is refused, and nothing is written outside', async (_, entries) => {
    await expect(open('m.zip', makeZip(entries))).rejects.toMatchObject({ code: 'bad-reply' });
    expect(filesIn(root)).toEqual(['archive']);
  });

  it('does not write through a link that it brought along', async () => {
    const archive = await makeTar([
      { name: 'out', type: 'symlink', linkname: '../..' },
      { name: 'out/evil', content: 'x' },
    ]);
    await expect(open('m.tar', archive)).rejects.toThrow();
    expect(filesIn(root)).toEqual(['archive']);
  });

  const limits = { mostBytes: 50_000_000, mostFiles: 3, mostRatio: 100 };
  it.each<[string, string, () => Promise<Buffer>, RegExp]>([
    [
      'that grows too much',
      'm.tar.gz',
      async () => gzipSync(await makeTar([{ name: 'zeros', content: Buffer.alloc(20_000_000) }])),
      /over 10 MB unpacked/,
    ],
    [
      'of one file that grows too much',
      'm.gz',
      async () => gzipSync(Buffer.alloc(20_000_000)),
      /over 10 MB unpacked/,
    ],
    [
      'of zip that grows too much',
      'm.zip',
      async () => makeZip([{ name: 'a', content: '0'.repeat(20_000_000), isCompressed: true }]),
      /over 10 MB unpacked/,
    ],
    [
      'of zip with too many files',
      'm.zip',
      async () => makeZip(['a', 'b', 'c', 'd'].map((name) => ({ name, content: 'x' }))),
      /over 3 files/,
    ],
    [
      'with too many files',
      'm.tar',
      async () => makeTar(['a', 'b', 'c', 'd'].map((name) => ({ name, content: 'x' }))),
      /over 3 files/,
    ],
    [
      'with a file twice',
      'm.tar',
      async () => makeTar(['a', 'a'].map((name) => ({ name, content: 'x' }))),
      /a file twice/,
    ],
    [
      'that is cut',
      'm.tar.gz',
      async () => gzipSync(await makeTar(FILES)).subarray(0, 60),
      /damaged/,
    ],
    [
      'that is cut within',
      'm.tar',
      async () => (await makeTar(FILES)).subarray(0, 1_200),
      /damaged/,
    ],
    ['of noise', 'm.tar.bz2', async () => Buffer.from('this is not bzip2 at all'), /damaged/],
    ['that is a page', 'm.zip', async () => Buffer.from('<html>log in</html>'), /damaged/],
  ])('%s is refused in a sentence', async (_, name, make, words) => {
    await expect(open(name, await make(), limits)).rejects.toMatchObject({
      name: 'AppError',
      message: expect.stringMatching(words),
    });
  });

  it('for which the disk is too small ends with how much more it would take', async () => {
    const archive = await makeTar([{ name: 'weights', content: randomBytes(12e6) }]);
    using _ = fillDisk(4e6);
    const refused = await open('m.tar', archive).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'too-large' });
    const [, megabytes] = /: ([\d.]+) MB more are needed/.exec((refused as Error).message) ?? [];
    expect(Number(megabytes)).toBeGreaterThan(5);
    expect(Number(megabytes)).toBeLessThan(8.1);
  });

  it('of any names never writes outside its folder', async () => {
    const part = fc.constantFrom('..', '.', '', 'a', 'b', '/', '\\', '~', 'C:');
    const anyName = fc
      .array(part, { minLength: 1, maxLength: 5 })
      .map((parts) => parts.join('/'))
      .filter((name) => name.length > 0);
    await fc.assert(
      fc.asyncProperty(anyName, async (name) => {
        await open('m.tar', await makeTar([{ name, content: 'x' }])).catch(() => undefined);
        const outside = filesIn(root).filter((path) => !path.startsWith('inside/target/'));
        expect(outside).toEqual(['archive']);
      }),
      { numRuns: casesOf(60) },
    );
  });
});

describe('a folder', () => {
  it('is copied with what its links lead to', async () => {
    const source = join(root, 'source');
    mkdirSync(source);
    writeFileSync(join(root, 'blob'), 'weights');
    symlinkSync(join(root, 'blob'), join(source, 'model.onnx'));
    await copyFolder(source, join(root, 'copy'));
    rmSync(join(root, 'blob'));
    expect(readFileSync(join(root, 'copy/model.onnx'), 'utf8')).toBe('weights');
  });

  it('with too many files is refused', async () => {
    const source = join(root, 'source');
    mkdirSync(source);
    for (const name of ['a', 'b', 'c']) writeFileSync(join(source, name), 'x');
    const limits = { mostBytes: 1e9, mostFiles: 2, mostRatio: 100 };
    await expect(copyFolder(source, join(root, 'copy'), limits)).rejects.toThrow('over 2 files');
  });
});
