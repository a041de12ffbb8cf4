import { backoffMs, type Clock } from '../../async/clock.ts';
import { samplesOfS16le } from '../../audio/pcm.ts';
import { createLevelMeter } from '../../audio/vad.ts';
import { AppError } from '../../errors.ts';
import type { Asker } from '../../model/service.ts';
import { openReport, type OnCall } from '../call-report.ts';
import { PATHS } from '../contract.ts';
import { createAudioTail } from './audio-tail.ts';
import {
  APPEND_MS,
  BYTES_PER_SAMPLE,
  REALTIME_RATE_HZ,
  recognitionEvent,
  type RecognitionEvent,
  type RecognitionUpdate,
} from './contract.ts';
import { createResults, type RealtimeText } from './results.ts';
import type { OpenSocket, RealtimeSocket } from './socket.ts';

const APPEND_BYTES = (REALTIME_RATE_HZ * BYTES_PER_SAMPLE * APPEND_MS) / 1_000;
/** Audio since the last final that is kept for another connection. */
const KEPT_SECONDS = 60;
/** The longest session: its texts and results stay in memory. */
const LONGEST_SECONDS = 900;

/** Connections in a row that bring nothing before the session fails, and the waits between them. */
const CONNECTIONS = 4;
const RECONNECT = { firstMs: 200, longestMs: 2_000 };
/** Longest silence of the service while speech is sent; the slowest one seen begins after 2 s. */
const SILENT_MS = 5_000;
/** Level from which audio counts as speech here; full scale is 0 dB. */
const SPEECH_DB = -50;
/** Longest wait for the next message once the session was closed. */
const LAST_MESSAGE_MS = 3_000;

export interface RecognitionSessionDeps {
  readonly openSocket: OpenSocket;
  readonly clock: Clock;
  /** Takes the report of each session. */
  readonly onCall?: OnCall;
  /** Randomness of waits, from 0 to 1. */
  readonly random: () => number;
  /** True to ask for the times of words, of a service that knows the field. Default: it is not sent. */
  readonly asksForWords?: boolean;
}

export interface RecognitionSessionOptions {
  readonly asker: Asker;
  /** BCP 47 code; undefined: the service detects it. */
  readonly language?: string | undefined;
  /** The language that is likely, for a service that has to be told one. */
  readonly expected?: string | undefined;
  readonly hotwords?: readonly string[];
  /** Called with the text so far, whenever it changes. Never after the end. */
  readonly changed: (text: RealtimeText) => void;
  /** Called once when the session has failed, with the reason, and never after `finish`. */
  readonly failed: (error: AppError) => void;
  /** Called when the service recognises the speech only once it has ended. Default: the session goes on. */
  readonly late?: () => void;
}

/** One stretch of speech that is recognised while it is sent, over as many connections as it needs. */
export interface RecognitionSession {
  /** Sends audio: s16le, mono, 16 kHz, whole samples. Without effect after the end. */
  readonly append: (pcm: Uint8Array) => void;
  /** Ends the audio; resolves with the whole text, or rejects with the reason of the failure. */
  readonly finish: () => Promise<RealtimeText>;
  /** Ends the session at once. `finish` then never settles. */
  readonly abort: () => void;
}

export type OpenRecognitionSession = (options: RecognitionSessionOptions) => RecognitionSession;

const updateOf = (
  { language, expected, hotwords = [] }: RecognitionSessionOptions,
  asksForWords: boolean,
): RecognitionUpdate => ({
  type: 'session.update',
  session: {
    input_audio_format: 'pcm_s16le',
    sample_rate: REALTIME_RATE_HZ,
    channels: 1,
    language: language ?? 'auto',
    ...(language === undefined ? { language_detection_mode: 'utterance' } : {}),
    ...(language === undefined && expected !== undefined ? { default_language: expected } : {}),
    ...(hotwords.length > 0 ? { hotwords: [...hotwords] } : {}),
    ...(asksForWords ? { words: true } : {}),
  },
});

const parseEvent = (data: string | Uint8Array): RecognitionEvent | undefined => {
  if (typeof data !== 'string') return undefined;
  try {
    return recognitionEvent.safeParse(JSON.parse(data)).data;
  } catch {
    return undefined;
  }
};

const isSpeech = (pcm: Uint8Array, measure: ReturnType<typeof createLevelMeter>): boolean =>
  measure(samplesOfS16le(pcm)).some((level) => level > SPEECH_DB);

/**
 * Opens sessions of realtime recognition. A broken connection is replaced by another, which gets all
 * audio since the last final again, so that no word is lost or doubled.
 */
export const createRecognitionSessions = ({
  openSocket,
  clock,
  onCall = () => {},
  random,
  asksForWords = false,
}: RecognitionSessionDeps): OpenRecognitionSession => {
  return (options) => {
    const tail = createAudioTail(KEPT_SECONDS);
    const results = createResults();
    const report = openReport({ endpoint: 'realtimeRecognition', options: options.asker }, onCall);
    const measure = createLevelMeter();
    const finished = Promise.withResolvers<RealtimeText>();
    // Without `finish`, nobody waits for it.
    finished.promise.catch(() => undefined);
    let socket: RealtimeSocket | undefined;
    let isOpen = false;
    let openedMs = 0;
    /** Position up to which this connection has the audio. */
    let sent = 0;
    let fruitless = 0;
    let isFinishing = false;
    let isClosing = false;
    /** True when the service said that nothing more follows. */
    let isComplete = false;
    /** True when the service could not recognise some of this connection's audio. */
    let hasFailed = false;
    /** True when the service told anything of the audio, if only that it holds no words. */
    let hasResults = false;
    let isOver = false;
    let stopRetry: (() => void) | undefined;
    let stopSilence: (() => void) | undefined;

    const served = (): void => {
      if (isOpen) report.served(clock.nowMs() - openedMs);
      isOpen = false;
    };
    const endSilence = (): void => {
      stopSilence?.();
      stopSilence = undefined;
    };
    const end = (thrown?: unknown): void => {
      isOver = true;
      stopRetry?.();
      endSilence();
      served();
      report.heard((tail.to * 1_000) / REALTIME_RATE_HZ);
      report.end(thrown);
    };
    const fail = (error: AppError): void => {
      if (isOver) return;
      end(error);
      socket?.drop();
      finished.reject(error);
      if (!isFinishing) options.failed(error);
    };
    const complete = (): void => {
      if (hasFailed)
        return fail(
          new AppError('unavailable', 'the service failed at some of the speech', {
            retryable: true,
          }),
        );
      if (!hasResults)
        return fail(new AppError('bad-reply', 'the service closed the session without a result'));
      end();
      finished.resolve(results.text());
    };

    /** Fails the session unless a message comes in time. */
    const expectMessage = (withinMs: number): void => {
      stopSilence ??= clock.after(withinMs, () =>
        fail(new AppError('timeout', 'the service says nothing', { retryable: true })),
      );
    };
    const heardFrom = (): void => {
      endSilence();
      if (isClosing) expectMessage(LAST_MESSAGE_MS);
    };

    const flush = (): void => {
      if (!isOpen) return;
      const audio = tail.read(sent);
      for (let at = 0; at < audio.length; at += APPEND_BYTES) {
        const chunk = audio.subarray(at, at + APPEND_BYTES);
        if (chunk.length < APPEND_BYTES && !isFinishing) break;
        socket?.send({ type: 'input_audio.append', audio: chunk.toString('base64') });
        sent += chunk.length / BYTES_PER_SAMPLE;
        if (isOver) return;
      }
      if (!isFinishing || isClosing) return;
      isClosing = true;
      socket?.send({ type: 'session.close' });
      endSilence();
      expectMessage(LAST_MESSAGE_MS);
    };

    const take = (event: RecognitionEvent): void => {
      switch (event.type) {
        case 'speech_started':
          if (event.partials === false) options.late?.();
          return results.started(event.utterance_id, event.audio_start_ms, sent);
        case 'partials_stopped':
          return options.late?.();
        case 'speech_stopped':
          return results.stopped(event.utterance_id, event.audio_end_ms, sent);
        case 'asr.partial_result':
          fruitless = 0;
          hasResults = true;
          if (results.partial(event, sent) && !isFinishing) options.changed(results.text());
          return;
        case 'asr.final_result': {
          fruitless = 0;
          hasResults = true;
          const span = results.final(event, sent);
          if (span) {
            tail.settle(span);
            tail.settleThrough(results.settledThrough(span));
          }
          if (!isFinishing) options.changed(results.text());
          return;
        }
        case 'error':
          // Its words may repeat what was said.
          if (event.fatal) fail(new AppError('bad-reply', 'the service ended the session'));
          return;
        case 'session.usage':
          hasResults = true;
          isComplete = isClosing && event.final === true;
          hasFailed ||= (event.usage?.final_error_count ?? 0) > 0;
          return;
        case 'session.created':
      }
    };

    const connect = (): void => {
      isClosing = false;
      isComplete = false;
      hasFailed = false;
      socket = openSocket(PATHS.realtimeRecognition, {
        opened: () => {
          isOpen = true;
          openedMs = clock.nowMs();
          report.sent(0);
          sent = tail.from;
          results.connected(sent);
          socket?.send(updateOf(options, asksForWords));
          flush();
        },
        message: (data) => {
          heardFrom();
          const event = parseEvent(data);
          if (event) take(event);
        },
        closed: (error) => {
          served();
          endSilence();
          if (!isOver) reconnect(error);
        },
      });
    };

    const reconnect = (error: AppError | undefined): void => {
      if (isClosing && (!error || isComplete)) return complete();
      fruitless += 1;
      if (error && !error.retryable) return fail(error);
      if (fruitless >= CONNECTIONS)
        return fail(
          error ?? new AppError('unavailable', 'the service closed early', { retryable: true }),
        );
      const waitMs = backoffMs({ ...RECONNECT, random }, fruitless - 1, error?.retryAfterMs);
      stopRetry = clock.after(waitMs, connect);
    };

    connect();
    return {
      append: (pcm) => {
        if (isOver || isFinishing) return;
        if (tail.to > LONGEST_SECONDS * REALTIME_RATE_HZ)
          return fail(new AppError('too-large', 'more audio than one session may hold'));
        tail.append(pcm);
        flush();
        if (isOpen && isSpeech(pcm, measure)) expectMessage(SILENT_MS);
      },
      finish: async () => {
        isFinishing = true;
        if (!isOver) flush();
        return finished.promise;
      },
      abort: () => {
        if (isOver) return;
        end(new DOMException('nobody wants the text', 'AbortError'));
        socket?.drop();
      },
    };
  };
};
