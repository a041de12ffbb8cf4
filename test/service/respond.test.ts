import { describe, expect, it, vi } from 'vitest';
import { primed, streamReply, metered } from '../../service/respond.ts';
import { AppError } from '../../src/errors.ts';
import { silentLog } from '../fakes/silent-log.ts';

const BYTES = Buffer.from('abc');

/** An endless body that tells when it was ended. */
const endless = (): { body: AsyncGenerator<Uint8Array>; ended: () => boolean } => {
  let ended = false;
  const body = (async function* () {
    try {
      for (;;) yield BYTES;
    } finally {
      ended = true;
    }
  })();
  return { body, ended: () => ended };
};

const reply = (
  body: AsyncGenerator<Uint8Array>,
  signal = new AbortController().signal,
): { response: Response; cutOff: ReturnType<typeof vi.fn> } => {
  const cutOff = vi.fn();
  return { response: streamReply(body, {}, { log: silentLog, signal, cutOff }), cutOff };
};

describe('a streamed reply', () => {
  it('ends its body when the client cancels', async () => {
    const { body, ended } = endless();
    const { response, cutOff } = reply(await primed(body));
    const reader = response.body!.getReader();
    await reader.read();
    await reader.cancel();
    expect(ended()).toBe(true);
    expect(cutOff).not.toHaveBeenCalled();
  });

  it('ends its body and breaks the connection when time is over and nobody reads', async () => {
    const { body, ended } = endless();
    const controller = new AbortController();
    const { cutOff } = reply(await primed(body), controller.signal);
    controller.abort(new AppError('timeout', 'the request took too long'));
    await expect.poll(ended).toBe(true);
    expect(cutOff).toHaveBeenCalledOnce();
  });

  it('breaks the connection when time was over before it began', async () => {
    const { body, ended } = endless();
    const { cutOff } = reply(await primed(body), AbortSignal.abort());
    await expect.poll(ended).toBe(true);
    expect(cutOff).toHaveBeenCalledOnce();
  });

  it('breaks the connection once when its body fails', async () => {
    const { response, cutOff } = reply(
      (async function* () {
        yield BYTES;
        throw new Error('broken');
      })(),
    );
    expect(Buffer.from(await response.arrayBuffer())).toEqual(BYTES);
    expect(cutOff).toHaveBeenCalledOnce();
  });

  it('leaves the connection alone when its body is whole, whatever becomes of the signal', async () => {
    const controller = new AbortController();
    const { response, cutOff } = reply(
      (async function* () {
        yield BYTES;
      })(),
      controller.signal,
    );
    await response.arrayBuffer();
    controller.abort();
    expect(cutOff).not.toHaveBeenCalled();
  });
});

/** How often a call is charged whose client leaves after so many parts. */
const chargesOf = async (
  call: AsyncIterable<number>,
  { taken = Infinity, left = new AbortController() } = {},
): Promise<number> => {
  let charges = 0;
  const metering = metered(call, () => void (charges += 1), left.signal);
  try {
    let seen = 0;
    if (taken > 0)
      for await (const _ of metering) {
        seen += 1;
        if (seen === taken) break;
      }
  } catch {
    // Counted all the same.
  }
  return charges;
};

async function* parts(): AsyncGenerator<number> {
  yield 1;
  yield 2;
}
async function* failing(left?: AbortController): AsyncGenerator<number> {
  yield 1;
  left?.abort(new Error('left'));
  throw new Error('failed');
}
async function* empty(): AsyncGenerator<number> {}

describe('a call of an engine', () => {
  it('is charged once it is over', async () => {
    expect(await chargesOf(parts())).toBe(1);
  });

  it('is charged when the client leaves after its first part', async () => {
    expect(await chargesOf(parts(), { taken: 1 })).toBe(1);
    const left = new AbortController();
    expect(await chargesOf(failing(left), { left })).toBe(1);
  });

  it('costs nothing when the engine fails, or brings nothing', async () => {
    expect(await chargesOf(failing())).toBe(0);
    expect(await chargesOf(empty())).toBe(0);
  });

  it('costs nothing when the client leaves before its first part', async () => {
    expect(await chargesOf(parts(), { taken: 0 })).toBe(0);
  });
});
