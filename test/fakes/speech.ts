import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { listen } from './serve.ts';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import {
  chatRequest,
  SERVICE_LIMITS,
  MEDIA_TYPES,
  MODELS_PATH,
  PATHS,
  translateRequest,
  ttsRequest,
  EXTRA_FIELDS,
  EXTRA_FIELDS_HEADER,
  type ExtraField,
  type Voice,
} from '../../src/api/contract.ts';
import { encode, streamable } from '../../src/audio/codec/encode.ts';
import { resample } from '../../src/audio/resample.ts';
import { METHODS, readRequest, type Seen } from './speech-request.ts';
import { readRecognition, type HeardSegment, type Recognition } from './speech-recognition.ts';
import type { TokenBucket } from './token-bucket.ts';
import { countCodePoints } from '../../src/text/unicode.ts';
import { serveFakeSockets, type FakeSockets } from './realtime-sockets.ts';

/** What the next request to a path meets, in place of a good answer. */
export type Fault =
  | { readonly status: number; readonly body?: string; readonly headers?: Record<string, string> }
  | { readonly reset: true }
  | { readonly hang: true }
  /** Answered well, but not before this resolves. */
  | { readonly until: Promise<unknown> }
  /** `stall`: the rest never comes, though the connection stays. */
  | { readonly cutAfter: number; readonly stall?: boolean };

export interface SpeechFake extends AsyncDisposable {
  readonly url: string;
  readonly key: string;
  /** Other keys that it knows. */
  readonly otherKeys: Set<string>;
  /** A key whose credit is spent. */
  readonly spentKey: string;
  readonly seen: readonly Seen[];
  voices: Voice[];
  /** What the recogniser hears, by call; the last one stays. */
  hears: { text: string; language: string; confidence?: number }[];
  /** What the recogniser hears in a file; undefined: what `hears` says. */
  listen: (audio: Buffer) => SpeechFake['hears'][number] | undefined;
  /** Where the recogniser hears something; undefined: in one second, whatever the audio. */
  segment: ((recognition: Recognition) => Promise<readonly HeardSegment[]>) | undefined;
  /** What a text sounds like, at the contract's default rate. */
  sound: (text: string) => AsyncIterable<Float32Array>;
  /** How the translator renders a text. */
  translate: (text: string, fields: Readonly<Record<string, string>>) => string;
  /** Fields beyond the contract that it says to understand; it refuses them otherwise. */
  extraFields: readonly ExtraField[];
  /** What the language model answers. */
  answers: (question: string) => string;
  /** Names of the models that it lists, and one of which a chat must name; undefined: none is listed. */
  models: readonly string[] | undefined;
  /** Requests that hang until their asker leaves. */
  hanging(): number;
  /** Requests to a path that were answered, well or not. */
  answered(path: string): number;
  /** Puts faults before the next good answers of a path. */
  fail(path: (typeof PATHS)[keyof typeof PATHS] | typeof MODELS_PATH, ...faults: Fault[]): void;
  /** Ends every `fail`. */
  heal(): void;
  /** Time that every good answer takes. */
  latencyMs: number;
  /** Limits the requests of every path together: more are refused with 429, the wait in the text. */
  limit: TokenBucket | undefined;
  /** The WebSocket paths. */
  readonly realtime: FakeSockets;
}

export const VOICE: Voice = {
  id: '7d1c7a6e-3f57-4c2c-9a1e-0d6f2a8b4c11',
  description: 'Ada',
  language: 'English',
  gender: 'Female',
  formats: ['mp3', 'wav', 'ogg', 'pcm', 'flac'],
  sample_rates: [24_000],
  streaming: true,
};

const sendJson = (response: ServerResponse, status: number, value: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
};

const refuse = (
  response: ServerResponse,
  status: number,
  name: string,
  error: string,
  code = status,
): void => sendJson(response, status, { context: ['fake'], code, name, error });

/** Bytes of events that are sent in the smallest steps. */
const CUT_SMALL_BYTES = 4_000;

/** Sends events in steps of a few bytes, so that characters are cut in two; those of a long reply grow. */
const sendEvents = (response: ServerResponse, events: readonly unknown[]): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const bytes = Buffer.from(
    [...events.map((event) => JSON.stringify(event)), '[DONE]']
      .map((data) => `data: ${data}\n\n`)
      .join(''),
  );
  for (let at = 0; at < bytes.length;) {
    const end = at + (at < CUT_SMALL_BYTES ? 7 : 701);
    response.write(bytes.subarray(at, end));
    at = end;
  }
  response.end();
};

/** What each character of a text takes to speak. */
export const CHARACTER_SECONDS = 0.01;

const TONE = Float32Array.from(
  { length: SERVICE_LIMITS.ttsDefaultSampleRateHz * CHARACTER_SECONDS },
  (_, index) => Math.sin(index / 8),
);

/** A tone as long as the text takes to speak. */
const toneOf = async function* (text: string): AsyncGenerator<Float32Array, void, void> {
  for (const _ of text) yield TONE.slice();
};

/** The service of the contract with its limits, on loopback; everything it says can be scripted. */
export const startSpeechFake = async (): Promise<SpeechFake> => {
  const key = 'svck:test-key-of-the-fake-service';
  const otherKeys = new Set<string>();
  const spentKey = 'svck:test-key-without-credit';
  const seen: Seen[] = [];
  const knows = (authorization: string | undefined): boolean =>
    [key, ...otherKeys].some((known) => authorization === `Bearer ${known}`);
  const faults = new Map<string, Fault[]>();
  const answered = new Map<string, number>();
  let hanging = 0;

  const good: Record<string, (request: Seen, response: ServerResponse) => unknown> = {
    [PATHS.voices]: (_, response) => sendJson(response, 200, { voices: fake.voices }),

    [PATHS.tts]: ({ json }, response) => {
      const parsed = ttsRequest.safeParse(json);
      const voice = fake.voices.find(({ id }) => id === json['voice_id']);
      if (!parsed.success || !voice) return refuse(response, 400, 'ErrInvalidParameter', 'bad');
      const { text, format, stream = false, sample_rate: wished = 0 } = parsed.data;
      if (countCodePoints(text) > SERVICE_LIMITS.ttsTextCodePoints)
        return refuse(response, 400, 'ErrTextTooLong', 'too long');
      if (!voice.formats.includes(format))
        return refuse(response, 400, 'ErrFormatNotSupported', 'format');
      if (stream && !(voice.streaming && streamable(format)))
        return refuse(response, 400, 'ErrStreamingNotSupported', 'stream');
      const rates = voice.sample_rates;
      if (wished !== 0 && !(rates.length > 1 && rates.includes(wished)))
        return refuse(response, 400, 'ErrSampleRate', 'sample rate');
      response.writeHead(200, { 'content-type': MEDIA_TYPES[format] });
      const rateHz = wished || SERVICE_LIMITS.ttsDefaultSampleRateHz;
      const made = fake.sound(text);
      const sound = wished ? resample(made, SERVICE_LIMITS.ttsDefaultSampleRateHz, wished) : made;
      return void Readable.from(encode(format, rateHz, sound)).pipe(response);
    },

    [PATHS.asr]: async ({ json }, response) => {
      const recognition = readRecognition(json);
      if (!recognition) return refuse(response, 400, 'ErrInvalidParameter', 'bad request');
      const { vad = 'off', language: asked } = recognition.parameters;
      const heard =
        fake.listen(recognition.audio) ??
        (fake.hears.length > 1 ? fake.hears.shift() : fake.hears[0]);
      const { text = '', language = 'en', confidence = 0.9 } = heard ?? {};
      const common = { language: asked ?? language, confidence };
      const segments = (await fake.segment?.(recognition)) ?? [{ start: 0, end: 1 }];
      const texts = segments.map((segment) => ({ text, ...segment }));
      if (vad === 'segments') return sendJson(response, 200, { ...common, segments: texts });
      const whole = vad === 0 || vad === 'off' ? text : texts.map((one) => one.text).join(' ');
      return sendJson(response, 200, { text: whole, ...common, balance: 3 });
    },

    [PATHS.translate]: ({ form }, response) => {
      const fields = Object.fromEntries(form);
      const parsed = translateRequest.omit({ keywords: true }).safeParse(fields);
      const keywords = form.filter(([name]) => name === 'keywords').map(([, value]) => value);
      if (!parsed.success) return refuse(response, 400, 'ErrInvalidParameter', 'bad');
      const { text, context = '', source_lang, target_lang, stream } = parsed.data;
      if (countCodePoints(text) > SERVICE_LIMITS.translateTextCodePoints)
        return refuse(response, 400, 'ErrTextTooLong', 'too long');
      if (keywords.length > SERVICE_LIMITS.keywords)
        return refuse(response, 400, 'ErrKeywords', 'many');
      if (keywords.some((word) => Buffer.byteLength(word) > SERVICE_LIMITS.keywordBytes))
        return refuse(response, 400, 'ErrKeywords', 'long');
      if (countCodePoints(context) > SERVICE_LIMITS.contextCodePoints)
        return refuse(response, 400, 'ErrContextTooLong', 'context');
      const isUnknown = !fake.extraFields.includes(EXTRA_FIELDS.translateTokens);
      if (fields['tokens'] !== undefined && isUnknown)
        return refuse(response, 400, 'ErrInvalidParameter', 'tokens');
      const content = fake.translate(text, fields);
      const common = { transcription: text, source_lang, target_lang };
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      const id = `trans_${randomUUID()}`;
      if (stream !== 'true')
        return sendJson(response, 200, {
          id,
          object: 'translation.completion',
          created: Math.floor(Date.now() / 1_000),
          model: 'backend-model',
          choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
          ...common,
          usage,
        });
      const chunk = (text_: string, more: object = {}): object => ({
        id,
        object: 'translation.completion.chunk',
        choices: [{ index: 0, delta: { content: text_ } }],
        ...more,
      });
      const steps = content.match(/[^\s]+\s*|\s+/gu) ?? [];
      return sendEvents(response, [
        chunk('', common),
        ...steps.map((step) => chunk(step, { model: 'backend-model' })),
        chunk('', { usage }),
      ]);
    },

    [MODELS_PATH]: (_, response) =>
      fake.models
        ? sendJson(response, 200, { object: 'list', data: fake.models.map((id) => ({ id })) })
        : refuse(response, 404, 'ErrNotFound', 'Unsupported API endpoint'),

    [PATHS.chat]: ({ json }, response) => {
      if (fake.models && !fake.models.includes(String(json['model'])))
        return refuse(response, 400, 'ErrInvalidParameter', 'model is required');
      const parsed = chatRequest.safeParse(json);
      if (!parsed.success) return refuse(response, 400, 'ErrInvalidParameter', 'bad');
      const content = fake.answers(parsed.data.messages.at(-1)?.content ?? '');
      if (json['stream'] !== true)
        return sendJson(response, 200, {
          id: 'chat_1',
          model: 'backend-model',
          choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
        });
      return sendEvents(response, [
        ...Array.from(content).map((step) => ({
          id: 'chat_1',
          choices: [{ index: 0, delta: { content: step }, finish_reason: null }],
        })),
        { id: 'chat_1', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      ]);
    },
  };

  const fail = (fault: Fault, request: Seen, response: ServerResponse): void => {
    if ('status' in fault) {
      if (fault.body === undefined && fault.status >= 400 && !fault.headers)
        return refuse(response, fault.status, 'ErrFake', 'no');
      response.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers });
      response.end(fault.body ?? '{}');
    } else if ('until' in fault) {
      void fault.until.then(() => good[request.path]?.(request, response));
    } else if ('hang' in fault) {
      hanging += 1;
      response.once('close', () => {
        hanging -= 1;
      });
    } else if ('reset' in fault) response.destroy();
    else if ('cutAfter' in fault) {
      let sentBytes = 0;
      const write = response.write.bind(response);
      response.write = ((chunk: Buffer) => {
        sentBytes += chunk.byteLength;
        if (sentBytes > fault.cutAfter && !fault.stall) setImmediate(() => response.destroy());
        return sentBytes > fault.cutAfter ? false : write(chunk);
      }) as typeof response.write;
      response.end = (() => response) as typeof response.end;
      good[request.path]?.(request, response);
    }
  };

  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const one = await readRequest(request);
      const { path } = one;
      seen.push(one);
      if (fake.extraFields.length > 0)
        response.setHeader(EXTRA_FIELDS_HEADER, fake.extraFields.join(', '));
      response.once('finish', () => answered.set(path, fake.answered(path) + 1));
      const { authorization } = request.headers;
      if (authorization === `Bearer ${spentKey}`)
        return refuse(response, 429, 'ErrCredit', 'The credit is spent.');
      if (!knows(authorization)) {
        const error = 'Authentication error: Invalid token';
        return refuse(response, 401, 'ErrAuthenticationFailed', error, 104);
      }
      const waitMs = fake.limit?.take() ?? 0;
      if (waitMs > 0) {
        const told = `Too many requests. Retry after ${(Math.ceil(waitMs) / 1_000).toFixed(3)}s`;
        return refuse(response, 429, 'ErrRateLimit', told);
      }
      const fault = faults.get(path)?.shift();
      if (fault) return fail(fault, one, response);
      const handler = good[path];
      if (handler && request.method !== METHODS[path])
        return refuse(response, 405, 'ErrMethodNotAllowed', 'another method');
      if (handler && !one.isWhole) return refuse(response, 400, 'ErrInvalidRequest', 'bad body');
      if (!handler) return refuse(response, 404, 'ErrNotFound', 'Unsupported API endpoint');
      if (fake.latencyMs > 0) await delay(fake.latencyMs);
      await handler(one, response);
    };
    answer().catch((error: unknown) => {
      // The asker hung up; nobody is there to be told.
      if (!request.destroyed) response.destroy(error as Error);
    });
  });
  const listening = await listen(server);
  const realtime = serveFakeSockets(server, knows, (text) => fake.sound(text));
  const fake: SpeechFake = {
    realtime,
    url: listening.url,
    key,
    otherKeys,
    spentKey,
    seen,
    voices: [VOICE],
    hears: [{ text: 'hello there', language: 'en' }],
    listen: () => undefined,
    segment: undefined,
    sound: toneOf,
    translate: (text, { target_lang }) => `${target_lang}:${text}`,
    extraFields: [],
    answers: (question) => `You asked: ${question}`,
    models: undefined,
    hanging: () => hanging,
    answered: (path) => answered.get(path) ?? 0,
    fail(path, ...more) {
      faults.set(path, [...(faults.get(path) ?? []), ...more]);
    },
    heal: () => faults.clear(),
    latencyMs: 0,
    limit: undefined,
    async [Symbol.asyncDispose]() {
      realtime.cut();
      await listening[Symbol.asyncDispose]();
    },
  };
  return fake;
};
