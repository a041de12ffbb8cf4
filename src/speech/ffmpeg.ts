import { endChild } from '../process/end-child.ts';
import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { orAborted } from '../async/abort.ts';
import { type Clock, realClock } from '../async/clock.ts';
import { createSemaphore } from '../async/locks.ts';
import { type ByteReader, createByteReader, damagedAudio } from '../audio/bytes.ts';
import { decodeWav } from '../audio/codec/decode-wav.ts';
import type { FallbackDecoder } from '../audio/codec/decode.ts';
import { nameRefused, sniff, SNIFF_BYTES } from '../audio/container/sniff.ts';
import { AppError } from '../errors.ts';
import { fromTemporaryFile } from '../process/temporary-files.ts';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';

/**
 * Writes bytes to a file on disk without a name, so that it disappears with its handle even if the
 * process ends. Resolves with a handle at its start. Throws `AppError` `too-large` past
 * `mostBytes`; errors of `bytes` and of the disk pass.
 */
export const writeNamelessFile = async (
  bytes: AsyncIterable<Uint8Array>,
  folder: string,
  mostBytes: number,
): Promise<FileHandle> => {
  await using made = new AsyncDisposableStack();
  const ownFolder = await mkdtemp(join(folder, 'dragoman-'));
  made.defer(() => rm(ownFolder, { recursive: true, force: true }));
  const path = join(ownFolder, 'file');
  const writer = made.use(await open(path, 'wx', 0o600));
  const reader = await open(path, 'r');
  try {
    await rm(ownFolder, { recursive: true });
    let remainingBytes = mostBytes;
    for await (const chunk of bytes) {
      remainingBytes -= chunk.length;
      if (remainingBytes < 0) throw new AppError('too-large', `more than ${mostBytes} bytes`);
      await writer.writeFile(chunk);
    }
    return reader;
  } catch (error) {
    await reader.close();
    throw error;
  }
};

/** An installed ffmpeg, which reads files that the decoders of `src/audio` refuse. */
export interface Ffmpeg {
  /** Runs ffmpeg for its version (0.1 s); undefined if it cannot be started. */
  version(): Promise<string | undefined>;
  readonly decode: FallbackDecoder;
}

export interface FfmpegDeps {
  /** The `PATH` in which ffmpeg is found; it gets no other environment variable. */
  readonly path: string;
  /** The clock. Default: real time. */
  readonly clock?: Pick<Clock, 'after'>;
  /** The folder for temporary files. Default: the system's. */
  readonly folder?: string;
}

/** Most processes at a time; each takes some 60 MB. */
const MOST_PROCESSES = 4;
/** Address space of a process; 300 MB were enough for all measured files. */
const MOST_MEMORY_KIB = 1024 * 1024;
/** The largest block that ffmpeg may allocate; a second of 32 channels takes 12 MB. */
const LARGEST_BLOCK_BYTES = 64 * 1024 * 1024;
/** Processor time of a process; four hours of a usual codec take less than one minute. */
const MOST_CPU_SECONDS = 300;
/** Longest time without output before a process counts as hanging. */
const LONGEST_SILENCE_MS = 30_000;
/** Longest output: a minute more than `src/audio` accepts, so that people are told of its limit. */
const LONGEST_OUTPUT_SECONDS = 4 * 3_600 + 60;
const LARGEST_FILE_BYTES = 512 * 1024 * 1024;

/** Containers that hold audio and refer to no other file, by ffmpeg's names. */
const FORMATS =
  'wav,w64,aiff,au,caf,mov,matroska,avi,asf,flv,mpeg,mpegts,' +
  'ogg,mp3,flac,aac,ac3,eac3,dts,amr,ape,wv,tta,rm,voc';

/** Shell script that sets limits as far as the system allows it, and then runs its arguments. */
const LIMITED = `ulimit -v ${MOST_MEMORY_KIB}; ulimit -t ${MOST_CPU_SECONDS}; exec "$@"`;

/** Standard input, as a stream or as a seekable file, by the protocol that it is read with. */
const INPUT_URLS = { pipe: 'pipe:0', file: 'file:/dev/fd/0' };

/** The shell's arguments, which contain nothing from users. */
const argumentsFor = (protocol: keyof typeof INPUT_URLS): string[] => [
  '-c',
  LIMITED,
  'sh',
  ...'ffmpeg -nostdin -hide_banner -loglevel error -threads 1'.split(' '),
  ...`-max_alloc ${LARGEST_BLOCK_BYTES} -protocol_whitelist ${protocol}`.split(' '),
  ...`-format_whitelist ${FORMATS} -i ${INPUT_URLS[protocol]}`.split(' '),
  // Of several tracks ffmpeg takes the one that the file marks as its default: any player can play that.
  ...'-vn -sn -dn -map_metadata -1'.split(' '),
  ...`-t ${LONGEST_OUTPUT_SECONDS} -c:a pcm_s16le -f wav pipe:1`.split(' '),
];

const failed = (what: string, cause?: unknown): AppError =>
  new AppError('unavailable', `ffmpeg ${what}`, { cause });

interface Run {
  /** Standard input: the bytes to write to it, or a file's descriptor. */
  readonly input: AsyncIterable<Uint8Array> | number;
  /** Controller that this run aborts when it fails. */
  readonly own: AbortController;
  readonly signal: AbortSignal;
  readonly path: string;
  readonly clock: Pick<Clock, 'after'>;
}

/**
 * Yields the WAV file that ffmpeg makes of its input. Throws `AppError`: `bad-input`, after the
 * output so far, if it fails, `unavailable` if it is killed, `timeout` if it hangs; errors of the
 * input pass.
 */
async function* convert({ input, own, signal, path, clock }: Run): AsyncGenerator<Uint8Array> {
  const isFile = typeof input === 'number';
  const child = spawn('/bin/sh', argumentsFor(isFile ? 'file' : 'pipe'), {
    stdio: [isFile ? input : 'pipe', 'pipe', 'ignore'],
    env: { PATH: path },
  });
  const exited = Promise.withResolvers<{ code: number | null; killedBy: string | null }>();
  child.on('error', (cause) => own.abort(failed('could not be started', cause)));
  child.once('exit', (code, killedBy) => exited.resolve({ code, killedBy }));

  /** Yields the bytes, without the error that is thrown into it when ffmpeg closes its input. */
  const feed = async function* (bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const iterator = bytes[Symbol.asyncIterator]();
    for (;;) {
      const next = await iterator.next().catch((error: unknown) => own.abort(error));
      if (!next || next.done) return;
      yield next.value;
    }
  };
  const giveUp = (): void => own.abort(new AppError('timeout', 'ffmpeg gives nothing'));
  /** Waits for a step, no longer than a working process would take. */
  const soon = async <Result>(step: Promise<Result>): Promise<Result> => {
    const disarm = clock.after(LONGEST_SILENCE_MS, giveUp);
    return orAborted(step, signal).finally(disarm);
  };

  try {
    // Without file descriptors there are no streams, and the error is reported later.
    if (!child.stdout) throw failed('could not be started');
    if (child.stdin && !isFile)
      // ffmpeg may end before its input does; its exit code shows whether it succeeded.
      pipeline(Readable.from(feed(input)), child.stdin).catch(() => {});
    const output = child.stdout[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
    for (let next = await soon(output.next()); !next.done; next = await soon(output.next()))
      yield next.value;
    const { code, killedBy } = await soon(exited.promise);
    if (killedBy !== null) throw failed(`was ended by ${killedBy}`);
    if (code !== 0) throw damagedAudio(`ffmpeg ended with ${code}`);
  } finally {
    endChild(child);
  }
}

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

const findVersion = async (): Promise<string | undefined> => {
  const { default: prism } = await import('prism-media');
  try {
    const { command, version } = prism.FFmpeg.getInfo(true);
    return command === 'ffmpeg' ? version : undefined;
  } catch {
    return undefined;
  }
};

/** Finds the installed ffmpeg, if there is one; never on Windows. */
export const findFfmpeg = ({
  path,
  clock = realClock,
  folder = tmpdir(),
}: FfmpegDeps): Ffmpeg | undefined => {
  const isInstalled = path.split(':').some((place) => isExecutable(join(place, 'ffmpeg')));
  if (!isInstalled || process.platform === 'win32') return undefined;
  const processes = createSemaphore(MOST_PROCESSES);
  const stored = async (bytes: AsyncIterable<Uint8Array>): Promise<FileHandle> => {
    try {
      return await writeNamelessFile(bytes, folder, LARGEST_FILE_BYTES);
    } catch (error) {
      throw fromTemporaryFile(error);
    }
  };
  return {
    version: findVersion,
    decode: async function* decode(source, signal) {
      using _ = await processes.acquire(signal);
      const own = new AbortController();
      const either = AbortSignal.any([signal, own.signal]);
      await using opened = new AsyncDisposableStack();
      const read = (bytes: AsyncIterable<Uint8Array>): ByteReader =>
        opened.adopt(createByteReader(bytes, either), (reader) => reader.close());

      const reader = read(source.open(either));
      const head = await reader.peek(SNIFF_BYTES);
      // Their tables may be at the end.
      const isSought = sniff(head) === 'mp4' || nameRefused(head) === 'CAF';
      const file = isSought ? opened.use(await stored(reader.rest())) : undefined;
      const input = file?.fd ?? reader.rest();
      const wav = read(convert({ input, own, signal: either, path, clock }));
      // Disposed of first, so that nothing waits for a process that hangs.
      opened.defer(() => own.abort());
      yield* decodeWav(wav);
    },
  };
};
