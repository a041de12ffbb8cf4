import { describe, expect, it } from 'vitest';
import {
  concealmentPacket,
  parseToc,
  SILENCE_PACKET,
  voiceBit,
} from '../../../../src/audio/opus/packet.ts';

const packet = (config: number, code: number, ...data: number[]): Uint8Array =>
  Uint8Array.of((config << 3) | code, ...data);

describe('the first byte of an Opus packet', () => {
  it.each([
    [0, 'silk', 480],
    [3, 'silk', 2_880],
    [11, 'silk', 2_880],
    [12, 'hybrid', 480],
    [15, 'hybrid', 960],
    [16, 'celt', 120],
    [31, 'celt', 960],
  ] as const)('of configuration %i means %s frames of %i samples', (config, mode, samples) => {
    expect(parseToc(packet(config, 0, 1))).toMatchObject({ mode, frames: 1, samples });
    expect(parseToc(packet(config, 1, 1, 1))).toMatchObject({ frames: 2, samples: samples * 2 });
  });

  it('counts the frames of a packet with any number of them', () => {
    expect(parseToc(packet(31, 3, 6))).toMatchObject({ frames: 6, samples: 5_760 });
  });

  it('takes 20 ms of silence', () => {
    expect(parseToc(SILENCE_PACKET)?.samples).toBe(960);
  });

  it('is refused without frames and over 120 ms', () => {
    expect(parseToc(new Uint8Array(0))).toBeUndefined();
    expect(parseToc(packet(31, 3, 0))).toBeUndefined();
    expect(parseToc(packet(31, 3))).toBeUndefined();
    expect(parseToc(packet(31, 3, 7))).toBeUndefined();
    expect(parseToc(packet(3, 3, 3))).toBeUndefined();
  });
});

describe('the voice bit', () => {
  it('is the top bit of SILK data and unknown for CELT', () => {
    expect(voiceBit(packet(1, 0, 0x80))).toBe(true);
    expect(voiceBit(packet(1, 0, 0x7f))).toBe(false);
    expect(voiceBit(packet(13, 0, 0x80))).toBe(true);
    expect(voiceBit(packet(31, 0, 0x80))).toBeUndefined();
  });

  it('is false for a packet that only asks for concealment', () => {
    expect(voiceBit(concealmentPacket(packet(1, 0, 0x80, 1)))).toBe(false);
  });
});
