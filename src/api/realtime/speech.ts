import type { Clock } from '../../async/clock.ts';
import { AppError, toAppError } from '../../errors.ts';
import { countCodePoints } from '../../text/unicode.ts';
import { openReport, type OnCall, type OpenReport } from '../call-report.ts';
import type { CallOptions } from '../caller.ts';
import { SERVICE_LIMITS, type TtsRequest } from '../contract.ts';
import { startDeadline } from '../retry.ts';
import type { SpeechApi } from '../speech.ts';
import type { ServiceKey, ServiceKeys } from '../keys.ts';
import type { Availability, AvailabilityFor } from './availability.ts';
import type { OpenSocket } from './socket.ts';
import { openSpeechSession, type SpeechSession } from './speech-session.ts';

/** Connections that are kept; each is for one key, voice, format and rate. */
const MOST_SESSIONS = 8;
/** Time without a text after which a connection is closed. */
const IDLE_MS = 60_000;
const DEADLINE_MS = 120_000;
/** Longest wait for the first audio; then a request takes its place. */
const FIRST_AUDIO_MS = 8_000;

export interface RealtimeSpeechDeps {
  readonly serviceKeyOf: ServiceKeys['of'];
  /** Opens connections with a key. */
  readonly openSocket: (key: ServiceKey) => OpenSocket;
  readonly availability: AvailabilityFor;
  readonly clock: Clock;
  /** Takes the report of each text that is spoken over a connection, or is meant to be. */
  readonly onCall?: OnCall;
  /** Speaks what no connection does. */
  readonly requests: Pick<SpeechApi, 'speak'>;
}

export interface RealtimeSpeech extends Pick<SpeechApi, 'speak'>, Disposable {
  /** Connections that are kept. */
  readonly sessions: number;
}

interface PooledSession {
  readonly session: SpeechSession;
  stopIdle: () => void;
}

/** True for a request that a connection can serve: streamed, and with nothing that only POST has. */
const isSuited = ({ text, stream, temperature }: TtsRequest): boolean =>
  stream === true &&
  temperature === undefined &&
  countCodePoints(text) <= SERVICE_LIMITS.ttsTextCodePoints;

/** The audio after the first piece; ends the work behind it. */
const rest = async function* (
  first: Uint8Array,
  audio: AsyncGenerator<Uint8Array, void, void>,
  signal: AbortSignal,
  report: OpenReport,
  end: Disposable,
): AsyncGenerator<Uint8Array, void, void> {
  using _ = end;
  try {
    yield first;
    yield* audio;
    report.end();
  } catch (thrown) {
    const error = toAppError(signal.aborted ? signal.reason : thrown);
    report.end(error);
    throw error;
  } finally {
    report.end(new DOMException('the audio is not heard to its end', 'AbortError'));
    await audio.return();
  }
};

/**
 * Speaks over connections that are kept between texts, one for each key, voice and format. While
 * one is busy, and whenever it fails before its first audio, the text is spoken by a request.
 */
export const createRealtimeSpeech = ({
  serviceKeyOf,
  openSocket,
  availability,
  clock,
  onCall = () => {},
  requests,
}: RealtimeSpeechDeps): RealtimeSpeech => {
  const pool = new Map<string, PooledSession>();

  const closeOldest = (): void => {
    for (const [key, { session }] of pool) {
      if (pool.size < MOST_SESSIONS) return;
      if (session.isBusy) continue;
      pool.delete(key);
      session.close();
    }
  };

  const sessionFor = (request: TtsRequest, serviceKey: ServiceKey): PooledSession | undefined => {
    const { voice_id, format, sample_rate = 0 } = request;
    const key = `${serviceKey.id} ${voice_id} ${format} ${sample_rate}`;
    const known = pool.get(key);
    if (known) {
      // The one that was used last is closed last.
      pool.delete(key);
      pool.set(key, known);
      return known.session.isBusy ? undefined : known;
    }
    closeOldest();
    if (pool.size >= MOST_SESSIONS) return undefined;
    const session = openSpeechSession(
      openSocket(serviceKey),
      {
        voice_id,
        format,
        sample_rate: sample_rate || SERVICE_LIMITS.ttsDefaultSampleRateHz,
        audio_transport: 'binary',
      },
      () => {
        pool.get(key)?.stopIdle();
        pool.delete(key);
      },
    );
    const made: PooledSession = { session, stopIdle: () => undefined };
    pool.set(key, made);
    return made;
  };

  /** Keeps a connection for the next text, for a while. */
  const release = (one: PooledSession): void => {
    if (!one.session.isOver) one.stopIdle = clock.after(IDLE_MS, () => one.session.close());
  };

  /** Speaks over a connection; undefined when it does not begin to. */
  const trySession = async (
    one: PooledSession,
    path: Availability,
    { text }: TtsRequest,
    options: CallOptions,
  ): Promise<AsyncIterable<Uint8Array> | undefined> => {
    const { signal, deadlineMs = DEADLINE_MS } = options;
    const { session } = one;
    const characters = countCodePoints(text);
    const report = openReport({ endpoint: 'realtimeSpeech', options, characters }, onCall);
    const sentMs = clock.nowMs();
    report.sent(0);
    one.stopIdle();
    const isFresh = session.texts === 0;
    using started = new DisposableStack();
    started.defer(() => release(one));
    const deadline = started.use(startDeadline(signal, deadlineMs));
    // Also where the audio is never read to its end.
    const leave = (): void => session.close();
    deadline.signal.addEventListener('abort', leave, { once: true });
    started.defer(() => deadline.signal.removeEventListener('abort', leave));
    const late = new AbortController();
    const stopLate = clock.after(FIRST_AUDIO_MS, () =>
      late.abort(new AppError('timeout', 'the service does not speak', { retryable: true })),
    );
    const audio = session.speak(text, AbortSignal.any([deadline.signal, late.signal]));
    try {
      const first = await audio.next();
      report.served(clock.nowMs() - sentMs);
      if (first.done) throw new AppError('bad-reply', 'the service answered without audio');
      path.succeeded();
      return rest(first.value, audio, deadline.signal, report, started.move());
    } catch (thrown) {
      report.end(signal.aborted ? signal.reason : thrown);
      if (signal.aborted) throw toAppError(signal.reason);
      // A kept connection may have ended unnoticed, which says nothing of the service.
      if (isFresh) path.failed(toAppError(thrown));
      return undefined;
    } finally {
      stopLate();
    }
  };

  return {
    speak: async (request, options) => {
      if (!isSuited(request)) return requests.speak(request, options);
      const key = options.key ?? (await serviceKeyOf(options.space));
      const path = availability(key);
      const one = path.mayTry() ? sessionFor(request, key) : undefined;
      const audio = one && (await trySession(one, path, request, options));
      return audio ?? requests.speak(request, { ...options, key });
    },
    get sessions() {
      return pool.size;
    },
    [Symbol.dispose]: () => {
      for (const { session } of pool.values()) session.close();
    },
  };
};
