import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createByteReader } from '../../../src/audio/bytes.ts';
import { concat } from './support.ts';

async function* stream(chunks: readonly Uint8Array[]) {
  yield* chunks;
}

const operation = fc.record({
  kind: fc.constantFrom('peek', 'take', 'skip'),
  count: fc.nat(40),
});

describe('a byte reader', () => {
  it('gives the same bytes whatever the chunks, and keeps its views intact', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 30 }), { maxLength: 12 }),
        fc.array(operation, { maxLength: 30 }),
        async (chunks, operations) => {
          const whole = concat(chunks);
          const reader = createByteReader(stream(chunks));
          const views: [Uint8Array, Uint8Array][] = [];
          let at = 0;
          for (const { kind, count } of operations) {
            const expected = whole.slice(at, at + count);
            if (kind === 'skip') expect(await reader.skip(count)).toBe(expected.length);
            else {
              const view = await (kind === 'peek' ? reader.peek(count) : reader.take(count));
              views.push([view, expected]);
            }
            if (kind !== 'peek') at += expected.length;
            expect(reader.position).toBe(at);
          }
          const rest = concat(await Array.fromAsync(reader.rest()));
          expect(rest).toEqual(whole.slice(at));
          for (const [view, expected] of views) expect(new Uint8Array(view)).toEqual(expected);
        },
      ),
    );
  });

  it('skips to the end of an endless count and says how far that was', async () => {
    const reader = createByteReader(stream([new Uint8Array(5), new Uint8Array(7)]));
    expect(await reader.skip(Infinity)).toBe(12);
  });

  it('ends its stream when it is closed', async () => {
    let ended = false;
    const reader = createByteReader(
      (async function* endless() {
        try {
          for (;;) yield new Uint8Array(1);
        } finally {
          ended = true;
        }
      })(),
    );
    await reader.take(3);
    await reader.close();
    expect(ended).toBe(true);
  });
});
