import { expect } from 'vitest';
import { PATHS } from '../../../src/api/contract.ts';
import type { Contract } from '../contract.ts';
import {
  deltaOf,
  expectError,
  expectRefused,
  expectTaken,
  postJson,
  streamed,
  translate,
  translatedText,
  type ServiceSubject,
} from './target.ts';

const A_YEAR_S = 365 * 24 * 3_600;
const COUNTS = {
  prompt_tokens: expect.toSatisfy(Number.isInteger) as number,
  completion_tokens: expect.toSatisfy(Number.isInteger) as number,
  total_tokens: expect.toSatisfy(Number.isInteger) as number,
};

export const COMPLETION_ROWS = {
  '2.2 translation, id: unique, begins with trans_': async (subject) => {
    const ids = [await translate(subject), await translate(subject)].map(({ json }) => json['id']);
    for (const id of ids) expect(id).toMatch(/^trans_./);
    expect(new Set(ids).size).toBe(2);
  },
  '2.2 translation, object: translation.completion': async (subject) => {
    expect((await translate(subject)).json['object']).toBe('translation.completion');
  },
  '2.2 translation, created: the time in whole seconds': async (subject) => {
    const created = Number((await translate(subject)).json['created']);
    expect(created).toSatisfy(Number.isInteger);
    expect(Math.abs(created - Date.now() / 1_000)).toBeLessThan(A_YEAR_S);
  },
  '2.2 translation, model: a text': async (subject) => {
    expect((await translate(subject)).json['model']).toMatch(/\S/);
  },
  '2.2 translation, choices: the text in the first message': async (subject) => {
    const { choices } = (await translate(subject)).json;
    expect(choices).toEqual([
      {
        index: 0,
        message: { role: 'assistant', content: expect.stringMatching(/\S/) as string },
        finish_reason: expect.any(String) as string,
      },
    ]);
  },
  '2.2 translation, transcription: the source text': async (subject) => {
    const { json } = await translate(subject, { text: ' Grüße 😀 ' });
    expect(json['transcription']).toBe(' Grüße 😀 ');
  },
  '2.2 translation, source_lang: the one used': async (subject) => {
    expect((await translate(subject)).json['source_lang']).toBe('en');
  },
  '2.2 translation, target_lang: the one used': async (subject) => {
    expect((await translate(subject, { target_lang: 'ja' })).json['target_lang']).toBe('ja');
  },
  '2.2 translation, usage: three whole numbers': async (subject) => {
    expect((await translate(subject)).json['usage']).toEqual(COUNTS);
  },
} satisfies Contract<ServiceSubject>;

export const CHUNK_ROWS = {
  '2.3 chunk, id: the same in all, begins with trans_': async (subject) => {
    const ids = (await streamed(subject)).chunks.map(({ id }) => id);
    expect(ids[0]).toMatch(/^trans_./);
    expect(new Set(ids).size).toBe(1);
  },
  '2.3 chunk, object: translation.completion.chunk in all': async (subject) => {
    const objects = (await streamed(subject)).chunks.map(({ object }) => object);
    expect(new Set(objects)).toEqual(new Set(['translation.completion.chunk']));
  },
  '2.3 chunk, choices: delta with content, and index, in all': async (subject) => {
    for (const { choices } of (await streamed(subject)).chunks)
      expect(choices).toEqual([{ index: 0, delta: { content: expect.any(String) as string } }]);
  },
  '2.3 chunk, transcription, source_lang, target_lang: in the first alone': async (subject) => {
    const names = ['transcription', 'source_lang', 'target_lang'];
    const [first, ...others] = (await streamed(subject)).chunks;
    expect(Object.keys(first ?? {})).toEqual(expect.arrayContaining(names));
    for (const chunk of others)
      expect(Object.keys(chunk).filter((name) => names.includes(name))).toEqual([]);
  },
  '2.3 chunk, usage: where the back end sent it': async (subject) => {
    const usages = (await streamed(subject)).chunks.flatMap(({ usage }) => usage ?? []);
    expect(usages).toEqual([COUNTS]);
  },
} satisfies Contract<ServiceSubject>;

export const TRANSLATION_ROWS = {
  '4.4 POST /translate/, text: needed': async (subject) => {
    await expectRefused([undefined, ''], async (text) => translate(subject, { text }));
  },
  '4.4 POST /translate/, source_lang: needed': async (subject) => {
    await expectRefused([undefined, ''], async (lang) => translate(subject, { source_lang: lang }));
  },
  '4.4 POST /translate/, target_lang: needed': async (subject) => {
    await expectRefused([undefined, ''], async (lang) => translate(subject, { target_lang: lang }));
  },
  '4.4 POST /translate/, stream: false by default, true for events': async (subject) => {
    for (const stream of [undefined, 'false'])
      expect((await translate(subject, { stream })).mediaType).toBe('application/json');
    expect((await translate(subject, { stream: 'true' })).mediaType).toBe('text/event-stream');
    await expectRefused(['yes', '1', 'True'], async (stream) => translate(subject, { stream }));
  },
  '4.4 POST /translate/, keywords: repeated, and preserved': async (subject) => {
    const keywords = ['Dragoman', 'never there'];
    expect(translatedText(await translate(subject, { keywords }))).toContain('Dragoman');
    await expectTaken(['Dragoman'], async (one) => translate(subject, { keywords: one }));
  },
  '4.4 POST /translate/, context: a text': async (subject) => {
    const contexts = ['', 'what was said before'];
    await expectTaken(contexts, async (context) => translate(subject, { context }));
  },
  '4.4 POST /translate/, model: a name, which the reply need not repeat': async (subject) => {
    const models = ['svc-ai/chotto', 'any-other'];
    await expectTaken(models, async (model) => translate(subject, { model }));
  },
} satisfies Contract<ServiceSubject>;

export const TRANSLATION_RULES = {
  '2.3 chunk: no finish_reason': async (subject) => {
    expect((await streamed(subject)).lines.join('')).not.toContain('finish_reason');
  },
  '4.4 request: form fields, not JSON': async (subject) => {
    const fields = { text: 'hello', source_lang: 'en', target_lang: 'es' };
    expectError(await postJson(subject, PATHS.translate, fields), 400);
  },
  '6 events, 1: lines of data with JSON': async (subject) => {
    const { lines, chunks } = await streamed(subject);
    for (const line of lines) expect(line).toMatch(/^data: /);
    for (const chunk of chunks) expect(Object.keys(chunk).length).toBeGreaterThan(0);
  },
  '6 events, 2: the first has transcription, languages and a delta': async (subject) => {
    const [first = {}] = (await streamed(subject)).chunks;
    expect(first).toMatchObject({
      transcription: 'hello there, Dragoman',
      source_lang: 'en',
      target_lang: 'es',
    });
    expect(deltaOf(first)).toBeTypeOf('string');
  },
  '6 events, 3: the deltas are pieces of the translation, under one id': async (subject) => {
    const { chunks } = await streamed(subject);
    expect(chunks.length).toBeGreaterThan(2);
    expect(chunks.map(deltaOf).join('')).toBe(translatedText(await translate(subject)));
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
  },
  '6 events, 4: usage may come with an empty delta': async (subject) => {
    const chunk = (await streamed(subject)).chunks.find(({ usage }) => usage);
    expect(deltaOf(chunk ?? {})).toBeTypeOf('string');
  },
  '6 events, 5: the last line is [DONE]': async (subject) => {
    expect((await streamed(subject)).lines.at(-1)).toBe('data: [DONE]');
  },
  '6 events, 6: no finish_reason in any chunk': async (subject) => {
    for (const { choices } of (await streamed(subject)).chunks)
      expect(choices).not.toHaveProperty('0.finish_reason');
  },
  '7.3 translation, 401: a token that is missing or malformed': async ({ url }) => {
    for (const key of ['', 'svck:nobody', 'nobody'])
      expectError(await translate({ url, key }), 401);
  },
} satisfies Contract<ServiceSubject>;
