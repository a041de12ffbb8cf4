import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { recognitionEvent } from '../../../src/api/realtime/contract.ts';
import { operatorAccount } from '../../../service/keys/account.ts';
import { createCallRate } from '../../../service/request-limiter.ts';
import { createTestClock } from '../../fakes/clock.ts';
import { instantOffer, joined, openSession, silenceOf, soundOf, wordsIn } from './support.ts';

type Session = ReturnType<typeof openSession>;

const SIX = [0, 1, 2, 3, 4, 5];

describe('a session of realtime recognition', () => {
  it('says when speech begins and ends, what is certain meanwhile, and the text at the end', async () => {
    const { hear, of, said } = openSession();
    await hear(joined(silenceOf(1), soundOf(SIX), silenceOf(1)));
    expect(said[0]).toMatchObject({ type: 'session.created' });
    expect(of('speech_started')).toHaveLength(1);
    const texts = of('asr.partial_result').map(({ text = '' }) => text);
    expect(texts.length).toBeGreaterThan(1);
    for (const [at, text] of texts.entries())
      expect(text.startsWith(texts[at - 1] ?? '')).toBe(true);
    expect(of('asr.final_result')).toMatchObject([
      { text: 'w0 w1 w2 w3 w4 w5', language: 'en', confidence: 0.9, is_final: true },
    ]);
    for (const { atMs: _, ...message } of said)
      expect(recognitionEvent.safeParse(message).success).toBe(true);
  });

  it('says the language that was heard beside the one that was asked for', async () => {
    const { hear, of, send } = openSession();
    send({ type: 'session.update', session: { language: 'ga' } });
    await hear(joined(soundOf(SIX), silenceOf(1)));
    const asked = { language: 'en', requested_language: 'ga' };
    expect(of('asr.partial_result')[0]).toMatchObject(asked);
    expect(of('asr.final_result')).toMatchObject([asked]);
  });

  it('says where the recogniser takes no hotwords', async () => {
    const { hear, of, send } = openSession();
    send({ type: 'session.update', session: { hotwords: ['Acme'] } });
    await hear(joined(soundOf(SIX), silenceOf(1)));
    expect(of('asr.final_result')).toMatchObject([{ hotwords_used: false }]);
  });

  it('says when each word was said, where that is asked for and known', async () => {
    const offer = instantOffer(() => ({
      text: 'so',
      words: [{ text: 'so', startMs: 250, endMs: 500 }],
    }));
    for (const words of [false, true]) {
      const { hear, of, send } = openSession([offer]);
      send({ type: 'session.update', session: { words } });
      await hear(joined(silenceOf(1), soundOf(SIX), silenceOf(1)));
      const [final] = of('asr.final_result');
      const start = final!.audio_start_ms! / 1_000;
      const word = { word: 'so', start: start + 0.25, end: start + 0.5 };
      expect(final?.words).toEqual(words ? [word] : undefined);
    }
  });

  it('takes null for a setting that may be left out', async () => {
    const { of, send } = openSession();
    send({
      type: 'session.update',
      session: { language: null, sample_rate: null, hotwords: null },
    });
    expect(of('error')).toEqual([]);
  });

  it('shows the first words 1.2 s after they began, the text 0.5 s after its silence', async () => {
    const { hear, of } = openSession();
    await hear(joined(silenceOf(2), soundOf(SIX), silenceOf(1.5)));
    const spokeMs = 2_000;
    const silentMs = 2_000 + 2_400;
    expect(of('asr.partial_result')[0]!.atMs - spokeMs).toBeLessThanOrEqual(1_200);
    const [stopped] = of('speech_stopped');
    const [final] = of('asr.final_result');
    expect(final!.atMs - stopped!.atMs).toBeLessThanOrEqual(100);
    expect(final!.atMs - silentMs).toBeLessThanOrEqual(700);
    expect(Math.abs(final!.audio_end_ms! - silentMs)).toBeLessThanOrEqual(200);
  });

  it('hears speech that begins with the session', async () => {
    const { hear, of, send, closes, clock } = openSession();
    await hear(joined(soundOf([7])));
    send({ type: 'session.close' });
    await clock.advance(0);
    expect(of('asr.final_result')).toMatchObject([{ text: 'w7' }]);
    expect(of('session.usage')).toMatchObject([
      { final: true, usage: { status: 'completed', final_count: 1, final_no_speech_count: 0 } },
    ]);
    expect(closes).toEqual([1000]);
  });

  it('gives several utterances their own ids, in their order', async () => {
    const { hear, of } = openSession();
    await hear(joined(soundOf([1, 2]), silenceOf(1), soundOf([3]), silenceOf(1)));
    expect(of('asr.final_result').map(({ text }) => text)).toEqual(['w1 w2', 'w3']);
    expect(new Set(of('asr.final_result').map(({ utterance_id: id }) => id)).size).toBe(2);
  });

  it('cuts an endless utterance between words, and loses and doubles none', async () => {
    const { hear, of, send, clock } = openSession();
    const words = Array.from({ length: 150 }, (_, at) => at);
    const breaths = words.map((word) =>
      word % 5 === 4 ? [soundOf([word]), silenceOf(0.34)] : [soundOf([word])],
    );
    await hear(joined(...breaths.flat()));
    send({ type: 'session.close' });
    await clock.advance(0);
    const texts = of('asr.final_result').map(({ text }) => text);
    expect(texts.length).toBeGreaterThan(1);
    expect(texts.join(' ')).toBe(words.map((word) => `w${word}`).join(' '));
  });

  it('recognises no silence, however long it is', async () => {
    let calls = 0;
    const offer = instantOffer(() => {
      calls += 1;
      return { text: 'x' };
    });
    const { hear, said } = openSession([offer]);
    await hear(joined(silenceOf(30)));
    expect([calls, said.length]).toEqual([0, 1]);
  });

  it('asks the next engine when one fails', async () => {
    const broken = instantOffer(() => {
      throw new AppError('unavailable', 'it is away', { retryable: true });
    });
    const { hear, of } = openSession([broken, instantOffer()]);
    await hear(joined(soundOf([4, 5]), silenceOf(1)));
    expect(of('asr.final_result')).toMatchObject([{ text: 'w4 w5' }]);
    expect(of('error')).toEqual([]);
  });

  it('tells a failure of all engines, and goes on', async () => {
    let isBroken = true;
    const offer = instantOffer((samples) => {
      if (isBroken) throw new AppError('unavailable', 'it is away', { retryable: true });
      return { text: wordsIn(samples) };
    });
    const { hear, of, closes } = openSession([offer]);
    await hear(joined(soundOf([4, 5]), silenceOf(1)));
    expect(of('error')).toMatchObject([{ code: 'ErrBackendUnreachable', fatal: false }]);
    isBroken = false;
    await hear(joined(soundOf([6]), silenceOf(1)));
    expect(of('asr.final_result')).toMatchObject([{ text: 'w6' }]);
    expect(closes).toEqual([]);
  });

  it('stops the engine when the client is gone', async () => {
    const signals: AbortSignal[] = [];
    const offer = instantOffer((_, signal) => {
      signals.push(signal);
      return new Promise(() => undefined);
    });
    const { hear, session, clock } = openSession([offer]);
    await hear(joined(soundOf([1, 2, 3]), silenceOf(1)));
    session.closed();
    await clock.advance(10_000);
    expect(signals.length).toBeGreaterThan(0);
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
    expect(clock.waiting).toBe(0);
  });

  it.each([
    ['what is no JSON', '{"type":', 'ErrInvalidRequest', 'The message is not valid JSON.'],
    ['what has no type', '{}', 'ErrInvalidRequest', 'The message has no type.'],
    ['a list', '[1]', 'ErrInvalidRequest', 'The message has no type.'],
    ['an unknown type', '{"type":"x"}', 'ErrInvalidRequest', 'type of the message is unknown'],
    [
      'audio that is a number',
      '{"type":"input_audio.append","audio":1}',
      'ErrInvalidParameter',
      'audio',
    ],
    [
      'audio that is no base64',
      '{"type":"input_audio.append","audio":"a?"}',
      'ErrInvalidParameter',
      'audio',
    ],
    [
      'half a sample',
      '{"type":"input_audio.append","audio":"AAAA"}',
      'ErrInvalidAudio',
      'odd number of bytes',
    ],
    [
      'another format',
      '{"type":"session.update","session":{"input_audio_format":"opus"}}',
      'ErrUnsupportedFormat',
      'send pcm_s16le at 16000 Hz',
    ],
    [
      'another rate',
      '{"type":"session.update","session":{"sample_rate":48000}}',
      'ErrUnsupportedFormat',
      'send pcm_s16le at 16000 Hz',
    ],
    [
      'no language',
      '{"type":"session.update","session":{"language":"klingonese"}}',
      'ErrInvalidParameter',
      'session.language',
    ],
  ])('answers %s with an error and goes on', async (_, text, code, words) => {
    const { session, of, hear, closes } = openSession();
    session.message(text);
    expect(of('error')).toMatchObject([{ code, fatal: false }]);
    expect(of('error')[0]!.message).toContain(words);
    await hear(joined(soundOf([1]), silenceOf(1)));
    expect(of('asr.final_result')).toMatchObject([{ text: 'w1' }]);
    expect(closes).toEqual([]);
  });

  it('ends after twenty faulty messages', () => {
    const { session, of, closes } = openSession();
    for (let at = 0; at < 30; at += 1) session.message('nonsense');
    expect(of('error')).toHaveLength(20);
    expect(of('error').at(-1)).toMatchObject({ fatal: true });
    expect(closes).toEqual([1007]);
  });

  it('ends when audio comes much faster than anybody speaks, but not when a minute comes at once', () => {
    const { send, of, closes } = openSession();
    const audio = Buffer.alloc(32_000).toString('base64');
    for (let second = 0; second < 60; second += 1) send({ type: 'input_audio.append', audio });
    expect(of('error')).toEqual([]);
    for (let second = 0; second < 100; second += 1) send({ type: 'input_audio.append', audio });
    expect(of('error')).toMatchObject([{ code: 'ErrRateLimited', fatal: true }]);
    expect(closes).toEqual([1008]);
  });

  it('ends in a flood of tiny messages', () => {
    const { send, of, closes } = openSession();
    for (let at = 0; at < 3_000; at += 1) send({ type: 'input_audio.append', audio: '' });
    expect(of('error')).toMatchObject([{ code: 'ErrRateLimited', fatal: true }]);
    expect(closes).toEqual([1008]);
  });

  it('spends the rate of an engine on final results first', async () => {
    const clock = createTestClock(0);
    const rate = createCallRate(clock, { most: 1, perSecond: 0.25 });
    const offer = instantOffer(undefined, { rate, clock });
    const sessions = [1, 2].map(() => openSession([offer], operatorAccount('one'), clock));
    const [one, other] = sessions as [Session, Session];
    await one.hear(joined(silenceOf(8), soundOf(SIX), silenceOf(1), soundOf(SIX), silenceOf(1)));
    await other.hear(joined(soundOf(SIX), silenceOf(1), soundOf(SIX), silenceOf(1)));
    await clock.advance(16_000);
    for (const { of } of sessions) {
      expect(of('error')).toEqual([]);
      expect(of('asr.final_result')).toHaveLength(2);
    }
  });

  it.each([
    ['up to 3 s', 4, 0.4, ['w1', 'w2 w3', '', 'w4']],
    ['more where much waits', 9, 4, undefined],
  ])(
    'recognises utterances that wait as one, %s, and loses no word',
    async (_, count, seconds, texts) => {
      const held = Promise.withResolvers<void>();
      let finals = 0;
      const offer = instantOffer(async (samples) => {
        await held.promise;
        finals += 1;
        return { text: wordsIn(samples), language: 'en', confidence: 0.9 };
      });
      const { hear, of, clock } = openSession([offer]);
      const words = Array.from({ length: count }, (_each, at) => at + 1);
      const said = (word: number): number[] => Array.from({ length: seconds / 0.4 }, () => word);
      await hear(joined(...words.flatMap((word) => [soundOf(said(word)), silenceOf(1)])));
      held.resolve();
      await clock.advance(0);
      const heard = of('asr.final_result').map(({ text = '' }) => text);
      expect(heard.join(' ').split(/ +/).filter(Boolean)).toEqual(
        words.flatMap(said).map((word) => `w${word}`),
      );
      if (texts) expect(heard).toEqual(texts);
      else expect(finals).toBeLessThan(count);
    },
  );

  it.each([
    ['heard', false, { final_count: 4, final_error_count: 0 }],
    ['not heard', true, { final_count: 0, final_error_count: 4 }],
  ])('counts each utterance of those that are recognised as one, %s', async (_, fails, usage) => {
    const held = Promise.withResolvers<void>();
    const offer = instantOffer(async (samples) => {
      await held.promise;
      if (fails) throw new AppError('bad-reply', 'broken');
      return { text: wordsIn(samples), language: 'en', confidence: 0.9 };
    });
    const { hear, of, send, clock } = openSession([offer]);
    await hear(joined(...[1, 2, 3, 4].flatMap((word) => [soundOf([word]), silenceOf(1)])));
    held.resolve();
    send({ type: 'session.close' });
    await clock.advance(0);
    expect(of('session.usage')).toMatchObject([{ usage }]);
  });

  it('recognises nothing of a growing utterance while finals keep an engine busy', async () => {
    let calls = 0;
    const clock = createTestClock(0);
    const offer = instantOffer(() => {
      calls += 1;
      return new Promise(() => undefined);
    });
    const busy = openSession([offer], operatorAccount('one'), clock);
    await busy.hear(joined(soundOf([1]), silenceOf(1)));
    const before = calls;
    const other = openSession([offer], operatorAccount('two'), clock);
    await other.hear(joined(soundOf(SIX)));
    expect(calls).toBe(before);
  });

  it('takes a partial result of all of the voice for the final', async () => {
    const heard: string[] = [];
    const offer = instantOffer((samples) => {
      heard.push(wordsIn(samples));
      return { text: wordsIn(samples), language: 'en', confidence: 0.9 };
    });
    const { hear, of } = openSession([offer]);
    // Its last part is due 140 ms after the end of the voice.
    const words = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    await hear(joined(silenceOf(1), soundOf(words), silenceOf(1)));
    const text = words.map((word) => `w${word}`).join(' ');
    expect(of('asr.final_result')).toMatchObject([{ text }]);
    expect(heard.filter((each) => each === text)).toHaveLength(1);
  });

  it('ends when engines fall behind by minutes', async () => {
    const offer = instantOffer(() => new Promise(() => undefined));
    const { hear, of, closes } = openSession([offer]);
    const words = Array.from({ length: 60 }, (_, at) => at);
    for (let at = 0; at < 10; at += 1) await hear(joined(soundOf(words), silenceOf(1)));
    expect(of('error')).toMatchObject([{ code: 'ErrRateLimited', fatal: true }]);
    expect(closes).toEqual([1013]);
  });
});
