import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { chunkAudio } from '../../../src/audio/chunk/chunk-audio.ts';
import { decodeWith } from '../../../src/audio/codec/decode.ts';
import { concatSamples, type Pcm, toS16le } from '../../../src/audio/pcm.ts';
import { AppError } from '../../../src/errors.ts';
import type { ByteSource } from '../../../src/model/message.ts';
import { type Ffmpeg, findFfmpeg } from '../../../src/speech/ffmpeg.ts';
import { createTestClock } from '../../fakes/clock.ts';
import { decodeAll, fixture, likeness, never, sourceOf } from '../audio/support.ts';
import { fresh } from '../../fakes/opened.ts';

const PATH = process.env.PATH ?? '';
const FAKE_PATH = `${join(import.meta.dirname, '../../fakes/ffmpeg')}:${PATH}`;
const folder = mkdtempSync(join(tmpdir(), 'ffmpeg-test-'));

it('is the remedy for files that are not read without it', async () => {
  const caf = sourceOf(Buffer.from('caff'));
  await expect(Array.fromAsync(chunkAudio(caf, {}, never))).rejects.toMatchObject({
    code: 'unsupported',
    sentence: { key: 'errors.audio.unsupported', params: { kind: 'CAF' } },
    remedy: { key: 'remedies.ffmpeg' },
  });
});

it('is not there where nothing of that name is in the PATH', () => {
  expect(findFfmpeg({ path: '/nowhere:', folder })).toBeUndefined();
});

it('says what to do where there is no room for a file', async () => {
  const ffmpeg = findFfmpeg({ path: FAKE_PATH, folder: join(folder, 'missing') })!;
  const mp4 = sourceOf(Buffer.from('\0\0\0\x10ftypqt      '));
  await expect(Array.fromAsync(decodeWith(ffmpeg.decode, mp4, never))).rejects.toMatchObject({
    code: 'unavailable',
    remedy: { key: 'remedies.temporary-files' },
  });
});

/** What a program wrote in place of samples. */
const textOf = (samples: readonly Float32Array[]): string =>
  Buffer.from(toS16le(concatSamples(samples))).toString();

describe('a program in its place', () => {
  let ffmpeg: Ffmpeg;

  const clock = fresh(() => createTestClock());
  beforeEach(async () => {
    ffmpeg = findFfmpeg({ path: FAKE_PATH, clock, folder })!;
  });

  afterEach(() => expect(readdirSync(folder)).toEqual([]));

  const input = (order: string, more = 100_000): ByteSource =>
    sourceOf(Buffer.concat([Buffer.from(`${order}\n`), Buffer.alloc(more)]));
  /** What sniffs as MP4. */
  const mp4 = (order: string): ByteSource =>
    input(`\0\0\0\x10ftypqt  ....${order}`.replace('....', '    '));

  /** Seconds that are heard, and how it ended. */
  const hear = async (source: ByteSource, signal = never) => {
    let seconds = 0;
    try {
      for await (const { samples, sampleRateHz } of decodeWith(ffmpeg.decode, source, signal))
        seconds += samples.length / sampleRateHz;
      return { seconds };
    } catch (error) {
      return { seconds, error: error instanceof AppError ? error.code : error };
    }
  };

  it('tells its version', async () => {
    process.env.PATH = FAKE_PATH;
    try {
      expect(await ffmpeg.version()).toBe('0.fake');
    } finally {
      process.env.PATH = PATH;
    }
  });

  it.each([
    ['works', { seconds: 1 }],
    ['ignores the rest of its input', { seconds: 1 }],
    ['breaks off with an error', { seconds: 1 }],
    ['fails', { seconds: 0, error: 'bad-input' }],
    ['is empty', { seconds: 0, error: 'bad-input' }],
    ['does something else', { seconds: 0, error: 'bad-input' }],
    ['dies', { seconds: 1, error: 'unavailable' }],
  ])('that %s is heard as far as it may be', async (order, heard) => {
    for (const source of [input(order), mp4(order)]) expect(await hear(source)).toEqual(heard);
  });

  it('that floods is ended at the limit', async () => {
    const { seconds, error } = await hear(input('floods', 100));
    expect(error).toBe('too-large');
    expect(seconds).toBeCloseTo(120, -1);
  });

  /** Reads the second that comes before a program hangs, in which it tells its process id. */
  const readSecond = async (pcm: AsyncIterator<Pcm>): Promise<number> => {
    const slices: Float32Array[] = [];
    for (let slice = 0; slice < 4; slice += 1) slices.push((await pcm.next()).value.samples);
    return Number(textOf(slices));
  };
  const isOver = (pid: number): Promise<void> =>
    vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'));

  it.each([
    ['hangs', input],
    ['hangs', mp4],
    ['lingers at its end', input],
    ['lingers at its end', mp4],
  ] as const)('that %s is ended after half a minute', async (order, from) => {
    const pcm = ffmpeg.decode(from(order), never);
    const pid = await readSecond(pcm);
    const next = pcm.next();
    await vi.waitFor(() => expect(clock.waiting).toBe(1));
    const ended = expect(next).rejects.toMatchObject({ code: 'timeout' });
    await clock.advance(30_000);
    await ended;
    await isOver(pid);
    expect(clock.waiting).toBe(0);
  });

  it('is ended when it is told to, or left', async () => {
    const controller = new AbortController();
    const told = ffmpeg.decode(input('hangs'), controller.signal);
    const toldPid = await readSecond(told);
    const next = told.next();
    controller.abort();
    await expect(next).rejects.toMatchObject({ code: 'cancelled' });
    const left = ffmpeg.decode(mp4('hangs'), never);
    const leftPid = await readSecond(left);
    await left.return();
    await Promise.all([isOver(toldPid), isOver(leftPid)]);
    expect(clock.waiting).toBe(0);
  });

  it.each([
    ['works', ''],
    ['works', 'ftypqt          '],
  ])('is ended with the error of its source (%s%s)', async (order, head) => {
    const broken = async function* () {
      yield Buffer.from(`\0\0\0\x10${head}${order}\n`);
      throw new AppError('unavailable', 'reset');
    };
    const source = { sizeBytes: undefined, open: broken };
    expect(await hear(source)).toMatchObject({ error: 'unavailable' });
  });

  it('gets no words of people, none of our environment, and limits', async () => {
    process.env.SECRET_OF_OURS = 'hush';
    const slices = await Array.fromAsync(ffmpeg.decode(mp4('tells'), never));
    delete process.env.SECRET_OF_OURS;
    const told = textOf(slices.map(({ samples }) => samples));
    expect(told).toContain('-protocol_whitelist file ');
    const piped = await Array.fromAsync(ffmpeg.decode(input('tells', 100), never));
    expect(textOf(piped.map(({ samples }) => samples))).toContain('-protocol_whitelist pipe ');
    const formats = / -format_whitelist (\S+) -i /.exec(told)?.[1]?.split(',') ?? [];
    expect(formats).toContain('mov');
    // Those that refer to other files.
    for (const name of ['hls', 'concat', 'dash', 'imf', 'sdp', 'image2'])
      expect(formats).not.toContain(name);
    expect(told).not.toContain('hush');
    const environment = told.match(/^[A-Z_]+(?==)/gm) ?? [];
    expect(new Set(environment)).toEqual(new Set(['PATH', 'PWD']));
    expect(told).toMatch(/^1048576\n300$/m);
    // The file in which it can go back has no name any more.
    if (process.platform === 'linux') expect(told).toContain('(deleted)');
  });

  it('runs four times at once at most', async () => {
    const controller = new AbortController();
    const started: number[] = [];
    const all = Array.from({ length: 6 }, async (_each, index) => {
      for await (const _ of ffmpeg.decode(input('hangs'), controller.signal)) started.push(index);
    });
    while (started.length < 16) await new Promise(setImmediate);
    expect(new Set(started)).toEqual(new Set([0, 1, 2, 3]));
    controller.abort();
    await Promise.allSettled(all);
  });

  it('reports a file that it cannot read as unsupported, and its own failure as unavailable', async () => {
    const caf = (order: string) =>
      sourceOf(Buffer.concat([Buffer.from('caff'), Buffer.from(`${order}\n`)]));
    const cut = (order: string) =>
      Array.fromAsync(chunkAudio(caf(order), { fallback: ffmpeg.decode }, never));
    await expect(cut('fails')).rejects.toMatchObject({
      code: 'unsupported',
      sentence: { key: 'errors.audio.unsupported', params: { kind: 'CAF' } },
    });
    await expect(cut('dies')).rejects.toMatchObject({ code: 'unavailable' });
  });
});

const installed = findFfmpeg({ path: PATH, clock: createTestClock(), folder });
const needed = installed ? '' : ' (skipped: apt-get install -y ffmpeg)';

describe.skipIf(!installed)(`an installed ffmpeg${needed}`, () => {
  const FILES = [
    'alac.m4a',
    'alac.mov',
    'alac.caf',
    'opus.caf',
    'spatial.m4a',
    'speech.wma',
    'speech.amr',
    'ac3.mka',
    'speex.ogg',
    'vorbis.webm',
  ];

  it.each(FILES)('hears the speech in %s', async (name) => {
    const original = await decodeAll(sourceOf(fixture('speech.wav')));
    const cut = chunkAudio(sourceOf(fixture(name), 777), { fallback: installed?.decode }, never);
    const [chunk, ...others] = await Array.fromAsync(cut);
    expect(others).toEqual([]);
    const heard = await decodeAll(chunk!.audio);
    expect(heard.length / 16_000).toBeGreaterThan(1);
    // Encoders put up to 70 ms before the speech, or take them away.
    const offsets = [0, 320, 640, 960, 1_120];
    const best = offsets.flatMap((at) => [
      likeness(heard.subarray(at), original),
      likeness(heard, original.subarray(at)),
    ]);
    expect(Math.max(...best)).toBeGreaterThan(0.9);
    await expect(
      Array.fromAsync(chunkAudio(sourceOf(fixture(name)), {}, never)),
    ).rejects.toMatchObject({ code: 'unsupported' });
  });

  it.each([
    ['a text', Buffer.from('hello there')],
    ['a playlist', Buffer.from('#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n')],
    ['a list of files', Buffer.from('ffconcat version 1.0\nfile /etc/passwd\n')],
    ['a film without audio', fixture('video.webm').subarray(0, 200)],
  ])('refuses %s', async (_, bytes) => {
    const cut = chunkAudio(sourceOf(bytes), { fallback: installed?.decode }, never);
    await expect(Array.fromAsync(cut)).rejects.toBeInstanceOf(AppError);
  });

  it('opens no other file that a playlist names', async () => {
    const other = join(import.meta.dirname, '../../fixtures/audio/speech.mp3');
    const lines = ['#EXTM3U', '#EXT-X-TARGETDURATION:4', '#EXTINF:4,', `file:${other}`];
    const playlist = sourceOf(Buffer.from([...lines, '#EXT-X-ENDLIST', ''].join('\n')));
    await expect(Array.fromAsync(installed!.decode(playlist, never))).rejects.toMatchObject({
      code: 'bad-input',
    });
  });
});
