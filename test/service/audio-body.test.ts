import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAudioBody } from '../../service/audio-body.ts';

/** `text` in chunks of the given sizes, over and over. */
async function* chunked(text: string, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

const read = async (
  text: string,
  sizes: readonly number[] = [7],
): Promise<{ fields: unknown; audio: Buffer | undefined }> => {
  const { fields, audio } = await readAudioBody(chunked(text, sizes));
  return { fields, audio: audio && Buffer.concat(audio) };
};

describe('a body with audio', () => {
  it('is read as JSON and base64 say, however it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 }),
        fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 }),
        fc.uint8Array({ maxLength: 200 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }),
        fc.constantFrom(undefined, 1),
        async (before, after, bytes, sizes, indent) => {
          delete before['audio'];
          delete after['audio'];
          const audio = Buffer.from(bytes);
          const value = { ...before, audio: audio.toString('base64'), ...after };
          const body = await read(JSON.stringify(value, undefined, indent), sizes);
          expect(body.audio).toEqual(audio);
          expect(body.fields).toEqual(JSON.parse(JSON.stringify({ ...value, audio: '' })));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('takes only the audio at the top level', async () => {
    const { fields, audio } = await read('{"nested":{"audio":"!!"},"list":["audio","x"]}');
    expect(audio).toBeUndefined();
    expect(fields).toEqual({ nested: { audio: '!!' }, list: ['audio', 'x'] });
  });

  it('does not take a text that says audio for its key', async () => {
    const { audio } = await read('{"language":"audio","audio":"AAAA"}');
    expect(audio).toEqual(Buffer.alloc(3));
  });

  it.each(['7', 'null', '["AAAA"]', '{"audio":"AAAA"}'])(
    'leaves audio that is %s',
    async (value) => {
      expect((await read(`{"audio":${value}}`)).audio).toBeUndefined();
    },
  );

  it.each([1, 2, 3, 4, 5, 64])('reads escaped base64 cut every %i bytes', async (size) => {
    const bytes = Buffer.from('fbf0ffbeef3f', 'hex');
    const text = bytes.toString('base64').replaceAll('/', '\\/').replaceAll('+', '\\u002B');
    expect(text).toMatch(/\\\/.*\\u002B|\\u002B.*\\\//);
    expect((await read(`{"audio":"${text}"}`, [size])).audio).toEqual(bytes);
  });

  it.each(['AAA', 'AA=A', 'A===', 'AAAA=', 'AA==AAAA', 'A-_A', 'AA AA', 'AAAA\\n', 'é'])(
    'refuses %s as base64',
    async (text) => {
      await expect(read(`{"audio":"${text}"}`)).rejects.toMatchObject({ named: 'ErrInvalidAudio' });
    },
  );

  it.each(['{"audio":"AAAA"', '{"audio":"AAAA', '', '{"audio":"AAAA"}}'])(
    'refuses %s as JSON',
    async (text) => {
      await expect(read(text)).rejects.toMatchObject({ named: 'ErrInvalidRequest' });
    },
  );

  it('refuses too much besides audio', async () => {
    const text = JSON.stringify({ hotwords: ['x'.repeat(300_000)] });
    await expect(read(text, [50_000])).rejects.toMatchObject({ named: 'ErrRequestTooLarge' });
  });
});
