import { expect } from 'vitest';
import { PATHS } from '../../../src/api/contract.ts';
import type { Contract } from '../contract.ts';
import { chat } from './access.ts';
import { recognise } from './audio.ts';
import { expectError, speak, translate, type ServiceSubject } from './target.ts';

/** One Unicode code point of two UTF-16 units and four bytes. */
const WIDE = '😀';
const RATE_AT = 24;

export const LIMIT_ROWS = {
  '8 limit, TTS text: 5,000 Unicode characters': async (subject) => {
    const text = `${WIDE.repeat(4_999)}a`;
    expect((await speak(subject, { text, format: 'pcm' })).status).toBe(200);
    expectError(await speak(subject, { text: `${text}b` }), 400);
  },
  '8 limit, translation text: 10,000 Unicode code points': async (subject) => {
    const text = WIDE.repeat(10_000);
    expect((await translate(subject, { text })).status).toBe(200);
    expectError(await translate(subject, { text: `${text}a` }), 400);
  },
  '8 limit, translation keywords: 20 entries of 100 bytes': async (subject) => {
    const keywords = Array.from({ length: 20 }, (_, at) => `${WIDE.repeat(24)}${at + 1_000}`);
    expect((await translate(subject, { keywords })).status).toBe(200);
    expectError(await translate(subject, { keywords: [...keywords, 'one more'] }), 400);
    expectError(await translate(subject, { keywords: [`${WIDE.repeat(25)}a`] }), 400);
  },
  '8 limit, translation context: 2,000 Unicode code points': async (subject) => {
    const context = WIDE.repeat(2_000);
    expect((await translate(subject, { context })).status).toBe(200);
    expectError(await translate(subject, { context: `${context}a` }), 400);
  },
  '8 limit, default TTS sample rate: 24,000 Hz': async (subject) => {
    const { body } = await speak(subject, { format: 'wav' });
    expect(body.readUInt32LE(RATE_AT)).toBe(24_000);
  },
  '8 limit, ASR segment_padding and initial_segment_padding_ms: 0 to 5000 ms': async (subject) => {
    for (const name of ['segment_padding', 'initial_segment_padding_ms'])
      for (const [value, status] of [
        [0, 200],
        [5_000, 200],
        [-1, 400],
        [5_001, 400],
      ])
        expect((await recognise(subject, { vad: 'segments', [name]: value })).status).toBe(status);
  },
  '8 limit, free credit: 10 USD, after which the service refuses with 429': async (subject) => {
    const spent = await subject.when('key whose free credit is spent', PATHS.chat);
    expectError(await chat(spent), 429);
  },
} satisfies Contract<ServiceSubject>;
