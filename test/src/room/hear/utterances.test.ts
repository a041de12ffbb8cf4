import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseToc } from '../../../../src/audio/opus.ts';
import type { VoicePacket } from '../../../../src/room/port.ts';
import {
  createCutter,
  type Cutter,
  type CutterEvent,
  type CutterOptions,
} from '../../../../src/room/hear/utterances.ts';
import { bitVoicing, CELT, createSender, sequencesOf, voiced } from './support.ts';

const cutterWith = (options: CutterOptions = {}): Cutter =>
  createCutter({ voicing: bitVoicing(), ...options });

const takeAll = (cutter: Cutter, packets: readonly VoicePacket[]): CutterEvent[] =>
  packets.flatMap((packet) => cutter.take(packet));

const ofKind = (events: readonly CutterEvent[], kind: CutterEvent['kind']) =>
  events.filter((event) => event.kind === kind).map(({ utterance }) => utterance);

describe('an utterance', () => {
  it('begins with voice, takes what came just before it along, and ends after the hangover', () => {
    const cutter = cutterWith();
    const sender = createSender();
    const events = takeAll(cutter, [...sender.say('quiet', 20), ...sender.say('voice', 30)]);
    expect(cutter.tick(sender.nowMs + 500)).toEqual([]);
    events.push(...cutter.tick(sender.nowMs + 600));
    expect(events.map(({ kind }) => kind)).toEqual(['began', 'ended']);
    const [utterance] = ofKind(events, 'ended');
    expect(sequencesOf(utterance!)).toEqual(Array.from({ length: 35 }, (_, i) => 115 + i));
    expect(utterance).toMatchObject({
      speakerId: 'ann',
      preRoll: [],
      voiceMs: 600,
      spanMs: 700,
      startMs: 1_000_000 + 380,
      endMs: 1_000_000 + 980,
      isContinued: false,
    });
  });

  it('ends by media time as well, and keeps only the first moments after its voice', () => {
    const cutter = cutterWith();
    const sender = createSender();
    const packets = [...sender.say('voice', 20), ...sender.say('quiet', 40)];
    // All of them come at once, after a hitch of the network.
    const events = takeAll(
      cutter,
      packets.map((packet) => ({ ...packet, arrivedMs: 1_000_000 })),
    );
    const [utterance] = ofKind(events, 'ended');
    expect(utterance).toMatchObject({ voiceMs: 400, spanMs: 600 });
  });

  it('is dropped when it was a click', () => {
    const cutter = cutterWith();
    const sender = createSender();
    const events = takeAll(cutter, [...sender.say('voice', 3), ...sender.say('quiet', 40)]);
    expect(events.map(({ kind }) => kind)).toEqual(['dropped']);
  });

  it('never begins without voice', () => {
    const cutter = cutterWith();
    const sender = createSender();
    const events = takeAll(cutter, [...sender.say('quiet', 500), ...sender.say('silence', 500)]);
    expect(events).toEqual([]);
    expect(cutter.heldPackets).toBe(5);
    expect(cutter.nextTickMs).toBeUndefined();
  });

  it('ends although nothing comes after five frames of silence', () => {
    const cutter = cutterWith();
    const sender = createSender();
    takeAll(cutter, [...sender.say('voice', 20), ...sender.say('silence', 5)]);
    // It may ask to be woken early, but not after the end.
    expect(cutter.tick(cutter.nextTickMs!)).toEqual([]);
    expect(cutter.nextTickMs).toBe(1_000_000 + 19 * 20 + 600);
    expect(cutter.tick(cutter.nextTickMs!).map(({ kind }) => kind)).toEqual(['ended']);
    expect(cutter.nextTickMs).toBeUndefined();
  });

  it('does not take what came long before along', () => {
    const cutter = cutterWith();
    const sender = createSender();
    const events = takeAll(cutter, sender.say('silence', 5));
    sender.pause(10_000);
    events.push(...takeAll(cutter, sender.say('voice', 20)), ...cutter.endAll());
    expect(ofKind(events, 'ended')[0]).toMatchObject({ spanMs: 400, preRoll: [] });
  });

  it('tells of its growth in steps', () => {
    const cutter = cutterWith({ growEveryMs: 500 });
    const events = takeAll(cutter, createSender().say('voice', 100));
    expect(ofKind(events, 'grew').map(({ spanMs }) => spanMs)).toEqual([700, 1_200, 1_700]);
  });
});

describe('a monologue', () => {
  it('is cut in its quietest moment and goes on, with what was before for the decoder', () => {
    const cutter = cutterWith();
    const sender = createSender();
    const packets = [
      ...sender.say('voice', 500),
      ...sender.say('quiet', 16),
      ...sender.say('voice', 400),
    ];
    const events = takeAll(cutter, packets);
    events.push(...cutter.endAll());
    expect(events.map(({ kind }) => kind)).toEqual(['began', 'ended', 'began', 'ended']);
    const [first, second] = ofKind(events, 'ended');
    expect(first!.packets.length).toBeGreaterThan(500);
    expect(first!.packets.length).toBeLessThan(516);
    expect(second!.isContinued).toBe(true);
    expect(second!.preRoll).toEqual(first!.packets.slice(-5));
    expect([...sequencesOf(first!), ...sequencesOf(second!)]).toEqual(
      packets.map(({ sequence }) => sequence),
    );
  });

  it('is cut in a pause for which nothing was sent', () => {
    const cutter = cutterWith();
    const sender = createSender();
    const packets = sender.say('voice', 450);
    sender.pause(400);
    packets.push(...sender.say('voice', 400));
    const [first] = ofKind(takeAll(cutter, packets), 'ended');
    expect(first!.packets).toHaveLength(450);
  });
});

describe('what is missing', () => {
  const gapsOf = (packets: readonly VoicePacket[]): number[] => {
    const cutter = cutterWith();
    const events = [...takeAll(cutter, packets), ...cutter.endAll()];
    return ofKind(events, 'ended')[0]!.packets.map(({ gapSamples }) => gapSamples);
  };

  it('is known of lost packets', () => {
    const sender = createSender();
    const packets = sender.say('voice', 10);
    sender.lose(3);
    packets.push(...sender.say('voice', 10));
    expect(gapsOf(packets)[10]).toBe(3 * 960);
  });

  it('is known of a pause', () => {
    const sender = createSender();
    const packets = [...sender.say('voice', 10), ...sender.say('silence', 5)];
    sender.pause(300);
    packets.push(...sender.say('voice', 10));
    expect(gapsOf(packets)[15]).toBe(300 * 48);
  });

  it('is told by the time of arrival where timestamps stand still', () => {
    const sender = createSender();
    const packets = [...sender.say('voice', 10), ...sender.say('silence', 5)];
    sender.nowMs += 300;
    packets.push(...sender.say('voice', 10));
    expect(gapsOf(packets)[15]).toBe(300 * 48);
  });

  it('is told by the sequence where timestamps stand still', () => {
    const sender = createSender();
    const packets = sender.say('voice', 10);
    sender.sequence += 3;
    packets.push(...sender.say('voice', 10));
    expect(gapsOf(packets)[10]).toBe(3 * 960);
  });

  it('is nothing where packets of speech are only late', () => {
    const sender = createSender();
    const packets = sender.say('voice', 10);
    sender.nowMs += 300;
    packets.push(...sender.say('voice', 10));
    expect(gapsOf(packets).every((gap) => gap === 0)).toBe(true);
  });
});

it('what was told of an utterance does not change when more comes', () => {
  fc.assert(
    fc.property(speakerPlan, (plan) => {
      const cutter = cutterWith({ growEveryMs: 100 });
      const told = new Map<CutterEvent, string>();
      const note = (events: readonly CutterEvent[]) => {
        for (const event of events) told.set(event, JSON.stringify(event));
      };
      for (const packet of arrivals('ann', plan)) note(cutter.take(packet));
      note(cutter.endAll());
      for (const [event, before] of told) expect(JSON.stringify(event)).toBe(before);
    }),
    { numRuns: 50 },
  );
});

describe('packets', () => {
  it('of a sender who begins anew begin an utterance, one stray packet does not', () => {
    const cutter = cutterWith();
    const sender = createSender();
    sender.sequence = 5_000;
    sender.timestampSamples = 9_000_000;
    const events = takeAll(cutter, sender.say('voice', 20));
    const before = { sequence: sender.sequence, timestampSamples: sender.timestampSamples };
    Object.assign(sender, { sequence: 3, timestampSamples: 960 });
    events.push(...takeAll(cutter, sender.say('voice', 1)));
    Object.assign(sender, before);
    events.push(...takeAll(cutter, sender.say('voice', 20)));
    expect(ofKind(events, 'ended')).toEqual([]);
    expect(cutter.counts.late).toBe(1);

    Object.assign(sender, { sequence: 7, timestampSamples: 960 });
    events.push(...takeAll(cutter, sender.say('voice', 15)), ...cutter.endAll());
    expect(ofKind(events, 'ended').map(({ packets }) => packets.length)).toEqual([40, 15]);
  });

  it('of a sender who begins anew soon after the beginning are heard after a pause', () => {
    const cutter = cutterWith();
    const sender = createSender();
    const events = takeAll(cutter, sender.say('voice', 20));
    sender.pause(3_000);
    Object.assign(sender, { sequence: 100, timestampSamples: 0 });
    events.push(...takeAll(cutter, sender.say('voice', 20)), ...cutter.endAll());
    expect(ofKind(events, 'ended').map(({ packets }) => packets.length)).toEqual([20, 20]);
  });

  it('that cannot be Opus are counted and dropped', () => {
    const cutter = cutterWith();
    const [packet] = createSender().say('voice', 1);
    for (const data of [new Uint8Array(0), Uint8Array.of(0x7b, 0), Uint8Array.of(0x1b, 63, 1)])
      expect(cutter.take({ ...packet!, data })).toEqual([]);
    expect(cutter.counts).toMatchObject({ impossible: 3, taken: 0 });
    expect(cutter.heldPackets).toBe(0);
  });

  it('that come again, or after their utterance was finished, are dropped', () => {
    const cutter = cutterWith();
    const sender = createSender();
    const packets = sender.say('voice', 20);
    const events = takeAll(cutter, [...packets.slice(0, 15), ...packets.slice(10, 15)]);
    expect(cutter.counts.duplicate).toBe(5);
    events.push(...takeAll(cutter, packets.slice(16)), ...cutter.endAll());
    cutter.take(packets[15]!);
    expect(cutter.counts.late).toBe(1);
    expect(ofKind(events, 'ended')[0]!.packets).toHaveLength(19);
  });

  it('of one more speaker than there may be end what the one silent longest said', () => {
    const cutter = cutterWith({ mostSpeakers: 2 });
    const [ann, ben, cid] = ['ann', 'ben', 'cid'].map((id) => createSender(id));
    ben!.pause(100);
    cid!.pause(200);
    const events = [ann!, ben!, cid!].flatMap((sender) => takeAll(cutter, sender.say('voice', 20)));
    expect(ofKind(events, 'ended').map(({ speakerId }) => speakerId)).toEqual(['ann']);
    expect(cutter.heldPackets).toBe(40);
  });
});

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
  const cutter = cutterWith({ longestMs: LONGEST_MS, growEveryMs: 200 });
  const packets = plans
    .flatMap((plan, index) => arrivals(`s${index}`, plan))
    .toSorted((a, b) => a.arrivedMs - b.arrivedMs);
  const events: CutterEvent[] = [];
  const unused = new Set<VoicePacket>();
  for (const packet of packets) {
    const before = cutter.counts.taken;
    if ((cutter.nextTickMs ?? Infinity) <= packet.arrivedMs)
      events.push(...cutter.tick(packet.arrivedMs));
    events.push(...cutter.take(packet));
    if (cutter.counts.taken === before) unused.add(packet);
  }
  for (let wakeMs = cutter.nextTickMs; wakeMs !== undefined; wakeMs = cutter.nextTickMs)
    events.push(...cutter.tick(wakeMs));
  return { cutter, packets, events, unused };
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
          const voicing = bitVoicing();
          const voice = packets.filter(
            (packet) =>
              packet.speakerId === speakerId &&
              !unused.has(packet) &&
              voicing.isVoice(packet, parseToc(packet.data)!),
          );
          const inUtterances = new Set(told);
          expect(voice.filter(({ sequence }) => !inUtterances.has(sequence))).toEqual([]);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('what was not taken was late, doubled or no packet', () => {
    fc.assert(
      fc.property(plans, (someone) => {
        const { cutter, packets, unused } = runPlans(someone);
        const { taken, late, duplicate, impossible } = cutter.counts;
        expect(taken + late + duplicate + impossible).toBe(packets.length);
        expect(impossible).toBe(packets.filter(({ data }) => data.length === 2).length);
        expect(unused.size).toBe(late + duplicate + impossible);
      }),
      { numRuns: 80 },
    );
  });

  it('utterances keep their bounds, and nothing is held when all is said', () => {
    fc.assert(
      fc.property(plans, (someone) => {
        const { cutter, events } = runPlans(someone);
        for (const { kind, utterance } of events) {
          expect(utterance.preRoll.length).toBeLessThanOrEqual(5);
          expect(utterance.spanMs).toBeLessThanOrEqual(LONGEST_MS + 20 + 2_000);
          expect(utterance.startMs).toBeLessThanOrEqual(utterance.endMs);
          if (kind === 'ended') expect(utterance.voiceMs).toBeGreaterThanOrEqual(200);
        }
        expect(cutter.nextTickMs).toBeUndefined();
        expect(cutter.heldPackets).toBeLessThanOrEqual(5 * someone.length);
      }),
      { numRuns: 80 },
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
      { numRuns: 80 },
    );
  });

  it('nothing is left of who is forgotten', () => {
    fc.assert(
      fc.property(speakerPlan, fc.nat(150), (plan, at) => {
        const forgotten: string[] = [];
        const cutter = cutterWith({
          voicing: { ...bitVoicing(), forget: (id) => void forgotten.push(id) },
        });
        const packets = arrivals('ann', plan);
        takeAll(cutter, packets.slice(0, at));
        cutter.forget('ann');
        expect(cutter.heldPackets).toBe(0);
        expect(cutter.endAll()).toEqual([]);
        expect(forgotten).toEqual(['ann']);
        // They begin anew as if they had never spoken.
        const again = packets.slice(at);
        const before = cutter.counts.late;
        const fresh = cutterWith();
        const withoutIds = (events: readonly CutterEvent[]) =>
          events.map(({ kind, utterance }) => [kind, sequencesOf(utterance)]);
        expect(withoutIds(takeAll(cutter, again))).toEqual(withoutIds(takeAll(fresh, again)));
        expect(cutter.counts.late - before).toBe(fresh.counts.late);
      }),
      { numRuns: 80 },
    );
  });
});
