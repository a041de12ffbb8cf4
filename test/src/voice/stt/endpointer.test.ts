import { describe, expect, it } from 'vitest';
import type { VoicePacket } from '../../../../src/ports/voice.ts';
import type { EndpointerEvent } from '../../../../src/voice/stt/speaker-endpointer.ts';
import { createSender, endpointerWith, type Sender, sequencesOf, takeAll } from './support.ts';

const ofKind = (events: readonly EndpointerEvent[], kind: EndpointerEvent['kind']) =>
  events.filter((event) => event.kind === kind).map(({ utterance }) => utterance);

describe('an utterance', () => {
  it('begins with voice, takes what came just before it along, and ends after the hangover', () => {
    const endpointer = endpointerWith();
    const sender = createSender();
    const events = takeAll(endpointer, [...sender.say('quiet', 20), ...sender.say('voice', 30)]);
    expect(endpointer.tick(sender.nowMs + 500)).toEqual([]);
    events.push(...endpointer.tick(sender.nowMs + 600));
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
    const endpointer = endpointerWith();
    const sender = createSender();
    const packets = [...sender.say('voice', 20), ...sender.say('quiet', 40)];
    // All of them come at once, after a hitch of the network.
    const events = takeAll(
      endpointer,
      packets.map((packet) => ({ ...packet, arrivedMs: 1_000_000 })),
    );
    const [utterance] = ofKind(events, 'ended');
    expect(utterance).toMatchObject({ voiceMs: 400, spanMs: 600 });
  });

  it('is dropped when it was a click', () => {
    const endpointer = endpointerWith();
    const sender = createSender();
    const events = takeAll(endpointer, [...sender.say('voice', 3), ...sender.say('quiet', 40)]);
    expect(events.map(({ kind }) => kind)).toEqual(['dropped']);
  });

  it('never begins without voice', () => {
    const endpointer = endpointerWith();
    const sender = createSender();
    const events = takeAll(endpointer, [
      ...sender.say('quiet', 500),
      ...sender.say('silence', 500),
    ]);
    expect(events).toEqual([]);
    expect(endpointer.bufferedPackets).toBe(5);
    expect(endpointer.nextTickMs).toBeUndefined();
  });

  it('ends although nothing comes after five frames of silence', () => {
    const endpointer = endpointerWith();
    const sender = createSender();
    takeAll(endpointer, [...sender.say('voice', 20), ...sender.say('silence', 5)]);
    // It may ask to be woken early, but not after the end.
    expect(endpointer.tick(endpointer.nextTickMs!)).toEqual([]);
    expect(endpointer.nextTickMs).toBe(1_000_000 + 19 * 20 + 600);
    expect(endpointer.tick(endpointer.nextTickMs!).map(({ kind }) => kind)).toEqual(['ended']);
    expect(endpointer.nextTickMs).toBeUndefined();
  });

  it.each([
    ['', (sender: Sender) => sender.pause(10_000)],
    [', where timestamps stand still', (sender: Sender) => (sender.nowMs += 10_000)],
    [', where it arrives with the rest', (sender: Sender) => (sender.timestampSamples += 480_000)],
  ])('does not take what came long before along%s', (_, pause) => {
    const endpointer = endpointerWith();
    const sender = createSender();
    const events = takeAll(endpointer, sender.say('silence', 5));
    pause(sender);
    events.push(...takeAll(endpointer, sender.say('voice', 20)), ...endpointer.endAll());
    expect(ofKind(events, 'ended')[0]).toMatchObject({ spanMs: 400, preRoll: [] });
  });

  it('reports its growth in steps', () => {
    const endpointer = endpointerWith({ growEveryMs: 500 });
    const events = takeAll(endpointer, createSender().say('voice', 100));
    expect(ofKind(events, 'grew').map(({ spanMs }) => spanMs)).toEqual([640, 1_140, 1_640]);
  });
});

describe('a monologue', () => {
  it('is cut in its quietest moment and goes on, with what was before for the decoder', () => {
    const endpointer = endpointerWith();
    const sender = createSender();
    const packets = [
      ...sender.say('voice', 500),
      ...sender.say('quiet', 16),
      ...sender.say('voice', 400),
    ];
    const events = takeAll(endpointer, packets);
    events.push(...endpointer.endAll());
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

  it('is cut by its whole length, pauses included', () => {
    const endpointer = endpointerWith({ longestMs: 2_000 });
    const sender = createSender();
    const events: EndpointerEvent[] = [];
    for (let word = 0; word < 10; word += 1) {
      events.push(...takeAll(endpointer, sender.say('voice', 10)));
      sender.pause(400);
    }
    const ended = ofKind(events, 'ended');
    expect(ended.length).toBeGreaterThan(1);
    for (const { spanMs } of ended) expect(spanMs).toBeLessThanOrEqual(2_000);
  });

  it('without any quiet moment is cut into equal parts, whatever was before it', () => {
    const endpointer = endpointerWith({ longestMs: 2_000 });
    const sender = createSender();
    const events: EndpointerEvent[] = [];
    for (let moment = 0; moment < 50; moment += 1) {
      events.push(...takeAll(endpointer, sender.say('quiet', 1)));
      sender.pause(100);
    }
    events.push(...takeAll(endpointer, [...sender.say('quiet', 5), ...sender.say('voice', 500)]));
    const [first, ...others] = ofKind(events, 'ended').map(({ spanMs }) => spanMs);
    expect(others).toHaveLength(4);
    expect(new Set(others)).toEqual(new Set([first]));
  });

  it('is cut where it is quietest, not where packets are shortest', () => {
    const endpointer = endpointerWith({ longestMs: 2_000 });
    const sender = createSender();
    const packets = sender.say('voice', 60);
    // 60 ms each, and larger than those of 20 ms, though not by as much.
    for (let at = 0; at < 8; at += 1) {
      const { sequence, timestampSamples, nowMs } = sender;
      const data = Uint8Array.of(0x18, 0x80, ...Array<number>(10).fill(1));
      packets.push({ speakerId: 'ann', data, sequence, timestampSamples, arrivedMs: nowMs });
      sender.lose(1);
      sender.pause(40);
    }
    packets.push(...sender.say('voice', 60));
    const [first] = ofKind(takeAll(endpointer, packets), 'ended');
    expect(first!.packets.length).toBeGreaterThan(60);
    expect(first!.packets.length).toBeLessThan(68);
  });

  it('is cut in a pause for which nothing was sent', () => {
    const endpointer = endpointerWith();
    const sender = createSender();
    const packets = sender.say('voice', 450);
    sender.pause(400);
    packets.push(...sender.say('voice', 400));
    const [first] = ofKind(takeAll(endpointer, packets), 'ended');
    expect(first!.packets).toHaveLength(450);
  });
});

describe('what is missing', () => {
  const gapsOf = (packets: readonly VoicePacket[]): number[] => {
    const endpointer = endpointerWith();
    const events = [...takeAll(endpointer, packets), ...endpointer.endAll()];
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

  it('is measured by the time of arrival where timestamps stand still', () => {
    const sender = createSender();
    const packets = [...sender.say('voice', 10), ...sender.say('silence', 5)];
    sender.nowMs += 300;
    packets.push(...sender.say('voice', 10));
    expect(gapsOf(packets)[15]).toBe(300 * 48);
  });

  it('is measured by the sequence where timestamps stand still', () => {
    const sender = createSender();
    const packets = sender.say('voice', 10);
    sender.sequence += 3;
    packets.push(...sender.say('voice', 10));
    expect(gapsOf(packets)[10]).toBe(3 * 960);
  });

  it.each([
    ['a pause', (sender: Sender) => sender.pause(3_000)],
    ['lost packets', (sender: Sender) => (sender.sequence += 2_500)],
  ])('is two seconds of %s at most', (_, leaveOut) => {
    const endpointer = endpointerWith({ hangoverMs: 5_000 });
    const sender = createSender();
    const packets = sender.say('voice', 10);
    leaveOut(sender);
    packets.push(...sender.say('voice', 10));
    const [utterance] = ofKind([...takeAll(endpointer, packets), ...endpointer.endAll()], 'ended');
    expect(utterance!.packets[10]!.gapSamples).toBe(2 * 48_000);
    expect(utterance!.spanMs).toBe(2_400);
  });

  it('is nothing where packets come in another order', () => {
    const packets = createSender().say('voice', 10);
    const [a, b, c, d, e, ...others] = packets;
    expect(gapsOf([a!, d!, b!, e!, c!, ...others])).toEqual(packets.map(() => 0));
  });

  it('is nothing where packets of speech are only late', () => {
    const sender = createSender();
    const packets = sender.say('voice', 10);
    sender.nowMs += 300;
    packets.push(...sender.say('voice', 10));
    expect(gapsOf(packets).every((gap) => gap === 0)).toBe(true);
  });
});

describe('packets', () => {
  it('of a sender who begins anew begin an utterance, one stray packet does not', () => {
    const endpointer = endpointerWith();
    const sender = createSender();
    sender.sequence = 5_000;
    sender.timestampSamples = 9_000_000;
    const events = takeAll(endpointer, sender.say('voice', 20));
    const before = { sequence: sender.sequence, timestampSamples: sender.timestampSamples };
    Object.assign(sender, { sequence: 3, timestampSamples: 960 });
    events.push(...takeAll(endpointer, sender.say('voice', 1)));
    Object.assign(sender, before);
    events.push(...takeAll(endpointer, sender.say('voice', 20)));
    expect(ofKind(events, 'ended')).toEqual([]);
    expect(endpointer.counts.late).toBe(1);

    Object.assign(sender, { sequence: 7, timestampSamples: 960 });
    events.push(...takeAll(endpointer, sender.say('voice', 1)));
    sender.lose(2);
    events.push(...takeAll(endpointer, sender.say('voice', 14)), ...endpointer.endAll());
    expect(ofKind(events, 'ended').map(({ packets }) => packets.length)).toEqual([40, 15]);
  });

  it('of a sender who begins anew far ahead begin an utterance, one stray packet does not', () => {
    const endpointer = endpointerWith();
    const sender = createSender();
    sender.timestampSamples = 9_000_000;
    const events = takeAll(endpointer, sender.say('voice', 20));
    const before = { sequence: sender.sequence, timestampSamples: sender.timestampSamples };
    Object.assign(sender, { sequence: 40_000, timestampSamples: 960 });
    events.push(...takeAll(endpointer, sender.say('voice', 1)));
    Object.assign(sender, before);
    events.push(...takeAll(endpointer, sender.say('voice', 20)));
    Object.assign(sender, { sequence: 50_000, timestampSamples: 960 });
    events.push(...takeAll(endpointer, sender.say('voice', 15)), ...endpointer.endAll());
    const ended = ofKind(events, 'ended');
    expect(ended.map(({ packets }) => packets.length)).toEqual([40, 15]);
    expect(ended.map(({ spanMs }) => spanMs)).toEqual([800, 300]);
    expect(endpointer.counts.late).toBe(1);
  });

  it('of a sender who restarts soon after the beginning are used after a pause', () => {
    const endpointer = endpointerWith();
    const sender = createSender();
    const events = takeAll(endpointer, sender.say('voice', 20));
    sender.pause(3_000);
    Object.assign(sender, { sequence: 100, timestampSamples: 0 });
    events.push(...takeAll(endpointer, sender.say('voice', 20)), ...endpointer.endAll());
    expect(ofKind(events, 'ended').map(({ packets }) => packets.length)).toEqual([20, 20]);
  });

  it('that cannot be Opus are counted and dropped', () => {
    const endpointer = endpointerWith();
    const [packet] = createSender().say('voice', 1);
    for (const data of [new Uint8Array(0), Uint8Array.of(0x7b, 0), Uint8Array.of(0x1b, 63, 1)])
      expect(endpointer.take({ ...packet!, data })).toEqual([]);
    expect(endpointer.counts).toMatchObject({ invalid: 3, taken: 0 });
    expect(endpointer.bufferedPackets).toBe(0);
  });

  it.each([
    ['two frames of one size in an odd number of bytes', [0xf9, 1, 2, 3]],
    ['a first frame that is longer than the packet', [0xfa, 200, 1]],
    ['frames that do not share its bytes', [0xfb, 3, 1, 2]],
    ['lengths of frames beyond its end', [0xfb, 0x83, 200, 1]],
    ['more padding than it has', [0xfb, 0x41, 9, 1]],
    ['a frame that is too long', [0xf8, ...Array.from({ length: 1_276 }, () => 1)]],
  ])('with %s are dropped, and their utterance is kept', (_what, bytes) => {
    const endpointer = endpointerWith();
    const packets = createSender().say('voice', 20);
    packets[9] = { ...packets[9]!, data: Uint8Array.from(bytes) };
    const events = [...takeAll(endpointer, packets), ...endpointer.endAll()];
    expect(endpointer.counts).toMatchObject({ invalid: 1, taken: 19 });
    expect(ofKind(events, 'ended')[0]!.packets).toHaveLength(19);
  });

  it('that come again, or after their utterance was finished, are dropped', () => {
    const endpointer = endpointerWith();
    const sender = createSender();
    const packets = sender.say('voice', 20);
    const events = takeAll(endpointer, [...packets.slice(0, 15), ...packets.slice(10, 15)]);
    expect(endpointer.counts.duplicate).toBe(5);
    events.push(...takeAll(endpointer, packets.slice(16)), ...endpointer.endAll());
    endpointer.take(packets[15]!);
    expect(endpointer.counts.late).toBe(1);
    expect(ofKind(events, 'ended')[0]!.packets).toHaveLength(19);
  });

  it('of one speaker too many end the utterance of the one who was silent longest', () => {
    const endpointer = endpointerWith({ mostSpeakers: 2 });
    const [ann, ben, cid] = ['ann', 'ben', 'cid'].map((id) => createSender(id));
    ben!.pause(100);
    cid!.pause(200);
    const events = [ann!, ben!, cid!].flatMap((sender) =>
      takeAll(endpointer, sender.say('voice', 20)),
    );
    expect(ofKind(events, 'ended').map(({ speakerId }) => speakerId)).toEqual(['ann']);
    expect(endpointer.bufferedPackets).toBe(40);
  });
});
