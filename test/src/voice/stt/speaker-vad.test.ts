import { describe, expect, it } from 'vitest';
import { parseToc } from '../../../../src/audio/opus/packet.ts';
import {
  packetVad,
  createSpeakerVad,
  type SpeakerVad,
  LevelVad,
} from '../../../../src/voice/stt/speaker-vad.ts';
import { decodeAll, fixture, sourceOf } from '../../audio/support.ts';
import { encodePackets } from '../../../fakes/opus.ts';
import { CELT, unvoiced, voiced } from './support.ts';

const FRAME = 320;
const FRAME_SAMPLES = 960;

/** Judges packets of frames of 20 ms, each as loud as its byte. */
const judging = () => {
  const judge = new LevelVad({
    decode: (data: Uint8Array) =>
      Float32Array.from(
        { length: data.length * FRAME },
        (_, at) => data[Math.floor(at / FRAME)]! / 256,
      ),
    free: () => undefined,
  });
  return (...levels: number[]): boolean =>
    judge.isVoice(Uint8Array.from(levels), levels.length * FRAME_SAMPLES);
};

describe('loudness', () => {
  it('decides nothing in the first second: all of it counts as voice', () => {
    const judge = judging();
    for (let packet = 0; packet < 50; packet += 1) expect(judge(1)).toBe(true);
    expect(judge(1)).toBe(false);
  });

  it('makes a packet voice of which any part is loud', () => {
    const judge = judging();
    for (let packet = 0; packet < 20; packet += 1) judge(1, 1, 1);
    expect(judge(1, 100, 1)).toBe(true);
    expect(judge(1, 1, 1)).toBe(false);
    expect(judge(1, 1, 100)).toBe(true);
  });
});

const RESTRICTED_LOW_DELAY = 2051;
const VOIP = 2048;
const WIDEBAND = 1103;

const speech = await decodeAll(sourceOf(fixture('speech.opus')), 48_000);

const noise = (seconds: number, level: number): Float32Array => {
  let state = 1;
  return Float32Array.from({ length: seconds * 48_000 }, () => {
    state = (state * 16_807) % 2_147_483_647;
    return level * (state / 1_073_741_824 - 1);
  });
};

const marksOf = (packets: readonly Uint8Array[]) =>
  packets.map((packet) => packetVad(packet, parseToc(packet)!));

const share = (values: readonly boolean[]): number => values.filter(Boolean).length / values.length;

describe('a packet', () => {
  it.each([960, 1_920, 2_880])(
    'of SILK with %i samples distinguishes speech from silence by itself',
    async (frameSize) => {
      const options = { application: VOIP, bitrate: 20_000, maxBandwidth: WIDEBAND, frameSize };
      const spoken = marksOf(encodePackets(speech, options));
      const silent = marksOf(encodePackets(new Float32Array(96_000), options));
      expect(spoken).not.toContain('unknown');
      expect(share(spoken.map((mark) => mark === 'voice'))).toBeGreaterThan(0.6);
      expect(silent.slice(5)).not.toContain('voice');
    },
  );

  it('with three SILK frames is voice when any of them is', () => {
    const toc = 0x18;
    for (const [bits, mark] of [
      [0x80, 'voice'],
      [0x40, 'voice'],
      [0x20, 'voice'],
      [0x10, 'no-voice'],
    ] as const) {
      const packet = Uint8Array.of(toc, bits, 1, 2);
      expect(packetVad(packet, parseToc(packet)!)).toBe(mark);
    }
  });

  it.each([
    ['five frames of silence end talk', Uint8Array.of(0xf8, 0xff, 0xfe), 'empty'],
    ['the same in stereo', Uint8Array.of(0xfc, 0xff, 0xfe), 'empty'],
    ['nothing was to be sent', Uint8Array.of(0x78), 'empty'],
    ['CELT of some size', Uint8Array.of(CELT, 1, 2, 3), 'unknown'],
    ['short CELT', Uint8Array.of(0xe0, 1, 2), 'unknown'],
    ['hybrid without the bit', unvoiced(1), 'no-voice'],
    ['hybrid with the bit', voiced(1), 'voice'],
  ] as const)('%s', (_, packet, mark) => {
    expect(packetVad(packet, parseToc(packet)!)).toBe(mark);
  });
});

describe('CELT packets', () => {
  const settle = () => new Promise(setImmediate);

  const judgeAll = async (
    vad: SpeakerVad,
    packets: readonly Uint8Array[],
    { speakerId = 'ann', startMs = 0 } = {},
  ): Promise<boolean[]> => {
    const judged: boolean[] = [];
    for (const [index, data] of packets.entries()) {
      const at = {
        sequence: index,
        timestampSamples: index * 960,
        arrivedMs: startMs + index * 20,
      };
      judged.push(vad.isVoice({ speakerId, data, ...at }, parseToc(data)!));
      // The decoder comes with a later turn.
      if (index % 25 === 0) for (let turn = 0; turn < 4; turn += 1) await settle();
    }
    return judged;
  };

  it('of an open microphone are voice only where somebody speaks', async () => {
    const sound = noise(11, 0.004).map((sample, at) => sample + (speech[at - 5 * 48_000] ?? 0));
    const packets = encodePackets(sound, { application: RESTRICTED_LOW_DELAY });
    const vad = createSpeakerVad();
    const judged = await judgeAll(vad, packets);
    const at = (fromS: number, toS: number) => share(judged.slice(fromS * 50, toS * 50));
    // The first second of listening tells what the room's noise is.
    expect(at(0, 2.9)).toBe(1);
    expect(at(4, 5)).toBeLessThan(0.1);
    expect(at(5.3, 8.3)).toBeGreaterThan(0.6);
    expect(at(9, 11)).toBeLessThan(0.1);
    expect(vad.decoders).toBe(1);
    vad.forget('ann');
    expect(vad.decoders).toBe(0);
  });

  it('and others of a noisy open microphone are judged twice: by their bit and by their loudness', async () => {
    const { alive, createDecoder } = fakeDecoders();
    const vad = createSpeakerVad(createDecoder);
    const noisy = Array.from({ length: 1_000 }, (_, at) =>
      at % 5 < 2 ? voiced(at) : unvoiced(at),
    );
    const judged = await judgeAll(vad, noisy);
    expect(share(judged.slice(0, 500))).toBe(0.4);
    expect(share(judged.slice(600))).toBe(0);
    expect(alive.now).toBe(1);
  });

  it('and others of a noisy open microphone are judged alike', async () => {
    const { createDecoder } = fakeDecoders();
    const vad = createSpeakerVad(createDecoder);
    const noisy = Array.from({ length: 1_000 }, (_, at) =>
      at % 10 === 0 ? Uint8Array.of(CELT, 1, 2, 3) : at % 5 < 2 ? voiced(at) : unvoiced(at),
    );
    const judged = await judgeAll(vad, noisy);
    expect(share(judged.slice(600))).toBe(0);
  });

  it('among others are not decoded', async () => {
    const { alive, createDecoder } = fakeDecoders();
    const vad = createSpeakerVad(createDecoder);
    const mixed = Array.from({ length: 3_000 }, (_, at) =>
      at % 5 === 0 ? Uint8Array.of(CELT, 1, 2, 3) : voiced(at),
    );
    expect(share(await judgeAll(vad, mixed))).toBe(1);
    expect(alive.most).toBe(0);
  });

  it.each([
    ['of somebody who talks and talks', 1],
    ['of a quiet room', 0.05],
  ])('%s are not decoded where they tell', async (_, often) => {
    const { alive, createDecoder } = fakeDecoders();
    const vad = createSpeakerVad(createDecoder);
    const packets = Array.from({ length: 3_000 }, (_each, at) =>
      at % 20 < often * 20 ? voiced(at) : unvoiced(at),
    );
    expect(share(await judgeAll(vad, packets))).toBeCloseTo(often, 5);
    expect(alive.most).toBe(0);
  });

  const celt = Array.from({ length: 200 }, () => Uint8Array.of(CELT, 1, 2, 3));

  /** Decoders that hear silence. */
  const fakeDecoders = () => {
    const alive = { now: 0, most: 0 };
    return {
      alive,
      createDecoder: async () => {
        alive.now += 1;
        alive.most = Math.max(alive.most, alive.now);
        return {
          decode: () => new Float32Array(320),
          free: () => {
            alive.now -= 1;
          },
        };
      },
    };
  };

  it('are not decoded where talk has pauses', async () => {
    const { alive, createDecoder } = fakeDecoders();
    const vad = createSpeakerVad(createDecoder);
    const talk = [...celt.slice(0, 90), Uint8Array.of(0xf8, 0xff, 0xfe), ...celt.slice(0, 90)];
    expect(share(await judgeAll(vad, talk))).toBe(180 / 181);
    await judgeAll(vad, celt.slice(0, 90), { startMs: 10_000 });
    expect(alive.most).toBe(0);
  });

  it('count as voice where no decoder is left, and 16 are alive at most', async () => {
    const { alive, createDecoder } = fakeDecoders();
    const vad = createSpeakerVad(createDecoder);
    const last: boolean[] = [];
    for (let speaker = 0; speaker < 18; speaker += 1)
      last.push((await judgeAll(vad, celt, { speakerId: `s${speaker}` })).at(-1)!);
    expect(alive.most).toBe(16);
    expect(last).toEqual([...Array.from({ length: 16 }, () => false), true, true]);
    expect(vad.nextTickMs).toBeLessThanOrEqual(199 * 20 + 10_000);
    vad.tick(199 * 20 + 10_000);
    expect(alive.now).toBe(0);
    expect(vad.nextTickMs).toBeUndefined();
  });

  it('count as voice where no decoder can be made', async () => {
    const vad = createSpeakerVad(() => Promise.reject(new Error('no memory')));
    expect(share(await judgeAll(vad, celt))).toBe(1);
    expect(vad.decoders).toBe(0);
  });

  it('leave no decoder behind that comes after their speaker was forgotten', async () => {
    const { alive, createDecoder } = fakeDecoders();
    const ready = Promise.withResolvers<void>();
    const vad = createSpeakerVad(async () => {
      await ready.promise;
      return createDecoder();
    });
    await judgeAll(vad, celt);
    vad.forget('ann');
    ready.resolve();
    await settle();
    expect(alive).toEqual({ now: 0, most: 1 });
    expect(vad.decoders).toBe(0);
  });

  it('that a decoder refuses are no voice', async () => {
    const vad = createSpeakerVad(async () => ({
      decode: () => undefined,
      free: () => undefined,
    }));
    expect((await judgeAll(vad, celt)).at(-1)).toBe(false);
  });
});
