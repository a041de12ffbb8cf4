import { beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { currentTrace, inTrace } from '../../../src/telemetry/trace-context.ts';
import {
  createTracing,
  NO_TRACING,
  traced,
  type SpanRecord,
  type Tracing,
} from '../../../src/telemetry/tracing.ts';

let spans: SpanRecord[];
let tracing: Tracing;
let nowMs: number;
const open = (share: number): Tracing =>
  createTracing({
    share,
    record: (span) => void spans.push(span),
    now: () => nowMs,
    close: async () => undefined,
  });
beforeEach(() => {
  spans = [];
  nowMs = 1_000;
  tracing = open(1);
});

describe('a span', () => {
  it('is part of the current one', async () => {
    const root = tracing.contextOf('a');
    await traced(tracing, { name: 'outer', parent: root }, async () => {
      nowMs += 5;
      await traced(tracing, { name: 'inner', attributes: { tries: 2 } }, async () => 'done');
    });
    const [inner, outer] = spans;
    expect(outer).toMatchObject({ name: 'outer', parentId: root.spanId, startMs: 1_000 });
    expect(inner).toMatchObject({
      name: 'inner',
      parentId: outer?.context.spanId,
      startMs: 1_005,
      attributes: { tries: 2 },
      error: undefined,
    });
    expect(inner?.context.traceId).toBe(root.traceId);
  });

  it('tells the code of what ended it, and nothing more', async () => {
    const start = { name: 'a', parent: tracing.contextOf('a') };
    const failing = (thrown: unknown) =>
      traced(tracing, start, async () => Promise.reject(thrown)).catch(() => undefined);
    await failing(new AppError('timeout', 'somebody’s words'));
    await failing(new Error('somebody’s words'));
    const fault = new AppError('forbidden', 'x');
    await traced(
      tracing,
      start,
      async () => fault,
      (result) => result,
    );
    expect(spans.map(({ error }) => error)).toEqual(['timeout', 'internal', 'forbidden']);
    expect(JSON.stringify(spans)).not.toContain('words');
  });

  it('is kept once, and only when it has ended', () => {
    const span = tracing.start({ name: 'a', parent: tracing.contextOf('a') });
    expect(spans).toEqual([]);
    span.end();
    span.end();
    expect(spans).toHaveLength(1);
  });

  it('of a root has the ids that every process derives', () => {
    const root = tracing.contextOf('a');
    tracing.start({ name: 'a', parent: root }).end({ isRoot: true });
    expect(spans).toMatchObject([{ context: root, parentId: undefined }]);
  });

  it('is none outside of a trace', () => {
    const span = tracing.start({ name: 'a' });
    span.end();
    expect(span.context).toBeUndefined();
    expect(spans).toEqual([]);
  });
});

describe('a share of the traces', () => {
  it('is kept: the same ones in every process', () => {
    const [one, other] = [open(0.3), open(0.3)];
    const kept = Array.from({ length: 2_000 }, (_, id) => one.contextOf(String(id)).isSampled);
    expect(kept).toEqual(kept.map((_, id) => other.contextOf(String(id)).isSampled));
    const share = kept.filter(Boolean).length / kept.length;
    expect(share).toBeGreaterThan(0.25);
    expect(share).toBeLessThan(0.35);
  });

  it.each([
    [0, false],
    [1, true],
  ])('of %d keeps %s', (share, isKept) => {
    expect(open(share).contextOf('x').isSampled).toBe(isKept);
  });
});

describe('tracing that is off', () => {
  it('has contexts for the log, and no spans', async () => {
    const context = NO_TRACING.contextOf('a');
    expect(context).toEqual({ ...tracing.contextOf('a'), isSampled: false });
    const seen = await traced(NO_TRACING, { name: 'a', parent: context }, async () =>
      currentTrace(),
    );
    expect(seen).toBe(context);
    expect(inTrace(context, () => NO_TRACING.start({ name: 'b' }).context)).toBe(context);
  });
});
