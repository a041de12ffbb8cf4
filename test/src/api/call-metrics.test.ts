import { beforeEach, describe, expect, it } from 'vitest';
import { openReport, type CallReport } from '../../../src/api/call-report.ts';
import { createCallMetrics } from '../../../src/api/call-metrics.ts';
import { createMetrics, type Metrics } from '../../../src/ops/metrics.ts';
import { AppError } from '../../../src/errors.ts';
import { NotSentError } from '../../../src/api/scheduler/scheduler.ts';
import { serviceError } from '../../../src/api/service-error.ts';
import { ASKER } from '../../fakes/asker.ts';

const HOUR_MS = 3_600_000;

let nowMs: number;
let registry: Metrics;
let metrics: ReturnType<typeof createCallMetrics>;
beforeEach(() => {
  nowMs = 12_345;
  registry = createMetrics();
  metrics = createCallMetrics(registry, () => nowMs);
});

const report = (part: Partial<CallReport> = {}): CallReport => ({
  ...ASKER,
  endpoint: 'translate',
  lane: 'interactive',
  waitingMs: 20,
  serviceMs: 300,
  attempts: 1,
  outcome: 'answered',
  characters: 10,
  ...part,
});

describe('the calls of the last hour', () => {
  it('are forgotten after it, to five minutes', () => {
    metrics.onCall(report());
    nowMs += HOUR_MS / 2;
    metrics.onCall(report({ endpoint: 'tts', outcome: 'timeout' }));
    expect(metrics.recent()).toMatchObject({ calls: 2, failed: 1 });
    nowMs += HOUR_MS / 2 + 300_000;
    expect(metrics.recent()).toMatchObject({ calls: 1, failed: 1 });
    nowMs += HOUR_MS;
    expect(metrics.recent()).toBeUndefined();
  });

  it('are those of about one hour, however many there were', () => {
    for (let call = 0; call < 20_000; call += 1) {
      nowMs += 1_000;
      metrics.onCall(report({ space: { platform: 'test', id: `${call}` } }));
    }
    expect(metrics.recent()?.calls).toBeLessThanOrEqual(3_600);
    expect(metrics.recent()?.calls).toBeGreaterThan(3_000);
  });

  it('tell how many failed, were not sent, and how long they waited', () => {
    for (let call = 0; call < 95; call += 1) metrics.onCall(report());
    metrics.onCall(report({ outcome: 'unavailable', waitingMs: 4_000 }));
    metrics.onCall(report({ outcome: 'timeout', waitingMs: 70_000 }));
    metrics.onCall(report({ outcome: 'bad-input' }));
    metrics.onCall(report({ outcome: 'cancelled' }));
    metrics.onCall(report({ outcome: 'rate-limited', attempts: 0, waitingMs: 0, serviceMs: 0 }));
    expect(metrics.recent()).toEqual({
      calls: 99,
      failed: 2,
      unsent: 1,
      waitedMs: 25,
    });
  });

  it('are summed up without lists, which are asked for again and again', () => {
    for (let call = 0; call < 720; call += 1)
      for (const endpoint of ['voices', 'models'] as const) metrics.onCall(report({ endpoint }));
    expect(metrics.recent()).toBeUndefined();
    metrics.onCall(report({ outcome: 'timeout' }));
    expect(metrics.recent()).toMatchObject({ calls: 1, failed: 1 });
  });

  it('have not failed where no engine has a language that was only tried', () => {
    const end = (isTrial: boolean, status: number): void => {
      const call = { endpoint: 'translate', options: { ...ASKER, isTrial } } as const;
      const open = openReport(call, metrics.onCall);
      open.sent(0);
      open.end(serviceError(status, undefined, '', { isOwn: false, hide: (text) => text }));
    };
    end(true, 404);
    expect(metrics.recent()).toMatchObject({ calls: 1, failed: 0 });
    end(false, 404);
    end(true, 500);
    expect(metrics.recent()).toMatchObject({ calls: 3, failed: 2 });
  });

  it('are summed up without refusals of keys that spaces brought', async () => {
    metrics.onCall(report());
    const end = (status: number, isOwn: boolean): void => {
      const call = { endpoint: 'translate', options: ASKER } as const;
      const open = openReport(call, metrics.onCall);
      open.sent(0);
      open.end(serviceError(status, undefined, '', { isOwn, hide: (text) => text }));
    };
    for (const status of [401, 402, 403, 429]) end(status, true);
    expect(metrics.recent()).toMatchObject({ calls: 1, failed: 0 });
    expect(await registry.text()).toMatch(/outcome="own-key-refused"\} 4\n/);
    end(401, false);
    end(500, true);
    expect(metrics.recent()).toMatchObject({ calls: 3, failed: 2 });
  });

  it('are summed up without what somebody with a fallback waits for no longer', () => {
    metrics.onCall(report());
    const end = (thrown: Error, hasFallback: boolean): void => {
      const call = { endpoint: 'asr', options: { ...ASKER, hasFallback } } as const;
      openReport(call, metrics.onCall).end(thrown);
    };
    const late = new AppError('timeout', 'late');
    const unsent = new NotSentError('rate-limited', 'too many wait', { retryAfterMs: 1_000 });
    for (const thrown of [late, unsent]) end(thrown, true);
    expect(metrics.recent()).toMatchObject({ calls: 1, failed: 0, unsent: 0 });
    for (const thrown of [late, unsent]) end(thrown, false);
    end(serviceError(503, undefined, '', { isOwn: false, hide: (text) => text }), true);
    expect(metrics.recent()).toMatchObject({ calls: 4, unsent: 3 });
  });

  it('have waited as long as the slowest of them, where few did', () => {
    metrics.onCall(report({ waitingMs: 900 }));
    metrics.onCall(report({ waitingMs: 2 }));
    expect(metrics.recent()?.waitedMs).toBe(1_000);
    metrics.onCall(report({ waitingMs: 9_999_999 }));
    expect(metrics.recent()?.waitedMs).toBe(600_000);
  });
});

describe('the metrics for Prometheus', () => {
  const lines = async () => (await registry.text()).split('\n');
  const LABELS = 'endpoint="translate",lane="interactive"';

  it('count calls, requests and what they carried', async () => {
    metrics.onCall(report({ attempts: 3, tokens: 7, audioSeconds: 1.5, outcome: 'unavailable' }));
    metrics.onCall(report());
    expect(await lines()).toEqual(
      expect.arrayContaining([
        `dragoman_service_calls_total{${LABELS},outcome="unavailable"} 1`,
        `dragoman_service_requests_total{${LABELS}} 4`,
        `dragoman_service_characters_total{${LABELS}} 20`,
        `dragoman_service_tokens_total{${LABELS}} 7`,
        `dragoman_service_audio_seconds_total{${LABELS}} 1.5`,
        `dragoman_service_waiting_seconds_bucket{le="0.025",${LABELS}} 2`,
        `dragoman_service_call_seconds_count{${LABELS}} 2`,
      ]),
    );
  });

  it('have no label of a space, and stay as many', async () => {
    metrics.onCall(report());
    const before = (await lines()).length;
    for (let call = 0; call < 100; call += 1)
      metrics.onCall(report({ space: { platform: 'test', id: `space-${call}` } }));
    expect((await lines()).length).toBe(before);
    expect(await registry.text()).not.toContain('space-');
  });
});
