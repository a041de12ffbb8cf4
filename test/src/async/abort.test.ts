import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { orAborted, untilAborted, withOwnSignal } from '../../../src/async/abort.ts';
import { collectGarbage } from '../../fakes/garbage.ts';

const never = new Promise<never>(() => {});
const stopped = new Error('stopped');

const listenersOf = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

describe('a promise or an abort', () => {
  it('gives the result, or why there is none', async () => {
    const { signal } = new AbortController();
    expect(await orAborted(Promise.resolve('done'), signal)).toBe('done');
    await expect(orAborted(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken');
    expect(listenersOf(signal)).toBe(0);
  });

  it('ends with the signal, before and while it is waited for', async () => {
    const stop = new AbortController();
    const waiting = orAborted(never, stop.signal);
    stop.abort(stopped);
    await expect(waiting).rejects.toBe(stopped);
    await expect(orAborted(never, stop.signal)).rejects.toBe(stopped);
    expect(listenersOf(stop.signal)).toBe(0);
  });

  it('leaves no failure unhandled that nobody waits for any more', async () => {
    const failing = Promise.withResolvers<void>();
    await expect(orAborted(failing.promise, AbortSignal.abort(stopped))).rejects.toBe(stopped);
    failing.reject(new Error('afterwards'));
    await new Promise(setImmediate);
  });
});

describe('items until an abort', () => {
  const counting = (closed: () => void) =>
    (async function* () {
      try {
        for (let next = 1; ; next += 1) yield next;
      } finally {
        closed();
      }
    })();

  it('come as they are, and their source is closed when nobody takes more', async () => {
    const stop = new AbortController();
    let isClosed = false;
    const taken: number[] = [];
    for await (const item of untilAborted(
      counting(() => (isClosed = true)),
      stop.signal,
    )) {
      taken.push(item);
      if (item === 3) break;
    }
    expect([taken, isClosed]).toEqual([[1, 2, 3], true]);
    expect(listenersOf(stop.signal)).toBe(0);
  });

  it('end with the source, and with its failure', async () => {
    const { signal } = new AbortController();
    const whole = async function* () {
      yield 'only';
    };
    const items = untilAborted(whole(), signal);
    expect(await items.next()).toEqual({ done: false, value: 'only' });
    expect(await items.next()).toEqual({ done: true, value: undefined });
    const broken = async function* (): AsyncGenerator<string> {
      throw new Error('broken');
    };
    await expect(untilAborted(broken(), signal).next()).rejects.toThrow('broken');
  });

  it('are let go once they were handed on', async () => {
    const { signal } = new AbortController();
    const chunks: WeakRef<Uint8Array>[] = [];
    const source = async function* () {
      for (let at = 0; at < 50; at += 1) {
        const chunk = new Uint8Array(1_000);
        chunks.push(new WeakRef(chunk));
        yield chunk;
      }
    };
    const items = untilAborted(source(), signal);
    for (let at = 0; at < 50; at += 1) await items.next();
    await new Promise(setImmediate);
    collectGarbage();
    expect(chunks.filter((chunk) => chunk.deref()).length).toBeLessThan(5);
    await items.return();
  });

  it('end with the signal where the next one never comes', async () => {
    const stop = new AbortController();
    const hanging: AsyncIterable<string> = {
      [Symbol.asyncIterator]: () => ({ next: () => never, return: () => never }),
    };
    const items = untilAborted(hanging, stop.signal);
    const next = items.next();
    stop.abort(stopped);
    await expect(next).rejects.toBe(stopped);
    await expect(untilAborted(hanging, stop.signal).next()).rejects.toBe(stopped);
  });
});

describe('a signal of its own', () => {
  it('is aborted with the given one, and leaves nothing on it', async () => {
    const stop = new AbortController();
    await expect(
      withOwnSignal(stop.signal, async (own) => {
        stop.abort(stopped);
        own?.throwIfAborted();
      }),
    ).rejects.toBe(stopped);
    expect(listenersOf(stop.signal)).toBe(0);
    await withOwnSignal(undefined, async (own) => expect(own).toBeUndefined());
  });
});
