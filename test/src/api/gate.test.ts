import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createEndpointBreaker, type EndpointBreaker } from '../../../src/api/gate.ts';
import type { NotSentError } from '../../../src/api/scheduler/scheduler.ts';

let opened: NotSentError[];
let breaker: EndpointBreaker;
let nowMs: number;

beforeEach(() => {
  nowMs = 7;
  opened = [];
  breaker = createEndpointBreaker((error) => opened.push(error), { nowMs: () => nowMs });
});

type End = Parameters<ReturnType<EndpointBreaker['enter']>>[0];

const send = (became: End, space = 'a'): void => breaker.enter(space)(became);

const open = (): void => {
  for (let failed = 0; failed < 10; failed += 1) send('failed');
};

/** What a request is refused with; undefined where it may be sent. */
const refusal = (): unknown => {
  try {
    breaker.assertClosed();
    return undefined;
  } catch (thrown) {
    expect(() => breaker.enter('a')).toThrow('the service does not answer');
    return thrown;
  }
};

const DOWN = { code: 'unavailable', retryable: true, retryAfterMs: 2_000 };

describe('the breaker of an endpoint', () => {
  it('lets nothing through after ten failures in a row, and tells once', () => {
    const late = breaker.enter('a');
    open();
    late('failed');
    expect(refusal()).toMatchObject(DOWN);
    expect(breaker.isOpen()).toBe(true);
    nowMs += 500;
    expect(refusal()).toMatchObject({ retryAfterMs: 1_500 });
    expect(opened).toMatchObject([DOWN]);
  });

  it('does not mind failures between answers, and those who leave', () => {
    for (let turn = 0; turn < 30; turn += 1) {
      send(turn % 9 === 0 ? 'answered' : 'failed');
      send('left');
    }
    expect(opened).toEqual([]);
  });

  it('counts the failures around those who leave, which tell nothing', () => {
    for (let turn = 0; turn < 10; turn += 1) {
      send('left');
      send('failed');
    }
    expect(opened).toHaveLength(1);
  });

  it('minds requests that broke only where more than one space sent some', () => {
    for (let turn = 0; turn < 100; turn += 1) send('broke', 'a');
    for (let turn = 0; turn < 4; turn += 1) send('broke', 'b');
    expect(opened).toEqual([]);
    send('broke', 'b');
    expect(opened).toHaveLength(1);
  });

  it('forgets those that broke before an answer', () => {
    for (let turn = 0; turn < 30; turn += 1) {
      send('broke', `${turn % 2}`);
      if (turn % 9 === 8) send('answered');
    }
    expect(opened).toEqual([]);
  });

  it('lets one request through after two seconds, and all when that is answered', () => {
    open();
    nowMs += 2_000;
    expect(refusal()).toBeUndefined();
    const probe = breaker.enter('a');
    expect(refusal()).toMatchObject(DOWN);
    probe('answered');
    expect(breaker.isOpen()).toBe(false);
    for (let failed = 0; failed < 9; failed += 1) send('failed');
    expect(opened).toHaveLength(1);
  });

  it.each(['failed', 'broke', 'left'] as const)('stays shut when that request has %s', (became) => {
    open();
    nowMs += 2_000;
    send(became);
    expect(refusal()).toMatchObject(DOWN);
  });

  it('lets that request through though the clock of the machine was set back by a day', () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    open();
    vi.setSystemTime(Date.now() - 86_400_000);
    nowMs += 2_000;
    expect(refusal()).toBeUndefined();
  });
});
