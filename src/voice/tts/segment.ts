import { orAborted } from '../../async/abort.ts';
import { speechPackets } from '../../audio/opus/speech-packets.ts';
import { AppError, toAppError } from '../../errors.ts';
import { AUDIO_FORMATS, type AudioFormat } from '../../model/file.ts';
import type { Speaker, Speech } from '../../speech/speech.ts';
import type { Clock } from '../../async/clock.ts';
import type { SpeechItem } from './speech-item.ts';
import { createPacketBuffer } from './packet-buffer.ts';

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

  return { ready: () => buffer.ready(), next: () => buffer.next(), error: () => error };
};
