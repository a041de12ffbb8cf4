import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  createFrameEncoder,
  type FrameEncoder,
  createPacketEncoder,
  encoderLimit,
  tryCreatePacketEncoder,
} from '../../../../src/audio/opus/encoder.ts';
import { casesOf } from '../../../fakes/cases.ts';
import { encoderLibrary } from '../../../fakes/opus.ts';

const RATES = [24_000, 48_000];
const ENCODERS = 16;
const PACKETS = 20;

/** The frame at `index` of a chord that is the speaker's own. */
const frameOf = (speaker: number, index: number, rateHz: number): Float32Array =>
  Float32Array.from({ length: rateHz / 50 }, (_, at) => {
    const phase = (2 * Math.PI * (index * (rateHz / 50) + at)) / rateHz;
    return 0.3 * Math.sin(phase * (200 + 30 * speaker)) + 0.1 * Math.sin(phase * 3_000);
  });

/** Numbers from 0 to 1, always the same. */
const createRandom = (): (() => number) => {
  let state = 7;
  return () => {
    state = (state * 16_807) % 2_147_483_647;
    return state / 2_147_483_647;
  };
};

describe('encoders', () => {
  it('that come and go in any order make what each makes alone', () => {
    const alone = RATES.map((rateHz) =>
      Array.from({ length: ENCODERS }, (_, speaker) => {
        const encoder = createFrameEncoder(rateHz);
        const packets = Array.from({ length: PACKETS }, (_each, index) =>
          encoder.encode(frameOf(speaker, index, rateHz)),
        );
        encoder.free();
        return packets;
      }),
    );
    const random = createRandom();
    const slots: ({ encoder: FrameEncoder; rate: number; at: number } | undefined)[] = [];
    for (let step = 0; step < casesOf(3_000); step += 1) {
      const speaker = Math.floor(random() * ENCODERS);
      const slot = slots[speaker];
      if (!slot) {
        const rate = Math.floor(random() * RATES.length);
        slots[speaker] = { encoder: createFrameEncoder(RATES[rate]!), rate, at: 0 };
      } else if (slot.at === PACKETS || random() < 0.05) {
        slot.encoder.free();
        slots[speaker] = undefined;
      } else {
        const packet = slot.encoder.encode(frameOf(speaker, slot.at, RATES[slot.rate]!));
        expect(packet).toEqual(alone[slot.rate]![speaker]![slot.at]);
        slot.at += 1;
      }
    }
    for (const slot of slots) slot?.encoder.free();
  });

  it('wait for a place where sixteen are alive, or are not made', async () => {
    const all = await Promise.all(
      Array.from({ length: ENCODERS }, () => createPacketEncoder(24_000)),
    );
    expect(tryCreatePacketEncoder(24_000)).toBeUndefined();
    const next = createPacketEncoder(24_000);
    all[0]!.free();
    all[0]!.free();
    (await next).free();
    for (const encoder of all) encoder.free();
    expect(encoderLimit.tryAcquire()?.[Symbol.dispose]()).toBeUndefined();
  });
});

describe('a codec that fails', () => {
  afterEach(() => void vi.restoreAllMocks());

  const fail = (method: 'encode' | 'delete' | 'setBitrate') => {
    const library = encoderLibrary();
    vi.spyOn(library.prototype, method).mockImplementation(() => {
      throw new Error('unreachable');
    });
    return library;
  };
  const works = (): void => {
    const encoder = createFrameEncoder(24_000);
    expect(encoder.encode(frameOf(1, 0, 24_000)).length).toBeGreaterThan(3);
    encoder.free();
  };

  it('is an AppError, and the next encoder has a fresh module', () => {
    const encoder = createFrameEncoder(24_000);
    const failed = fail('encode');
    expect(() => encoder.encode(frameOf(1, 0, 24_000))).toThrow(
      expect.objectContaining({ name: 'AppError', code: 'internal' }),
    );
    encoder.free();
    expect(encoderLibrary()).not.toBe(failed);
    works();
  });

  it('takes nothing along when it is freed', () => {
    const encoder = createFrameEncoder(24_000);
    fail('delete');
    encoder.free();
    works();
  });

  it('gives its place back where it cannot be started', async () => {
    works();
    fail('setBitrate');
    await expect(createPacketEncoder(24_000)).rejects.toMatchObject({ code: 'internal' });
    const places = await Promise.all(
      Array.from({ length: ENCODERS }, () => encoderLimit.acquire()),
    );
    for (const place of places) place[Symbol.dispose]();
    works();
  });
});
