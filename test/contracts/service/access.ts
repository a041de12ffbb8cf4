import { once } from 'node:events';
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import { PATHS } from '../../../src/api/contract.ts';
import type { Contract } from '../contract.ts';
import { recognise } from './audio.ts';
import {
  ask,
  expectError,
  postJson,
  speak,
  translate,
  voicesOf,
  voiceThat,
  type Answer,
  type ServiceSubject,
  type Target,
} from './target.ts';

const MESSAGES = [{ role: 'user', content: 'Why is the sky blue?' }];

export const chat = async (target: Target, fields: object = {}): Promise<Answer> =>
  postJson(target, PATHS.chat, { messages: MESSAGES, ...fields });

/** One good request for each path. */
const CALLS: Readonly<Record<string, (target: Target) => Promise<Answer>>> = {
  [PATHS.chat]: chat,
  [PATHS.tts]: async (target) => speak(target, { voice_id: undefined }),
  [PATHS.voices]: async (target) => ask(target, PATHS.voices),
  [PATHS.asr]: async (target) => recognise(target),
  [PATHS.translate]: async (target) => translate(target),
};

/** The status of an upgrade to a WebSocket: 101 where it succeeds. */
const upgrade = async ({ url, key }: Target, path: string): Promise<number> => {
  const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  socket.on('error', () => undefined);
  const opened = once(socket, 'open').then(() => 101);
  const refused = once(socket, 'unexpected-response').then(
    ([, reply]) => (reply as { statusCode: number }).statusCode,
  );
  const status = await Promise.race([opened, refused]);
  socket.terminate();
  return status;
};

const expectOnly = async (subject: ServiceSubject, path: string, method: string): Promise<void> => {
  for (const other of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'])
    if (other !== method) {
      const answer = await ask(subject, path, { method: other });
      expect([404, 405]).toContain(answer.status);
      expectError(answer, answer.status);
    }
  const twin = path.endsWith('/') ? path.slice(0, -1) : `${path}/`;
  const answer = await ask(subject, twin, { method });
  // A translation is taken without its slash, too.
  expect([404, ...(path === PATHS.translate ? [400] : [])]).toContain(answer.status);
  expectError(answer, answer.status);
};

export const PATH_ROWS = {
  '4.1 LLM: POST /openai/v1/chat/completions with JSON': async (subject) => {
    const { status, json } = await chat(subject);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      choices: [{ message: { role: 'assistant', content: expect.stringMatching(/\S/) as string } }],
    });
    const stream = await chat(subject, { stream: true });
    expect(stream.mediaType).toBe('text/event-stream');
    expect(stream.text.trimEnd()).toMatch(/^data: \{[^]+\ndata: \[DONE\]$/);
    for (const body of ['{', '[]', '{}', '{"messages":[]}'])
      expectError(await postJson(subject, PATHS.chat, body), 400);
    await expectOnly(subject, PATHS.chat, 'POST');
  },
  '4.1 TTS: POST /tts with JSON': async (subject) => {
    expect((await speak(subject)).status).toBe(200);
    for (const body of ['{', '[]', 'voice_id=1'])
      expectError(await postJson(subject, PATHS.tts, body), 400);
    await expectOnly(subject, PATHS.tts, 'POST');
  },
  '4.1 TTS: GET /tts/voices': async (subject) => {
    await voicesOf(subject);
    await expectOnly(subject, PATHS.voices, 'GET');
  },
  '4.1 TTS: WSS /ws/tts/realtime': async (subject) => {
    expect(await upgrade(subject, PATHS.realtimeSpeech)).toBe(101);
    expect(await upgrade({ ...subject, key: 'svck:nobody' }, PATHS.realtimeSpeech)).toBe(401);
  },
  '4.1 ASR: POST /asr/srt/audio_llm with JSON': async (subject) => {
    expect((await recognise(subject)).status).toBe(200);
    expectError(await postJson(subject, PATHS.asr, '{'), 400);
    await expectOnly(subject, PATHS.asr, 'POST');
  },
  '4.1 ASR: WSS /ws/asr/realtime': async (subject) => {
    expect(await upgrade(subject, PATHS.realtimeRecognition)).toBe(101);
    expect(await upgrade({ ...subject, key: 'svck:nobody' }, PATHS.realtimeRecognition)).toBe(401);
  },
  '4.1 translation: POST /translate/ with multipart/form-data': async (subject) => {
    expect((await translate(subject)).status).toBe(200);
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const cut = { method: 'POST', headers, body: '--x\r\ncontent-disp' };
    expectError(await ask(subject, PATHS.translate, cut), 400);
    await expectOnly(subject, PATHS.translate, 'POST');
  },
} satisfies Contract<ServiceSubject>;

const INVALID_TOKEN = {
  code: 104,
  name: 'ErrAuthenticationFailed',
  error: 'Authentication error: Invalid token',
};

const expectUnknown = (answer: Answer): void => {
  expectError(answer, 401);
  expect(answer.json).toMatchObject(INVALID_TOKEN);
};

const expectAllUnknown = async (target: Target): Promise<void> => {
  for (const path of Object.keys(CALLS)) expectUnknown(await postJson(target, path, {}));
};

export const ACCESS_RULES = {
  '5.1 every path takes the header Authorization: Bearer': async (subject) => {
    for (const [path, call] of Object.entries(CALLS)) {
      const { status } = await call(subject);
      expect(status, path).toBe(path === PATHS.tts ? 400 : 200);
    }
    await expectAllUnknown({ ...subject, key: 'svck:nobody' });
  },
  '5.2 the key begins with its prefix, and all of it is the token': async (subject) => {
    expect(subject.key).toMatch(/^svck:./);
    await expectAllUnknown({ ...subject, key: subject.key.slice('svck:'.length) });
    await expectAllUnknown({ ...subject, key: subject.key.slice(0, -1) });
  },
  '5.3 a key that was revoked gives no access': async (subject) => {
    expectUnknown(await chat(await subject.when('key that was revoked', PATHS.chat)));
  },
  '5.4 the key is taken from the header alone, and no reply repeats it': async (subject) => {
    const { url, key } = subject;
    expectUnknown(await ask({ url, key: '' }, `${PATHS.voices}?api_key=${key}&key=${key}`));
    const headers = { authorization: '', 'x-api-key': key, cookie: `key=${key}` };
    expectUnknown(await ask(subject, PATHS.voices, { headers }));
    for (const call of Object.values(CALLS)) {
      const answer = await call(subject);
      expect(answer.text + JSON.stringify([...answer.headers])).not.toContain(key);
    }
  },
  '5.5 a missing or malformed key gives 401 with code 104': async ({ url, key }) => {
    await expectAllUnknown({ url, key: '' });
    for (const authorization of [`Basic ${key}`, key, `Bearer  `, `Bearer ${key} x`])
      expectUnknown(await ask({ url, key }, PATHS.voices, { headers: { authorization } }));
  },
  '5.6 a key without the provider or without batch recognition gives 403': async (subject) => {
    const { id } = await voiceThat(subject, () => true);
    const mute = await subject.when('key without a provider of speech', PATHS.tts);
    expectError(await speak(mute, { voice_id: id }), 403);
    const deaf = await subject.when('key without batch recognition', PATHS.asr);
    expectError(await recognise(deaf), 403);
  },
  '7.4 chat, 401 and 429 with the error object': async (subject) => {
    expectUnknown(await chat({ ...subject, key: 'svck:nobody' }));
    expectError(await chat(await subject.when('busy back end', PATHS.chat)), 429);
  },
} satisfies Contract<ServiceSubject>;

/** One error of the service’s own. */
const error = async (subject: ServiceSubject): Promise<Record<string, unknown>> =>
  (await translate(subject, { text: undefined })).json;

export const ERROR_ROWS = {
  '2.6 error, context: where it arose': async (subject) => {
    const { context } = await error(subject);
    expect(context).toEqual(expect.arrayContaining([expect.any(String)]));
  },
  '2.6 error, code: a whole number': async (subject) => {
    expect((await error(subject))['code']).toSatisfy(Number.isInteger);
  },
  '2.6 error, name: a name': async (subject) => {
    expect((await error(subject))['name']).toMatch(/^Err\w+$/);
  },
  '2.6 error, error: a message for people': async (subject) => {
    expect((await error(subject))['error']).toMatch(/\w/);
  },
} satisfies Contract<ServiceSubject>;
