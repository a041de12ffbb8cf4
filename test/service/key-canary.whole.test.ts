import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { OPENAI_PATHS } from '../../service/routes/lists.ts';
import { PATHS, type Voice } from '../../src/api/contract.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { startFakeOpenai, type Fault } from '../fakes/openai.ts';
import { traceOf } from '../fakes/key-canary.ts';
import { toneWav } from '../fakes/tone.ts';
import { joined, silenceOf, soundOf } from './realtime/support.ts';
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
  ['JSON that it does not know, with its key', { kind: 'json', value: { [echo]: echo } }],
  ['its key in place of a reply', { kind: 'json', value: { error: { message: echo } } }],
  [
    'its key in a stream',
    { kind: 'events', body: `data: {"error": {"message": "${echo}", "code": "${echo}"}}\n\n` },
  ],
  ['its key in a stream that is no JSON', { kind: 'events', body: `data: ${echo}\n\n` }],
  ['a broken connection', { kind: 'cut' }],
];
const BACK_END_PATHS = [
  '/chat/completions',
  '/audio/transcriptions',
  '/audio/speech',
  '/models',
  '/props',
  '/api/ps',
];

const open = async () => {
  const logged: string[] = [];
  const backEnd = await startFakeOpenai({ key: BACK_END_KEY });
  const service = await startTestService(
    {
      SERVICE_OPENAI_URL: backEnd.url,
      SERVICE_OPENAI_KEY: BACK_END_KEY,
      SERVICE_OPENAI_CHAT_MODEL: 'talk-1',
      SERVICE_OPENAI_ASR_MODEL: 'whisper-1',
      SERVICE_OPENAI_TTS_MODEL: 'tts-1',
    },
    createLog('trace', { write: (line: string) => void logged.push(line) }),
  );
  return {
    backEnd,
    service,
    logged,
    [Symbol.asyncDispose]: async () => {
      await service[Symbol.asyncDispose]();
      await backEnd[Symbol.asyncDispose]();
    },
  };
};

const read = async (reply: Response): Promise<string> =>
  `${reply.status} ${[...reply.headers].join('\n')} ${await reply.text().catch(String)}`;

/** Opens a session, sends messages, and returns all that comes until a message of these types. */
const converse = async (
  { service }: TestService,
  path: string,
  messages: readonly object[],
  lastTypes: readonly string[],
): Promise<string> => {
  const headers = { authorization: `Bearer ${KEY}` };
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}${path}`, { headers });
  const heard: string[] = [];
  socket.on('message', (data: Buffer, isBinary) => {
    heard.push(data.toString());
    if (isBinary) return;
    const { type } = JSON.parse(data.toString()) as { type: string };
    if (lastTypes.includes(type)) socket.close();
  });
  socket.on('open', () => {
    for (const message of messages) socket.send(JSON.stringify(message));
  });
  await once(socket, 'close');
  return heard.join('\n');
};

const hearInSession = async (service: TestService): Promise<string> => {
  const audio = joined(soundOf([1, 2, 3]), silenceOf(1)).toString('base64');
  return converse(
    service,
    PATHS.realtimeRecognition,
    [{ type: 'input_audio.append', audio }],
    ['asr.final_result', 'error'],
  );
};

const speakInSession = async (service: TestService, voiceId: string): Promise<string> => {
  const session = { voice_id: voiceId, format: 'mp3' };
  return converse(
    service,
    PATHS.realtimeSpeech,
    [
      { type: 'session.update', session },
      { type: 'tts.speak', text: 'Hi' },
    ],
    ['tts.usage', 'error'],
  );
};

const voiceOfBackEnd = async (service: TestService): Promise<string> => {
  const reply = await service.request(PATHS.voices);
  const { voices } = (await reply.json()) as { voices: readonly Voice[] };
  return voices.find(({ name }) => name === 'alloy')!.id;
};

const transcribe = async (service: TestService): Promise<Response> => {
  const body = new FormData();
  body.append('file', new Blob([new Uint8Array(toneWav(1))]), 'a.wav');
  return service.request(OPENAI_PATHS.transcriptions, { method: 'POST', body });
};

/** Requests of each path, every one of which asks the back end. */
const askAll = (service: TestService): readonly Promise<Response>[] => {
  const messages = [{ role: 'user', content: 'Hi' }];
  const audio = Buffer.from(toneWav(1)).toString('base64');
  const pair = { text: 'Hi', source_lang: 'en', target_lang: 'es' };
  return [
    service.postJson(PATHS.chat, { messages }),
    service.postJson(PATHS.chat, { messages, stream: true }),
    service.translate(pair),
    service.translate({ ...pair, stream: 'true' }),
    service.postJson(PATHS.asr, { audio }),
    service.postJson(PATHS.asr, { audio, vad: 'segments' }),
    transcribe(service),
    service.postJson(OPENAI_PATHS.speech, { input: 'Hi', voice: 'alloy' }),
  ];
};

describe('the built-in service tells', () => {
  it.each(FAULTS)('no key where a back end gives %s', async (_, fault) => {
    await using at = await open();
    const voiceId = await voiceOfBackEnd(at.service);
    for (const path of BACK_END_PATHS)
      for (let times = 0; times < 8; times += 1) at.backEnd.fail(path, fault);
    // All at once: after a failure an engine is left alone for a while.
    const replies = await Promise.all([
      ...askAll(at.service).map(async (asked) => read(await asked)),
      hearInSession(at.service),
      speakInSession(at.service, voiceId),
    ]);
    for (const session of replies.slice(-2)) expect(session).toContain('"type":"error"');
    // Whether there is realtime transcription is found out meanwhile.
    const asked = new Set(
      at.backEnd.requests.map(({ path }) => path).filter((path) => !path.startsWith('/realtime')),
    );
    expect([...asked].toSorted()).toEqual(BACK_END_PATHS.toSorted());
    for (const reply of replies) expect(traceOf(BACK_END_KEY, reply), reply).toBeUndefined();
    for (const key of [BACK_END_KEY, KEY])
      expect(traceOf(key, at.logged.join('\n'))).toBeUndefined();
  });

  it('no key that a client sends, wherever it sends it', async () => {
    await using at = await open();
    const { service, logged } = at;
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
    const told = await Promise.all(replies.map(read));
    const text = logged.join('\n');
    for (const key of [STRANGERS, KEY])
      for (const one of [...told, text]) expect(traceOf(key, one), one).toBeUndefined();
    expect(text).toContain('"status":401');
  });
});
