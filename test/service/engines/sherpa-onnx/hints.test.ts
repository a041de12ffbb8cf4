import { describe, expect, it } from 'vitest';
import { recordingOptions, withLanguage } from '../../../../service/engines/sherpa-onnx/hints.ts';

const WHISPER = { tokens: '', whisper: { language: '' } };
const CANARY = { tokens: '', canary: { srcLang: 'en', tgtLang: 'en' } };
const QWEN = { tokens: '', qwen3Asr: {} };
const COHERE = { tokens: '', cohereTranscribe: { language: 'en' } };
const NEMO = { tokens: '', nemoCtc: {} };

describe('the language of a recording', () => {
  it('is set in the configuration of Whisper and of Canary', () => {
    expect(withLanguage(WHISPER, 'de').whisper).toEqual({ language: 'de' });
    expect(withLanguage(CANARY, 'de').canary).toEqual({ srcLang: 'de', tgtLang: 'de' });
  });

  it('is what the model hears by itself where none is given', () => {
    expect(withLanguage(CANARY, '')).toBe(CANARY);
    expect(recordingOptions(COHERE, '')).toEqual({});
    expect(recordingOptions(QWEN, '')).toEqual({});
  });

  it('comes with the recording for Cohere by its code, for Qwen by its English name', () => {
    expect(recordingOptions(COHERE, 'de')).toEqual({ language: 'de' });
    expect(recordingOptions(QWEN, 'yue')).toEqual({ language: 'Cantonese' });
  });

  it('changes nothing for a kind that does not take it', () => {
    expect(withLanguage(NEMO, 'de')).toBe(NEMO);
    expect(recordingOptions(NEMO, 'de', ['word'])).toEqual({});
  });
});

describe('words to be expected', () => {
  it('come with the recording for Qwen, each as one', () => {
    expect(recordingOptions(QWEN, '', ['Ana, Rua 5', 'Dragoman'])).toEqual({
      hotwords: 'Ana  Rua 5,Dragoman',
    });
  });
});
