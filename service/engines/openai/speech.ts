import { AppError } from '../../../src/errors.ts';
import type { EngineConfig } from '../../config.ts';
import { type Sound, type SpeechEngine, stableUuid, VOICE_OUTPUT } from '../../engine.ts';
import { createTakenForms, refusesRequest } from '../../back-end/taken-forms.ts';
import type { Body, Upstream } from '../../back-end/http.ts';
import { createByteReader } from '../../../src/audio/bytes.ts';
import { decode } from '../../../src/audio/codec/decode.ts';
import { sniff, SNIFF_BYTES } from '../../../src/audio/container/sniff.ts';
import { fromS16le, startingWith, type Pcm } from '../../../src/audio/pcm.ts';
import { toOneRate } from '../../../src/audio/resample.ts';

/** Sample rate of that API's `response_format: pcm`: 16-bit little-endian mono. */
const PCM_RATE_HZ = 24_000;

/** Media types under which servers send raw samples. */
const RAW = /^(?:audio\/(?:x-)?(?:pcm|raw|s16le)|(?:application|binary)\/octet-stream|)(?:;|$)/i;

/** Error for bytes that are no known file, under a media type that is no raw audio. */
class WrongAudio extends AppError {
  override readonly name = 'WrongAudio';
  constructor() {
    super('bad-reply', 'The backend sent audio that is not what its media type says.');
  }
}

const noSound = (): AppError => new AppError('bad-reply', 'The backend sent no sound.');

/** A number of a media type's parameter, within bounds. */
const parameter = (mediaType: string, name: string, otherwise: number): number => {
  const found = Number(new RegExp(`;\\s*${name}="?(\\d+)`, 'i').exec(mediaType)?.[1]);
  return found > 0 && found <= 192_000 ? found : otherwise;
};

async function* firstChannel(
  pcm: AsyncIterable<Float32Array>,
  channels: number,
): AsyncGenerator<Float32Array, void, void> {
  let at = 0;
  for await (const samples of pcm) {
    const mono: number[] = [];
    for (; at < samples.length; at += channels) mono.push(samples[at] ?? 0);
    at -= samples.length;
    yield Float32Array.from(mono);
  }
}

/** Resolves with the sound once its first samples are there. */
const started = async (pcm: AsyncGenerator<Pcm, void, void>): Promise<Sound> => {
  const first = await pcm.next();
  if (first.done) throw noSound();
  const { sampleRateHz } = first.value;
  return { sampleRateHz, pcm: toOneRate(startingWith([first.value], pcm), sampleRateHz) };
};

/**
 * Reads the audio of a reply, in whatever format its first bytes show, or as raw samples where its
 * media type allows it. Throws `bad-reply` for anything else.
 */
const readSpeech = async (
  body: AsyncIterable<Uint8Array>,
  mediaType: string,
  signal: AbortSignal,
): Promise<Sound> => {
  const reader = createByteReader(body, signal);
  try {
    const head = await reader.peek(SNIFF_BYTES);
    if (head.length === 0) throw noSound();
    if (sniff(head) !== undefined)
      return await started(decode({ sizeBytes: undefined, open: () => reader.rest() }, signal));
    if (!RAW.test(mediaType)) throw new WrongAudio();
    const sampleRateHz = parameter(mediaType, 'rate', PCM_RATE_HZ);
    const channels = Math.min(8, parameter(mediaType, 'channels', 1));
    const samples = fromS16le(reader.rest());
    return await started(
      (async function* () {
        for await (const part of channels > 1 ? firstChannel(samples, channels) : samples)
          yield { samples: part, sampleRateHz };
      })(),
    );
  } catch (error) {
    await reader.close();
    // What the decoder refuses is the back end's fault, not the client's.
    if (error instanceof AppError && ['bad-input', 'unsupported', 'too-large'].includes(error.code))
      throw new AppError(
        'bad-reply',
        `The backend sent audio that cannot be read: ${error.message}.`,
        {
          cause: error,
        },
      );
    throw error;
  }
};

/** The languages of a description; many are but counted. */
const describedLanguages = (languages: string): string => {
  const many = languages.split(',').length;
  return many > 3 ? `${many} languages` : languages;
};

async function* guarded(body: Body): AsyncGenerator<Uint8Array> {
  try {
    yield* body as AsyncIterable<Uint8Array>;
  } catch (cause) {
    throw new AppError('unavailable', 'The backend broke off.', { cause, retryable: true });
  }
}

export const createSpeech = (
  upstream: Upstream,
  model: string,
  voices: EngineConfig['SERVICE_OPENAI_TTS_VOICES'],
): SpeechEngine => {
  const byId = new Map(
    voices.map((voice) => [stableUuid(`openai ${voice.name} ${voice.language}`), voice]),
  );
  /** Raw PCM unless the server refuses it, or sends what it does not name. */
  const inForm = createTakenForms<'pcm' | 'wav'>(
    (error) => refusesRequest(error) || error instanceof WrongAudio,
  );

  const ask = async (
    format: 'pcm' | 'wav',
    name: string,
    { text, speed, instructions }: Omit<Parameters<SpeechEngine['speak']>[0], 'voiceId'>,
    signal: AbortSignal,
  ): Promise<Sound> => {
    const { mediaType, body } = await upstream.send(
      '/audio/speech',
      {
        model,
        voice: name,
        input: text,
        response_format: format,
        ...(speed === 1 ? {} : { speed }),
        ...(instructions === undefined ? {} : { instructions }),
      },
      signal,
    );
    if (/text|json/.test(mediaType)) {
      body.destroy();
      throw new AppError('bad-reply', 'The backend did not answer with audio.');
    }
    return readSpeech(guarded(body), mediaType, signal);
  };

  return {
    voices: async () =>
      [...byId].map(([id, { name, language, gender }]) => ({
        id,
        name,
        description: `${name}, ${describedLanguages(language)}, ${gender.toLowerCase()}, ${model}`,
        language,
        gender,
        ...VOICE_OUTPUT,
      })),
    speak: async ({ voiceId, ...spoken }, signal) => {
      const voice = byId.get(voiceId);
      if (!voice) throw new AppError('not-found', 'no such voice');
      return inForm(['pcm', 'wav'], (format) => ask(format, voice.name, spoken, signal));
    },
  };
};
