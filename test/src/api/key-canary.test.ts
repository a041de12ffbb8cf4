import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { createServiceClient, type ServiceClient } from '../../../src/api/client.ts';
import { createServiceKey } from '../../../src/api/keys.ts';
import { createRealtime } from '../../../src/api/realtime/index.ts';
import { toAppError } from '../../../src/errors.ts';
import { explain } from '../../../src/i18n/texts.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import type { Asker } from '../../../src/model/service.ts';
import { createHastyClock } from '../../fakes/clock.ts';
import { traceOf, tracesOf } from '../../fakes/key-canary.ts';
import { pcmOf } from '../../fakes/realtime-recognition.ts';
import { markdownOf } from '../../fakes/rich-text.ts';
import { VOICE } from '../../fakes/speech.ts';
import { bytesOf, JAPANESE, source, statesOf } from './client-support.ts';
import { realTexts as texts } from '../../fakes/texts.ts';

const OPERATORS = 'svck:Canary-of.the+Operator/0123456789=';
const OWN = 'own:Canary-of.a+Space/9876543210=';
const KEYS = [OPERATORS, OWN];
const ASKERS: readonly Asker[] = [
  { lane: 'interactive', space: { platform: 'p', id: 'any' } },
  { lane: 'live', space: { platform: 'p', id: 'own' } },
];
const DEADLINE_MS = 1_500;

/** The ways in which a hostile service may repeat the key that it got. */
const echoOf = (key: string): string =>
  [
    key,
    key.slice(key.indexOf(':') + 1),
    Buffer.from(key).toString('base64'),
    Buffer.from(key.slice(key.indexOf(':') + 1)).toString('base64'),
    encodeURIComponent(key),
  ].join(' ');
const contractError = (echo: string): string =>
  JSON.stringify({ context: [echo], code: 1, name: echo, error: echo });
const nestedError = (echo: string): string =>
  JSON.stringify({ error: { message: echo, type: echo, code: echo } });
const json = { 'content-type': 'application/json' };
const events = { 'content-type': 'text/event-stream' };

type Answer = (echo: string, response: ServerResponse, socket: Socket) => void;

const answering =
  (status: number, headers: Record<string, string>, body: (echo: string) => string): Answer =>
  (echo, response) =>
    void response.writeHead(status, headers).end(body(echo));

const ANSWERS: Readonly<Record<string, Answer>> = {
  ...Object.fromEntries(
    [400, 401, 402, 403, 404, 408, 413, 429, 500, 502, 503].map((status) => [
      `${status} with the key in its error`,
      answering(status, json, contractError),
    ]),
  ),
  'another form of error': answering(401, json, nestedError),
  'an error in plain words': answering(503, { 'content-type': 'text/plain' }, String),
  'too many, with a key for a time': answering(429, { ...json, 'retry-after': OPERATORS }, String),
  'a redirect with the key': (echo, response) =>
    void response.writeHead(302, { location: `/?key=${encodeURIComponent(echo)}` }).end(echo),
  'a page': answering(200, { 'content-type': 'text/html' }, (echo) => `<p>${echo}</p>`),
  'a media type of keys': (echo, response) =>
    void response
      .writeHead(200, { 'content-type': `x/${echo.replace(/[^a-z.+]/gi, '')}` })
      .end(echo),
  'no JSON': answering(200, json, (echo) => `{"key": ${echo}`),
  'JSON of the wrong shape': answering(200, json, (echo) => JSON.stringify({ [echo]: [echo] })),
  'an error in place of a reply': answering(200, json, contractError),
  'an error in a stream': answering(200, events, (echo) => `data: ${nestedError(echo)}\n\n`),
  'no JSON in a stream': answering(200, events, (echo) => `data: ${echo}\n\n`),
  'a reply that is cut': (echo, response, socket) => {
    response.writeHead(200, { ...json, 'content-length': '100000' });
    response.write(echo, () => socket.destroy());
  },
  'a stream that is cut': (echo, response, socket) => {
    response.writeHead(200, events);
    response.write(`data: ${echo}`, () => socket.destroy());
  },
  'audio that is cut': (echo, response, socket) => {
    response.writeHead(200, { 'content-type': 'audio/mpeg' });
    response.write(echo, () => setImmediate(() => socket.destroy()));
  },
  'no HTTP': (echo, _, socket) => void socket.end(`${echo}\r\n\r\n`),
  'a broken head': (echo, _, socket) =>
    void socket.end(`HTTP/1.1 200 OK\r\n${echo}\r\n\r\n${echo}`),
  'a hung up connection': (_, __, socket) => void socket.destroy(),
};

const keyIn = ({ headers }: IncomingMessage): string => headers.authorization?.slice(7) ?? '';

let server: Server;
let baseUrl: string;
let answer: Answer;
const open: Socket[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    request.on('error', () => undefined);
    answer(echoOf(keyIn(request)), response, request.socket);
  });
  server.on('connection', (socket) => open.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  for (const socket of open) socket.destroy();
  server.close();
});

/** What becomes known of calls: reports, thrown errors, what is logged of them, what people see. */
const createWitness = () => {
  const seen: unknown[] = [];
  const logged: string[] = [];
  const log = createLog('trace', { write: (line: string) => void logged.push(line) });
  return {
    log,
    seen,
    threw: (thrown: unknown): void => {
      const error = toAppError(thrown);
      for (const level of ['trace', 'debug', 'info', 'warn', 'error'] as const)
        log[level]({ err: thrown, reason: error.message, sentence: error.sentence }, 'failed');
      const shown = (['moderator', 'member'] as const).map((role) =>
        markdownOf(explain(texts.rich('en'), error, { role, isOperator: true })),
      );
      seen.push(thrown, error, ...shown);
    },
    traces: (): readonly string[] => [...seen, logged].flatMap((one) => tracesOf(KEYS, one)),
  };
};

type Witness = ReturnType<typeof createWitness>;

const clientOf = (witness: Witness, url = baseUrl): ServiceClient =>
  createServiceClient({
    baseUrl: url,
    key: OPERATORS,
    findOwnKey: async ({ id }) =>
      id === 'own' ? createServiceKey(OWN, { isOwn: true }) : undefined,
    retry: { random: () => 0, sleep: async () => {} },
    clock: createHastyClock(),
    onCall: (report) => {
      witness.seen.push(report);
      witness.log.debug(report, 'call of the service');
    },
  });

/** Calls every method of a client for both askers, side by side. */
const callAll = async (
  client: ServiceClient,
  witness: Witness,
  deadlineMs = DEADLINE_MS,
): Promise<void> => {
  const { signal } = new AbortController();
  const work = ASKERS.flatMap((asker) => {
    const options = { ...asker, signal, deadlineMs };
    const chat = { messages: [{ role: 'user' as const, content: 'Hi' }] };
    const speech = { voice_id: VOICE.id, text: 'Hi', format: 'mp3' as const };
    const text = { text: 'Hi', ...JAPANESE };
    return [
      client.voices(options),
      client.models(options),
      client.chat(chat, options),
      statesOf(client.chatStream(chat, options)),
      client.translate(text, options),
      statesOf(client.translateStream(text, options)),
      client.transcribe(source(Buffer.from('OggS')), {}, options),
      client.transcribeSegments(source(Buffer.from('OggS')), {}, options),
      client.speak(speech, options).then(bytesOf),
      client.checkKey(OWN, AbortSignal.timeout(deadlineMs)),
    ];
  });
  for (const { status, ...ended } of await Promise.allSettled(work))
    if (status === 'rejected') witness.threw((ended as { reason: unknown }).reason);
};

describe('no key is told by the client', () => {
  it.each(Object.keys(ANSWERS))('where the service answers with %s', async (name) => {
    answer = ANSWERS[name]!;
    const witness = createWitness();
    await using client = clientOf(witness);
    await callAll(client, witness);
    expect(witness.seen.length).toBeGreaterThanOrEqual(18);
    expect(witness.traces()).toEqual([]);
  });

  it('where the service says nothing, until the deadline', async () => {
    answer = () => undefined;
    const witness = createWitness();
    await using client = clientOf(witness);
    await callAll(client, witness, 60);
    expect(witness.seen.length).toBeGreaterThan(18);
    expect(witness.traces()).toEqual([]);
  });

  it('where nobody listens', async () => {
    const witness = createWitness();
    await using client = clientOf(witness, 'http://127.0.0.1:1');
    await callAll(client, witness);
    expect(witness.traces()).toEqual([]);
  });

  it('where its own objects are printed', async () => {
    const witness = createWitness();
    await using client = clientOf(witness);
    expect(traceOf(OPERATORS, client)).toBeUndefined();
  });
});

describe('no key is told by the WebSocket paths', () => {
  const talk = async (witness: Witness, url = baseUrl): Promise<void> => {
    await using client = clientOf(witness, url);
    using realtime = createRealtime({
      baseUrl: url,
      key: OPERATORS,
      findOwnKey: async ({ id }) =>
        id === 'own' ? createServiceKey(OWN, { isOwn: true }) : undefined,
      uses: ['recognition', 'speech'],
      requests: client,
      log: witness.log,
      clock: createHastyClock(),
    });
    for (const asker of ASKERS) {
      const { openSession } = await realtime.recognition!.of(asker.space);
      const session = openSession({
        asker,
        changed: (text) => witness.seen.push(text),
        failed: witness.threw,
      });
      session.append(pcmOf('we'));
      await session.finish().catch(witness.threw);
      const { signal } = new AbortController();
      const request = { voice_id: VOICE.id, text: 'Hi', format: 'mp3', stream: true } as const;
      await realtime
        .speech!.speak(request, { ...asker, signal, deadlineMs: DEADLINE_MS })
        .then(bytesOf)
        .catch(witness.threw);
    }
  };

  it.each([401, 402, 403, 404, 429, 500, 503])('that are refused with %d', async (status) => {
    answer = answering(status, json, contractError);
    server.removeAllListeners('upgrade');
    server.on('upgrade', (request: IncomingMessage, stream: Socket) => {
      const body = contractError(echoOf(keyIn(request)));
      stream.end(`HTTP/1.1 ${status} No\r\nconnection: close\r\n\r\n${body}`);
    });
    const witness = createWitness();
    await talk(witness);
    expect(witness.seen).not.toEqual([]);
    expect(witness.traces()).toEqual([]);
  });

  it('that are answered with no HTTP', async () => {
    server.removeAllListeners('upgrade');
    server.on('upgrade', (request: IncomingMessage, stream: Socket) => {
      const echo = echoOf(keyIn(request));
      stream.end(`HTTP/1.1 200\r\n${echo}\r\n\r\n${echo}`);
    });
    const witness = createWitness();
    await talk(witness);
    expect(witness.traces()).toEqual([]);
  });

  it.each(['an error', 'no JSON', 'a reason for closing'])('that bring %s', async (kind) => {
    answer = answering(500, json, contractError);
    const sockets = new WebSocketServer({ noServer: true });
    server.removeAllListeners('upgrade');
    server.on('upgrade', (request: IncomingMessage, stream: Socket, head: Buffer) => {
      const echo = echoOf(keyIn(request));
      sockets.handleUpgrade(request, stream, head, (socket) => {
        socket.on('error', () => undefined);
        if (kind === 'a reason for closing') return socket.close(4_001, keyIn(request));
        socket.send(
          kind === 'no JSON'
            ? echo
            : JSON.stringify({ type: 'error', code: echo, message: echo, fatal: true }),
        );
        socket.close(1011, keyIn(request));
      });
    });
    const witness = createWitness();
    await talk(witness);
    expect(witness.traces()).toEqual([]);
  });
});
