import { describe, expect, it } from 'vitest';
import { imageCommands } from '../../../../src/process/program.ts';
import { createSherpaRecognition } from '../../../../service/engines/sherpa-onnx/children.ts';
import type { Model } from '../../../../service/engines/sherpa-onnx/model.ts';
import {
  chooseRecogniser,
  type InstalledRecogniser,
} from '../../../../service/engines/sherpa-onnx/recogniser-choice.ts';
import type { SherpaRequest } from '../../../../service/engines/sherpa-onnx/worker.ts';

const signal = new AbortController().signal;

describe('the recogniser of a request', () => {
  const named = (name: string, kind: string, languages?: readonly string[]) => ({
    kind,
    name,
    config: { tokens: '' },
    languages,
  });
  const codes = ['en', 'es', 'sw', 'tl', 'jw', 'no', 'he', 'ja', 'de'];
  const whisper: InstalledRecogniser = {
    model: named('whisper', 'whisper', codes),
    languages: undefined,
  };
  const english = { model: named('english', 'whisper', ['en']), languages: undefined };
  const asian = {
    model: named('asian', 'sense-voice', ['zh', 'yue', 'en', 'ja', 'ko']),
    languages: undefined,
  };
  const european = { model: named('european', 'transducer'), languages: ['de', 'en', 'es'] };
  const all = [whisper, asian, european];

  it.each([
    ['es', 'european'],
    ['es-MX', 'european'],
    ['ja', 'asian'],
    ['en', 'european'],
    ['sw', 'whisper'],
    [undefined, 'whisper'],
  ])('in %s is %s', (language, name) => {
    expect(chooseRecogniser(all, language)?.model.name).toBe(name);
  });

  it('is the broadest where none has the language, or none is named', () => {
    expect(chooseRecogniser([european, asian], 'sw')?.model.name).toBe('asian');
    expect(chooseRecogniser([english, whisper], undefined)?.model.name).toBe('whisper');
    expect(chooseRecogniser([english, whisper], 'ga')?.model.name).toBe('whisper');
  });

  it('has the languages of its name where nothing else says them', () => {
    const of = (name: string) => ({ model: named(name, 'moonshine'), languages: undefined });
    const japanese = of('sherpa-onnx-moonshine-base-ja-quantized-2026-02-27');
    expect(chooseRecogniser([japanese, whisper], 'ja')).toBe(japanese);
    expect(chooseRecogniser([japanese, whisper], 'es')).toBe(whisper);
    const others = [of('my-model'), of('sherpa-onnx-nemo-ctc-giga-am-v3-russian')];
    for (const other of others) {
      expect(chooseRecogniser([japanese, other], 'ru')).toBe(other);
      expect(chooseRecogniser([japanese, other], 'de')).toBe(other);
    }
  });

  it('is none that must be told the language, where there is another', () => {
    const canary = {
      model: { ...named('canary', 'canary', [...codes, 'fr', 'it']), needsLanguage: true as const },
      languages: undefined,
    };
    expect(chooseRecogniser([canary, whisper], undefined)?.model.name).toBe('whisper');
    expect(chooseRecogniser([canary, whisper], 'fr')?.model.name).toBe('canary');
    expect(chooseRecogniser([canary], undefined)?.model.name).toBe('canary');
  });

  it('is missing in a language that none knows, which is said with the command that adds one', async () => {
    const asked: unknown[] = [];
    const children = {
      of: () => ({
        call: async () => {
          asked.push('asked');
          return { text: '', language: undefined, confidence: undefined };
        },
      }),
    } as unknown as Parameters<typeof createSherpaRecognition>[1];
    let advise: typeof imageCommands | undefined;
    const hear = async (language: string, ...recognisers: (typeof whisper)[]) =>
      createSherpaRecognition(recognisers, children, advise).recognise(
        new Float32Array(1),
        { language },
        signal,
      );
    await expect(hear('th', european, asian)).rejects.toMatchObject({
      named: 'ErrServiceNotRegistered',
      message: 'No engine recognises th. Add one: run npm run setup -- th.',
    });
    advise = imageCommands;
    await expect(hear('th', european, asian)).rejects.toMatchObject({
      message: 'No engine recognises th. Add one: run dragoman setup th.',
    });
    const unknown = { model: named('unknown', 'nemo-ctc'), languages: undefined };
    await hear('th', european, unknown);
    await hear('th', european, whisper);
    expect(asked).toHaveLength(2);
  });

  it('gets the words to be expected where it takes them, and says so', async () => {
    const asked: unknown[] = [];
    const children = {
      of: () => ({
        call: async (request: SherpaRequest) => {
          asked.push(request.hotwords);
          return { text: '', language: undefined, confidence: undefined };
        },
      }),
    } as unknown as Parameters<typeof createSherpaRecognition>[1];
    const hear = async (model: Model) =>
      createSherpaRecognition([{ model, languages: undefined }], children).recognise(
        new Float32Array(1),
        { hotwords: ['Dragoman'] },
        signal,
      );
    const qwen = { ...named('qwen', 'qwen3-asr'), takesHotwords: true as const };
    expect(await hear(qwen)).toMatchObject({ hotwordsUsed: true });
    expect(await hear(whisper.model)).not.toHaveProperty('hotwordsUsed');
    expect(asked).toEqual([['Dragoman'], undefined]);
  });

  it('is asked again in the language that was given, where SenseVoice has heard another', async () => {
    const asked: unknown[] = [];
    const children = {
      of: ({ senseVoice }: { senseVoice: { language?: string } }) => ({
        call: async () => {
          asked.push(senseVoice.language);
          return { text: 'so', language: senseVoice.language ?? 'en' };
        },
      }),
    } as unknown as Parameters<typeof createSherpaRecognition>[1];
    const model = { ...asian.model, config: { tokens: '', senseVoice: {} } };
    const hear = async (language?: string) =>
      createSherpaRecognition([{ model, languages: undefined }], children).recognise(
        new Float32Array(1),
        { language },
        signal,
      );
    expect(await hear('ja')).toMatchObject({ language: 'ja' });
    expect(await hear('en')).toMatchObject({ language: 'en' });
    expect(await hear()).toMatchObject({ language: 'en' });
    expect(asked).toEqual([undefined, 'ja', undefined, undefined]);
  });

  it.each([
    ['en-GB', 'en'],
    ['fil', 'tl'],
    ['tl', 'tl'],
    ['jv', 'jw'],
    ['nb', 'no'],
    ['iw', 'he'],
    ['yue', undefined],
    ['ga', undefined],
    ['zu', undefined],
    ['eo', undefined],
    ['ckb', undefined],
    ['x', undefined],
  ])('gets %s as the code of its own list, or none: %s', async (language, code) => {
    const asked: unknown[] = [];
    const recognition = createSherpaRecognition([whisper], {
      of: () => ({
        call: async (request: SherpaRequest) => {
          asked.push(request.language);
          return { text: '', language: undefined, confidence: undefined };
        },
      }),
    } as unknown as Parameters<typeof createSherpaRecognition>[1]);
    await recognition.recognise(new Float32Array(1), { language }, signal);
    expect(asked).toEqual([code]);
  });
});
