import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createUpstream } from '../../../../service/back-end/http.ts';
import {
  RECOGNITION_RATE_HZ,
  type RecognitionStream,
  type StreamedText,
  type StreamRecognition,
} from '../../../../service/engine.ts';
import { createRealtimeRecognition } from '../../../../service/engines/openai/realtime.ts';
import type { AppError } from '../../../../src/errors.ts';
import { createTestClock } from '../../../fakes/clock.ts';
import { createFakeRealtime, type FakeRealtimeOptions } from '../../../fakes/openai-realtime.ts';
import { startFakeOpenai } from '../../../fakes/openai.ts';
import { silentLog } from '../../../fakes/silent-log.ts';
import { KEY, startTestService } from '../../support.ts';

const sound = (ms: number, level = 0.5): Float32Array =>
  new Float32Array((ms * RECOGNITION_RATE_HZ) / 1_000).fill(level);

const scene = async (options: FakeRealtimeOptions | undefined = {}) => {
  const realtime = createFakeRealtime(options);
  const server = await startFakeOpenai({ upgrade: realtime.upgrade });
  const upstream = createUpstream({ url: server.url, keyVariable: 'NONE' }, silentLog);
  const clock = createTestClock();
  const recognition = createRealtimeRecognition(upstream, 'whisper-1', clock);
  const heard: StreamedText[] = [];
  const faults: AppError[] = [];
  return {
    realtime,
    clock,
    recognition,
    heard,
    faults,
    open: (hints = {}): RecognitionStream | undefined =>
      recognition.open(hints, {
        heard: (text) => heard.push(text),
        failed: (error) => faults.push(error),
      }),
    [Symbol.asyncDispose]: async () => {
      await upstream[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
};

/** Waits until the server was tried and has taken a session. */
const found = (recognition: StreamRecognition) =>
  expect.poll(() => recognition.knows('en')).toBe(true);

describe('realtime transcription of the OpenAI API', () => {
  it.each<readonly [string, FakeRealtimeOptions]>([
    ["in today's form", {}],
    ['in the form of its beta', { form: 'beta' }],
    ['that wants its model in the address', { needsModel: true, form: 'beta' }],
  ])('is found %s, and its words come while they are spoken', async (_, options) => {
    await using all = await scene(options);
    expect(all.recognition.knows('en')).toBe(false);
    await found(all.recognition);
    const stream = all.open({ language: 'en-GB', hotwords: ['Dragoman'] });
    stream?.feed(sound(1_000));
    stream?.feed(sound(500, 0));
    await expect.poll(() => all.heard.at(-1)?.text).toBe('word 1');
    expect(all.heard[0]).toMatchObject({ text: 'wor', isFinal: false });
    stream?.feed(sound(1_000));
    expect(await stream?.finish()).toMatchObject({ text: 'word 1 word 2', hotwordsUsed: true });
    expect(all.faults).toEqual([]);
    const [{ settings, soundMs } = { settings: [], soundMs: 0 }] = all.realtime.sessions;
    expect(soundMs).toBeCloseTo(2_500, -2);
    expect(JSON.stringify(settings[0])).toMatch(
      /"model":"whisper-1","language":"en","prompt":"Dragoman\."/,
    );
  });

  it('loses no words that are said just before the end, or committed already', async () => {
    await using all = await scene();
    await found(all.recognition);
    for (const [last, text] of [
      [sound(400, 0), 'word 1'],
      [sound(250, 0), 'word 1'],
      [sound(1_000), 'word 1'],
    ] as const) {
      const stream = all.open();
      stream?.feed(sound(500));
      stream?.feed(last);
      expect(await stream?.finish()).toMatchObject({ text });
    }
  });

  it('is not there where upgrades are refused, which is tried once', async () => {
    await using all = await scene({ refuses: true });
    expect(all.recognition.knows('en')).toBe(false);
    // Two addresses, each with two forms of settings.
    await expect.poll(() => all.realtime.tries()).toBe(4);
    await all.clock.advance(600_000);
    expect(all.recognition.knows('en')).toBe(false);
    expect(all.open()).toBeUndefined();
    expect(all.realtime.tries()).toBe(4);
  });

  it.each(['close', 'error', 'garbage', 'failed'] as const)(
    'that ends by "%s" is told as a fault, and left alone for a while',
    async (kind) => {
      await using all = await scene({ fault: { afterMs: 500, kind } });
      await found(all.recognition);
      const stream = all.open();
      stream?.feed(sound(1_000));
      await expect(stream?.finish()).rejects.toMatchObject({
        code: 'unavailable',
        retryable: true,
      });
      expect(all.faults).toHaveLength(1);
      expect(all.faults[0]?.message).not.toContain('secret');
      const tries = all.realtime.tries();
      expect(all.recognition.knows('en')).toBe(false);
      expect(all.realtime.tries()).toBe(tries);
      await all.clock.advance(61_000);
      await found(all.recognition);
    },
  );

  it('holds as many sessions as there may be, and gives places back', async () => {
    await using all = await scene();
    await found(all.recognition);
    const open = Array.from({ length: 17 }, () => all.open());
    expect(open.filter((each) => each === undefined)).toHaveLength(1);
    for (const each of open) each?.[Symbol.dispose]();
    expect(all.open()).toBeDefined();
    expect(all.faults).toEqual([]);
  });
});

describe('a session of the service over such a server', () => {
  const pcm = (ms: number, level: number): string =>
    Buffer.from(new Int16Array((ms * RECOGNITION_RATE_HZ) / 1_000).fill(level).buffer).toString(
      'base64',
    );

  const speak = async (fault?: FakeRealtimeOptions['fault']) => {
    const realtime = createFakeRealtime(fault ? { fault } : {});
    await using openai = await startFakeOpenai({ upgrade: realtime.upgrade });
    await using service = await startTestService({ SERVICE_OPENAI_URL: openai.url });
    const socket = new WebSocket(`${service.service.url.replace('http', 'ws')}/ws/asr/realtime`, {
      headers: { authorization: `Bearer ${KEY}` },
    });
    const finals: string[] = [];
    socket.on('message', (data: Buffer) => {
      const { type, text } = JSON.parse(data.toString()) as { type: string; text?: string };
      if (type === 'asr.final_result') finals.push(text ?? '');
    });
    await once(socket, 'open');
    const send = (message: object): void => socket.send(JSON.stringify(message));
    const say = (ms: number): void => {
      for (const [length, level] of [
        [ms, 8_000],
        [1_000, 0],
      ] as const)
        for (let at = 0; at < length; at += 100)
          send({ type: 'input_audio.append', audio: pcm(100, level) });
    };
    send({
      type: 'session.update',
      session: {
        input_audio_format: 'pcm_s16le',
        sample_rate: 16_000,
        channels: 1,
        language: 'en',
      },
    });
    const files = () =>
      openai.requests.filter(({ path }) => path === '/audio/transcriptions').length;
    say(1_000);
    await expect.poll(() => finals.length, { timeout: 10_000 }).toBe(1);
    await expect.poll(() => realtime.taken()).toBe(1);
    const before = files();
    say(1_000);
    await expect.poll(() => finals.length, { timeout: 10_000 }).toBe(2);
    const closed = once(socket, 'close');
    send({ type: 'session.close' });
    await closed;
    return { finals, files: files() - before };
  };

  it('recognises while somebody speaks, and sends no file', async () => {
    expect(await speak()).toEqual({ finals: ['hello there', 'word 1'], files: 0 });
  });

  it('has the whole utterance recognised where the server breaks off', async () => {
    const { finals, files } = await speak({ afterMs: 400, kind: 'close' });
    expect(finals).toEqual(['hello there', 'hello there']);
    expect(files).toBeGreaterThan(0);
  });
});
