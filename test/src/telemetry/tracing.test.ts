import { context, ROOT_CONTEXT, trace, type Context } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import {
  currentTraceId,
  NO_TRACING,
  parseTraceparent,
  rootContextOf,
  traceparentOf,
} from '../../../src/telemetry/tracing.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

const idsOf = (its: Context) => trace.getSpanContext(its);
const isSampled = (its: Context): boolean => idsOf(its)?.traceFlags === 1;

describe('a traceparent', () => {
  it.each([
    ['01', '01'],
    ['00', '00'],
    ['03', '01'],
  ])('with the flags %s is read', (flags, sent) => {
    const parent = parseTraceparent(`00-${TRACE}-${SPAN}-${flags}`);
    expect(idsOf(parent)).toMatchObject({ traceId: TRACE, spanId: SPAN });
    expect(traceparentOf(trace.getSpan(parent)!)).toBe(`00-${TRACE}-${SPAN}-${sent}`);
  });

  it.each([
    undefined,
    '',
    TRACE,
    `00-${TRACE}-${SPAN}`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE}-${SPAN}-01\n{"msg":"forged"}`,
  ])('is not %j', (header) => {
    expect(parseTraceparent(header)).toBe(ROOT_CONTEXT);
  });

  it('is none outside of a trace', () => {
    expect(traceparentOf(NO_TRACING.tracer.startSpan('a'))).toBeUndefined();
  });
});

describe('the root of a trace', () => {
  it('is that of the work, and of all that it begins', async () => {
    const root = rootContextOf(1, 'a');
    const seen = context.with(root, async () => {
      await new Promise(setImmediate);
      return currentTraceId();
    });
    expect(currentTraceId()).toBeUndefined();
    expect(await seen).toBe(idsOf(root)?.traceId);
  });

  it('is none within a span that is not sent and belongs to no trace', () => {
    const { tracer } = NO_TRACING;
    const seen = context.with(trace.setSpan(ROOT_CONTEXT, tracer.startSpan('a')), currentTraceId);
    expect(seen).toBeUndefined();
  });

  it('is the same for the same thing, and another for each other', () => {
    const root = idsOf(rootContextOf(1, 'discord', '1', '2'));
    expect(root).toEqual(idsOf(rootContextOf(1, 'discord', '1', '2')));
    expect(root).not.toEqual(idsOf(rootContextOf(1, 'discord', '12', '')));
    expect(root?.traceId).toMatch(/^[\da-f]{32}$/);
    expect(root?.spanId).toMatch(/^[\da-f]{16}$/);
  });

  it('is sampled by its share, the same ones in every process', () => {
    const sampled = (): boolean[] =>
      Array.from({ length: 2_000 }, (_, id) => isSampled(rootContextOf(0.3, String(id))));
    expect(sampled()).toEqual(sampled());
    const share = sampled().filter(Boolean).length / 2_000;
    expect(share).toBeGreaterThan(0.25);
    expect(share).toBeLessThan(0.35);
    expect([0, 1].map((each) => isSampled(rootContextOf(each, 'x')))).toEqual([false, true]);
  });
});

describe('tracing that is off', () => {
  it('has contexts for the log, and no spans', () => {
    const root = NO_TRACING.rootOf('a');
    expect(idsOf(root)).toEqual({ ...idsOf(rootContextOf(1, 'a')), traceFlags: 0 });
    const span = context.with(root, () => NO_TRACING.tracer.startSpan('b'));
    expect(span.isRecording()).toBe(false);
    expect(span.spanContext()).toEqual(idsOf(root));
  });
});
