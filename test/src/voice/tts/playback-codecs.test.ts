import { afterEach, expect, it, vi } from 'vitest';
import { speechPackets } from '../../../../src/voice/tts/speech-packets.ts';
import { toS16le } from '../../../../src/audio/pcm.ts';
import type { SynthesisRequest } from '../../../../src/speech/speech.ts';
import { casesOf } from '../../../fakes/cases.ts';
import { encoderLibrary } from '../../../fakes/opus.ts';
import { VOICE } from '../../../fakes/speech.ts';
import { never, sourceOf, tone } from '../../audio/support.ts';
import { createStage, itemOf } from './playback-harness.ts';

afterEach(() => void vi.restoreAllMocks());

const ROOMS = 16;
const JOINS = casesOf(200, 96);
const RATES = [24_000, 48_000, 16_000, 22_050];

/** PCM of a pitch and rate of its own for each text, which is a number. */
const speechOf = (text: string) => {
  const sampleRateHz = RATES[Number(text) % RATES.length]!;
  const pcm = toS16le(tone(sampleRateHz, 0.5, 200 + 10 * Number(text)));
  return { format: 'pcm' as const, sampleRateHz, chunks: sourceOf(pcm, 3_000).open() };
};

const speak = async ({ text }: SynthesisRequest) => ({
  ...speechOf(text as string),
  voice: VOICE,
  mediaType: 'audio/pcm',
});

/** A room that is joined, speaks, and is left after so many packets. */
const createRoom = (packetsToPlay = Infinity) => {
  const packets: Uint8Array[] = [];
  const over = Promise.withResolvers<void>();
  const stage = createStage(() => ({}), {
    speaker: { speak },
    play: async (stream) => {
      for await (const packet of stream) {
        packets.push(packet);
        if (packets.length >= packetsToPlay) break;
        // All rooms in turn.
        await new Promise(setImmediate);
      }
      over.resolve();
    },
  });
  return { packets, stage, ended: over.promise };
};

it('sixteen rooms speak at once, each as if it were alone', async () => {
  const rooms = Array.from({ length: ROOMS }, (_, number) => {
    const room = createRoom();
    room.stage.playback.add(itemOf(`${number}`, { kind: 'say' }));
    return room;
  });
  await Promise.all(rooms.map(({ ended }) => ended));
  for (const [number, { packets, stage }] of rooms.entries()) {
    expect(stage.failed).toEqual([]);
    expect(packets).toEqual(await Array.fromAsync(speechPackets(speechOf(`${number}`), never)));
    await stage.playback[Symbol.asyncDispose]();
  }
});

it('joins of sixteen rooms at once fail nowhere and leave nothing in memory', async () => {
  const made = vi.spyOn(encoderLibrary().prototype, 'setBitrate');
  const freed = vi.spyOn(encoderLibrary().prototype, 'delete');
  let joins = 0;
  const join = async (slot: number): Promise<void> => {
    while (joins < JOINS) {
      joins += 1;
      // Every other room is left in the middle, every third one is lowered.
      const room = createRoom(joins % 2 === 0 ? Infinity : 5);
      if (joins % 3 === 0) room.stage.playback.duck(true);
      room.stage.playback.add(itemOf(`${slot}`, { kind: 'say' }));
      await room.ended;
      await room.stage.playback[Symbol.asyncDispose]();
      expect(room.stage.failed).toEqual([]);
      expect(room.packets.length).toBeGreaterThanOrEqual(5);
    }
  };
  await Promise.all(Array.from({ length: ROOMS }, (_, slot) => join(slot)));
  await vi.waitFor(() => expect(freed.mock.calls.length).toBe(made.mock.calls.length));
  expect(made.mock.calls.length).toBeGreaterThanOrEqual(JOINS);
  // The module is never fuller than with sixteen encoders, of 104 KB each behind 0.2 MB of its own.
  const ends = made.mock.contexts.map((encoder) => {
    const { inPCM } = encoder as { readonly inPCM: Uint16Array };
    return inPCM.byteOffset + inPCM.byteLength;
  });
  expect(Math.max(...ends)).toBeLessThan(200_000 + ROOMS * 110_000);
});
