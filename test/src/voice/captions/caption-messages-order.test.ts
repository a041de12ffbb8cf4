import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import { createCaptionMessages } from '../../../../src/voice/captions/caption-messages.ts';
import type { Caption } from '../../../../src/voice/captions/caption.ts';
import { createTestClock } from '../../../fakes/clock.ts';
import { caption, createChannel, pass, quiet, RATE, translated } from './fakes.ts';

/** An utterance of 15 s and the 45 s in which it may be recognised. */
const LATEST_MS = 60_000;

const anyFault = fc.constantFrom(
  ...Array.from({ length: 8 }, () => undefined),
  new AppError('unavailable', 'away', { retryable: true }),
  new AppError('rate-limited', 'slow down', { retryable: true, retryAfterMs: 15_000 }),
);

const anyUtterance = fc.record({
  /** Since the one before. */
  pauseMs: fc.oneof(
    { weight: 8, arbitrary: fc.nat(2_000) },
    { weight: 1, arbitrary: fc.nat(50_000) },
    { weight: 1, arbitrary: fc.nat(200_000) },
  ),
  lateMs: fc.oneof(
    { weight: 3, arbitrary: fc.nat(3_000) },
    { weight: 1, arbitrary: fc.nat(LATEST_MS) },
  ),
  /** When it is shown before its end, and by how much its beginning was mistaken then. */
  partial: fc.option(
    fc.record({ share: fc.nat(100), movedMs: fc.integer({ min: -800, max: 800 }) }),
  ),
  isTakenBack: fc.nat(9).map((one) => one === 0),
  /** After its end. */
  translatedMs: fc.option(fc.nat(8_000)),
  speakerId: fc.constantFrom('a', 'b', 'c'),
});

const anyDeletion = fc.record({ atShare: fc.nat(100), which: fc.nat(6) });

describe('what stands in a channel of captions', () => {
  it('is in spoken order, each caption once and none missing, whatever comes late, fails or is deleted', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyUtterance, { minLength: 2, maxLength: 50 }),
        fc.array(anyDeletion, { maxLength: 3 }),
        fc.array(anyFault, { maxLength: 20 }),
        // There and back: shorter than what counts as hanging.
        fc.array(fc.nat(1_400), { minLength: 1, maxLength: 6 }),
        async (utterances, deletions, faults, latencies) => {
          const clock = createTestClock();
          const pending = [...faults];
          let requests = 0;
          const channel = createChannel(clock, {
            refuse: () => pending.shift(),
            latencyMs: () => latencies[requests++ % latencies.length] ?? 0,
          });
          const display = createCaptionMessages({
            clock,
            platform: channel,
            channel: channel.channel,
            editRate: RATE,
            log: quiet,
            limits: { lines: 5, chars: 300 },
          });
          const startedMs = clock.nowMs();
          let startMs = startedMs;
          const all = utterances.map(({ pauseMs, speakerId, ...more }, at) => {
            startMs += pauseMs;
            const text = `w${at + 1}w`;
            const line = caption(at + 1, { startMs, endMs: startMs + 500, text, speakerId });
            return { line, ...more };
          });
          const lastMs = startMs + LATEST_MS;
          const gone = new Set<string>();
          const events = [
            ...all.flatMap(({ line, lateMs, partial, isTakenBack, translatedMs }) => {
              const atMs = line.startMs + lateMs;
              const early: Caption = {
                ...line,
                startMs: line.startMs + (partial?.movedMs ?? 0),
                text: line.text.toUpperCase(),
                isFinal: false,
              };
              const earlyMs = line.startMs + Math.round((lateMs * (partial?.share ?? 0)) / 100);
              const whole = { ...line, translations: translated({ es: `also ${'x'.repeat(60)}` }) };
              return [
                ...(partial ? [{ atMs: earlyMs, run: () => display.show(early) }] : []),
                { atMs, run: () => (isTakenBack ? display.remove(line.id) : display.show(line)) },
                ...(translatedMs === null || isTakenBack
                  ? []
                  : [{ atMs: atMs + translatedMs, run: () => display.change(whole) }]),
              ];
            }),
            ...deletions.map(({ atShare, which }) => ({
              atMs: startedMs + Math.round(((lastMs - startedMs) * atShare) / 100),
              run: () => {
                const [id, text] = [...channel.messages].at(-1 - which) ?? [];
                if (id === undefined) return;
                channel.messages.delete(id);
                for (const word of text?.match(/w\d+w/g) ?? []) gone.add(word);
              },
            })),
          ].toSorted((a, b) => a.atMs - b.atMs);
          for (const { atMs, run } of events) {
            await clock.advance(Math.max(0, atMs - clock.nowMs()));
            run();
          }
          await pass(clock, display.settled(), 1_000);

          const shown: readonly string[] = channel.shown().join('\n').match(/w\d+w/gi) ?? [];
          const wanted = all.filter(({ isTakenBack }) => !isTakenBack).map(({ line }) => line.text);
          expect(shown).toEqual(wanted.filter((text) => shown.includes(text)));
          expect(wanted.filter((text) => !shown.includes(text) && !gone.has(text))).toEqual([]);
          expect(channel.faults).toEqual([]);
          expect(clock.waiting).toBe(0);
        },
      ),
    );
  });
});
