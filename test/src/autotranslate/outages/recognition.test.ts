import { beforeEach, describe, expect, it } from 'vitest';
import { createServiceKey } from '../../../../src/api/keys.ts';
import { serviceError } from '../../../../src/api/service-error.ts';
import {
  createRecognitionBreaker,
  createRecognitionOutages,
} from '../../../../src/autotranslate/outages/recognition.ts';
import { AppError } from '../../../../src/errors.ts';

const KEY = createServiceKey('svck:any');
const forbidden = serviceError(403, undefined, '', KEY);
const noEngine = new AppError('missing', 'none', { sentence: { key: 'service.no-recognition' } });
const WAITS = { name: 'OutageError', retryable: true, retryAfterMs: 30_000 };

let nowMs: number;
let breaker: ReturnType<typeof createRecognitionBreaker>;

beforeEach(() => {
  nowMs = 7;
  breaker = createRecognitionBreaker(() => nowMs);
});

describe('recordings that are refused', () => {
  it('wait as soon as two in a row are, and the first is tried again until that is known', () => {
    expect(breaker.judged(forbidden, '1')).toMatchObject({ code: 'forbidden', retryable: true });
    expect(breaker.judged(forbidden, '1')).not.toMatchObject(WAITS);
    expect(breaker.reason()).toBeUndefined();
    expect(breaker.judged(forbidden, '2')).toMatchObject(WAITS);
    expect(breaker.judged(forbidden, '1')).toMatchObject(WAITS);
    expect(breaker.reason()).toBe(forbidden);
  });

  it('are sent one by one meanwhile, and all once one was recognised', () => {
    for (const message of ['1', '2']) breaker.judged(forbidden, message);
    nowMs += 10_000;
    expect(breaker.assertReady).toThrow(expect.objectContaining({ retryAfterMs: 20_000 }));
    nowMs += 20_000;
    breaker.assertReady();
    expect(breaker.assertReady).toThrow(expect.objectContaining(WAITS));
    breaker.heard();
    breaker.assertReady();
    expect(breaker.judged(forbidden, '3')).not.toMatchObject(WAITS);
  });

  it('are all sent where somebody tries again', () => {
    for (const message of ['1', '2']) breaker.judged(forbidden, message);
    breaker.tryAgain();
    breaker.assertReady();
    breaker.assertReady();
  });

  it('for what is in them do not wait, nor do those between which others are recognised', () => {
    const tooLarge = serviceError(413, undefined, '', KEY);
    for (const message of ['1', '2', '3']) {
      expect(breaker.judged(tooLarge, message)).toBe(tooLarge);
      breaker.judged(forbidden, message);
      breaker.heard();
    }
    expect(breaker.reason()).toBeUndefined();
  });

  it('for their language do not wait, nor do others for them', () => {
    const missing = JSON.stringify({
      code: 110,
      name: 'ErrServiceNotRegistered',
      error: 'No engine recognises th. Add one: run npm run setup -- th.',
    });
    const unknown = serviceError(404, undefined, missing, KEY);
    expect(unknown.sentence).toEqual({
      key: 'service.no-recognition-of',
      params: { language: { language: 'th' } },
    });
    breaker.heard();
    for (const message of ['1', '2', '3']) expect(breaker.judged(unknown, message)).toBe(unknown);
    expect(breaker.reason()).toBeUndefined();
  });

  it('because the service is busy say nothing of others', () => {
    const busy = new AppError('rate-limited', 'wait', { retryable: true, retryAfterMs: 1_000 });
    for (const message of ['1', '2']) expect(breaker.judged(busy, message)).toBe(busy);
    expect(breaker.reason()).toBeUndefined();
  });

  it('do not wait where there was never a recogniser', () => {
    for (const message of ['1', '2']) expect(breaker.judged(noEngine, message)).toBe(noEngine);
    breaker.heard();
    for (const message of ['1', '2']) breaker.judged(noEngine, message);
    expect(breaker.reason()).toBe(noEngine);
  });
});

describe('a space whose recordings wait', () => {
  it('is told so, and when one was recognised again, as is no other', async () => {
    const told: string[] = [];
    const outages = createRecognitionOutages({
      serviceKeyOf: async () => KEY,
      moderators: {
        recordingsPaused: ({ id }, { code }) => void told.push(`${id} ${code}`),
        recordingsResumed: ({ id }) => void told.push(`${id} again`),
      },
      nowMs: () => nowMs,
    });
    const [one, other] = [
      { platform: 'test', id: 'one' },
      { platform: 'test', id: 'other' },
    ];
    const recordings = await outages.of(one);
    recordings.judged(forbidden, '1');
    expect(told).toEqual([]);
    recordings.judged(forbidden, '2');
    expect(recordings.assertReady).toThrow(expect.objectContaining(WAITS));
    expect(told).toEqual(['one forbidden', 'one forbidden']);
    (await outages.of(other)).heard();
    recordings.assertReady();
    recordings.heard();
    expect(told.slice(2)).toEqual(['other again', 'one again']);
  });

  it('has none of another space wait, whose recordings are sent with the same key', async () => {
    const outages = createRecognitionOutages({
      serviceKeyOf: async () => KEY,
      moderators: { recordingsPaused: () => undefined, recordingsResumed: () => undefined },
      nowMs: () => nowMs,
    });
    const recordings = await outages.of({ platform: 'test', id: 'one' });
    for (const message of ['1', '2']) recordings.judged(forbidden, message);
    const other = { platform: 'test', id: 'other' };
    (await outages.of(other)).assertReady();
    expect(await outages.reasonOf(other)).toBeUndefined();
    expect((await outages.of(other)).judged(forbidden, '3')).not.toMatchObject(WAITS);
  });
});
