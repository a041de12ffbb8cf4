import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readEvents } from '../../../src/http/event-stream.ts';

const inChunks = async function* (bytes: Uint8Array, sizes: readonly number[]) {
  let at = 0;
  for (const size of sizes) {
    yield bytes.subarray(at, at + size);
    at += size;
  }
  yield bytes.subarray(at);
};

const broken = (cause: unknown): Error => new Error('broken', { cause });

const read = async (text: string, sizes: readonly number[] = []): Promise<string[]> => {
  const events: string[] = [];
  for await (const data of readEvents(inChunks(Buffer.from(text), sizes), broken))
    events.push(data);
  return events;
};

describe('an event stream', () => {
  it('gives the same events however the bytes are cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { maxLength: 8 }),
        fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 40 }),
        fc.constantFrom('\n\n', '\r\n\r\n', '\n'),
        async (texts, sizes, end) => {
          const events = texts.map((content) => JSON.stringify({ content }));
          const stream = [...events, '[DONE]'].map((data) => `data: ${data}${end}`).join('');
          expect(await read(stream, sizes)).toEqual(events);
        },
      ),
    );
  });

  it.each(['\n', '\r\n', '\n\n'])(
    'gives each event when its line is there, ended by %j',
    async (end) => {
      const first = Promise.withResolvers<void>();
      const body = async function* () {
        yield Buffer.from(`data: {"a":1}${end}`);
        await first.promise;
        yield Buffer.from(`data: [DONE]${end}`);
      };
      const events = readEvents(body(), (cause) => cause as Error);
      expect(await events.next()).toEqual({ done: false, value: '{"a":1}' });
      first.resolve();
      expect((await events.next()).done).toBe(true);
    },
  );

  it.each([
    ['in one chunk', []],
    ['in many, which are all there', Array.from({ length: 1_000 }, () => 90)],
  ])('of very many events %s lets other work run in between', async (_, sizes) => {
    let sinceTurn = 0;
    let most = 0;
    const turn = (): void => {
      sinceTurn = 0;
      immediate = setImmediate(turn);
    };
    let immediate = setImmediate(turn);
    onTestFinished(() => clearImmediate(immediate));
    const stream = `${'data: {}\n'.repeat(7_000)}data: [DONE]\n`;
    let count = 0;
    for await (const data of readEvents(inChunks(Buffer.from(stream), sizes), broken)) {
      if (data === '{}') count += 1;
      sinceTurn += 1;
      most = Math.max(most, sinceTurn);
    }
    expect(count).toBe(7_000);
    expect(most).toBeLessThanOrEqual(200);
  });

  it('reads on to the end of the reply after the closing mark, without waiting for it', async () => {
    const gate = Promise.withResolvers<void>();
    let ended = false;
    const body = async function* () {
      yield Buffer.from('data: [DONE]\n\n');
      await gate.promise;
      ended = true;
    };
    const events = readEvents(body(), broken);
    expect((await events.next()).done).toBe(true);
    gate.resolve();
    await expect.poll(() => ended).toBe(true);
  });

  it.each([
    ['a lot more', Buffer.alloc(100_000)],
    ['nothing, and no end', undefined],
  ])('lets its source go when after the closing mark comes %s', async (_, more) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const gone = Promise.withResolvers<never>();
    let closed = false;
    const chunks = (async function* () {
      try {
        yield Buffer.from('data: [DONE]\n\n');
        for (;;) yield more ?? (await gone.promise);
      } finally {
        closed = true;
      }
    })();
    const body = {
      [Symbol.asyncIterator]: () => chunks,
      destroy: () => gone.reject(new Error('destroyed')),
    };
    expect((await readEvents(body, broken).next()).done).toBe(true);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(closed).toBe(true);
  });

  it('does not take an event that is cut for a whole one', async () => {
    await expect(read('data: {"a":1}\n\ndata: {"b"')).rejects.toMatchObject({
      code: 'unavailable',
    });
  });

  it('of bytes or events without end is given up', async () => {
    await expect(read(': wait\n'.repeat(3_000_000))).rejects.toMatchObject({
      code: 'bad-reply',
    });
    await expect(read('data: 1\n'.repeat(100_001), [100, 800_000])).rejects.toMatchObject({
      code: 'bad-reply',
    });
  });

  it('lets its source go when its reader leaves', async () => {
    let closed = false;
    const body = async function* () {
      try {
        for (;;) yield Buffer.from('data: {"a":1}\n\n');
      } finally {
        closed = true;
      }
    };
    for await (const data of readEvents(body(), broken)) {
      expect(data).toBe('{"a":1}');
      break;
    }
    expect(closed).toBe(true);
  });

  it('takes any number of events without blank lines', async () => {
    const lines = 'data: {"a":"0123456789"}\n'.repeat(60_000);
    expect(await read(`${lines}data: [DONE]\n`)).toHaveLength(60_000);
  });

  it('ends at the closing mark, whatever comes after', async () => {
    expect(await read('data: {"a":1}\n\ndata: [DONE]\n\ndata: {"b":2}\n\n')).toEqual(['{"a":1}']);
  });

  it('that stops before the closing mark is a fault that may be tried again', async () => {
    await expect(read('data: {"a":1}\n\n')).rejects.toMatchObject({
      code: 'unavailable',
      retryable: true,
    });
  });

  it.each(['', '\n', '\r\n'])('may end right after the closing mark, with %j', async (end) => {
    expect(await read(`data: {"a":1}\n\ndata: [DONE]${end}`)).toEqual(['{"a":1}']);
  });

  it('that fails is the reader’s own kind of error', async () => {
    const failing = async function* () {
      yield Buffer.from('data: {"a":1}\n\n');
      throw new TypeError('terminated');
    };
    const events = readEvents(failing(), broken);
    expect((await events.next()).value).toBe('{"a":1}');
    await expect(events.next()).rejects.toThrow('broken');
  });

  it('refuses an event without an end', async () => {
    await expect(read(`data: ${'x'.repeat(1_200_000)}`)).rejects.toMatchObject({
      code: 'bad-reply',
    });
  });
});
