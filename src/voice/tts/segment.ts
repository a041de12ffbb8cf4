import { splitSentences, splitText } from '../../text/split/split.ts';
import { orAborted } from '../../async/abort.ts';
import { opusFrames } from '../../audio/opus/frames.ts';
import { AppError, toAppError } from '../../errors.ts';
import { AUDIO_FORMATS, type AudioFormat } from '../../model/file.ts';
import type { Speaker, Speech } from '../../speech/speech.ts';
import type { Clock } from '../../async/clock.ts';
import type { SpeechItem } from './speech-item.ts';

/** Shorter texts are spoken in one go: they are soon made, and sound better so. */
const LONGEST_WHOLE_UNITS = 120;

/** Enough to speak while the rest is made. */
const SHORTEST_FIRST_UNITS = 40;

const LONGEST_FIRST_CODE_POINTS = 160;

/** Some twenty seconds. */
const LONGEST_CODE_POINTS = 300;

const audible = /[\p{L}\p{N}]/u;

/** Whether there is anything in a text to speak. */
export const isAudible = (text: string): boolean => audible.test(text);

/**
 * The parts that a text is made into speech in: the first sentence, or as many as it takes to be worth
 * it, so that it is heard early; then what fits. Joined they are the text, white space apart.
 */
export const segmentsOf = (text: string): string[] => {
  if (text.length <= LONGEST_WHOLE_UNITS) return isAudible(text) ? [text] : [];
  let opening = '';
  for (const sentence of splitSentences(text)) {
    if (opening.length >= SHORTEST_FIRST_UNITS) break;
    opening += sentence;
  }
  const [first = ''] = splitText(opening, LONGEST_FIRST_CODE_POINTS);
  return [first, ...splitText(text.slice(first.length), LONGEST_CODE_POINTS)]
    .map((segment) => segment.trim())
    .filter(isAudible);
};

/** Opus packets between the one who makes them and the one who plays them. */
export interface PacketBuffer {
  /** Resolves when there is room for more. */
  push(packet: Uint8Array): Promise<void>;
  /** Nothing comes any more; what is there is still given out. */
  end(): void;
  /** Resolves when a packet is there, or when none will come. */
  ready(): Promise<void>;
  /** The next packet; undefined at the end. */
  next(): Promise<Uint8Array | undefined>;
}

/** A minute: half a megabyte. */
const MOST_PACKETS = 3_000;

export const createPacketBuffer = (): PacketBuffer => {
  const packets: Uint8Array[] = [];
  let ended = false;
  let arrival = Promise.withResolvers<void>();
  let room = Promise.withResolvers<void>();

  const mayCome = (): boolean => packets.length === 0 && !ended;
  const ready = async (): Promise<void> => {
    while (mayCome()) await arrival.promise;
  };
  const wake = (): void => {
    arrival.resolve();
    arrival = Promise.withResolvers();
  };

  return {
    push: async (packet) => {
      packets.push(packet);
      wake();
      if (packets.length >= MOST_PACKETS && !ended) await room.promise;
    },
    end: () => {
      ended = true;
      wake();
      room.resolve();
    },
    ready,
    next: async () => {
      await ready();
      const packet = packets.shift();
      if (packets.length === MOST_PACKETS - 1) {
        room.resolve();
        room = Promise.withResolvers();
      }
      return packet;
    },
  };
};

export interface SegmentDeps {
  readonly speaker: Pick<Speaker, 'speak'>;
  readonly clock: Clock;
}

/** A part of a text that is being made into speech. */
export interface Segment {
  /** Resolves when there is something to play, or never will be. */
  ready(): Promise<void>;
  /** The next packet of 20 ms; undefined at the end. */
  next(): Promise<Uint8Array | undefined>;
  /** Why it ended before its end. */
  error(): AppError | undefined;
}

/** PCM is playable from its first 20 ms on; Ogg comes next, which needs no encoding. */
const FORMATS: readonly AudioFormat[] = [
  'pcm',
  'ogg',
  ...AUDIO_FORMATS.filter((format) => format !== 'pcm' && format !== 'ogg'),
];

/** A service that gives nothing for so long is given up. */
const SILENT_MS = 15_000;

/** By the wanted voice, or by any of the language where that one is gone. */
const speak = async (
  speaker: SegmentDeps['speaker'],
  text: string,
  { wish, readAs }: SpeechItem,
  signal: AbortSignal,
): Promise<Speech> => {
  const request = { text, formats: FORMATS, ...(readAs === undefined ? {} : { readAs }) };
  try {
    return await speaker.speak({ ...request, ...wish }, signal);
  } catch (error) {
    const isGone = error instanceof AppError && error.code === 'not-found';
    if (!isGone || wish.named === undefined || readAs === undefined) throw error;
    return speaker.speak({ ...request, language: readAs }, signal);
  }
};

/** Starts to make speech of `text`, as `item` wishes. An abort ends it and gives everything back. */
export const startSegment = (
  text: string,
  item: SpeechItem,
  { speaker, clock }: SegmentDeps,
  signal: AbortSignal,
): Segment => {
  const buffer = createPacketBuffer();
  const own = new AbortController();
  const abort = (): void => {
    own.abort(signal.reason);
    buffer.end();
  };
  let error: AppError | undefined;
  let disarm: (() => void) | undefined;
  const arm = (): void => {
    disarm?.();
    disarm = clock.after(SILENT_MS, () =>
      own.abort(new AppError('timeout', 'the speech stopped coming', { retryable: true })),
    );
  };

  const run = async (): Promise<void> => {
    signal.addEventListener('abort', abort, { once: true });
    try {
      signal.throwIfAborted();
      arm();
      const speech = await orAborted(speak(speaker, text, item, own.signal), own.signal);
      for await (const packet of opusFrames(speech, own.signal)) {
        disarm?.();
        await buffer.push(packet);
        arm();
      }
    } catch (thrown) {
      error = toAppError(thrown);
    } finally {
      disarm?.();
      signal.removeEventListener('abort', abort);
      buffer.end();
    }
  };
  void run();

  return { ready: () => buffer.ready(), next: () => buffer.next(), error: () => error };
};
