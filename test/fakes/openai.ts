import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { listen } from './serve.ts';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { buffer } from 'node:stream/consumers';

/** One request as it came in. */
export interface SeenRequest {
  readonly method: string;
  /** Below `/v1`, e.g. `/chat/completions`. */
  readonly path: string;
  readonly authorization: string | undefined;
  readonly requestId: string | undefined;
  /** The JSON body, or the text fields of a form; undefined for others. */
  readonly body: Record<string, unknown> | undefined;
  /** The file of a form. */
  readonly file:
    | { readonly name: string; readonly type: string; readonly bytes: Uint8Array }
    | undefined;
  /** Resolves with true when the client left before the reply was whole. */
  readonly aborted: Promise<boolean>;
}

/** What the next request to `path` gets in place of an answer. */
export type Fault =
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly retryAfter?: string;
      readonly body?: string;
    }
  | { readonly kind: 'html' }
  | { readonly kind: 'json'; readonly value: unknown }
  /** An event stream, as it is. */
  | { readonly kind: 'events'; readonly body: string }
  /** The connection is broken after the reply's headers and first part. */
  | { readonly kind: 'cut' }
  /** The connection is broken before any reply. */
  | { readonly kind: 'reset' }
  /** No byte of a reply, until the client leaves. */
  | { readonly kind: 'silent' };

export interface FakeOpenaiOptions {
  readonly models?: readonly string[];
  readonly key?: string;
  /** What chat answers; each item is one streamed piece. */
  readonly chat?: (messages: readonly { role: string; content: string }[]) => readonly string[];
  /** What the two words with which a model is tried get in place of their translation. */
  readonly probed?: Fault;
  /** What transcriptions answer. */
  readonly transcript?: (fields: Record<string, unknown>) => Record<string, unknown>;
  /** The bytes of speech, at 24 kHz for `pcm`; a format left out is refused with 400. */
  readonly speech?: Partial<Record<string, Uint8Array>>;
  /** Media type of speech. Default: `audio/` and the format. */
  readonly speechType?: string;
  /** Time before each piece of a reply. Default: 0. */
  readonly pauseMs?: number;
  /** Takes upgrades to WebSockets; they are refused without it. */
  readonly upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** Default: any free port. */
  readonly port?: number;
}

export interface FakeOpenai extends AsyncDisposable {
  /** Base address with `/v1`. */
  readonly url: string;
  readonly requests: SeenRequest[];
  /** Faults for one path are used up one a request, in order. */
  fail(path: string, fault: Fault): void;
  /** Holds every streamed chat back after its first piece until the returned function is called. */
  hold(): () => void;
}

const parse = async (type: string, bytes: Buffer): Promise<Pick<SeenRequest, 'body' | 'file'>> => {
  if (type.startsWith('application/json'))
    return { body: JSON.parse(bytes.toString('utf8')) as Record<string, unknown>, file: undefined };
  if (!type.startsWith('multipart/form-data')) return { body: undefined, file: undefined };
  const form = await new Response(bytes as Uint8Array<ArrayBuffer>, {
    headers: { 'content-type': type },
  }).formData();
  const body: Record<string, unknown> = {};
  let file: SeenRequest['file'];
  for (const [name, value] of form)
    if (typeof value === 'string') body[name] = value;
    else
      file = {
        name: value.name,
        type: value.type,
        bytes: new Uint8Array(await value.arrayBuffer()),
      };
  return { body, file };
};

const sendJson = (response: ServerResponse, status: number, value: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
};

/** The two words with which the engine tries a model; these requests are not recorded. */
const PROBE = 'Good morning';

const isProbe = ({ path, body }: Pick<SeenRequest, 'path' | 'body'>): boolean => {
  const messages = (body?.['messages'] ?? []) as { content: unknown }[];
  return path === '/chat/completions' && String(messages.at(-1)?.content).endsWith(PROBE);
};

const USAGE = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
const CUT_AFTER_MS = 20;

/** A server on loopback that speaks the part of the OpenAI API that engines use. */
export const startFakeOpenai = async (options: FakeOpenaiOptions = {}): Promise<FakeOpenai> => {
  const models = options.models ?? ['talk-1', 'whisper-1', 'tts-1'];
  const { pauseMs = 0, port = 0 } = options;
  const pause = async (): Promise<void> => {
    if (pauseMs > 0) await delay(pauseMs);
  };
  const requests: SeenRequest[] = [];
  const faults = new Map<string, Fault[]>();
  let held: Promise<void> = Promise.resolve();

  const answerChat = async (
    response: ServerResponse,
    body: Record<string, unknown>,
  ): Promise<void> => {
    const messages = (body['messages'] ?? []) as { role: string; content: string }[];
    const pieces = isProbe({ path: '/chat/completions', body })
      ? ['Buenos días']
      : (options.chat?.(messages) ?? ['Hello', ', ', 'world']);
    const model = `${String(body['model'])}-2026`;
    const base = { id: 'chatcmpl-1', created: 1, model };
    await pause();
    if (body['stream'] !== true) {
      sendJson(response, 200, {
        ...base,
        object: 'chat.completion',
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content: pieces.join('') },
            finish_reason: 'stop',
          },
        ],
        usage: USAGE,
      });
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (chunk: object): void => {
      response.write(
        `data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', ...chunk })}\n\n`,
      );
    };
    for (const [index, content] of pieces.entries()) {
      send({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
      if (index === 0) await held;
      await pause();
    }
    send({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
    if (body['stream_options']) send({ choices: [], usage: USAGE });
    response.end('data: [DONE]\n\n');
  };

  const answer = async (seen: SeenRequest, response: ServerResponse): Promise<void> => {
    const body = seen.body ?? {};
    switch (seen.path) {
      case '/models':
        sendJson(response, 200, {
          object: 'list',
          data: models.map((id) => ({ id, object: 'model' })),
        });
        return;
      case '/chat/completions':
        await answerChat(response, body);
        return;
      case '/audio/transcriptions':
        await pause();
        sendJson(
          response,
          200,
          options.transcript?.(body) ?? {
            text: ' hello there ',
            ...(body['response_format'] === 'verbose_json'
              ? {
                  language: body['language'] ?? 'english',
                  segments: [{ start: 0, end: 1, avg_logprob: Math.log(0.8) }],
                }
              : {}),
          },
        );
        return;
      case '/audio/speech': {
        const bytes = (options.speech ?? { pcm: new Uint8Array(48_000) })[
          String(body['response_format'])
        ];
        if (!bytes) {
          sendJson(response, 400, { error: { message: 'no such format' } });
          return;
        }
        response.writeHead(200, {
          'content-type': options.speechType ?? `audio/${String(body['response_format'])}`,
        });
        const { speed = 1 } = body as { speed?: number };
        const spoken =
          speed === 1
            ? bytes
            : Buffer.concat([bytes, bytes]).subarray(0, 2 * Math.round(bytes.length / 2 / speed));
        // Cut at an odd byte, as networks do.
        response.write(spoken.subarray(0, 1_001));
        await pause();
        response.end(spoken.subarray(1_001));
        return;
      }
      default:
        sendJson(response, 404, { error: { message: 'unknown path' } });
    }
  };

  const failWith = async (fault: Fault, response: ServerResponse): Promise<void> => {
    switch (fault.kind) {
      case 'status':
        response.writeHead(fault.status, {
          'content-type': 'application/json',
          ...(fault.retryAfter === undefined ? {} : { 'retry-after': fault.retryAfter }),
        });
        response.end(fault.body ?? JSON.stringify({ error: { message: 'it failed' } }));
        return;
      case 'html':
        response.writeHead(200, { 'content-type': 'text/html' });
        response.end('<html><body>Welcome</body></html>');
        return;
      case 'json':
        sendJson(response, 200, fault.value);
        return;
      case 'events':
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(fault.body);
        return;
      case 'cut':
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(
          `data: ${JSON.stringify({ id: 'x', model: 'm', choices: [{ delta: { content: 'Hal' } }] })}\n\n`,
        );
        await delay(CUT_AFTER_MS);
        response.destroy();
        return;
      case 'reset':
        response.destroy();
        return;
      case 'silent':
        await once(response, 'close');
    }
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const aborted = once(response, 'close').then(() => !response.writableFinished);
    const bytes = await buffer(request);
    const path = (request.url ?? '').replace(/^\/v1/, '');
    const seen: SeenRequest = {
      method: request.method ?? '',
      path,
      authorization: request.headers.authorization,
      requestId: request.headers['x-request-id'] as string | undefined,
      ...(await parse(request.headers['content-type'] ?? '', bytes)),
      aborted,
    };
    const isRecorded = !isProbe(seen);
    if (isRecorded) requests.push(seen);
    if (options.key !== undefined && seen.authorization !== `Bearer ${options.key}`) {
      sendJson(response, 401, { error: { message: 'wrong key' } });
      return;
    }
    const fault = isRecorded ? faults.get(path)?.shift() : options.probed;
    await (fault ? failWith(fault, response) : answer(seen, response));
  };

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  if (options.upgrade) server.on('upgrade', options.upgrade);
  const listening = await listen(server, port);

  return {
    ...listening,
    url: `${listening.url}/v1`,
    requests,
    fail: (path, fault) => {
      faults.set(path, [...(faults.get(path) ?? []), fault]);
    },
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
  };
};
