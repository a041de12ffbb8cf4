import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createEndpointBreaker, type EndpointBreaker } from '../../../src/api/breaker.ts';
import type { NotSentError } from '../../../src/api/scheduler/not-sent-error.ts';

let opened: NotSentError[];
let breaker: EndpointBreaker;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  opened = [];
  breaker = createEndpointBreaker((error) => opened.push(error));
});

afterEach(() => vi.useRealTimers());

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
};

const send = async (became: 'answered' | 'failed' | 'left'): Promise<void> => {
  (await breaker.enter())(became);
  await settled();
};

const open = async (): Promise<void> => {
  for (let failed = 0; failed < 10; failed += 1) await send('failed');
};

const DOWN = { code: 'unavailable', retryable: true, retryAfterMs: 2_000 };

describe('the breaker of an endpoint', () => {
  it('lets nothing through after ten failures in a row, and tells once', async () => {
    await open();
    await expect(breaker.enter()).rejects.toMatchObject(DOWN);
    expect(() => breaker.assertClosed()).toThrow('the service does not answer');
    expect(opened).toMatchObject([DOWN]);
  });

  it('does not mind failures between answers, and those who leave', async () => {
    for (let turn = 0; turn < 30; turn += 1) {
      await send(turn % 9 === 0 ? 'answered' : 'failed');
      await send('left');
    }
    expect(opened).toEqual([]);
  });

  it('lets one request through after two seconds, and all when that is answered', async () => {
    await open();
    vi.setSystemTime(Date.now() + 2_000);
    breaker.assertClosed();
    const probe = await breaker.enter();
    await expect(breaker.enter()).rejects.toMatchObject(DOWN);
    probe('answered');
    await settled();
    await send('answered');
    expect(opened).toHaveLength(1);
  });

  it.each(['failed', 'left'] as const)('stays shut when that request has %s', async (became) => {
    await open();
    vi.setSystemTime(Date.now() + 2_000);
    await send(became);
    await expect(breaker.enter()).rejects.toMatchObject(DOWN);
  });
});
