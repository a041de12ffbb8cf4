import type { Speech, Speaker } from './speech.ts';
import type { ServiceClient } from '../api/client.ts';
import { LIMITS, MEDIA_TYPES, type Voice } from '../api/contract.ts';
import { ServiceError } from '../api/service-error.ts';
import { sniff, type Container } from '../audio/container/sniff.ts';
import { AppError, toAppError } from '../errors.ts';
import { AUDIO_FORMATS, type AudioFormat } from '../model/file.ts';

import { speakable } from '../text/speech/speakable.ts';
import { createFailureMemory } from './failure-memory.ts';
import { createVoiceList } from './voice-list.ts';
import { fittingVoices } from './voice-choice.ts';
import { attemptId, attemptsOf, type SynthesisAttempt } from './attempts.ts';

export interface SpeakerDeps {
  readonly client: Pick<ServiceClient, 'voices' | 'speak'>;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

/** Ways that one request may try, and the time that it may take with all of them. */
const TRIES = 6;
const DEADLINE_MS = 120_000;

/** Whether another way may do better: not when the text, the key or the asker is the cause. */
const worthAnotherWay = (error: AppError): boolean =>
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

/** The stream begun: what was read to know that there is audio, of the right kind, comes first. */
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

/** The rate to ask for; undefined where the service's own default will do. */
const rateOf = ({ sample_rates: rates }: Voice): number | undefined =>
  rates.length < 2 || rates.includes(LIMITS.ttsDefaultSampleRateHz) ? undefined : rates[0];

export const createSpeaker = ({ client, now = () => performance.now() }: SpeakerDeps): Speaker => {
  const failures = createFailureMemory(now);
  const list = createVoiceList(client, now);

  const open = async (
    { voice, format, stream }: SynthesisAttempt,
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
      options,
    );
    return {
      voice,
      format,
      mediaType: MEDIA_TYPES[format],
      sampleRateHz: rateHz ?? voice.sample_rates[0] ?? LIMITS.ttsDefaultSampleRateHz,
      chunks: await begun(chunks, format),
    };
  };

  /** Tries one way after the other; what failed is remembered once another way has succeeded. */
  const tryWays = async (
    ways: readonly SynthesisAttempt[],
    text: string,
    signal: AbortSignal,
  ): Promise<Speech> => {
    const endMs = now() + DEADLINE_MS;
    const failed: { way: SynthesisAttempt; error: AppError }[] = [];
    for (const [index, way] of ways.entries()) {
      const isLast = index === ways.length - 1;
      try {
        const speech = await open(way, text, {
          signal,
          deadlineMs: Math.max(1, endMs - now()),
          hasOtherWay: !isLast,
        });
        failures.forget(attemptId(way));
        for (const { way: other, error } of failed) failures.add(other, error, way);
        return speech;
      } catch (thrown) {
        signal.throwIfAborted();
        const error = toAppError(thrown);
        if (isLast || !worthAnotherWay(error)) throw error;
        failed.push({ way, error });
      }
    }
    throw new AppError('internal', 'there was no way to speak');
  };

  return {
    voices: async (wish, signal) => fittingVoices(await list.get(signal), wish),

    async speak({ text: written, isSpeakable, readAs, formats = AUDIO_FORMATS, ...wish }, signal) {
      const locale = readAs ?? wish.language;
      const text = isSpeakable
        ? written
        : speakable(written, locale === undefined ? {} : { locale });
      if (text === '')
        throw new AppError('bad-input', 'nothing in the text can be spoken', {
          sentence: { key: 'speech.nothing-to-say' },
        });
      const voices = fittingVoices(await list.get(signal), wish);
      if (voices.length === 0)
        throw new AppError('not-found', 'no voice fits the wish', {
          sentence: { key: 'speech.no-voice' },
        });
      const ways = attemptsOf(voices, formats);
      if (ways.length === 0)
        throw new AppError('unsupported', 'no fitting voice has a wanted format', {
          sentence: { key: 'speech.no-format', params: { formats: formats.join(', ') } },
        });
      const fresh = ways.filter((way) => !failures.has(attemptId(way)));
      return tryWays((fresh.length > 0 ? fresh : ways).slice(0, TRIES), text, signal);
    },
  };
};
