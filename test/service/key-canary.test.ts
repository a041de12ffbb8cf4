import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PATHS } from '../../src/api/contract.ts';
import { createLog } from '../../src/log.ts';
import { startFakeOpenai, type FakeOpenai, type Fault } from '../fakes/openai.ts';
import { traceOf } from '../fakes/key-canary.ts';
import { toneWav } from '../fakes/tone.ts';
import { KEY, startTestService, type TestService } from './support.ts';

const BACK_END_KEY = 'Canary-of.the+Back/End=0123456789';
const STRANGERS = 'svck:Canary-of-a-Stranger-0123456789';

const echo = [
  BACK_END_KEY,
  Buffer.from(BACK_END_KEY).toString('base64'),
  encodeURIComponent(BACK_END_KEY),
  `Bearer ${BACK_END_KEY}`,
].join(' and ');
const errorOf = (status: number, body: string): Fault => ({ kind: 'status', status, body });

const FAULTS: readonly (readonly [string, Fault])[] = [
  ...[400, 401, 403, 404, 422, 429, 500, 503].map(
    (status) =>
      [
        `${status}, its key in the error`,
        errorOf(status, JSON.stringify({ error: { message: echo, code: echo } })),
      ] as const,
  ),
  ['its key in another form of error', errorOf(502, JSON.stringify({ detail: [{ msg: echo }] }))],
  ['its key in plain words', errorOf(500, echo)],
  ['a page', { kind: 'html' }],
  ['no answer that it knows', { kind: 'json', value: { [echo]: echo } }],
  ['a broken connection', { kind: 'cut' }],
];
const BACK_END_PATHS = ['/chat/completions', '/audio/transcriptions', '/audio/speech', '/models'];

let backEnd: FakeOpenai;
let service: TestService;
const logged: string[] = [];

beforeAll(async () => {
  backEnd = await startFakeOpenai({ key: BACK_END_KEY });
  service = await startTestService(
    { SERVICE_OPENAI_URL: backEnd.url, SERVICE_OPENAI_KEY: BACK_END_KEY },
    createLog('trace', { write: (line: string) => void logged.push(line) }),
  );
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await backEnd[Symbol.asyncDispose]();
});

const read = async (reply: Response): Promise<string> =>
  `${reply.status} ${[...reply.headers].join('\n')} ${await reply.text().catch(String)}`;

/** Asks for everything that there is; resolves with all replies. */
const askAll = async (): Promise<readonly string[]> => {
  const voices = (await (await service.request(PATHS.voices)).json()) as {
    voices: { id: string }[];
  };
  const messages = [{ role: 'user', content: 'Hi' }];
  const audio = Buffer.from(toneWav(1)).toString('base64');
  const replies = await Promise.all([
    service.postJson(PATHS.chat, { messages }),
    service.postJson(PATHS.chat, { messages, stream: true }),
    service.translate({ text: 'Hi', source_lang: 'en', target_lang: 'es' }),
    service.translate({ text: 'Hi', source_lang: 'en', target_lang: 'es', stream: 'true' }),
    service.postJson(PATHS.asr, { audio }),
    service.postJson(PATHS.asr, { audio, vad: 'segments' }),
    ...voices.voices
      .slice(0, 1)
      .map(({ id }) => service.postJson(PATHS.tts, { voice_id: id, text: 'Hi', format: 'wav' })),
    service.request('/openai/v1/models'),
    service.postJson('/openai/v1/audio/speech', { input: 'Hi', voice: 'alloy' }),
  ]);
  return Promise.all(replies.map(read));
};

describe('the built-in service tells', () => {
  it.each(FAULTS)('no key where a back end gives %s', async (_, fault) => {
    for (const path of BACK_END_PATHS)
      for (let times = 0; times < 6; times += 1) backEnd.fail(path, fault);
    const replies = await askAll();
    expect(replies.length).toBeGreaterThan(7);
    expect(traceOf(BACK_END_KEY, replies.join('\n'))).toBeUndefined();
    for (const key of [BACK_END_KEY, KEY]) expect(traceOf(key, logged.join('\n'))).toBeUndefined();
  });

  it('no key that a client sends, wherever it sends it', async () => {
    const stranger = { key: STRANGERS };
    const asBasic = { authorization: `Basic ${Buffer.from(STRANGERS).toString('base64')}` };
    const query = `?api_key=${encodeURIComponent(STRANGERS)}`;
    const replies = await Promise.all([
      service.request(PATHS.voices, stranger),
      service.request(PATHS.voices, { key: null, headers: asBasic }),
      service.request(PATHS.voices, { headers: { 'x-request-id': STRANGERS } }),
      service.request(PATHS.voices, { headers: { 'x-api-key': STRANGERS } }),
      service.request(`${PATHS.voices}${query}`),
      service.request(`${PATHS.voices}${query}`, { key: null }),
      service.request(`/nowhere/${STRANGERS}`),
      service.postJson(PATHS.chat, { api_key: STRANGERS, messages: 7 }),
      service.postJson(PATHS.asr, `{"key": "${STRANGERS}"`),
      service.postJson(PATHS.tts, { voice_id: STRANGERS, text: 'Hi', format: STRANGERS }),
      service.translate({ text: '', source_lang: STRANGERS, target_lang: 'es' }),
    ]);
    await Promise.all(replies.map(read));
    const text = logged.join('\n');
    for (const key of [STRANGERS, KEY]) expect(traceOf(key, text)).toBeUndefined();
    expect(text).toContain('"status":401');
  });
});
