import {
  type ByteSource,
  type SpokenWord,
  type Transcript,
  LONGEST_PART_MS,
} from '../model/message.ts';
import type { Space, Channel } from '../model/place.ts';
import type { CallOptions } from '../api/caller.ts';
import type { ServiceClient } from '../api/client.ts';
import { LONGEST_SPEAKERS_MS } from '../api/contract.ts';
import { chunkAudio, type AudioChunk } from '../audio/chunk/chunk-audio.ts';
import type { FallbackDecoder } from '../audio/codec/decode.ts';
import { isBusy } from '../api/service-error.ts';
import { realClock, sleep, type Clock } from '../async/clock.ts';
import { type AppError, toAppError, userError } from '../errors.ts';
import { askerAt, type Lane } from '../model/service.ts';
import type { Glossary } from '../model/glossary.ts';
import { assertSayable, spokenTranscript } from './hallucinations.ts';
import { appendPart, joinParts, type TranscriptPart } from './transcript.ts';
import { wordsOfTerm } from '../text/terms/term-index.ts';

export interface TranscriptionRequest {
  readonly audio: ByteSource;
  /** Length according to the platform. */
  readonly durationMs?: number | undefined;
  /** Language of the speech. Default: the service detects it. */
  readonly language?: string | undefined;
  /** True where speakers are to be told apart, which needs all of the audio before any words. */
  readonly speakers?: boolean;
  /** The place that asks, whose glossary provides the hotwords. */
  readonly place: Space | Channel;
  readonly lane: Lane;
}

/** Progress of a transcription. */
export interface TranscriptionProgress {
  readonly text: string;
  /** Position in the audio that the text reaches. */
  readonly transcribedMs: number;
  /** Length of the audio, if known; never less than `transcribedMs`. */
  readonly totalMs: number | undefined;
}

export type Transcriber = ReturnType<typeof createTranscriber>;

export interface TranscriberDeps {
  readonly client: Pick<ServiceClient, 'transcribe' | 'transcribeSegments'>;
  readonly glossary: Pick<Glossary, 'applying'>;
  /** Decoder for files that `src/audio` refuses. */
  readonly fallback?: FallbackDecoder | undefined;
  readonly clock?: Clock;
}

const PARTS_AT_ONCE = 2;
/** Position in a recording after which it makes way for others. */
const LONG_MS = 600_000;
/** Wait for a busy service that names none, and the longest that is waited for. */
const BUSY_MS = 1_000;
const LONGEST_BUSY_MS = 60_000;
/** Longest wait for a recording in which speakers are told apart. */
const SPEAKERS_DEADLINE_MS = 600_000;
/** Most hotwords; more would make recognition worse. */
const HOTWORDS = 100;

/**
 * Runs `work` on items as they come, at most `atOnce` together; yields in the items' order. When it
 * ends early, it aborts `stop` and waits for running work.
 */
const inOrder = async function* <T, R>(
  items: AsyncIterable<T>,
  atOnce: number,
  stop: AbortController,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R, void, void> {
  const running: Promise<R>[] = [];
  let failure: { readonly thrown: unknown } | undefined;
  try {
    for await (const item of items) {
      const result = work(item);
      // It may fail before it is awaited.
      result.catch((thrown: unknown) => {
        failure ??= { thrown };
        stop.abort();
      });
      running.push(result);
      if (running.length >= atOnce) yield await (running.shift() as Promise<R>);
    }
    while (running.length > 0) yield await (running.shift() as Promise<R>);
  } catch (thrown) {
    // The first error aborts the rest, whose aborts are not reported.
    throw failure ? failure.thrown : thrown;
  } finally {
    stop.abort();
    await Promise.allSettled(running);
  }
};

/** Words that a service heard in a part, with times from the start of the recording. */
const wordsFrom = (
  startMs: number,
  words: readonly SpokenWord[] | undefined,
): readonly SpokenWord[] | undefined =>
  words?.map((word) => ({
    text: word.text,
    startMs: startMs + word.startMs,
    endMs: startMs + word.endMs,
  }));

/** Makes a request of a long recording, which waits where too much is asked of the service. */
const patiently = async <T>(
  clock: Clock,
  signal: AbortSignal,
  run: () => Promise<T>,
): Promise<T> => {
  for (;;)
    try {
      return await run();
    } catch (thrown) {
      const error = toAppError(thrown);
      const waitMs = error.retryAfterMs ?? BUSY_MS;
      if (!isBusy(error) || waitMs > LONGEST_BUSY_MS) throw thrown;
      await sleep(clock, waitMs, signal);
    }
};

const tooLongForSpeakers = (): AppError =>
  userError('too-large', 'transcribe.speakers-too-long', { minutes: LONGEST_SPEAKERS_MS / 60_000 });

export const createTranscriber = ({
  client,
  glossary,
  fallback,
  clock = realClock,
}: TranscriberDeps) => ({
  /** Yields progress after each part; returns the finished transcript. */
  async *transcribe(
    { audio, durationMs: claimedMs, language, speakers = false, place, lane }: TranscriptionRequest,
    signal: AbortSignal,
  ): AsyncGenerator<TranscriptionProgress, Transcript, void> {
    const terms = await glossary.applying(place);
    const hotwords = [...new Set(terms.map(({ term }) => wordsOfTerm(term)))].slice(0, HOTWORDS);
    const stop = new AbortController();
    const both = AbortSignal.any([signal, stop.signal]);

    const parameters = {
      ...(language ? { language } : {}),
      ...(hotwords.length > 0 ? { hotwords } : {}),
      words: true,
    };
    const optionsFor = ({ startMs, durationMs: audioMs }: AudioChunk): CallOptions => ({
      ...askerAt(startMs < LONG_MS ? lane : 'batch', place),
      signal: both,
      audioMs,
    });

    const recognise = async (chunk: AudioChunk): Promise<readonly TranscriptPart[]> => {
      const reply = await patiently(clock, both, async () =>
        client.transcribe(chunk.audio, parameters, optionsFor(chunk)),
      );
      const text = spokenTranscript(reply);
      assertSayable(text, chunk.durationMs);
      return [
        {
          startMs: chunk.startMs,
          endMs: chunk.startMs + chunk.durationMs,
          text,
          language: reply.language,
          words: wordsFrom(chunk.startMs, reply.words),
        },
      ];
    };

    /** Recognises all of a recording at once, as only so its speakers are the same everywhere. */
    const recogniseSpeakers = async (chunk: AudioChunk): Promise<readonly TranscriptPart[]> => {
      if (chunk.startMs + chunk.durationMs > LONGEST_SPEAKERS_MS) throw tooLongForSpeakers();
      const { segments, language: heard } = await patiently(clock, both, async () =>
        client.transcribeSegments(
          chunk.audio,
          { ...parameters, speakers: true },
          { ...optionsFor(chunk), deadlineMs: SPEAKERS_DEADLINE_MS },
        ),
      );
      return segments.map(({ start, end, text, words, speaker }) => {
        const startMs = chunk.startMs + 1_000 * start;
        const durationMs = 1_000 * (end - start);
        const spoken = spokenTranscript({ text });
        assertSayable(spoken, durationMs);
        return {
          startMs,
          endMs: startMs + durationMs,
          text: spoken,
          language: heard,
          words: wordsFrom(chunk.startMs, words),
          speakerNumber: speaker,
        };
      });
    };

    const parts: TranscriptPart[] = [];
    let text = '';
    let durationMs = 0;
    const soFar = (): TranscriptionProgress => ({
      text,
      transcribedMs: durationMs,
      totalMs: claimedMs === undefined ? undefined : Math.max(claimedMs, durationMs),
    });
    if (speakers) {
      if ((claimedMs ?? 0) > LONGEST_SPEAKERS_MS) throw tooLongForSpeakers();
      yield soFar();
    }
    const longestMs = speakers ? LONGEST_SPEAKERS_MS : LONGEST_PART_MS;
    const cut = chunkAudio(audio, { longestMs, fallback }, both);
    const heard = speakers ? recogniseSpeakers : recognise;
    for await (const some of inOrder(cut, PARTS_AT_ONCE, stop, heard)) {
      for (const part of some) {
        durationMs = part.endMs;
        if (part.text === '') continue;
        text = appendPart(text, part);
        parts.push(part);
      }
      yield soFar();
    }
    if (parts.length === 0) throw userError('not-found', 'speech.nothing-heard');
    return { ...joinParts(parts), durationMs };
  },
});
