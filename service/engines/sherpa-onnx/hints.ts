import { languageName } from '../../../src/text/language/language-names.ts';
import type { ModelConfig } from './model.ts';

/**
 * The configuration of a model that hears one language; '' for any, or for the model's first where it must
 * have one. The same object for kinds that take the language with each recording, or not at all.
 */
export const withLanguage = (model: ModelConfig, language: string): ModelConfig => {
  if (model.whisper) return { ...model, whisper: { ...model.whisper, language } };
  if (model.senseVoice && language !== '')
    return { ...model, senseVoice: { ...model.senseVoice, language } };
  if (!model.canary || language === '') return model;
  return { ...model, canary: { ...model.canary, srcLang: language, tgtLang: language } };
};

/** The options of a recording, for kinds that take the language or words to be expected with each. */
export const recordingOptions = (
  model: ModelConfig,
  language: string,
  hotwords: readonly string[] = [],
): Readonly<Record<string, string>> => ({
  ...(language !== '' && model.cohereTranscribe ? { language } : {}),
  // Named in English, as the model was trained.
  ...(language !== '' && model.qwen3Asr ? { language: languageName(language, 'en') } : {}),
  ...(hotwords.length > 0 && model.qwen3Asr
    ? { hotwords: hotwords.map((word) => word.replaceAll(',', ' ')).join(',') }
    : {}),
});
