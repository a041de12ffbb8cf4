import type { ServiceClient } from '../api/client.ts';
import { LIMITS, MEDIA_TYPES, type Voice } from '../api/contract.ts';
import { ServiceError } from '../api/service-error.ts';
import { AppError, toAppError } from '../errors.ts';
import { AUDIO_FORMATS, type AudioFormat } from '../model.ts';
import type { Speaker, Speech } from '../services.ts';
import { speakable } from '../text/speakable.ts';
import { createFailureMemory } from './failure-memory.ts';
import { fittingVoices } from './voice-choice.ts';

export interface SpeakerParts {
  readonly client: Pick<ServiceClient, 'voices' | 'speak'>;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

const VOICES_TTL_MS = 300_000;
/** Ways (voice, format, streamed or not) that one request may try. */
const TRIES = 6;

interface Way {
  readonly voice: Voice;
  readonly format: AudioFormat;
  readonly stream: boolean;
}

const idOf = ({ voice, format, stream }: Way): string => `${voice.id} ${format} ${stream}`;

/** In order of preference: each format streamed, where the voice says it can, then whole. */
const waysOf = (voices: readonly Voice[], formats: readonly AudioFormat[]): Way[] =>
  voices.flatMap((voice) =>
    formats
      .filter((format) => voice.formats.includes(format))
      .flatMap((format) =>
        (voice.streaming ? [true, false] : [false]).map((stream) => ({ voice, format, stream })),
      ),
  );

/** Whether another way may do better: not when the text, the key or the asker is the cause. */
const worthAnotherWay = (error: AppError): boolean =>
  error instanceof ServiceError
    ? error.status === 400 || error.status === 403 || error.status >= 500
    : error.code === 'bad-reply';

/** The stream begun: what was read to know that there is audio comes first. */
const firstBytesThere = async (
  chunks: AsyncIterable<Uint8Array>,
): Promise<AsyncIterable<Uint8Array>> => {
  const iterator = chunks[Symbol.asyncIterator]();
  let first = await iterator.next();
  while (!first.done && first.value.byteLength === 0) first = await iterator.next();
  if (first.done) throw new AppError('bad-reply', 'the service answered without audio');
  const opening = first.value;
  return (async function* () {
    try {
      yield opening;
      yield* { [Symbol.asyncIterator]: () => iterator };
    } finally {
      await iterator.return?.();
    }
  })();
};

export const createSpeaker = ({ client, now = () => performance.now() }: SpeakerParts): Speaker => {
  const failures = createFailureMemory(now);
  let list:
    | { readonly voices: Promise<readonly Voice[]>; readonly freshUntilMs: number }
    | undefined;

  /** One request for all who ask at once; it is not the first asker's to abort. */
  const allVoices = async (): Promise<readonly Voice[]> => {
    if (!list || now() >= list.freshUntilMs) {
      const voices = client.voices({ signal: new AbortController().signal });
      list = { voices, freshUntilMs: now() + VOICES_TTL_MS };
      voices.catch(() => {
        list = undefined;
      });
    }
    return list.voices;
  };

  const open = async (way: Way, text: string, signal: AbortSignal): Promise<Speech> => {
    const { voice, format, stream } = way;
    const fixedRate = voice.sample_rates.includes(LIMITS.ttsDefaultSampleRateHz)
      ? undefined
      : voice.sample_rates[0];
    const needsRate = fixedRate !== undefined && voice.sample_rates.length > 1;
    const chunks = await client.speak(
      {
        voice_id: voice.id,
        text,
        format,
        ...(stream ? { stream } : {}),
        ...(needsRate ? { sample_rate: fixedRate } : {}),
      },
      { signal },
    );
    return {
      voice,
      format,
      mediaType: MEDIA_TYPES[format],
      sampleRateHz: fixedRate ?? LIMITS.ttsDefaultSampleRateHz,
      chunks: await firstBytesThere(chunks),
    };
  };

  return {
    voices: async (wish) => fittingVoices(await allVoices(), wish),

    async speak({ text: written, formats = AUDIO_FORMATS, ...wish }, signal) {
      const text = speakable(written, wish.language === undefined ? {} : { locale: wish.language });
      if (text === '')
        throw new AppError('bad-input', 'nothing in the text can be spoken', {
          sentence: { key: 'speech.nothing-to-say' },
        });
      const voices = fittingVoices(await allVoices(), wish);
      if (voices.length === 0)
        throw new AppError('not-found', 'no voice fits the wish', {
          sentence: { key: 'speech.no-voice' },
        });
      const ways = waysOf(voices, formats);
      if (ways.length === 0)
        throw new AppError('unsupported', 'no fitting voice has a wanted format', {
          sentence: { key: 'speech.no-format', params: { formats: formats.join(', ') } },
        });
      const fresh = ways.filter((way) => !failures.has(idOf(way)));
      let last: AppError | undefined;
      for (const way of (fresh.length > 0 ? fresh : ways).slice(0, TRIES)) {
        try {
          return await open(way, text, signal);
        } catch (thrown) {
          signal.throwIfAborted();
          last = toAppError(thrown);
          if (!worthAnotherWay(last)) throw last;
          failures.add(idOf(way), last);
        }
      }
      throw last ?? new AppError('internal', 'no way to speak was tried');
    },
  };
};
