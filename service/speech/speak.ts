import { encode } from '../../src/audio/codec/encode.ts';
import { wavHeader } from '../../src/audio/codec/encoder.ts';
import { fromS16le, inSlices, sliceSamples, type Pcm } from '../../src/audio/pcm.ts';
import { toOneRate } from '../../src/audio/resample.ts';
import { realClock, sleep, type Clock } from '../../src/async/clock.ts';
import { createWakeUp } from '../../src/async/running.ts';
import type { AudioFormat } from '../../src/model/message.ts';
import { metered } from '../respond.ts';
import type { SpeechEngine } from '../engine.ts';
import { createRequestLimiter, type AdmittedRequest } from '../request-limiter.ts';
import { speechParts, withPause } from './pauses.ts';
import type { Spool } from './spool.ts';
import { createVoiceLevels } from './voice-levels.ts';
import { orAborted } from '../../src/async/abort.ts';

/**
 * Longest wait of a slice for the first parts of others. A slice is as long, so that even under many
 * short requests a long one goes on as fast as it is listened to.
 */
const LONGEST_WAIT_MS = 50;

/** Counts the requests whose first part is being made: other parts wait for them a little. */
export const createFirstParts = (clock: Pick<Clock, 'after'> = realClock) => {
  let count = 0;
  let none = Promise.withResolvers<void>();
  return {
    /** Counts one more until the result is disposed of. */
    begin: (): Disposable => {
      count += 1;
      let isCounted = true;
      return {
        [Symbol.dispose]: () => {
          if (!isCounted) return;
          isCounted = false;
          count -= 1;
          if (count > 0) return;
          none.resolve();
          none = Promise.withResolvers();
        },
      };
    },
    /** Resolves when there is none, or after a moment. Rejects with the signal's reason. */
    passed: async (signal: AbortSignal): Promise<void> => {
      if (count === 0) return;
      const late = Promise.withResolvers<void>();
      const cancel = clock.after(LONGEST_WAIT_MS, late.resolve);
      await orAborted(Promise.race([none.promise, late.promise]), signal).finally(cancel);
    },
  };
};

/**
 * Samples of a slice as a share of a second: half a millisecond of work, which is the longest that a
 * short reply waits at each of its steps.
 */
const SLICES_PER_SECOND = 20;
/** Encoding in turns, a slice each: a short reply does not wait for the slices of all long ones. */
const encoding = createRequestLimiter({ concurrent: 1, waiting: Infinity });
const firstParts = createFirstParts();
const voiceLevels = createVoiceLevels();
/** Whole files in memory at the same time while they are encoded. */
const wholeFiles = createRequestLimiter({ concurrent: 2, waiting: Infinity });

/** Audio that a streamed reply is made ahead of playing speed, before it is made in a calm way. */
const AHEAD_MS = 10_000;
/** Share of playing time after which the next part follows then: the processor is left to others. */
const CALM_PACE = 1 / 8;

export interface SpeechOrder {
  readonly engine: SpeechEngine;
  readonly voiceId: string;
  readonly text: string;
  readonly temperature: number | undefined;
  /** 1 is the voice's own. */
  readonly speed: number;
  readonly format: AudioFormat;
  readonly sampleRateHz: number;
  /** True to send audio as it is made; otherwise the reply has its length. */
  readonly stream: boolean;
}

/** Callbacks while an order is spoken. */
interface SpeechEvents {
  /** Called after each part with the length of all audio so far. */
  readonly onAudio: (audioMs: number) => void;
  /** Called with the text of each part whose sound has begun; not where the engine failed. */
  readonly charge: (part: string) => void;
}

/**
 * Synthesises a part in a turn. The turn ends when the engine has no more sound, however slowly that
 * is taken here.
 */
async function* speakPart(
  { engine, voiceId, temperature, speed }: SpeechOrder,
  text: string,
  request: AdmittedRequest,
  signal: AbortSignal,
): AsyncGenerator<Pcm, void, void> {
  const own = new AbortController();
  const either = AbortSignal.any([signal, own.signal]);
  const ready: Pcm[] = [];
  const changed = createWakeUp();
  let isOver = false;

  const work = async (): Promise<void> => {
    using _ = await request.turn(either);
    const sound = await engine.speak(
      { voiceId, text, speed, ...(temperature === undefined ? {} : { temperature }) },
      either,
    );
    for await (const samples of sound.pcm) {
      ready.push({ samples, sampleRateHz: sound.sampleRateHz });
      changed.wake();
    }
  };
  const working = work().finally(() => {
    isOver = true;
    changed.wake();
  });
  working.catch(() => undefined);

  try {
    for (;;) {
      const seen = changed.count;
      const next = ready.shift();
      if (next) yield next;
      else if (isOver) break;
      else await changed.wait(seen, signal);
    }
    await working;
  } finally {
    own.abort();
  }
}

/** Lets others encode between two slices; those of a first part, `isFirst`, go before. */
async function* encodedInTurns(
  pcm: AsyncIterable<Pcm>,
  request: AdmittedRequest,
  isFirst: () => boolean,
  signal: AbortSignal,
): AsyncGenerator<Pcm, void, void> {
  for await (const { samples, sampleRateHz } of pcm)
    for (
      let from = 0, step = Math.ceil(sampleRateHz / SLICES_PER_SECOND);
      from < samples.length;
      from += step
    ) {
      if (!isFirst()) await firstParts.passed(signal);
      using _ = await request.turn(signal);
      yield { samples: samples.subarray(from, from + step), sampleRateHz };
    }
}

/**
 * Synthesises an order into a spool, and ends that. A format whose header holds the length is spooled
 * as raw samples (see `finished`). Rejects as the engine does.
 */
export const speakInto = async (
  spool: Spool,
  order: SpeechOrder,
  turns: AdmittedRequest,
  { onAudio, charge }: SpeechEvents,
  signal: AbortSignal,
  clock = realClock,
): Promise<void> => {
  const startMs = clock.nowMs();
  using slices = encoding.admit();
  using first = firstParts.begin();
  let isFirst = true;
  let audioMs = 0;
  const speech = async function* (): AsyncGenerator<Pcm, void, void> {
    let startsAnew = true;
    for (const { text, pauseMs } of speechParts(order.text)) {
      await spool.room(signal);
      const beforeMs = audioMs;
      const sound = metered(speakPart(order, text, turns, signal), () => charge(text), signal);
      const level = voiceLevels.level(order.voiceId, sound);
      const pause = pauseMs === undefined ? undefined : pauseMs / order.speed;
      for await (const pcm of withPause(level, pause, startsAnew)) {
        audioMs += (1_000 * pcm.samples.length) / pcm.sampleRateHz;
        yield pcm;
      }
      startsAnew = pauseMs !== undefined;
      onAudio(audioMs);
      isFirst = false;
      first[Symbol.dispose]();
      if (order.stream && audioMs - (clock.nowMs() - startMs) > AHEAD_MS)
        await sleep(clock, (audioMs - beforeMs) * CALM_PACE, signal);
    }
  };
  const { format, sampleRateHz } = order;
  const spooled = format === 'wav' || format === 'flac' ? 'pcm' : format;
  const pcm = toOneRate(
    encodedInTurns(speech(), slices, () => isFirst, signal),
    sampleRateHz,
  );
  for await (const bytes of encode(spooled, sampleRateHz, pcm)) await spool.write(bytes);
};

/** The file of an order whose speech is whole in `spool`: first `head`, then the rest. */
export const finished = async (
  spool: Spool,
  { format, sampleRateHz }: SpeechOrder,
  openSpool: () => Spool,
  signal: AbortSignal,
): Promise<{ readonly spool: Spool; readonly head: readonly Uint8Array[] }> => {
  if (format === 'wav') return { spool, head: [wavHeader(sampleRateHz, spool.bytes)] };
  if (format !== 'flac') return { spool, head: [] };
  using _ = await wholeFiles.acquire(signal);
  const file = openSpool();
  const pcm = inSlices(fromS16le(spool.read(signal)), sliceSamples(sampleRateHz));
  for await (const bytes of encode('flac', sampleRateHz, pcm)) await file.write(bytes);
  file.end();
  return { spool: file, head: [] };
};
