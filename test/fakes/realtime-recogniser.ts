import { ASKER } from './asker.ts';
import { createAvailability } from '../../src/api/realtime/availability.ts';
import { createRecognitionSessions } from '../../src/api/realtime/recognition-session.ts';
import type { Clock } from '../../src/async/clock.ts';
import { createSemaphore } from '../../src/async/locks.ts';
import type { PacketDecoder } from '../../src/audio/opus/streams-decoder.ts';
import { silentLog } from './silent-log.ts';
import { createBatchRecogniser } from '../../src/voice/stt/batch-recogniser.ts';
import { createRealtimeRecogniser } from '../../src/voice/stt/realtime-recogniser.ts';
import { levelOf, type RecognitionHabits } from './realtime-recognition.ts';
import { createWire, type WireFault } from './realtime-wire.ts';
import { wordClient, wordIn } from './recogniser.ts';

/** Waits up to this pass at once, and longer ones never. */
const SHORT_MS = 200;

const impatientClock: Clock = {
  nowMs: () => 0,
  after: (delayMs, run) => {
    if (delayMs > SHORT_MS) return () => undefined;
    const timer = setImmediate(run);
    return () => clearImmediate(timer);
  },
};

/** Decodes the packets of words to the sounds of words. */
export const createWordDecoder = (): PacketDecoder & { readonly isFree: () => boolean } => {
  let isFree = false;
  return {
    decode: (data) => {
      if (isFree) throw new Error('decoded with a decoder that was given back');
      return new Float32Array(320).fill(levelOf(wordIn(data) ?? '') / 32_768);
    },
    free: () => {
      if (isFree) throw new Error('given back twice');
      isFree = true;
    },
    isFree: () => isFree,
  };
};

export interface TestRealtimeOptions {
  readonly clock?: Clock;
  readonly faults?: WireFault[];
  readonly habits?: RecognitionHabits;
  readonly sessions?: number;
  /** Whether the service recognises speech as it comes. Default: nothing is known of that, the path is configured. */
  readonly isFollowed?: boolean;
  /** Why the key of the space cannot be used. */
  readonly keyFault?: Error;
  readonly log?: Parameters<typeof createAvailability>[1]['log'];
}

/** A realtime recogniser over the fake service, without a network. */
export const createTestRealtime = ({
  clock = impatientClock,
  faults = [],
  habits = {},
  sessions = 16,
  isFollowed,
  keyFault,
  log = silentLog,
}: TestRealtimeOptions = {}) => {
  const wire = createWire(clock, faults, habits);
  const availability = createAvailability('recognition', { clock, log });
  const decoders: ReturnType<typeof createWordDecoder>[] = [];
  const transcribed: number[] = [];
  const recogniser = createRealtimeRecogniser({
    space: ASKER.space,
    recognition: {
      of: async () => {
        if (keyFault) throw keyFault;
        const { openSocket } = wire;
        const openSession = createRecognitionSessions({ openSocket, clock, random: () => 1 });
        const isOn = isFollowed ?? true;
        return { openSession, availability, isOn, isFollowed: isFollowed ?? false };
      },
      sessions: createSemaphore(sessions),
    },
    batch: createBatchRecogniser(
      {
        transcribe: async (...call) => {
          transcribed.push(call[0].sizeBytes ?? 0);
          return wordClient.transcribe(...call);
        },
      },
      { ...ASKER, clock },
    ),
    clock,
    createDecoder: async () => {
      const decoder = createWordDecoder();
      decoders.push(decoder);
      return decoder;
    },
  });
  return {
    recogniser,
    wire,
    availability,
    /** Requests so far. */
    requests: () => transcribed.length,
    /** Decoders that were not given back. */
    decoders: () => decoders.filter((decoder) => !decoder.isFree()).length,
  };
};
