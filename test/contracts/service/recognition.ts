import { expect } from 'vitest';
import { PATHS } from '../../../src/api/contract.ts';
import type { Contract } from '../contract.ts';
import { recognise, recogniseAll, recording, segmentsWith, wordAs } from './audio.ts';
import {
  expectError,
  expectRefused,
  expectTaken,
  postJson,
  REFUSAL,
  type ServiceSubject,
} from './target.ts';

export const RESULT_ROWS = {
  '2.4 recognition, text: what was said': async (subject) => {
    expect((await recognise(subject)).json['text']).toMatch(/\S/);
  },
  '2.4 recognition, language: a code, detected or given': async (subject) => {
    expect((await recognise(subject)).json['language']).toMatch(/^[a-z]{2,3}\b/);
  },
  '2.4 recognition, confidence: from 0 to 1': async (subject) => {
    const { confidence } = (await recognise(subject)).json;
    expect(confidence).toBeTypeOf('number');
    expect(confidence).toBeGreaterThanOrEqual(0);
    expect(confidence).toBeLessThanOrEqual(1);
  },
  '2.5 segment, start: seconds, after padding and merging': async (subject) => {
    const segments = await segmentsWith(subject);
    expect(segments[0]?.start).toBeCloseTo(0.3, 1);
    expect(segments[1]?.start).toBeCloseTo(4.7, 1);
  },
  '2.5 segment, end: seconds, after padding and merging': async (subject) => {
    const segments = await segmentsWith(subject);
    expect(segments[0]?.end).toBeCloseTo(4.3, 1);
    expect(segments.at(-1)?.end).toBeCloseTo(9.8, 1);
  },
  '2.5 segment, text: what was said in it': async (subject) => {
    for (const { text } of await segmentsWith(subject)) expect(text).toMatch(/\S/);
  },
} satisfies Contract<ServiceSubject>;

/** A check of a number whose default is stated, and which is no text. */
const numberRow =
  (name: string, byDefault: number) =>
  async (subject: ServiceSubject): Promise<void> => {
    const { text } = await recognise(subject);
    expect((await recognise(subject, { [name]: byDefault })).text).toBe(text);
    await expectTaken([0.5, 1.5], async (value) => recognise(subject, { [name]: value }));
    await expectRefused(['0.5', true, [1]], async (value) => recognise(subject, { [name]: value }));
  };

export const RECOGNITION_ROWS = {
  '4.5 POST /asr/srt/audio_llm, audio: needed, base64 of WAV, OGG, MP3 or FLAC': async (
    subject,
  ) => {
    for (const format of ['wav', 'ogg', 'mp3', 'flac'] as const)
      expect((await recognise(subject, { audio: await wordAs(format) })).status).toBe(200);
    const wrong = [undefined, null, 7, '', 'no base64', Buffer.alloc(100).toString('base64')];
    await expectRefused(wrong, async (audio) => recognise(subject, { audio }));
  },
  '4.5 POST /asr/srt/audio_llm, language: a code, detected if left out': async (subject) => {
    expect((await recognise(subject, { language: 'ja' })).json['language']).toBe('ja');
    expect((await recognise(subject)).json['language']).toBe('en');
    await expectRefused([7, ['ja']], async (language) => recognise(subject, { language }));
  },
  '4.5 POST /asr/srt/audio_llm, hotwords: texts': async (subject) => {
    await expectTaken([[], ['Dragoman', 'Acme']], async (hotwords) =>
      recognise(subject, { hotwords }),
    );
    await expectRefused(['Acme', [1]], async (hotwords) => recognise(subject, { hotwords }));
  },
  '4.5 POST /asr/srt/audio_llm, temperature: a number, 0 by default': numberRow('temperature', 0),
  '4.5 POST /asr/srt/audio_llm, top_p: a number, 0.85 by default': numberRow('top_p', 0.85),
  '4.5 POST /asr/srt/audio_llm, frequency_penalty: a number, 0.5 by default': numberRow(
    'frequency_penalty',
    0.5,
  ),
  '4.5 POST /asr/srt/audio_llm, repetition_penalty: a number, 1.05 by default': numberRow(
    'repetition_penalty',
    1.05,
  ),
  '4.5 POST /asr/srt/audio_llm, vad: 0, off, 1, on or segments': async (subject) => {
    const off = await recogniseAll(subject);
    for (const vad of [0, 'off'])
      expect((await recogniseAll(subject, { vad })).json).toEqual(off.json);
    const [one, on] = [
      await recogniseAll(subject, { vad: 1 }),
      await recogniseAll(subject, { vad: 'on' }),
    ];
    expect(on.json).toEqual(one.json);
    expect(await segmentsWith(subject)).not.toEqual([]);
    const wrong = [2, -1, '0', '1', true, false, 'ON', 'yes', 'segment', ['on']];
    await expectRefused(wrong, async (vad) => recognise(subject, { vad }));
    expectError(await recognise(subject, { vad_filter: 'segments' }), 400);
  },
} satisfies Contract<ServiceSubject>;

export const RECOGNITION_RULES = {
  '2.5 segments: language, confidence and segments, without a text': async (subject) => {
    const { json } = await recogniseAll(subject, { vad: 'segments' });
    expect(json).toEqual({
      language: 'en',
      confidence: expect.any(Number) as number,
      segments: expect.any(Array) as unknown[],
    });
  },
  '4.5 rule 1: with audio, language is detected and vad off': async (subject) => {
    const { json } = await recogniseAll(subject);
    expect(json['language']).toBe('en');
    expect((await recogniseAll(subject, { vad: 'off' })).json).toEqual(json);
  },
  '4.5 rule 2: with messages, vad is 1; model has no effect': async (subject) => {
    const part = { type: 'input_audio', input_audio: { data: await recording } };
    const messages = [{ role: 'user', content: [part] }];
    const send = async (fields: object) => postJson(subject, PATHS.asr, { messages, ...fields });
    const on = await recogniseAll(subject, { vad: 1 });
    expect((await send({})).json).toEqual(on.json);
    expect((await send({ model: 'any' })).json).toEqual(on.json);
    expect((await send({ vad: 0 })).json).toEqual((await recogniseAll(subject)).json);
    expect((await recogniseAll(subject, { model: 'any' })).status).toBe(200);
    expectError(await postJson(subject, PATHS.asr, { messages: [] }), 400);
  },
  '4.5 rule 3: the plain result, or with segments theirs': async (subject) => {
    const keys = async (vad: unknown) => Object.keys((await recognise(subject, { vad })).json);
    for (const vad of ['off', 'on'])
      expect(await keys(vad)).toEqual(expect.arrayContaining(['text', 'language', 'confidence']));
    const withSegments = await keys('segments');
    expect(withSegments).toEqual(expect.arrayContaining(['language', 'confidence', 'segments']));
    expect(withSegments).not.toContain('text');
  },
} satisfies Contract<ServiceSubject>;

export const RECOGNITION_ERROR_ROWS = {
  '7.2 recognition, 400: invalid JSON, base64, audio, language or vad': async (subject) => {
    await expectRefused(['{"audio":', '[]', '"a"', ''], async (body) =>
      postJson(subject, PATHS.asr, body),
    );
    const rubbish = { audio: Buffer.from('no audio at all').toString('base64') };
    for (const wrong of [{ audio: 'A_A=' }, rubbish, { language: 'klingonese' }, { vad: 3 }])
      expectError(await recognise(subject, wrong), 400);
  },
  '7.2 recognition, 401: no API key, or an invalid one': async ({ url }) => {
    for (const key of ['', 'svck:nobody']) expectError(await recognise({ url, key }), 401);
  },
  '7.2 recognition, 403: a key without batch recognition': async (subject) => {
    const poor = await subject.when('key without batch recognition', PATHS.asr);
    expectError(await recognise(poor), 403);
  },
  '7.2 recognition, 404: no service or provider registered': async (subject) => {
    expectError(await recognise(await subject.when('nothing registered', PATHS.asr)), 404);
  },
  '7.2 recognition, 429: a limit of the key or of the back end': async (subject) => {
    const busy = await recognise(await subject.when('busy back end', PATHS.asr));
    expect(busy.status).toBe(429);
    expectError(await recognise(await subject.when('key over its limit', PATHS.asr)), 429);
  },
  '7.2 recognition, 500: a failure of the service itself': async (subject) => {
    expectError(await recognise(await subject.when('internal failure', PATHS.asr)), 500);
  },
  '7.2 recognition, 502: a back end that cannot be reached': async (subject) => {
    expectError(await recognise(await subject.when('unreachable back end', PATHS.asr)), 502);
  },
  '7.2 recognition, other: the back end’s own status and body': async (subject) => {
    const { status, text } = await recognise(await subject.when('refusing back end', PATHS.asr));
    expect({ status, body: text }).toEqual(REFUSAL);
  },
} satisfies Contract<ServiceSubject>;
