import { AUDIO_FORMATS } from '../../../src/model/message.ts';
import { AppError } from '../../../src/errors.ts';
import type { EngineConfig } from '../../config.ts';
import type { Sound, SpeechEngine } from '../../engine.ts';
import { BackendError } from '../../errors.ts';
import { stableUuid } from '../../uuid.ts';
import type { Body, Upstream } from './http.ts';
import { readSpeech, WrongAudio } from './speech-audio.ts';

const SAMPLE_RATES_HZ = [8_000, 16_000, 24_000, 48_000];

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
  /** False once the server has refused to send raw PCM, or sent what it does not name. */
  let pcmWorks = true;

  const ask = async (
    format: 'pcm' | 'wav',
    name: string,
    text: string,
    signal: AbortSignal,
  ): Promise<Sound> => {
    const { mediaType, body } = await upstream.send(
      '/audio/speech',
      { model, voice: name, input: text, response_format: format },
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
        formats: [...AUDIO_FORMATS],
        sample_rates: [...SAMPLE_RATES_HZ],
        streaming: true,
      })),
    speak: async ({ voiceId, text }, signal) => {
      const voice = byId.get(voiceId);
      if (!voice) throw new AppError('not-found', 'no such voice');
      if (!pcmWorks) return ask('wav', voice.name, text, signal);
      try {
        return await ask('pcm', voice.name, text, signal);
      } catch (error) {
        const isRefused = error instanceof BackendError && [400, 422].includes(error.status);
        if (!isRefused && !(error instanceof WrongAudio)) throw error;
        const sound = await ask('wav', voice.name, text, signal);
        pcmWorks = false;
        return sound;
      }
    },
  };
};
