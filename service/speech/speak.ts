import { encode } from '../../src/audio/codec/encode.ts';
import { wavHeader } from '../../src/audio/codec/encoder.ts';
import { fromS16le, type Pcm } from '../../src/audio/pcm.ts';
import { toOneRate } from '../../src/audio/resample.ts';
import { realClock, sleep, type Clock } from '../../src/async/clock.ts';
import { createWakeUp } from '../../src/async/running.ts';
import type { AudioFormat } from '../../src/model/message.ts';
import { metered } from '../respond.ts';
import type { SpeechEngine } from '../engine.ts';
import { createRequestLimiter, type AdmittedRequest } from '../request-limiter.ts';
import { speechParts, withPause, type SpeechPart } from './pauses.ts';
import type { Spool } from './spool.ts';
import { createVoiceLevels } from './voice-levels.ts';
import { orAborted } from '../../src/async/abort.ts';

/**
 * Longest wait of a slice for the first parts of others. A slice is as long, so that even under many
 * short requests a long one goes on as fast as it is listened to.
 */
const LONGEST_WAIT_MS = 50;

/** Counts the requests of each key whose first part is being made: its other parts wait for them a little. */
export const createFirstParts = (clock: Pick<Clock, 'after'> = realClock) => {
  const byKey = new Map<string, { count: number; readonly none: PromiseWithResolvers<void> }>();
  return {
    /** Counts one more until the result is disposed of. */
    begin: (key: string): Disposable => {
      const own = byKey.get(key) ?? { count: 0, none: Promise.withResolvers<void>() };
      byKey.set(key, own);
      own.count += 1;
      const counted = new DisposableStack();
      counted.defer(() => {
        own.count -= 1;
        if (own.count > 0) return;
        byKey.delete(key);
        own.none.resolve();
      });
      return counted;
    },
    /** Resolves when there is none of a key, or after a moment. Rejects with the signal's reason. */
    passed: async (key: string, signal: AbortSignal): Promise<void> => {
      const own = byKey.get(key);
      if (!own) return;
      const late = Promise.withResolvers<void>();
      const cancel = clock.after(LONGEST_WAIT_MS, late.resolve);
      await orAborted(Promise.race([own.none.promise, late.promise]), signal).finally(cancel);
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
/** Whole files in memory at the same time while they are encoded; a key has three of them. */
const wholeFiles = createRequestLimiter({ concurrent: 4, waiting: Infinity });
/** Encoders of Opus that are in use at the same time, fewer than there are: a key has nine of them. */
const opusEncoders = createRequestLimiter({ concurrent: 12, waiting: Infinity });

/** Audio that a streamed reply is made ahead of playing speed, before others who wait go first. */
const AHEAD_MS = 10_000;
/** Share of playing time after which the next part follows then: the processor is left to them. */
const CALM_PACE = 1 / 8;

export interface SpeechOrder {
  readonly engine: SpeechEngine;
  readonly voiceId: string;
  readonly text: string;
  readonly temperature?: number | undefined;
  readonly instructions?: string | undefined;
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
 * Begins to synthesise a part in a turn. The turn ends when the engine has no more sound, however slowly that
 * is taken from the result.
 */
const beginPart = (
  { engine, voiceId, temperature, speed, instructions }: SpeechOrder,
  text: string,
  request: AdmittedRequest,
  signal: AbortSignal,
): AsyncIterable<Pcm> => {
  const ready: Pcm[] = [];
  const changed = createWakeUp();
  let isOver = false;

  const work = async (): Promise<void> => {
    using _ = await request.turn(signal);
    const sound = await engine.speak(
      {
        voiceId,
        text,
        speed,
        ...(temperature === undefined ? {} : { temperature }),
        ...(instructions === undefined ? {} : { instructions }),
      },
      signal,
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

  return (async function* () {
    for (;;) {
      const seen = changed.count;
      const next = ready.shift();
      if (next) yield next;
      else if (isOver) break;
      else await changed.wait(seen, signal);
    }
    await working;
  })();
};

/** A part of a text with its sound, which is being made. */
interface BegunPart extends SpeechPart {
  readonly sound: AsyncIterable<Pcm>;
}

/** The parts of an order, each of which is begun while the one before it is taken. */
async function* beginParts(
  order: SpeechOrder,
  turns: AdmittedRequest,
  room: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): AsyncGenerator<BegunPart, void, void> {
  const own = new AbortController();
  const either = AbortSignal.any([signal, own.signal]);
  const begin = (part: SpeechPart): BegunPart => ({
    ...part,
    sound: beginPart(order, part.text, turns, either),
  });
  let ahead: BegunPart | undefined;
  try {
    for (const part of speechParts(order.text)) {
      await room(signal);
      const begun = begin(part);
      if (ahead) yield ahead;
      ahead = begun;
    }
    if (ahead) yield ahead;
  } finally {
    own.abort();
  }
}

/** Lets others encode between two slices; those of first parts go before others of their key. */
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
      if (!isFirst()) await firstParts.passed(request.key, signal);
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
  const { format, sampleRateHz } = order;
  const { key } = turns;
  using _ = format === 'ogg' ? await opusEncoders.acquire(signal, key) : undefined;
  const startMs = clock.nowMs();
  using slices = encoding.admit(key);
  using first = firstParts.begin(key);
  let isFirst = true;
  let audioMs = 0;
  const speech = async function* (): AsyncGenerator<Pcm, void, void> {
    let startsAnew = true;
    const parts = beginParts(order, turns, (until) => spool.room(until), signal);
    for await (const { text, pauseMs, sound } of parts) {
      const beforeMs = audioMs;
      const charged = metered(sound, () => charge(text), signal);
      const level = voiceLevels.level(order.voiceId, charged);
      const pause = pauseMs === undefined ? undefined : pauseMs / order.speed;
      for await (const pcm of withPause(level, pause, startsAnew)) {
        audioMs += (1_000 * pcm.samples.length) / pcm.sampleRateHz;
        yield pcm;
      }
      startsAnew = pauseMs !== undefined;
      onAudio(audioMs);
      isFirst = false;
      first[Symbol.dispose]();
      const isAhead = audioMs - (clock.nowMs() - startMs) > AHEAD_MS;
      if (order.stream && isAhead && (turns.isBusy || slices.isBusy))
        await sleep(clock, (audioMs - beforeMs) * CALM_PACE, signal);
    }
  };
  const spooled = format === 'wav' || format === 'flac' ? 'pcm' : format;
  const inTurns = encodedInTurns(speech(), slices, () => isFirst, signal);
  const pcm = toOneRate(inTurns, sampleRateHz);
  for await (const bytes of encode(spooled, sampleRateHz, pcm)) await spool.write(bytes);
};

/** The file of an order whose speech is whole in `spool`: first `head`, then the rest. */
export const finished = async (
  spool: Spool,
  { format, sampleRateHz }: SpeechOrder,
  key: string,
  openSpool: () => Spool,
  signal: AbortSignal,
): Promise<{ readonly spool: Spool; readonly head: readonly Uint8Array[] }> => {
  if (format === 'wav') return { spool, head: [wavHeader(sampleRateHz, spool.bytes)] };
  if (format !== 'flac') return { spool, head: [] };
  using _ = await wholeFiles.acquire(signal, key);
  using slices = encoding.admit(key);
  const file = openSpool();
  const speech = async function* (): AsyncGenerator<Pcm, void, void> {
    for await (const samples of fromS16le(spool.read(signal))) yield { samples, sampleRateHz };
  };
  const inTurns = encodedInTurns(speech(), slices, () => false, signal);
  const pcm = toOneRate(inTurns, sampleRateHz);
  for await (const bytes of encode('flac', sampleRateHz, pcm)) await file.write(bytes);
  file.end();
  return { spool: file, head: [] };
};
