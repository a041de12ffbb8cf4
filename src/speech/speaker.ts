import type { Speech, Speaker } from './speech.ts';
import type { ServiceClient } from '../api/client.ts';
import type { ServiceKey } from '../api/keys.ts';
import type { RichText } from '../rich-text/rich-text.ts';
import { SERVICE_LIMITS, MEDIA_TYPES, type Voice } from '../api/contract.ts';
import { ServiceError } from '../api/service-error.ts';
import { sniff, type Container } from '../audio/container/sniff.ts';
import { AppError, toAppError, userError } from '../errors.ts';
import { AUDIO_FORMATS, type AudioFormat } from '../model/message.ts';
import { NO_SPACE, type Asker } from '../model/service.ts';
import type { Space } from '../model/place.ts';
import { speakable } from '../text/speech/speakable.ts';
import { readableIn } from './passages.ts';
import { fittingVoices, readingLanguage, voiceSpeaks } from './voice-choice.ts';
import { orAborted } from '../async/abort.ts';
import { createLru } from '../async/lru.ts';

const FRESH_MS = 300_000;
/** Keys whose voices are cached. */
const MOST_KEYS = 200;

/** Lists the voices of a key: one request for all simultaneous callers, which counts for five minutes. */
const createVoiceList = (client: Pick<ServiceClient, 'voices'>, now: () => number) => {
  interface Listed {
    readonly voices: Promise<readonly Voice[]>;
    readonly untilMs: number;
  }
  const lists = createLru<string, Listed>(MOST_KEYS);
  const ask = (key: ServiceKey, space: Space): Listed => {
    // The first caller cannot abort it: others may wait for it, among them people who speak.
    const voices = client.voices({
      lane: 'live',
      space: key.isOwn ? space : NO_SPACE,
      key,
      signal: new AbortController().signal,
    });
    const listed = { voices, untilMs: now() + FRESH_MS };
    voices.catch(() => {
      if (lists.get(key.id) === listed) lists.delete(key.id);
    });
    return listed;
  };
  return async (key: ServiceKey, space: Space, signal: AbortSignal): Promise<readonly Voice[]> => {
    const known = lists.get(key.id);
    const listed = known && now() < known.untilMs ? known : ask(key, space);
    lists.set(key.id, listed);
    try {
      return await orAborted(listed.voices, signal);
    } catch (thrown) {
      throw toAppError(thrown);
    }
  };
};

/** A combination of voice, format and streaming with which synthesis is attempted. */
interface SynthesisAttempt {
  readonly key: ServiceKey;
  readonly voice: Voice;
  readonly format: AudioFormat;
  /** True to stream the audio while it is made; otherwise it comes whole. */
  readonly stream: boolean;
}

const attemptId = ({ key, voice, format, stream }: SynthesisAttempt): string =>
  `${key.id} ${voice.id} ${format} ${stream}`;

/** Attempts, best first: each format streamed, if the voice supports that, then whole. */
const attemptsOf = (
  key: ServiceKey,
  voices: readonly Voice[],
  formats: readonly AudioFormat[],
): SynthesisAttempt[] =>
  voices.flatMap((voice) =>
    formats
      .filter((format) => voice.formats.includes(format))
      .flatMap((format) =>
        (voice.streaming ? [true, false] : [false]).map((stream) => ({
          key,
          voice,
          format,
          stream,
        })),
      ),
  );

/** Time after which a failed backend is tried again; what a voice cannot do lasts longer. */
const PASSING_MS = 300_000;
const LASTING_MS = 6 * 3_600_000;
const ENTRIES = 2_000;

const createFailureMemory = (now: () => number) => {
  const untilMs = createLru<string, number>(ENTRIES);
  return {
    has: (id: string): boolean => (untilMs.get(id) ?? Number.NEGATIVE_INFINITY) > now(),
    /**
     * Remembers that `failed` failed where `succeeded` spoke the same text. A refusal (400) counts
     * only when the same voice then spoke the text: otherwise the voice may not support the text.
     */
    add: (failed: SynthesisAttempt, error: AppError, succeeded: SynthesisAttempt): void => {
      const isRefusal = error instanceof ServiceError && error.status === 400;
      if (isRefusal && failed.voice.id !== succeeded.voice.id) return;
      untilMs.set(attemptId(failed), now() + (error.retryable ? PASSING_MS : LASTING_MS));
    },
    forget: (id: string): void => untilMs.delete(id),
  };
};

export interface SpeakerDeps {
  readonly client: Pick<ServiceClient, 'voices' | 'speak' | 'serviceKeyOf'>;
  readonly now?: () => number;
  /** Ms since 1970. */
  readonly wallMs?: () => number;
}

/** Most attempts for one request, and the time for all of them. */
const MOST_ATTEMPTS = 6;
const DEADLINE_MS = 120_000;

/** True when another attempt may succeed: not when the text, the key or the caller is the cause. */
const isWorthAnotherAttempt = (error: AppError): boolean =>
  error instanceof ServiceError
    ? [400, 403, 404].includes(error.status) || error.status >= 500
    : error.code === 'bad-reply';

const CONTAINERS: Readonly<Partial<Record<Container, AudioFormat>>> = {
  wav: 'wav',
  mp3: 'mp3',
  flac: 'flac',
  'ogg-opus': 'ogg',
  'ogg-vorbis': 'ogg',
  ogg: 'ogg',
};

/** Checks that a stream begins with audio of the right kind; the result is the whole stream. */
const begun = async (
  chunks: AsyncIterable<Uint8Array>,
  format: AudioFormat,
): Promise<AsyncIterable<Uint8Array>> => {
  const iterator = chunks[Symbol.asyncIterator]();
  let first = await iterator.next();
  while (!first.done && first.value.byteLength === 0) first = await iterator.next();
  if (first.done) throw new AppError('bad-reply', 'the service answered without audio');
  const opening = first.value;
  const container = format === 'pcm' ? undefined : sniff(opening);
  if (container && CONTAINERS[container] !== format) {
    await iterator.return?.();
    throw new AppError('bad-reply', `the service answered ${container} when asked for ${format}`);
  }
  return (async function* () {
    try {
      yield opening;
      yield* { [Symbol.asyncIterator]: () => iterator };
    } finally {
      await iterator.return?.();
    }
  })();
};

/** The sample rate to request; undefined when the service's own default is suitable. */
const rateOf = ({ sample_rates: rates }: Voice): number | undefined =>
  rates.length < 2 || rates.includes(SERVICE_LIMITS.ttsDefaultSampleRateHz) ? undefined : rates[0];

export const createSpeaker = ({
  client,
  now = () => performance.now(),
  wallMs = () => Date.now(),
}: SpeakerDeps): Speaker => {
  const failures = createFailureMemory(now);
  const list = createVoiceList(client, now);

  const open = async (
    { key, voice, format, stream }: SynthesisAttempt,
    text: string,
    options: Parameters<ServiceClient['speak']>[1],
  ): Promise<Speech> => {
    const rateHz = rateOf(voice);
    const chunks = await client.speak(
      {
        voice_id: voice.id,
        text,
        format,
        ...(stream ? { stream } : {}),
        ...(rateHz === undefined ? {} : { sample_rate: rateHz }),
      },
      { ...options, key },
    );
    return {
      voice,
      format,
      mediaType: MEDIA_TYPES[format],
      sampleRateHz: rateHz ?? voice.sample_rates[0] ?? SERVICE_LIMITS.ttsDefaultSampleRateHz,
      chunks: await begun(chunks, format),
    };
  };

  /** The text that a voice reads, in its language where it does not speak that of the text. */
  const spokenBy = (voice: Voice, written: RichText, textLanguage: string | undefined): string => {
    const locale = readingLanguage(voice, textLanguage);
    const text = speakable(written, {
      nowMs: wallMs(),
      ...(locale === undefined ? {} : { locale }),
    });
    return readableIn(text, locale, (language) => voiceSpeaks(voice, language));
  };

  /** Makes one attempt after another; remembers failures once another attempt has succeeded. */
  const tryAll = async (
    attempts: readonly SynthesisAttempt[],
    text: string,
    asker: Asker,
    signal: AbortSignal,
  ): Promise<Speech> => {
    const endMs = now() + DEADLINE_MS;
    const failed: { attempt: SynthesisAttempt; error: AppError }[] = [];
    for (const [index, attempt] of attempts.entries()) {
      const isLast = index === attempts.length - 1;
      try {
        const speech = await open(attempt, text, {
          ...asker,
          signal,
          deadlineMs: Math.max(1, endMs - now()),
          hasFallback: !isLast,
        });
        failures.forget(attemptId(attempt));
        for (const { attempt: other, error } of failed) failures.add(other, error, attempt);
        return speech;
      } catch (thrown) {
        signal.throwIfAborted();
        const error = toAppError(thrown);
        if (isLast || !isWorthAnotherAttempt(error)) throw error;
        failed.push({ attempt, error });
      }
    }
    throw new AppError('internal', 'there was no attempt at speaking');
  };

  return {
    voices: async (preference, space, signal) => {
      const key = await client.serviceKeyOf(space);
      return fittingVoices(await list(key, space, signal), preference);
    },

    async speak(
      { text: written, readAs, formats = AUDIO_FORMATS, lane, space, ...preference },
      signal,
    ) {
      const key = await client.serviceKeyOf(space);
      const voices = fittingVoices(await list(key, space, signal), preference);
      const [voice] = voices;
      if (voice === undefined) throw userError('not-found', 'speech.no-voice');
      const text =
        typeof written === 'string'
          ? written
          : spokenBy(voice, written, readAs ?? preference.language);
      if (text === '') throw userError('bad-input', 'speech.nothing-to-say');
      const attempts = attemptsOf(key, voices, formats);
      if (attempts.length === 0)
        throw userError('unsupported', 'speech.no-format', { formats: { list: formats } });
      const fresh = attempts.filter((attempt) => !failures.has(attemptId(attempt)));
      const tried = (fresh.length > 0 ? fresh : attempts).slice(0, MOST_ATTEMPTS);
      return tryAll(tried, text, { lane, space }, signal);
    },
  };
};
