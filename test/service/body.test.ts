import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { readBody, readChunks, validate } from '../../service/body.ts';

const LIMIT = { bytes: 10, named: 'ErrTextTooLong' } as const;
const signal = new AbortController().signal;

/** A request whose body comes in `chunks`, then ends or, with `open`, does not. */
const request = (
  chunks: readonly string[],
  open = false,
): { request: Request; left: () => number } => {
  const rest = [...chunks];
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        const next = rest.shift();
        if (next !== undefined) controller.enqueue(Buffer.from(next));
        else if (!open) controller.close();
        else return new Promise(() => {});
        return undefined;
      },
    },
    { highWaterMark: 0 },
  );
  const init = { method: 'POST', body, duplex: 'half' } as RequestInit;
  return { request: new Request('http://localhost/', init), left: () => rest.length };
};

describe('a request’s body', () => {
  beforeEach(
    () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }),
  );
  afterEach(() => void vi.useRealTimers());

  it('is read whole', async () => {
    const bytes = await readBody(request(['abc', 'def']).request, LIMIT, signal);
    expect(bytes.toString()).toBe('abcdef');
  });

  it('is a named 400 past its limit', async () => {
    await expect(readBody(request(['abcdef', 'ghijkl']).request, LIMIT, signal)).rejects.toThrow(
      expect.objectContaining({ named: 'ErrTextTooLong' }),
    );
  });

  it('is read to its end for whoever stops early', async () => {
    const { request: sent, left } = request(['ab', 'cd', 'ef']);
    for await (const chunk of readChunks(sent, LIMIT, signal)) {
      expect(chunk).toHaveLength(2);
      break;
    }
    expect(left()).toBe(0);
  });

  it('is given up when nothing comes for long', async () => {
    const reading = readBody(request(['ab'], true).request, LIMIT, signal);
    const refused = expect(reading).rejects.toMatchObject({ named: 'ErrInvalidRequest' });
    await vi.advanceTimersByTimeAsync(40_000);
    await refused;
  });

  /** A request whose body comes in so many parts of so many bytes, each after a while. */
  const slow = (parts: number, bytes: number, everyMs: number): Request => {
    let sent = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          await new Promise((resolve) => setTimeout(resolve, everyMs));
          if (sent === parts) controller.close();
          else controller.enqueue(new Uint8Array(bytes));
          sent += 1;
        },
      },
      { highWaterMark: 0 },
    );
    const init = { method: 'POST', body, duplex: 'half' } as RequestInit;
    return new Request('http://localhost/', init);
  };
  const MANY = { bytes: 100_000_000, named: 'ErrTextTooLong' } as const;

  it('may come slowly as long as it comes', async () => {
    const reading = readBody(slow(10, 50_000, 10_000), MANY, signal);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(await reading).toHaveLength(500_000);
  });

  it.each([
    ['a byte a second', 1, 1_000, 20_000],
    ['a kilobyte a second', 1_024, 1_000, 25_000],
    ['parts that do not end', 100_000, 10_000, 310_000],
  ])('is given up when it comes as %s', async (_, bytes, everyMs, afterMs) => {
    const reading = readBody(slow(1_000, bytes, everyMs), MANY, signal);
    const refused = expect(reading).rejects.toMatchObject({ named: 'ErrInvalidRequest' });
    await vi.advanceTimersByTimeAsync(afterMs);
    await refused;
  });

  it('is given up when the signal aborts', async () => {
    const controller = new AbortController();
    const reading = readBody(request(['ab'], true).request, LIMIT, controller.signal);
    controller.abort(new Error('left'));
    await expect(reading).rejects.toThrow('left');
  });
});

describe('fields of a request', () => {
  it('may be null where they may be left out', () => {
    const schema = z.object({ text: z.string(), speed: z.number().default(1) });
    expect(validate(schema, { text: 'a', speed: null })).toEqual({ text: 'a', speed: 1 });
    expect(() => validate(schema, { text: null })).toThrow('text: ');
  });
});
