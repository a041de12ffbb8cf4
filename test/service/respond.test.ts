import { describe, expect, it, vi } from 'vitest';
import { primed, streamReply } from '../../service/respond.ts';
import { AppError } from '../../src/errors.ts';
import { createLog } from '../../src/telemetry/log.ts';

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
  return { response: streamReply(body, {}, { log: createLog('silent'), signal, cutOff }), cutOff };
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
