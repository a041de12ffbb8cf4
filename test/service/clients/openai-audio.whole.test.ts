import { createReadStream, type ReadStream } from 'node:fs';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI, { toFile } from 'openai';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { KEY, makeWav } from '../support.ts';
import { loudness, useServedFile } from './support.ts';

const WAV = makeWav(10, [
  [2, 4],
  [6, 8],
]);

interface Sent {
  readonly type: string;
  readonly audio?: string;
}

describe('the package `openai`', () => {
  const served = useServedFile();
  let client: OpenAI;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'clients-'));
  });
  beforeEach(() => {
    client = new OpenAI({ baseURL: served().baseURL, apiKey: KEY });
  });

  describe('speaks', () => {
    it('into a file that holds sound', async () => {
      const mp3 = await client.audio.speech.create({
        model: 'gpt-4o-mini-tts',
        voice: 'coral',
        input: 'Today is a wonderful day.',
        instructions: 'Speak in a cheerful tone.',
      });
      const path = join(folder, 'speech.mp3');
      await writeFile(path, Buffer.from(await mp3.arrayBuffer()));
      const { seconds, peak } = await loudness(await readFile(path));
      expect(seconds).toBeCloseTo(1, 0);
      expect(peak).toBeGreaterThan(0.1);
      expect(served().lastBody()).toMatchObject({ instructions: 'Speak in a cheerful tone.' });
    });

    it('as events', async () => {
      const reply = await client.audio.speech.create({
        model: 'tts-1',
        voice: 'alloy',
        input: 'Hello',
        response_format: 'pcm',
        stream_format: 'sse',
      });
      const events = (await reply.text()).trim().split('\n\n');
      const read = events.map((event) => JSON.parse(event.replace('data: ', '')) as Sent);
      const audio = read.map((event) => Buffer.from(event.audio ?? '', 'base64'));
      expect(Buffer.concat(audio).length).toBeGreaterThan(47_000);
      expect(read.at(-1)).toEqual({ type: 'speech.audio.done' });
      expect(reply.headers.get('content-type')).toBe('text/event-stream');
    });

    it('no AAC, and says what it speaks', async () => {
      const fields = { model: 'tts-1', voice: 'alloy', input: 'Hello', response_format: 'aac' };
      await expect(client.audio.speech.create(fields as never)).rejects.toThrow(
        'response_format must be mp3, opus, flac, wav or pcm.',
      );
    });

    it('nothing in a language that no voice speaks', async () => {
      const voice = 'Yoruba';
      const speech = client.audio.speech.create({ model: 'tts-1', voice, input: 'Hello' });
      await expect(speech).rejects.toThrow(OpenAI.BadRequestError);
      await expect(speech).rejects.toThrow(
        'voice is a language that none of GET /tts/voices speaks',
      );
    });

    it.each(['opus', 'flac', 'wav'] as const)('%s', async (format) => {
      const voice = 'alloy';
      const fields = { model: 'tts-1', voice, input: 'Hello', response_format: format };
      const reply = await client.audio.speech.create(fields);
      expect((await loudness(Buffer.from(await reply.arrayBuffer()))).peak).toBeGreaterThan(0.1);
    });
  });

  describe('transcribes', () => {
    let path: string;
    beforeAll(async () => {
      path = join(folder, 'speech.wav');
      await writeFile(path, WAV);
    });
    const given = (): { file: ReadStream; model: string } => ({
      file: createReadStream(path),
      model: 'gpt-4o-transcribe',
    });

    it('from a stream of a file, as the documentation shows it', async () => {
      const { text } = await client.audio.transcriptions.create(given());
      expect(text).toBe('hello there hello there');
    });

    it('from bytes', async () => {
      const file = await toFile(WAV, 'speech.wav');
      const fields = { file, model: 'whisper-1', language: 'en', prompt: 'Acme', temperature: 0.2 };
      expect((await client.audio.transcriptions.create(fields)).text).toBe(
        'hello there hello there',
      );
      expect(served().lastBody()).toMatchObject({
        language: 'en',
        prompt: 'Acme.',
        temperature: '0.2',
      });
    });

    it('as text, SRT and VTT', async () => {
      const as = (response_format: 'text' | 'srt' | 'vtt') =>
        client.audio.transcriptions.create({ ...given(), response_format });
      expect(await as('text')).toBe('hello there hello there\n');
      expect(await as('srt')).toMatch(/^1\n00:00:01,\d{3} --> 00:00:04,\d{3}\nhello there\n\n2\n/);
      expect(await as('vtt')).toMatch(
        /^WEBVTT\n\n00:00:01\.\d{3} --> 00:00:04\.\d{3}\nhello there/,
      );
    });

    it.each([
      'recorded.webm',
      'live.webm',
      'recorded.mp4',
      'speech.m4a',
      'speech.aac',
      'speech.mp3',
    ])('%s, as browsers and telephones record it', async (name) => {
      const file = createReadStream(join('test/fixtures/audio', name));
      const { text } = await client.audio.transcriptions.create({ file, model: 'whisper-1' });
      expect(text).toMatch(/^hello there/);
    });

    it('while it is heard, part by part', async () => {
      const events = await client.audio.transcriptions.create({ ...given(), stream: true });
      const seen: string[] = [];
      for await (const event of events)
        seen.push(event.type === 'transcript.text.delta' ? event.delta : JSON.stringify(event));
      expect(seen).toEqual([
        'hello there',
        ' hello there',
        '{"type":"transcript.text.done","text":"hello there hello there"}',
      ]);
    });

    it.each(['srt', 'verbose_json'] as const)('no stream of %s', async (response_format) => {
      const asked = client.audio.transcriptions.create({
        ...given(),
        stream: true,
        response_format,
      } as never);
      await expect(asked).rejects.toThrow('only json and text are streamed');
    });

    it('an error in place of a stream where nothing can be heard', async () => {
      const file = await toFile(Buffer.from('RIFF....WAVEfmt '), 'speech.wav');
      const asked = client.audio.transcriptions.create({ file, model: 'm', stream: true });
      await expect(asked).rejects.toThrow(OpenAI.BadRequestError);
    });

    it('with the times of words, as far as they are known', async () => {
      const heard = async () =>
        client.audio.transcriptions.create({
          ...given(),
          response_format: 'verbose_json',
          timestamp_granularities: ['word', 'segment'],
        });
      const without = await heard();
      expect(without).not.toHaveProperty('words');
      const word = { word: 'hello', start: 0.5, end: 0.9 };
      for (const _ of [1, 2])
        served().backEnd.fail('/audio/transcriptions', {
          kind: 'json',
          value: { text: 'hello', words: [word] },
        });
      const { words, segments } = await heard();
      expect(words?.map((one) => one.word)).toEqual(['hello', 'hello']);
      for (const [at, segment] of segments!.entries()) {
        expect(words![at]!.start).toBeCloseTo(segment.start + 0.5, 2);
        expect(words![at]!.end).toBeCloseTo(segment.start + 0.9, 2);
      }
    });

    it('with segments', async () => {
      const reply = await client.audio.transcriptions.create({
        ...given(),
        response_format: 'verbose_json',
        timestamp_granularities: ['segment'],
      });
      expect(reply).toMatchObject({ language: 'en', text: 'hello there hello there' });
      expect(reply.segments?.map(({ id, text }) => [id, text])).toEqual([
        [0, 'hello there'],
        [1, 'hello there'],
      ]);
      expect(reply.segments?.[1]?.start).toBeCloseTo(5.7, 1);
      expect(reply.duration).toBeGreaterThan(8);
    });
  });
});
