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

  it.each([
    ['without padding', '--__AA'],
    ['for URLs', '--__AA=='],
    ['in lines', '++\\r\\n//\\nAA==\\n'],
    ['in a data: URL', 'data:audio/wav;base64,++//AA=='],
  ])('reads base64 %s', async (_, text) => {
    for (const size of [1, 2, 3, 64])
      expect((await read(`{"audio":"${text}"}`, [size])).audio).toEqual(
        Buffer.from('fbefff00', 'hex'),
      );
  });

  it.each(['A', 'AA=A', 'A===', 'AAAA=', 'AA==AAAA', 'A?AA', 'AA\\u', 'é', 'data:audio/wav,AAAA'])(
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

  it('finds audio in the parts of messages, whose other texts stay', async () => {
    const content = (...parts: readonly unknown[]): string =>
      JSON.stringify({ messages: [{ role: 'user', content: parts }] });
    const text = content(
      { type: 'text', text: 'hi', data: '!', url: '!' },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
      { type: 'audio_url', audio_url: { url: 'data:audio/wav;base64,AQEB' } },
    );
    for (const size of [1, 2, 3, 5, 64, 1_000]) {
      const { fields, audio, parts } = await readAudioBody(chunked(text, [size]));
      expect(audio).toBeUndefined();
      expect(parts.map((part) => Buffer.concat(part).toString('hex'))).toEqual([
        '000000',
        '010101',
      ]);
      expect(fields).toEqual(
        JSON.parse(text.replace('AAAA', '').replace('data:audio/wav;base64,AQEB', '')),
      );
    }
  });

  it.each([
    'data:;base64,AAAA',
    'DATA:audio/mpeg;codecs=mp3;base64,AAAA',
    'data:audio\\/ogg;base64,AAAA',
  ])('reads %s', async (url) => {
    const text = `{"messages":[{"content":[{"audio_url":{"url":"${url}"}}]}]}`;
    for (const size of [1, 4, 100]) {
      const { parts } = await readAudioBody(chunked(text, [size]));
      expect(Buffer.concat(parts[0] ?? [])).toEqual(Buffer.alloc(3));
    }
  });

  it.each([
    'https://example.org/a.wav',
    'data:audio/wav,AAAA',
    'data:audio/wav;base64',
    'AAAA',
    '',
    `data:${'x'.repeat(300)};base64,AAAA`,
    'data:audio/wav;base64,A?AA',
  ])('refuses the URL %s', async (url) => {
    const text = `{"messages":[{"content":[{"audio_url":{"url":"${url}"}}]}]}`;
    for (const size of [1, 500])
      await expect(readAudioBody(chunked(text, [size]))).rejects.toMatchObject({
        named: 'ErrInvalidAudio',
      });
  });

  it('refuses too many and too deep values before they are parsed', async () => {
    for (const text of [`{"a":[${'0,'.repeat(30_000)}0]}`, `{"a":${'['.repeat(100)}`])
      await expect(read(text, [10_000])).rejects.toMatchObject({ named: 'ErrInvalidRequest' });
  });

  it('refuses too much besides audio', async () => {
    const text = JSON.stringify({ hotwords: ['x'.repeat(300_000)] });
    await expect(read(text, [50_000])).rejects.toMatchObject({ named: 'ErrRequestTooLarge' });
  });
});
