import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseToc } from '../../../../src/audio/opus/packet.ts';
import type { VoicePacket } from '../../../../src/ports/voice.ts';
import type { EndpointerEvent } from '../../../../src/voice/stt/speaker-endpointer.ts';
import {
  bitVad,
  CELT,
  createSender,
  endpointerWith,
  sequencesOf,
  takeAll,
  voiced,
} from './support.ts';
import { casesOf } from '../../../fakes/cases.ts';

/** One packet that is sent, and what becomes of it on its way. */
const sent = fc.record({
  kind: fc.constantFrom('voice', 'voice', 'voice', 'quiet', 'silence', 'celt', 'broken'),
  pauseMs: fc.oneof({ weight: 12, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 2_000 })),
  isLost: fc.boolean().chain((rare) => (rare ? fc.boolean() : fc.constant(false))),
  copies: fc.constantFrom(1, 1, 1, 1, 2),
  delayMs: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 300 })),
  standsStill: fc.boolean(),
});

const speakerPlan = fc.array(sent, { maxLength: 150 });

type Plan = typeof speakerPlan extends fc.Arbitrary<infer T> ? T : never;

const dataOf = (kind: Plan[number]['kind'], sequence: number): Uint8Array => {
  if (kind === 'silence') return Uint8Array.of(0xf8, 0xff, 0xfe);
  if (kind === 'broken') return Uint8Array.of(0x7b, 0);
  const data = voiced(sequence);
  if (kind === 'celt') data[0] = CELT;
  if (kind === 'quiet') data[1] = 0;
  return data;
};

/** The packets of a plan in the order of their arrival. */
const arrivals = (speakerId: string, plan: Plan): VoicePacket[] => {
  const sender = createSender(speakerId);
  const packets: VoicePacket[] = [];
  for (const step of plan) {
    if (step.standsStill) sender.nowMs += step.pauseMs;
    else sender.pause(step.pauseMs);
    const { sequence, timestampSamples, nowMs } = sender;
    const data = dataOf(step.kind, sequence);
    for (let copy = 0; copy < step.copies && !step.isLost; copy += 1)
      packets.push({
        speakerId,
        data,
        sequence,
        timestampSamples,
        arrivedMs: nowMs + step.delayMs + copy * 50,
      });
    sender.lose(1);
  }
  return packets.toSorted((a, b) => a.arrivedMs - b.arrivedMs);
};

const LONGEST_MS = 1_500;

const runPlans = (plans: readonly Plan[]) => {
  const endpointer = endpointerWith({ longestMs: LONGEST_MS, growEveryMs: 200 });
  const packets = plans
    .flatMap((plan, index) => arrivals(`s${index}`, plan))
    .toSorted((a, b) => a.arrivedMs - b.arrivedMs);
  const events: EndpointerEvent[] = [];
  const unused = new Set<VoicePacket>();
  for (const packet of packets) {
    const before = endpointer.counts.taken;
    if ((endpointer.nextTickMs ?? Infinity) <= packet.arrivedMs)
      events.push(...endpointer.tick(packet.arrivedMs));
    events.push(...endpointer.take(packet));
    if (endpointer.counts.taken === before) unused.add(packet);
  }
  for (let wakeMs = endpointer.nextTickMs; wakeMs !== undefined; wakeMs = endpointer.nextTickMs)
    events.push(...endpointer.tick(wakeMs));
  return { endpointer, packets, events, unused };
};

describe('whatever is lost, doubled, reordered and said at the same time', () => {
  const plans = fc.array(speakerPlan, { minLength: 1, maxLength: 4 });

  it('every voiced packet that is taken is in exactly one utterance, in order', () => {
    fc.assert(
      fc.property(plans, (someone) => {
        const { packets, events, unused } = runPlans(someone);
        const over = events.filter(({ kind }) => kind === 'ended' || kind === 'dropped');
        for (const index of someone.keys()) {
          const speakerId = `s${index}`;
          const told = over
            .filter(({ utterance }) => utterance.speakerId === speakerId)
            .flatMap(({ utterance }) => sequencesOf(utterance));
          expect(told).toEqual([...new Set(told)].toSorted((a, b) => a - b));
          const vad = bitVad();
          const voice = packets.filter(
            (packet) =>
              packet.speakerId === speakerId &&
              !unused.has(packet) &&
              vad.isVoice(packet, parseToc(packet.data)!),
          );
          const inUtterances = new Set(told);
          expect(voice.filter(({ sequence }) => !inUtterances.has(sequence))).toEqual([]);
        }
      }),
    );
  });

  it('what was not taken was late, doubled or no packet', () => {
    fc.assert(
      fc.property(plans, (someone) => {
        const { endpointer, packets, unused } = runPlans(someone);
        const { taken, late, duplicate, invalid } = endpointer.counts;
        expect(taken + late + duplicate + invalid).toBe(packets.length);
        expect(invalid).toBe(packets.filter(({ data }) => data.length === 2).length);
        expect(unused.size).toBe(late + duplicate + invalid);
      }),
      { numRuns: casesOf(80) },
    );
  });

  it('utterances keep their bounds, and nothing is held when all is said', () => {
    fc.assert(
      fc.property(plans, (someone) => {
        const { endpointer, events } = runPlans(someone);
        for (const { kind, utterance } of events) {
          expect(utterance.preRoll.length).toBeLessThanOrEqual(5);
          expect(utterance.spanMs).toBeLessThanOrEqual(LONGEST_MS + 20 + 2_000);
          expect(utterance.startMs).toBeLessThanOrEqual(utterance.endMs);
          if (kind === 'ended') expect(utterance.voiceMs).toBeGreaterThanOrEqual(140);
        }
        expect(endpointer.nextTickMs).toBeUndefined();
        expect(endpointer.bufferedPackets).toBeLessThanOrEqual(5 * someone.length);
      }),
      { numRuns: casesOf(80) },
    );
  });

  it('each utterance begins once and ends once, with a number of its own', () => {
    fc.assert(
      fc.property(plans, (someone) => {
        const seen = new Map<number, string>();
        for (const { kind, utterance } of runPlans(someone).events) {
          const before = seen.get(utterance.id);
          const follows = {
            began: [undefined],
            grew: ['began', 'grew'],
            ended: ['began', 'grew'],
            dropped: [undefined, 'began', 'grew'],
          };
          expect(follows[kind]).toContain(before);
          seen.set(utterance.id, kind);
        }
        expect([...seen.values()].filter((kind) => kind === 'began' || kind === 'grew')).toEqual(
          [],
        );
      }),
      { numRuns: casesOf(80) },
    );
  });

  it('nothing is left of who is forgotten', () => {
    fc.assert(
      fc.property(speakerPlan, fc.nat(150), (plan, at) => {
        const forgotten: string[] = [];
        const endpointer = endpointerWith({
          vad: { ...bitVad(), forget: (id) => void forgotten.push(id) },
        });
        const packets = arrivals('ann', plan);
        takeAll(endpointer, packets.slice(0, at));
        endpointer.forget('ann');
        expect(endpointer.bufferedPackets).toBe(0);
        expect(endpointer.endAll()).toEqual([]);
        expect(forgotten).toEqual(['ann']);
        // They begin anew as if they had never spoken.
        const again = packets.slice(at);
        const before = endpointer.counts.late;
        const fresh = endpointerWith();
        const withoutIds = (events: readonly EndpointerEvent[]) =>
          events.map(({ kind, utterance }) => [kind, sequencesOf(utterance)]);
        expect(withoutIds(takeAll(endpointer, again))).toEqual(withoutIds(takeAll(fresh, again)));
        expect(endpointer.counts.late - before).toBe(fresh.counts.late);
      }),
      { numRuns: casesOf(80) },
    );
  });

  it('what was reported of an utterance does not change when more comes', () => {
    fc.assert(
      fc.property(speakerPlan, (plan) => {
        const endpointer = endpointerWith({ growEveryMs: 100 });
        const told = new Map<EndpointerEvent, string>();
        const note = (events: readonly EndpointerEvent[]) => {
          for (const event of events) told.set(event, JSON.stringify(event));
        };
        for (const packet of arrivals('ann', plan)) note(endpointer.take(packet));
        note(endpointer.endAll());
        for (const [event, before] of told) expect(JSON.stringify(event)).toBe(before);
      }),
      { numRuns: casesOf(50) },
    );
  });
});
