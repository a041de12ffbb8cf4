import { createReadStream, createWriteStream } from 'node:fs';
import { cp, mkdir, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { PassThrough, Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { extract } from 'tar-stream';
import bunzip2 from 'unbzip2-stream';
import { openPromise, type Entry } from 'yauzl';
import { AppError } from '../../src/errors.ts';
import { demandSpace, folderBytes, megabytes, writeError } from './disk.ts';

/** Bounds on what an archive may become, against archives that are made to fill a disk. */
export interface UnpackLimits {
  readonly mostBytes: number;
  readonly mostFiles: number;
  /** Most bytes for each byte of the archive; weights compress badly. */
  readonly mostRatio: number;
}

const UNPACK_LIMITS: UnpackLimits = { mostBytes: 20e9, mostFiles: 20_000, mostRatio: 100 };

/** Size up to which the ratio does not count: short texts compress well. */
const SMALL_BYTES = 10e6;

/** Bytes that are read and decompressed at once: many small parts take twice the time. */
const CHUNK_BYTES = 1 << 18;

/** The error of an archive that cannot be unpacked: an operator's sentence. */
const badArchive = (archive: string, what: string): AppError =>
  new AppError('bad-reply', `${archive} cannot be unpacked: ${what}`);

/** Counts what comes out of an archive, and throws when it is over its limits. */
const createCounter = (archive: string, archiveBytes: number, limits: UnpackLimits) => {
  const mostBytes = Math.min(
    limits.mostBytes,
    Math.max(SMALL_BYTES, limits.mostRatio * archiveBytes),
  );
  let [bytes, files] = [0, 0];
  let readBytes = (): number => archiveBytes;
  return {
    /** Takes what tells how far the archive is read. */
    follow: (position: () => number): void => void (readBytes = position),
    addBytes: (count: number): void => {
      bytes += count;
      if (bytes > mostBytes)
        throw badArchive(archive, `it is over ${megabytes(mostBytes)} unpacked`);
    },
    addFile: (): void => {
      files += 1;
      if (files > limits.mostFiles)
        throw badArchive(archive, `it holds over ${limits.mostFiles} files`);
    },
    /** Bytes that are still to come, where the rest of the archive grows as what was read of it did. */
    leftBytes: (): number => bytes * (archiveBytes / Math.max(1, readBytes()) - 1),
  };
};
type UnpackCounter = ReturnType<typeof createCounter>;

/** A stream that lets bytes through and tells how many. */
const counting = (add: (count: number) => void): Transform =>
  new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      try {
        add(chunk.length);
        done(undefined, chunk);
      } catch (error) {
        done(error as Error);
      }
    },
  });

/** Names of archives by their endings; what ends otherwise is one file. */
const TAR = /\.(?:tar(?:\.(?:bz2|gz))?|tbz2?|tgz)$/i;
const ZIP = /\.zip$/i;
const BZIP2 = /\.(?:bz2|tbz2?)$/i;
const GZIP = /\.(?:gz|tgz)$/i;
const ZSTD = /\.zst$/i;
/** Ending of an archive, of a compressed file, or of a model that is one file. */
const ENDING = /\.(?:tar\.bz2|tar\.gz|tar|tbz2?|tgz|zip|bz2|gz|zst|gguf|onnx)$/i;

export const nameWithoutEnding = (path: string): string => basename(path).replace(ENDING, '');

/** Unix file types in a zip file's attributes. */
const TYPE_MASK = 0o170000;
const REGULAR = 0o100000;
const DIRECTORY = 0o040000;

/** A part of a path that macOS adds to archives. */
const isClutter = (name: string): boolean => /(?:^|\/)(?:\._|__MACOSX\/|\.DS_Store$)/.test(name);

/** The path of an entry within the archive. Throws for one that leads out of it. */
const safePath = (archive: string, name: string): string => {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  const leadsOut =
    name.startsWith('/') || parts.includes('..') || /[\\:\0]/.test(name) || parts.length > 20;
  if (leadsOut || name.length > 1_000) throw badArchive(archive, `"${name}" leads out of it`);
  return parts.join('/');
};

/** One run of unpacking: the file, the name that tells what it is, and where its content goes. */
interface Unpacking {
  readonly archive: string;
  readonly label: string;
  readonly folder: string;
  readonly counter: UnpackCounter;
  readonly signal: AbortSignal;
}

const decompressor = (path: string): Transform => {
  if (BZIP2.test(path)) return bunzip2();
  if (ZSTD.test(path)) return createZstdDecompress({ chunkSize: CHUNK_BYTES });
  return GZIP.test(path) ? createGunzip({ chunkSize: CHUNK_BYTES }) : new PassThrough();
};

/** Decompresses an archive into a stream. */
const decompress = (
  { archive, label, counter, signal }: Unpacking,
  into: NodeJS.WritableStream,
): Promise<void> => {
  const source = createReadStream(archive, { highWaterMark: CHUNK_BYTES });
  counter.follow(() => source.bytesRead);
  return pipeline(source, decompressor(label), counting(counter.addBytes), into, { signal });
};

/** Creates a file, which must not exist. */
const createFile = async (path: string): Promise<Writable> => {
  await mkdir(dirname(path), { recursive: true });
  return createWriteStream(path, { flags: 'wx' });
};

const unpackTar = async (unpacking: Unpacking): Promise<void> => {
  const { label, folder, counter } = unpacking;
  const entries = extract();
  const reading = decompress(unpacking, entries);
  // Awaited below; until then the loop tells of the same failure.
  reading.catch(() => undefined);
  for await (const entry of entries) {
    const { name, type } = entry.header;
    const path = safePath(label, name);
    if (isClutter(name) || type === 'directory' || path === '') {
      entry.resume();
      continue;
    }
    if (type !== 'file' && type !== 'contiguous-file')
      throw badArchive(label, `"${name}" is a ${type ?? 'thing'}, not a file`);
    counter.addFile();
    await pipeline(entry as AsyncIterable<Uint8Array>, await createFile(join(folder, path)));
  }
  await reading;
};

const isPlain = (entry: Entry): boolean => {
  const type = (entry.externalFileAttributes >>> 16) & TYPE_MASK;
  return type === 0 || type === REGULAR || type === DIRECTORY;
};

const unpackZip = async ({ archive, label, folder, counter, signal }: Unpacking): Promise<void> => {
  const zip = await openPromise(archive, { lazyEntries: true, autoClose: false });
  try {
    for await (const entry of zip.eachEntry()) {
      const path = safePath(label, entry.fileName);
      if (isClutter(entry.fileName) || entry.fileName.endsWith('/')) continue;
      if (!isPlain(entry)) throw badArchive(label, `"${path}" is a link, not a file`);
      counter.addFile();
      counter.follow(() => entry.relativeOffsetOfLocalHeader + entry.compressedSize);
      await pipeline(
        (await zip.openReadStreamPromise(entry)) as AsyncIterable<Uint8Array>,
        counting(counter.addBytes),
        await createFile(join(folder, path)),
        { signal },
      );
    }
  } finally {
    zip.close();
  }
};

const unpackOne = async (unpacking: Unpacking): Promise<void> => {
  const { label, folder } = unpacking;
  const isCompressed = [BZIP2, GZIP, ZSTD].some((ending) => ending.test(label));
  const name = isCompressed ? nameWithoutEnding(label) : basename(label);
  await decompress(unpacking, await createFile(join(folder, name)));
};

/**
 * Unpacks an archive, or one compressed or plain file, into a folder. Links, devices and paths that
 * lead out of the folder are refused. Throws `AppError` with an operator's sentence; what was
 * unpacked until then stays in the folder.
 *
 * @param label name whose ending tells what the file is; the file's own, or its address
 */
export const unpack = async (
  archive: string,
  label: string,
  folder: string,
  signal: AbortSignal,
  limits: UnpackLimits = UNPACK_LIMITS,
): Promise<void> => {
  const { size } = await stat(archive);
  const counter = createCounter(label, size, limits);
  const way = TAR.test(label) ? unpackTar : ZIP.test(label) ? unpackZip : unpackOne;
  try {
    // At least that much comes out of it.
    await demandSpace(folder, size);
    await way({ archive, label, folder, counter, signal });
  } catch (error) {
    signal.throwIfAborted();
    const known = writeError(error, folder, counter.leftBytes());
    if (known instanceof AppError) throw known;
    const { code } = error as NodeJS.ErrnoException;
    throw badArchive(
      label,
      code === 'EEXIST' ? 'it holds a file twice' : 'it is damaged or no archive of its kind',
    );
  }
};

/** Copies a folder; links become what they lead to, as in the caches of model hubs. */
export const copyFolder = async (
  source: string,
  folder: string,
  limits: UnpackLimits = UNPACK_LIMITS,
): Promise<void> => {
  const counter = createCounter(source, Number.MAX_SAFE_INTEGER, limits);
  await demandSpace(folder, await folderBytes(source));
  await cp(source, folder, {
    recursive: true,
    dereference: true,
    filter: async (path) => {
      const found = await stat(path);
      if (!found.isFile() && !found.isDirectory())
        throw badArchive(path, 'it is neither a file nor a folder');
      if (found.isFile()) {
        counter.addFile();
        counter.addBytes(found.size);
      }
      return true;
    },
  });
};

/** The folder that holds the files: archives mostly hold one folder with all of them. */
export const innermostFolder = async (folder: string): Promise<string> => {
  const [only, ...others] = await readdir(folder, { withFileTypes: true });
  return only?.isDirectory() === true && others.length === 0
    ? innermostFolder(join(folder, only.name))
    : folder;
};
