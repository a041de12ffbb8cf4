import { gzipSync } from 'node:zlib';
import type { ErrorCode } from '../../../src/errors.ts';
import type { Behaviour } from '../../fakes/hostile-service.ts';
import type { ClientCall } from './endpoints.ts';

export const MEBIBYTE = 2 ** 20;
export const KEPT = 64 * 1_024;
export const BLANKS = Buffer.alloc(KEPT, ' ');
/** Of 64 members, each as long as this one. */
const BOMB = Buffer.concat(Array<Buffer>(64).fill(gzipSync(Buffer.alloc(MEBIBYTE))));

/** The head of a reply. */
export const head = (headers: Readonly<Record<string, string>>, status = '200 OK'): string =>
  `HTTP/1.1 ${status}\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;
/** Bytes as a chunk (RFC 9112, 7.1). */
export const chunk = (bytes: string | Uint8Array): Buffer =>
  Buffer.concat([
    Buffer.from(`${Buffer.byteLength(bytes).toString(16)}\r\n`),
    Buffer.from(bytes as string),
    Buffer.from('\r\n'),
  ]);

/** A reply that has no length, and is not over. */
export const opening = ({ mediaType }: ClientCall): string =>
  head({ 'content-type': mediaType, 'transfer-encoding': 'chunked' });
/** A whole reply with this body. */
export const whole = ({ mediaType }: ClientCall, body: string | Uint8Array, more = {}): Buffer =>
  Buffer.concat([
    Buffer.from(
      head({ 'content-type': mediaType, 'content-length': `${Buffer.byteLength(body)}`, ...more }),
    ),
    Buffer.from(body as string),
  ]);

/** What a call is answered with. */
type Kind = 'json' | 'events' | 'audio';
export const kindOf = ({ mediaType }: ClientCall): Kind =>
  mediaType.startsWith('audio') ? 'audio' : mediaType.endsWith('json') ? 'json' : 'events';

/** What a service does, and the error that a call ends with. */
interface Fault {
  readonly behave: (call: ClientCall) => Behaviour;
  readonly code: ErrorCode | Partial<Record<Kind, ErrorCode>>;
  /** Requests that it costs; 0 for any number. Default: 1. */
  readonly requests?: number | Partial<Record<Kind, number>>;
  /** True where nothing but the deadline ends a reply, of which nothing is kept. */
  readonly isEndless?: boolean;
  readonly deadlineMs?: number;
  readonly isHasty?: boolean;
}

/** Attempts of a call. */
const ALL = 4;
/** Audio that has begun to come is not asked for again. */
const BEGUN = { json: ALL, events: ALL, audio: 1 };

/** Faults of a service, each for every call of the client that its code names. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  'sends 1 GiB in place of its reply': {
    behave: (call) => async (wire) => {
      wire.send(opening(call));
      await wire.flood(chunk(BLANKS));
    },
    code: { json: 'bad-reply', events: 'bad-reply' },
  },
  'announces 1 GiB and sends it': {
    behave: (call) => async (wire) => {
      wire.send(head({ 'content-type': call.mediaType, 'content-length': `${2 ** 30}` }));
      await wire.flood(BLANKS);
    },
    code: { json: 'bad-reply', events: 'bad-reply' },
  },
  'sends 1 GiB of HTML': {
    behave: () => async (wire) => {
      wire.send(head({ 'content-type': 'text/html', 'transfer-encoding': 'chunked' }));
      await wire.flood(chunk(BLANKS));
    },
    code: 'bad-reply',
  },
  'sends 1 GiB without a media type': {
    behave: () => async (wire) => {
      wire.send(head({ 'transfer-encoding': 'chunked' }));
      await wire.flood(chunk(BLANKS));
    },
    code: 'bad-reply',
  },
  'refuses with 1 GiB': {
    behave: () => async (wire) => {
      const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
      wire.send(head(headers, '403 Forbidden'));
      await wire.flood(chunk(BLANKS));
    },
    code: 'forbidden',
  },
  'fails with 1 GiB each time': {
    behave: () => async (wire) => {
      wire.send(head({ 'transfer-encoding': 'chunked' }, '500 No'));
      await wire.flood(chunk(BLANKS));
    },
    code: 'unavailable',
    requests: ALL,
  },
  'sends fewer bytes than it announces': {
    behave: (call) => (wire) => {
      wire.send(head({ 'content-type': call.mediaType, 'content-length': '100000' }));
      wire.send(call.good.slice(0, 5));
      wire.end();
    },
    code: 'unavailable',
    requests: BEGUN,
  },
  'sends more bytes than it announces': {
    behave: (call) => (wire) => {
      wire.send(head({ 'content-type': call.mediaType, 'content-length': '5' }));
      wire.send(call.good);
    },
    code: { json: 'bad-reply', events: 'unavailable' },
    requests: { events: ALL },
  },
  'announces two lengths': {
    behave: (call) => (wire) => wire.send(whole(call, call.good, { 'Content-Length': '7' })),
    code: 'unavailable',
    requests: ALL,
  },
  'announces a chunk that does not come': {
    behave: (call) => (wire) => {
      wire.send(`${opening(call)}fffffff\r\n${call.good.slice(0, 5)}`);
      wire.end();
    },
    code: 'unavailable',
    requests: BEGUN,
  },
  'announces a chunk of no size': {
    behave: (call) => (wire) => wire.send(`${opening(call)}zz\r\n${call.good}`),
    code: 'unavailable',
    requests: ALL,
  },
  'sends headers without end': {
    behave: () => async (wire) => {
      wire.send('HTTP/1.1 200 OK\r\n');
      await wire.flood(`x-more: ${'y'.repeat(1_000)}\r\n`.repeat(64));
    },
    code: 'unavailable',
    requests: ALL,
  },
  'sends one header without end': {
    behave: () => async (wire) => {
      wire.send('HTTP/1.1 200 OK\r\nx-long: ');
      await wire.flood('y'.repeat(KEPT));
    },
    code: 'unavailable',
    requests: ALL,
  },
  'does not speak HTTP': {
    behave: () => (wire) => wire.send('SSH-2.0-OpenSSH_9.9\r\n\0\u0007\r\n'),
    code: 'unavailable',
    requests: ALL,
  },
  'sends a status line without end': {
    behave: () => async (wire) => wire.flood('HTTP/1.1 200 OK'.padEnd(KEPT, 'K')),
    code: 'timeout',
    deadlineMs: 150,
    requests: 0,
    isEndless: true,
  },
  'sends provisional answers without end': {
    behave: () => async (wire) =>
      wire.flood('HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'.repeat(500)),
    code: 'bad-reply',
  },
  'asks to continue without end': {
    behave: () => async (wire) => wire.flood('HTTP/1.1 100 Continue\r\n\r\n'.repeat(500)),
    code: 'unavailable',
    requests: ALL,
  },
  'switches to another protocol': {
    behave: () => (wire) =>
      wire.send(head({ connection: 'upgrade', upgrade: 'websocket' }, '101 Switching Protocols')),
    code: 'unavailable',
    requests: ALL,
  },
  'hangs up at once': { behave: () => (wire) => wire.end(), code: 'unavailable', requests: ALL },
  'breaks the connection at once': {
    behave: () => (wire) => wire.reset(),
    code: 'unavailable',
    requests: ALL,
  },
  'breaks the connection in its reply': {
    behave: (call) => (wire) => {
      wire.send(opening(call) + String(chunk(call.good.slice(0, 3))));
      setImmediate(() => wire.reset());
    },
    code: 'unavailable',
    requests: BEGUN,
  },
  'ends its reply in a character': {
    behave: (call) => (wire) => wire.send(whole(call, Buffer.from(call.good).subarray(0, -20))),
    code: { json: 'bad-reply', events: 'unavailable' },
    requests: { events: ALL },
  },
  'does not answer': { behave: () => () => {}, code: 'timeout', deadlineMs: 150, requests: 0 },
  'stops in its reply': {
    behave: (call) => (wire) => wire.send(opening(call) + String(chunk(call.good.slice(0, 3)))),
    code: 'timeout',
    deadlineMs: 150,
    requests: 0,
  },
  'sends a byte now and then': {
    behave: (call) => async (wire) => {
      wire.send(opening(call));
      const timer = setInterval(() => wire.send(chunk(' ')), 5).unref();
      wire.request.socket.once('close', () => clearInterval(timer));
    },
    code: 'timeout',
    deadlineMs: 150,
    requests: 0,
  },
  'compresses what nobody asked it to': {
    behave: (call) => (wire) =>
      wire.send(whole(call, gzipSync(call.good), { 'content-encoding': 'gzip' })),
    code: 'bad-reply',
  },
  'sends a bomb': {
    behave: (call) => (wire) => wire.send(whole(call, BOMB, { 'content-encoding': 'gzip' })),
    code: 'bad-reply',
  },
  'has no content': {
    behave: () => (wire) => wire.send(head({}, '204 No Content')),
    code: 'bad-reply',
  },
  'sends nothing': {
    behave: (call) => (wire) => wire.send(whole(call, '')),
    code: { json: 'bad-reply', events: 'bad-reply' },
  },
  'sends what is no JSON': {
    behave: (call) => (wire) => wire.send(whole(call, 'data: oops\n\n')),
    code: { json: 'bad-reply', events: 'bad-reply' },
  },
  'sends JSON a hundred thousand levels deep': {
    behave: (call) => (wire) =>
      wire.send(
        whole(call, `data: ${'['.repeat(100_000)}\n\n`.slice(kindOf(call) === 'json' ? 6 : 0)),
      ),
    code: { json: 'bad-reply', events: 'bad-reply' },
  },
  'refuses before it has read the request': {
    behave: () => (wire) => {
      wire.send(head({ 'content-length': '0', connection: 'close' }, '403 Forbidden'));
      wire.end();
    },
    code: 'forbidden',
    isHasty: true,
  },
};
