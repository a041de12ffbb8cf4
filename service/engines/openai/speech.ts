import { AUDIO_FORMATS } from '../../../src/model/file.ts';
import { decode } from '../../../src/audio/codec/decode.ts';
import { AppError } from '../../../src/errors.ts';
import type { EngineConfig } from '../../config.ts';
import type { Sound, SpeechEngine } from '../../engine.ts';
import { BackendError } from '../../errors.ts';
import { stableUuid } from '../../uuid.ts';
import type { Body, Upstream } from './http.ts';

/** Sample rate of that API's `response_format: pcm`: 16-bit little-endian mono. */
const PCM_RATE_HZ = 24_000;
const SAMPLE_RATES_HZ = [8_000, 16_000, 24_000, 48_000];

/** Converts PCM to samples; joins a sample that is cut between network chunks. */
async function* toFloats(body: AsyncIterable<Uint8Array>): AsyncGenerator<Float32Array> {
  let rest = Buffer.alloc(0);
  for await (const chunk of body) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : Buffer.from(chunk);
    const count = bytes.length >> 1;
    const samples = new Float32Array(count);
    for (let i = 0; i < count; i += 1) samples[i] = bytes.readInt16LE(2 * i) / 32_768;
    rest = bytes.subarray(2 * count);
    if (count > 0) yield samples;
  }
}

/** Resolves with `pcm` once its first samples are available. */
const started = async (sampleRateHz: number, pcm: AsyncGenerator<Float32Array>): Promise<Sound> => {
  const first = await pcm.next();
  if (first.done) throw new AppError('bad-reply', 'The backend sent no sound.');
  return {
    sampleRateHz,
    pcm: (async function* () {
      yield first.value;
      yield* pcm;
    })(),
  };
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
  /** False once the server has refused to send raw PCM. */
  let pcmWorks = true;

  const ask = async (format: 'pcm' | 'wav', name: string, text: string, signal: AbortSignal) => {
    const { mediaType, body } = await upstream.send(
      '/audio/speech',
      { model, voice: name, input: text, response_format: format },
      signal,
    );
    if (/text|json/.test(mediaType)) {
      body.destroy();
      throw new AppError('bad-reply', 'The backend did not answer with audio.');
    }
    return body;
  };

  const askForWav = async (name: string, text: string, signal: AbortSignal): Promise<Sound> => {
    const body = guarded(await ask('wav', name, text, signal));
    const sounds = decode({ sizeBytes: undefined, open: () => body }, signal);
    const first = await sounds.next();
    if (first.done) throw new AppError('bad-reply', 'The backend sent no sound.');
    const { sampleRateHz, samples } = first.value;
    return {
      sampleRateHz,
      pcm: (async function* () {
        yield samples;
        for await (const sound of sounds) yield sound.samples;
      })(),
    };
  };

  return {
    voices: async () =>
      [...byId].map(([id, { name, language, gender }]) => ({
        id,
        description: `${name}, of ${model}`,
        language,
        gender,
        formats: [...AUDIO_FORMATS],
        sample_rates: [...SAMPLE_RATES_HZ],
        streaming: true,
      })),
    speak: async ({ voiceId, text }, signal) => {
      const voice = byId.get(voiceId);
      if (!voice) throw new AppError('not-found', 'no such voice');
      if (!pcmWorks) return askForWav(voice.name, text, signal);
      try {
        const body = guarded(await ask('pcm', voice.name, text, signal));
        return await started(PCM_RATE_HZ, toFloats(body));
      } catch (error) {
        if (!(error instanceof BackendError) || ![400, 422].includes(error.status)) throw error;
        const sound = await askForWav(voice.name, text, signal);
        pcmWorks = false;
        return sound;
      }
    },
  };
};
