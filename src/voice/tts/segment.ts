import { orAborted } from '../../async/abort.ts';
import type { Clock } from '../../async/clock.ts';
import { speechPackets } from './speech-packets.ts';
import { AppError, toAppError } from '../../errors.ts';
import { AUDIO_FORMATS, type AudioFormat } from '../../model/message.ts';
import type { Asker } from '../../model/service.ts';
import type { Speech, SynthesisRequest, VoicePreference } from '../../speech/speech.ts';
import { textIn, type Passage } from '../../speech/passages.ts';
import { splitSentences } from '../../text/split/sentences.ts';
import { splitText } from '../../text/split/split.ts';
import type { SpeechItem } from './speech-item.ts';

/** Longest text that stays one segment: it is synthesised soon, and sounds better whole. */
const LONGEST_WHOLE_UNITS = 120;
/** Shortest first segment: enough to speak while the rest is synthesised. */
const SHORTEST_FIRST_UNITS = 40;
const LONGEST_FIRST_CODE_POINTS = 160;
/** Longest segment: some twenty seconds of speech. */
const LONGEST_CODE_POINTS = 300;

const audible = /[\p{L}\p{N}]/u;

/** True when there is anything in a text to speak. */
export const isAudible = (text: string): boolean => audible.test(text);

/** A segment without the white space around it, but with a line break at its end, which is a pause. */
const trimmed = (segment: string): string =>
  `${segment.trim()}${/\n\s*$/.test(segment) ? '\n' : ''}`;

/**
 * Splits a text into the parts that are synthesised: first one sentence, or as many as are worth a
 * request, so that speech starts early; then as much as fits. Joined they are the text, except for
 * white space.
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
    .map(trimmed)
    .filter(isAudible);
};

/** Most buffered packets: a minute, or half a megabyte. */
const MOST_PACKETS = 3_000;

/** Opus packets between synthesis and playback. */
export const createPacketBuffer = () => {
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
    /** Resolves when there is room for more. */
    push: async (packet: Uint8Array): Promise<void> => {
      packets.push(packet);
      wake();
      if (packets.length >= MOST_PACKETS && !ended) await room.promise;
    },
    /** Ends the packets; buffered ones are still returned. */
    end: () => {
      ended = true;
      wake();
      room.resolve();
    },
    /** Resolves when a packet is buffered, or when none will come. */
    ready,
    next: async (): Promise<Uint8Array | undefined> => {
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

/** Speaks in the lane and for the space of a room. */
export interface RoomSpeaker {
  speak(request: Omit<SynthesisRequest, keyof Asker>, signal: AbortSignal): Promise<Speech>;
}

export interface SegmentDeps {
  readonly speaker: RoomSpeaker;
  readonly clock: Clock;
}

/** Formats in order of preference: PCM plays from its first 20 ms on, Ogg needs no encoding. */
const FORMATS: readonly AudioFormat[] = [
  'pcm',
  'ogg',
  ...AUDIO_FORMATS.filter((format) => format !== 'pcm' && format !== 'ogg'),
];

/** Longest silence of the service before the segment is given up. */
const SILENT_MS = 15_000;

const isGone = (error: unknown): boolean => error instanceof AppError && error.code === 'not-found';

/**
 * Voices that are asked for, one after another while there is none: the chosen voice, then any of the
 * language. A passage in letters that the voice cannot read has one of its own language first; at last
 * its language is said.
 */
const requestsFor = ({ text, language }: Passage, { voice, readAs }: SpeechItem) => {
  const own: readonly VoicePreference[] =
    voice.named === undefined || readAs === undefined ? [voice] : [voice, { language: readAs }];
  if (language === undefined) return own.map((preference) => ({ ...preference, text }));
  const ofLanguage: readonly VoicePreference[] = [{ ...voice, language }, { language }];
  return [
    ...ofLanguage.map((preference) => ({ ...preference, text })),
    ...own.map((preference) => ({ ...preference, text: textIn(language, readAs) })),
  ];
};

const speak = async (
  speaker: SegmentDeps['speaker'],
  passage: Passage,
  item: SpeechItem,
  signal: AbortSignal,
): Promise<Speech> => {
  let last: unknown;
  for (const request of requestsFor(passage, item))
    try {
      return await speaker.speak({ ...request, formats: FORMATS }, signal);
    } catch (error) {
      if (!isGone(error)) throw error;
      last = error;
    }
  throw last;
};

/** A part of a text whose speech is being synthesised. */
export type Segment = ReturnType<typeof startSegment>;

/** Starts to synthesise a passage with the voice of `item`, until `signal` is aborted. */
export const startSegment = (
  passage: Passage,
  item: SpeechItem,
  { speaker, clock }: SegmentDeps,
  signal: AbortSignal,
) => {
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
      const speech = await orAborted(speak(speaker, passage, item, own.signal), own.signal);
      for await (const packet of speechPackets(speech, own.signal)) {
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

  return {
    ready: buffer.ready,
    next: buffer.next,
    error: () => error,
  };
};
