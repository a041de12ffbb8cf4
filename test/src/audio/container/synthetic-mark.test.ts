import { describe, expect, it } from 'vitest';
import { encode } from '../../../../src/audio/codec/encode.ts';
import { markSynthetic } from '../../../../src/audio/container/synthetic-mark.ts';
import { AUDIO_FORMATS } from '../../../../src/model/message.ts';
import { chunked, concat, decodeAll, sourceOf, tone } from '../support.ts';

const RATE_HZ = 48_000;
const SOURCE_TYPE = 'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia';
const FORMATS = AUDIO_FORMATS.filter((format) => format !== 'pcm');

const fileOf = async (format: (typeof AUDIO_FORMATS)[number]): Promise<Uint8Array> =>
  concat(await Array.fromAsync(encode(format, RATE_HZ, chunked(tone(RATE_HZ, 0.3)))));
const textOf = (file: Uint8Array): string => Buffer.from(file).toString('latin1');

describe.each(FORMATS)('a marked file of %s', (format) => {
  it('says that a machine speaks, and sounds as before', async () => {
    const file = await fileOf(format);
    const marked = markSynthetic(format, file);
    expect(textOf(file)).not.toContain(SOURCE_TYPE);
    expect(textOf(marked)).toContain('Synthetic speech');
    expect(textOf(marked)).toContain(SOURCE_TYPE);
    expect(await decodeAll(sourceOf(marked), RATE_HZ)).toEqual(
      await decodeAll(sourceOf(file), RATE_HZ),
    );
  });

  it('can be marked again', async () => {
    const twice = markSynthetic(format, markSynthetic(format, await fileOf(format)));
    expect((await decodeAll(sourceOf(twice), RATE_HZ)).length).toBeGreaterThan(0);
  });

  it('is left as it is where it is cut or something else', async () => {
    const file = await fileOf(format);
    for (let length = 0; length < Math.min(file.length, 200); length += 1)
      expect(() => markSynthetic(format, file.subarray(0, length))).not.toThrow();
    if (format === 'mp3') return;
    const other = new TextEncoder().encode('RIFX OggX flaX');
    expect(markSynthetic(format, other)).toBe(other);
  });
});

describe('the comments of a marked file', () => {
  it('keep those that were there, and the sizes that formats say', async () => {
    const wav = markSynthetic('wav', await fileOf('wav'));
    expect(new DataView(wav.buffer, wav.byteOffset).getUint32(4, true)).toBe(wav.length - 8);
    const ogg = textOf(markSynthetic('ogg', await fileOf('ogg')));
    expect(ogg).toContain('dragoman');
    expect(ogg).toContain(`DIGITALSOURCETYPE=${SOURCE_TYPE}`);
    expect(textOf(markSynthetic('flac', await fileOf('flac')))).toContain('reference libFLAC');
    const mp3 = markSynthetic('mp3', await fileOf('mp3'));
    const size = mp3[8]! * 128 + mp3[9]!;
    expect(mp3[10 + size]).toBe(0xff);
  });
});

it('bare samples stay as they are', async () => {
  const file = await fileOf('pcm');
  expect(markSynthetic('pcm', file)).toBe(file);
});
