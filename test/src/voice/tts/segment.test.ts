import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPacketBuffer, segmentsOf } from '../../../../src/voice/tts/segment.ts';
import { spokenMs } from '../../../../src/voice/tts/speech-item.ts';
import { anyCharacter } from '../../../fakes/any-character.ts';

describe('segments', () => {
  it('are one for a short text, and the first is a sentence or two of a long one', () => {
    expect(segmentsOf('Hi. How are you?')).toEqual(['Hi. How are you?']);
    const segments = segmentsOf(
      `Yes. That is how it was meant to be, I think. ${'More of it. '.repeat(60)}`,
    );
    expect(segments[0]).toBe('Yes. That is how it was meant to be, I think.');
    expect(segments.length).toBeGreaterThan(3);
    expect(segments.every((segment) => segment.length <= 300)).toBe(true);
    expect(segmentsOf('長い文です。'.repeat(50))[0]!.length).toBeLessThan(50);
  });

  it('keep a line break at their end, which is a pause', () => {
    const line = `${'a word and '.repeat(26)}the end.`;
    expect(segmentsOf(`${line}\n${line} ${line}`).filter((one) => one.endsWith('\n'))).toHaveLength(
      1,
    );
  });

  it('hold all that is audible of any text, in its order', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 900 }), (text) => {
        const letters = (whole: string) => whole.replaceAll(/[^\p{L}\p{N}]/gu, '');
        expect(letters(segmentsOf(text).join(''))).toBe(letters(text));
      }),
    );
  });
});

describe('the packet buffer', () => {
  it('holds a minute, and takes no more until there is space', async () => {
    const buffer = createPacketBuffer();
    const packet = Uint8Array.of(1);
    let pushed = 0;
    const push = (async () => {
      for (; pushed < 3_002; pushed += 1) await buffer.push(packet);
    })();
    await new Promise(setImmediate);
    expect(pushed).toBe(2_999);
    await buffer.next();
    await new Promise(setImmediate);
    expect(pushed).toBe(3_000);
    buffer.end();
    await push;
  });

  it('gives out what is there after the end', async () => {
    const buffer = createPacketBuffer();
    const next = buffer.next();
    await buffer.push(Uint8Array.of(7));
    expect(await next).toEqual(Uint8Array.of(7));
    await buffer.push(Uint8Array.of(8));
    buffer.end();
    expect([await buffer.next(), await buffer.next()]).toEqual([Uint8Array.of(8), undefined]);
  });
});

it('the length of speech is guessed by letters, and by syllables where signs are such', () => {
  expect(spokenMs('hello there, how are you?')).toBeGreaterThan(1_200);
  expect(spokenMs('hello there, how are you?')).toBeLessThan(2_500);
  expect(spokenMs('こんにちは元気ですか')).toBeGreaterThan(1_000);
});
