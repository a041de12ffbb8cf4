import { describe, expect, it } from 'vitest';
import { createByteReader } from '../../../../src/audio/bytes.ts';
import { encode } from '../../../../src/audio/codec/encode.ts';
import { joinFiles } from '../../../../src/audio/chunk/join-files.ts';
import { readMp3Frames } from '../../../../src/audio/container/mp3-frame.ts';
import { readPages } from '../../../../src/audio/container/ogg-page.ts';
import { AUDIO_FORMATS, type AudioFormat } from '../../../../src/model/message.ts';
import { chunked, concat, decodeAll, fixture, sourceOf, tone } from '../support.ts';

async function* filesOf(format: AudioFormat, seconds: readonly number[]) {
  for (const length of seconds) yield encode(format, 24_000, chunked(tone(24_000, length)));
}

async function* streams(files: readonly Uint8Array[]) {
  for (const file of files) yield sourceOf(file, 333).open();
}

const joined = async (format: AudioFormat, seconds: readonly number[]): Promise<Uint8Array> =>
  concat(await Array.fromAsync(joinFiles(format, filesOf(format, seconds))));

describe('joining', () => {
  it.each(['mp3', 'ogg', 'wav', 'flac'] as const)(
    'makes one %s file of several',
    async (format) => {
      const file = await joined(format, [0.5, 0.3, 0.7]);
      const heard = (await decodeAll(sourceOf(file), 24_000)).length / 24_000;
      const slack = { mp3: 0.25, ogg: 0.08, wav: 0, flac: 0 }[format];
      expect(heard).toBeGreaterThanOrEqual(1.5);
      expect(heard).toBeLessThanOrEqual(1.5 + slack);
    },
  );

  it('is exact for WAV and FLAC, with the right length in the header', async () => {
    const expected = concat(
      await Array.fromAsync(filesOf('pcm', [0.5, 0.3]), async (bytes) =>
        concat(await Array.fromAsync(bytes)),
      ),
    );
    const wav = await joined('wav', [0.5, 0.3]);
    expect(wav.subarray(44)).toEqual(expected);
    expect(new DataView(wav.buffer).getUint32(40, true)).toBe(expected.length);
    const flac = await decodeAll(sourceOf(await joined('flac', [0.5, 0.3])), 24_000);
    const again = concat(await Array.fromAsync(encode('pcm', 24_000, chunked(flac))));
    expect(again).toEqual(expected);
  });

  it('leaves one Ogg stream with rising granules', async () => {
    const file = await joined('ogg', [0.5, 0.3, 2.5]);
    const pages = await Array.fromAsync(readPages(createByteReader(sourceOf(file).open())));
    expect(new Set(pages.map((page) => page.serial)).size).toBe(1);
    expect(pages.filter((page) => (page.flags & 2) !== 0)).toHaveLength(1);
    expect(pages.filter((page) => (page.flags & 4) !== 0)).toHaveLength(1);
    const granules = pages.slice(2).map((page) => page.granule);
    expect(granules).toEqual(granules.toSorted((a, b) => a - b));
  });

  it('leaves no tags and tables inside an MP3', async () => {
    const file = fixture('speech.mp3');
    const both = concat(await Array.fromAsync(joinFiles('mp3', streams([file, file]))));
    const frames = await Array.fromAsync(readMp3Frames(createByteReader(sourceOf(both).open())));
    expect(frames.some((frame) => frame.table)).toBe(false);
    expect(concat(frames.map((frame) => frame.data))).toEqual(both);
    expect(Buffer.from(both).includes('ID3')).toBe(false);
  });

  it('keeps PCM samples whole where a part ends in the middle of one', async () => {
    const parts = streams([Uint8Array.of(1, 2, 3), Uint8Array.of(4, 5)]);
    expect(concat(await Array.fromAsync(joinFiles('pcm', parts)))).toEqual(
      Uint8Array.of(1, 2, 4, 5),
    );
  });

  it('brings parts of other rates to the rate of the first', async () => {
    const parts = (async function* mixed() {
      yield encode('wav', 24_000, chunked(tone(24_000, 0.5)));
      yield encode('wav', 16_000, chunked(tone(16_000, 0.5)));
    })();
    const file = concat(await Array.fromAsync(joinFiles('wav', parts)));
    expect((await decodeAll(sourceOf(file), 24_000)).length).toBe(24_000);
  });

  it('says what is wrong with parts that are not of the format', async () => {
    const wrong = () => streams([fixture('speech-vorbis.ogg')]);
    for (const format of ['ogg', 'wav', 'flac'] as const)
      await expect(Array.fromAsync(joinFiles(format, wrong()))).rejects.toMatchObject({
        name: 'AppError',
      });
  });

  it.each(AUDIO_FORMATS)('stops the parts when nobody wants the %s any more', async (format) => {
    let stopped = false;
    const parts = (async function* parts() {
      try {
        for (let i = 0; i < 3; i += 1) yield encode(format, 24_000, chunked(tone(24_000, 0.2)));
      } finally {
        stopped = true;
      }
    })();
    const file = joinFiles(format, parts);
    await file.next();
    await file.return();
    expect(stopped).toBe(true);
  });
});
