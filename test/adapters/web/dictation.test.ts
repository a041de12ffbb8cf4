import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { PATHS } from '../../../src/api/contract.ts';
import { AppError } from '../../../src/errors.ts';
import type { DictatedWords } from '../../../src/model/message.ts';
import { eventually } from '../../fakes/eventually.ts';
import { fixture } from '../../src/audio/support.ts';
import {
  ask,
  createWeb,
  openRecorder,
  startRealWeb,
  startService,
  startWeb,
  type StartedWeb,
} from './start-web.ts';
import type { WebOptions } from '../../../adapters/web/app.ts';

const RECORDING = fixture('recorded.webm');
const CHUNK_BYTES = 1_500;

interface Recorder {
  readonly words: readonly DictatedWords[];
  readonly send: (data: Uint8Array | string) => void;
  /** Sends a recording as a browser does, in chunks. */
  readonly record: (bytes?: Uint8Array) => void;
  readonly close: () => void;
  /** The code with which the connection is closed. */
  readonly closed: Promise<number>;
}

/** Somebody with a page open, who can record. */
const visitorOf = async ({ url, visit }: Pick<StartedWeb, 'url' | 'visit'>) => {
  const cookies = new Map<string, string>();
  const visitor = visit('en', cookies);
  await visitor.request('/');
  const socket = (headers: Record<string, string> = {}) => openRecorder(url, cookies, headers);
  return {
    visitor,
    cookies,
    record: async (): Promise<Recorder> => {
      const opened = socket();
      const words: DictatedWords[] = [];
      opened.on('message', (data: Buffer) =>
        words.push(JSON.parse(data.toString('utf8')) as DictatedWords),
      );
      const closed = once(opened, 'close').then(([code]) => code as number);
      await once(opened, 'open');
      return {
        words,
        closed,
        send: (data) => opened.send(data),
        record: (bytes = RECORDING) => {
          for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
            opened.send(bytes.subarray(at, at + CHUNK_BYTES));
        },
        close: () => opened.terminate(),
      };
    },
    /** The status with which a connection is refused. */
    refused: async (headers: Record<string, string>): Promise<number> => {
      const [, reply] = (await once(socket(headers), 'unexpected-response')) as [
        unknown,
        { statusCode: number },
      ];
      return reply.statusCode;
    },
  };
};

const start = async (options: Partial<WebOptions> = {}) => {
  const web = await startWeb(options);
  const person = await visitorOf(web);
  return { web, person, dictations: web.core.dictations.all };
};

/** A page whose recordings a service elsewhere recognises, which takes requests alone. */
const startOverService = async () => {
  const speech = await startService();
  const web = await startRealWeb(speech);
  onTestFinished(() => web[Symbol.asyncDispose]());
  const { url } = web;
  const person = await visitorOf({ url, visit: (_, cookies) => web.visit(cookies) });
  const recognitions = () => speech.seen.filter(({ path }) => path === PATHS.asr).length;
  return { person, recognitions };
};

const TEXT = { text: 'one two three', language: 'en', segments: [] };

test('who records sees words while the recording goes on', async () => {
  const { person, dictations } = await start();
  const recorder = await person.record();
  recorder.record(RECORDING.subarray(0, RECORDING.length / 2));
  await eventually(() => expect(recorder.words.length).toBeGreaterThan(1));
  expect(recorder.words[0]).toEqual({ id: 1, text: 'one', language: 'en', isFinal: false });
  expect(dictations[0]).toMatchObject({
    state: 'open',
    member: { platform: 'web' },
    channel: { space: { platform: 'web' } },
  });
});

test('words come after each pause where a service elsewhere takes requests alone', async () => {
  const { person, recognitions } = await startOverService();
  const recorder = await person.record();
  recorder.record();
  recorder.send('end');
  expect(await recorder.closed).toBe(1000);
  expect(recorder.words).toEqual([{ id: 1, text: 'hello there', language: 'en', isFinal: true }]);
  expect(recognitions()).toBe(1);
});

test('the text of a recording is gone once a command has used the recording, even without it', async () => {
  const { person, recognitions } = await startOverService();
  const recorder = await person.record();
  recorder.record();
  recorder.send('end');
  await recorder.closed;
  const events = await person.visitor.events();
  for (const options of [{ language: 'es' }, {}]) {
    const audio = await person.visitor.upload('recording.webm', Uint8Array.from(RECORDING));
    const files = { audio };
    const use = { channel: 'playground', command: 'transcribe', options, files };
    await person.visitor.post('/api/uses', use);
    await events.message(({ working, author }) => author.ours && !working);
  }
  expect(recognitions()).toBe(3);
});

test('the recording that is sent afterwards is not recognised again', async () => {
  const { web, person, dictations } = await start();
  const recorder = await person.record();
  const text = Promise.withResolvers<typeof TEXT>();
  dictations[0]!.text = text.promise;
  recorder.record();
  recorder.send('end');
  const events = await person.visitor.events();
  const transcribe = async (bytes: Uint8Array) => {
    const audio = await person.visitor.upload('recording.webm', Uint8Array.from(bytes));
    await person.visitor.post('/api/uses', {
      channel: 'playground',
      command: 'transcribe',
      options: {},
      files: { audio },
    });
  };
  const answer = async (part: string) =>
    events.message(({ html, author }) => author.ours && html.includes(part));
  await eventually(() => expect(dictations[0]?.state).toBe('finished'));
  await transcribe(RECORDING);
  text.resolve(TEXT);
  await answer('dictated: one two three');
  expect(await recorder.closed).toBe(1000);
  await transcribe(RECORDING);
  await answer(`${RECORDING.length} bytes`);
  expect(web.core.invocations).toHaveLength(2);
});

test('another file, another person and a recording that arrived damaged are recognised anew', async () => {
  const { web, person, dictations } = await start();
  const other = await visitorOf(web);
  const recorder = await person.record();
  dictations[0]!.text = Promise.resolve(TEXT);
  recorder.record();
  recorder.send('end');
  expect(await recorder.closed).toBe(1000);
  const changed = Uint8Array.from(RECORDING);
  changed[changed.length - 1]! ^= 1;
  const answerTo = async (who: typeof person, bytes: Uint8Array) => {
    const events = await who.visitor.events();
    const audio = await who.visitor.upload('recording.webm', Uint8Array.from(bytes));
    await who.visitor.post('/api/uses', {
      channel: 'playground',
      command: 'transcribe',
      options: {},
      files: { audio },
    });
    const wanted = await events.message(({ working, author }) => author.ours && !working);
    events.close();
    return wanted.html;
  };
  expect(await answerTo(person, changed)).toContain('bytes');
  expect(await answerTo(other, RECORDING)).toContain('bytes');

  const cut = await person.record();
  dictations[1]!.text = Promise.resolve(TEXT);
  const half = RECORDING.subarray(0, RECORDING.length - 7);
  cut.record(half);
  cut.send('end');
  await cut.closed;
  expect(dictations[1]?.state).toBe('dropped');
});

test('nothing is compressed on the way', async () => {
  const { web, person } = await start();
  const socket = openRecorder(web.url, person.cookies);
  const [reply] = (await once(socket, 'upgrade')) as [IncomingMessage];
  expect(reply.headers['sec-websocket-extensions']).toBeUndefined();
});

test('who leaves, discards or begins anew is listened to no longer, at once', async () => {
  const { person, dictations } = await start();
  const left = await person.record();
  left.close();
  await eventually(() => expect(dictations[0]?.state).toBe('dropped'));
  const first = await person.record();
  await person.record();
  expect(await first.closed).toBe(1001);
  expect(dictations.map(({ state }) => state)).toEqual(['dropped', 'dropped', 'open']);
});

test.each([
  ['what is no recording', (): Uint8Array => Buffer.from('RIFF, or so they say'), 1003],
  ['a recording of another codec', (): Uint8Array => fixture('vorbis.webm'), 1003],
  ['a message of text', (): string => '{"type":"flood"}', 1003],
  ['a message that is too large', (): Uint8Array => Buffer.alloc(300 * 1_024), 1009],
])('is closed after %s', async (_, data, code) => {
  const { person, dictations } = await start();
  const recorder = await person.record();
  recorder.send(data());
  expect(await recorder.closed).toBe(code);
  await eventually(() => expect(dictations[0]?.state).toBe('dropped'));
});

test('is closed when more comes than anybody records in that time', async () => {
  const { person, dictations } = await start();
  const bytes = await person.record();
  bytes.record(RECORDING);
  for (let at = 0; at < 6; at += 1) bytes.send(Buffer.alloc(100 * 1_024));
  expect(await bytes.closed).toBe(1008);
  const messages = await person.record();
  messages.record(RECORDING.subarray(0, CHUNK_BYTES));
  for (let at = 0; at < 200; at += 1) messages.send(Buffer.alloc(1));
  expect(await messages.closed).toBe(1008);
  await eventually(() =>
    expect(dictations.map(({ state }) => state)).toEqual(['dropped', 'dropped']),
  );
});

test('is closed when nothing can be recognised, and the page goes on', async () => {
  const { person, dictations } = await start();
  const recorder = await person.record();
  dictations[0]!.listener.ended(new AppError('missing', 'no engine'));
  expect(await recorder.closed).toBe(1011);
});

test('is refused to other sites, to who has no page, and to who holds no token', async () => {
  const { web, person, dictations } = await start();
  expect(await person.refused({ origin: 'https://evil.example' })).toBe(403);
  expect(await person.refused({ 'sec-fetch-site': 'cross-site' })).toBe(403);
  expect(await person.refused({ cookie: '' })).toBe(403);
  expect(await person.refused({ host: 'rebound.example' })).toBe(403);
  web.core.dictations.refusal = new AppError('rate-limited', 'used up');
  expect(await person.refused({})).toBe(429);
  expect(dictations).toEqual([]);
  expect((await person.visitor.request('/api/dictation')).status).toBe(429);

  const locked = await start({ token: 'a long enough secret' });
  expect(await locked.person.refused({})).toBe(401);
  expect(locked.dictations).toEqual([]);
});

test('is refused while too many record', async () => {
  const { web, dictations } = await start();
  const recorders: Recorder[] = [];
  for (let at = 0; at < 20; at += 1) recorders.push(await (await visitorOf(web)).record());
  const late = await visitorOf(web);
  expect(await late.refused({})).toBe(429);
  recorders[0]!.close();
  await eventually(() => expect(dictations[0]?.state).toBe('dropped'));
  await late.record();
  expect(dictations).toHaveLength(21);
});

test('garbage behind the handshake harms nobody', async () => {
  const { web, person, dictations } = await start();
  const { hostname, port } = new URL(web.url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const head = [
    'GET /api/dictation HTTP/1.1',
    `host: ${hostname}:${port}`,
    `cookie: ${cookie}`,
    'connection: Upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
  ].join('\r\n');
  socket.write(Buffer.concat([Buffer.from(`${head}\r\n\r\n`), Buffer.alloc(1_000, 0xff)]));
  await once(socket, 'data');
  socket.destroy();
  await eventually(() => expect(dictations[0]?.state).toBe('dropped'));
  await person.record();
});

test('other upgrades are requests like any other', async () => {
  const { web } = await start();
  const reply = await ask(new URL('/healthz', web.url).href, {
    connection: 'Upgrade, HTTP2-Settings',
    upgrade: 'h2c',
  });
  expect(reply.statusCode).toBe(200);
});

test('ends with the server', async () => {
  const web = await createWeb();
  const recorder = await (await visitorOf(web)).record();
  await web[Symbol.asyncDispose]();
  expect(await recorder.closed).toBeGreaterThan(1000);
  expect(web.core.dictations.all[0]?.state).toBe('dropped');
});
