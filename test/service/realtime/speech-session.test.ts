import { describe, expect, it } from 'vitest';
import type { SpeechEngine } from '../../../service/engine.ts';
import { operatorAccount, storedAccount } from '../../../service/keys/account.ts';
import { createRequestLimiter } from '../../../service/request-limiter.ts';
import { startSpeechSession } from '../../../service/realtime/speech-session.ts';
import { createSpools, SPOOL_LIMITS } from '../../../service/speech/spool.ts';
import type { Voice } from '../../../src/api/contract.ts';
import { bytesSource } from '../../../src/audio/bytes.ts';
import { decode } from '../../../src/audio/codec/decode.ts';
import { AppError } from '../../../src/errors.ts';
import { silentLog } from '../../fakes/silent-log.ts';
import { createTestClock } from '../../fakes/clock.ts';
import { eventually } from '../../fakes/eventually.ts';
import { offering } from '../support.ts';

const VOICE: Voice = {
  id: '7d1c7a6e-3f57-4c2c-9a1e-0d6f2a8b4c11',
  description: 'Ada',
  language: 'English',
  gender: 'Female',
  formats: ['pcm', 'wav', 'mp3'],
  sample_rates: [24_000],
  streaming: true,
};
const UPDATE = {
  type: 'session.update',
  session: { voice_id: VOICE.id, format: 'pcm', sample_rate: 0, audio_transport: 'binary' },
};
const NO_LIMITS = { all: undefined, asr: undefined };
/** A tenth of a second a character. */
const CHARACTER_SAMPLES = 2_400;

const engine = (speak?: SpeechEngine['speak']): SpeechEngine => ({
  voices: async () => [VOICE],
  speak:
    speak ??
    (async ({ text }) => ({
      sampleRateHz: 24_000,
      pcm: (async function* () {
        for (const _ of text) yield new Float32Array(CHARACTER_SAMPLES).fill(0.25);
      })(),
    })),
});

const open = (
  speechEngine = engine(),
  taken = async (): Promise<void> => undefined,
  account = operatorAccount('one'),
) => {
  const said: { type: string; code?: string; message?: string; audio?: string }[] = [];
  const audio: Uint8Array[] = [];
  const closes: number[] = [];
  const limiter = createRequestLimiter({ concurrent: 1, waiting: 8 });
  const session = startSpeechSession({
    peer: {
      send: (message) => void said.push(message as { type: string }),
      sendAudio: async (part) => {
        if (part instanceof Uint8Array) audio.push(part);
        else said.push(part as { type: string });
        await taken();
      },
      close: (code) => void closes.push(code),
    },
    engines: offering('one', speechEngine, limiter).engines,
    account,
    spools: createSpools(SPOOL_LIMITS),
    textLimit: 100,
    clock: createTestClock(),
    log: silentLog,
  });
  const send = (message: object): void => session.message(JSON.stringify(message));
  const last = async (type: string) =>
    eventually(() => {
      expect(said.at(-1)?.type).toBe(type);
      return said.at(-1)!;
    });
  return { session, said, audio, closes, send, last, limiter };
};

const sizeOf = (audio: readonly Uint8Array[]): number =>
  audio.reduce((sum, { length }) => sum + length, 0);

describe('a session of realtime speech', () => {
  it('speaks one text after another with the voice that was set', async () => {
    const { send, said, audio, last } = open();
    send({ type: 'session.update', session: UPDATE.session });
    for (const text of ['hello', 'again']) {
      send({ type: 'tts.speak', text });
      await last('tts.usage');
      said.push({ type: '' });
    }
    expect(said.map(({ type }) => type).filter((type) => type !== '')).toEqual([
      'session.created',
      'session.updated',
      ...Array.from({ length: 2 }, () => ['tts.audio.start', 'tts.audio.done', 'tts.usage']).flat(),
    ]);
    expect(sizeOf(audio)).toBe(2 * 5 * CHARACTER_SAMPLES * 2);
  });

  it('speaks at the speed that was set', async () => {
    const speeds: number[] = [];
    const usual = engine();
    const { send, last } = open(
      engine(async (request, signal) => {
        speeds.push(request.speed);
        return usual.speak(request, signal);
      }),
    );
    send({ ...UPDATE, session: { ...UPDATE.session, speed: 1.5 } });
    send({ type: 'tts.speak', text: 'hello' });
    await last('tts.usage');
    expect(speeds).toEqual([1.5]);
    send({ ...UPDATE, session: { ...UPDATE.session, rate: 1.5 } });
    expect((await last('error')).message).toContain('use speed');
  });

  it('sends audio within JSON to who wants that', async () => {
    const { send, said, audio, last } = open();
    send({ ...UPDATE, session: { ...UPDATE.session, audio_transport: 'base64_json' } });
    send({ type: 'tts.speak', text: 'hello' });
    await last('tts.usage');
    const parts = said.flatMap((message) => message.audio ?? []);
    expect(sizeOf(parts.map((part) => Buffer.from(part, 'base64')))).toBe(
      5 * CHARACTER_SAMPLES * 2,
    );
    expect(audio).toEqual([]);
  });

  it.each([
    [
      'a text before the voice',
      { type: 'tts.speak', text: 'x' },
      'ErrInvalidRequest',
      'session.update',
    ],
    [
      'a voice that is no id',
      { ...UPDATE, session: { ...UPDATE.session, voice_id: 'x' } },
      'ErrVoiceNotFound',
      'voice_id',
    ],
    [
      'an unknown voice',
      {
        ...UPDATE,
        session: { ...UPDATE.session, voice_id: '7d1c7a6e-3f57-4c2c-9a1e-0d6f2a8b4c12' },
      },
      'ErrVoiceNotFound',
      'voice_id',
    ],
    [
      'a format that the voice has not',
      { ...UPDATE, session: { ...UPDATE.session, format: 'ogg' } },
      'ErrUnsupportedFormat',
      'pcm, wav, mp3',
    ],
    [
      'a rate that the voice has not',
      { ...UPDATE, session: { ...UPDATE.session, sample_rate: 44_100 } },
      'ErrUnsupportedSampleRate',
      'sample_rate',
    ],
    [
      'a text that is too long',
      { type: 'tts.speak', text: 'x'.repeat(101) },
      'ErrTextTooLong',
      '100 characters',
    ],
    ['an empty text', { type: 'tts.speak', text: '' }, 'ErrInvalidParameter', 'text'],
    ['a text that is no text', { type: 'tts.speak', text: 5 }, 'ErrInvalidParameter', 'text'],
    ['an unknown type', { type: 'tts.sing' }, 'ErrInvalidRequest', 'type of the message'],
  ])('answers %s with an error and goes on', async (_, message, code, words) => {
    const { send, closes, last } = open();
    send(message);
    const error = await last('error');
    expect([error.code, closes]).toEqual([code, []]);
    expect(error.message).toContain(words);
    send(UPDATE);
    send({ type: 'tts.speak', text: 'hello' });
    await last('tts.usage');
  });

  it('speaks no more with an engine that its key has lost', async () => {
    const state = {
      access: new Set(['speech:one']),
      creditNanoUsd: 1,
      reservedNanoUsd: 0,
      allowances: NO_LIMITS,
    };
    const account = storedAccount('ada', {
      currentState: () => state,
      priceOf: () => 0,
      spend: () => undefined,
      changeReserved: () => undefined,
    });
    const { send, last } = open(undefined, undefined, account);
    send(UPDATE);
    send({ type: 'tts.speak', text: 'hello' });
    await last('tts.usage');
    state.access = new Set(['speech:other']);
    send({ type: 'tts.speak', text: 'hello' });
    expect(await last('error')).toMatchObject({ code: 'ErrAccessDenied', fatal: false });
  });

  it('speaks one text at a time', async () => {
    const { send, said, last } = open();
    send(UPDATE);
    send({ type: 'tts.speak', text: 'hello' });
    send({ type: 'tts.speak', text: 'again' });
    send(UPDATE);
    await last('tts.usage');
    const errors = said.filter(({ type }) => type === 'error');
    expect(errors.map(({ message = '' }) => message).toSorted()).toEqual([
      expect.stringContaining('Wait for tts.audio.done'),
      expect.stringContaining('The session is busy'),
    ]);
  });

  it('tells a failure of the engine, and frees its place', async () => {
    let isBroken = true;
    const good = engine();
    const { send, last } = open(
      engine(async (request, signal) => {
        if (isBroken) throw new AppError('unavailable', 'it is away', { retryable: true });
        return good.speak(request, signal);
      }),
    );
    send(UPDATE);
    send({ type: 'tts.speak', text: 'hello' });
    expect(await last('error')).toMatchObject({ code: 'ErrBackendUnreachable', fatal: false });
    isBroken = false;
    send({ type: 'tts.speak', text: 'hello' });
    await last('tts.usage');
  });

  it('frees the engine while a slow listener takes its audio', async () => {
    const heard = Promise.withResolvers<void>();
    const { send, said, limiter } = open(engine(), () => heard.promise);
    send(UPDATE);
    send({ type: 'tts.speak', text: 'hello' });
    await eventually(() => expect(said.at(-1)?.type).toBe('tts.audio.start'));
    (await limiter.acquire(new AbortController().signal))[Symbol.dispose]();
    expect(said.at(-1)?.type).toBe('tts.audio.start');
    heard.resolve();
    await eventually(() => expect(said.at(-1)?.type).toBe('tts.usage'));
  });

  it('lets others speak between the sentences of a text', async () => {
    const order: string[] = [];
    const { send, last, limiter } = open(
      engine(async ({ text }) => {
        order.push(text);
        return { sampleRateHz: 24_000, pcm: (async function* () {})() };
      }),
    );
    const held = await limiter.acquire(new AbortController().signal);
    send(UPDATE);
    send({ type: 'tts.speak', text: 'First sentence. Second sentence.' });
    await new Promise(setImmediate);
    const other = limiter.acquire(new AbortController().signal, 'other');
    held[Symbol.dispose]();
    const turn = await other;
    order.push('other');
    turn[Symbol.dispose]();
    await last('tts.usage');
    expect(order).toEqual(['First sentence. ', 'other', 'Second sentence.']);
  });

  it.each(['wav', 'pcm', 'mp3'])('sends %s as a whole file has it', async (format) => {
    const { send, audio, last } = open();
    send({ ...UPDATE, session: { ...UPDATE.session, format } });
    send({ type: 'tts.speak', text: 'hello' });
    await last('tts.usage');
    const sound = Buffer.concat(audio);
    if (format === 'wav') {
      expect(sound.toString('latin1', 0, 4)).toBe('RIFF');
      expect(sound.readUInt32LE(40)).toBe(sound.length - 44);
    }
    let samples = 0;
    if (format !== 'pcm')
      for await (const pcm of decode(bytesSource([sound]), new AbortController().signal))
        samples += pcm.samples.length;
    else samples = sound.length / 2;
    expect(samples).toBeGreaterThanOrEqual(5 * CHARACTER_SAMPLES);
  });

  it('stops the engine when the client is gone', async () => {
    let isAborted = false;
    const { send, session, limiter } = open(
      engine(
        async (_, signal) =>
          new Promise((__, reject) => {
            signal.addEventListener('abort', () => {
              isAborted = true;
              reject(signal.reason as Error);
            });
          }),
      ),
    );
    send(UPDATE);
    send({ type: 'tts.speak', text: 'hello' });
    await new Promise(setImmediate);
    session.closed();
    await limiter.acquire(new AbortController().signal);
    expect(isAborted).toBe(true);
  });

  it('ends in a flood of messages', () => {
    const { session, closes, said } = open();
    for (let at = 0; at < 100; at += 1) session.message('{"type":"tts.speak","text":"x"}');
    expect(closes).toEqual([1008]);
    expect(said.at(-1)).toMatchObject({ code: 'ErrRateLimited', fatal: true });
  });
});
