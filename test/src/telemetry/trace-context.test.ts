import { describe, expect, it } from 'vitest';
import {
  currentTrace,
  inTrace,
  parseTraceparent,
  traceIdsOf,
  traceparentOf,
} from '../../../src/telemetry/trace-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('a traceparent', () => {
  it.each([
    ['01', true],
    ['00', false],
    ['03', true],
  ])('with the flags %s is read', (flags, isSampled) => {
    const context = { traceId: TRACE, spanId: SPAN, isSampled };
    expect(parseTraceparent(`00-${TRACE}-${SPAN}-${flags}`)).toEqual(context);
    expect(parseTraceparent(traceparentOf(context))).toEqual(context);
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
    expect(parseTraceparent(header)).toBeUndefined();
  });
});

describe('the context of a trace', () => {
  it('is that of the work, and of all that it begins', async () => {
    const context = { ...traceIdsOf('a'), isSampled: true };
    const seen = inTrace(context, async () => {
      await new Promise(setImmediate);
      return currentTrace();
    });
    expect(currentTrace()).toBeUndefined();
    expect(await seen).toBe(context);
  });

  it('is the same for the same thing, and another for each other', () => {
    expect(traceIdsOf('discord', '1', '2')).toEqual(traceIdsOf('discord', '1', '2'));
    expect(traceIdsOf('discord', '1', '2')).not.toEqual(traceIdsOf('discord', '12', ''));
    const { traceId, spanId } = traceIdsOf('discord', '1', '2');
    expect([traceId, spanId]).toEqual([
      expect.stringMatching(/^[\da-f]{32}$/),
      expect.stringMatching(/^[\da-f]{16}$/),
    ]);
  });
});
