import { Hono } from 'hono';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sendFile } from '../../../adapters/web/api.ts';
import { createTempStore } from '../../../adapters/web/temp-store.ts';
import { startWeb } from './start-web.ts';

const DEEP = 100_000;

/** Bodies that are JSON, or nearly, and nothing that a page sends. */
const BODIES: readonly (readonly [string, string])[] = [
  ['deep lists', `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`],
  ['lists without an end', '['.repeat(DEEP)],
  ['deep options', `{"channel":"lounge","command":"say","options":${'{"a":'.repeat(DEEP / 4)}1`],
  [
    'very many options',
    JSON.stringify({
      channel: 'playground',
      command: 'say',
      options: Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`o${at}`, at])),
    }),
  ],
  ['a prototype of the body', '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{}}}'],
  [
    'a prototype of the options',
    '{"channel":"playground","command":"say","options":{"__proto__":{"isAdmin":true}}}',
  ],
  ['numbers that are too large', '{"channel":1e999,"text":-1e999}'],
];

const PATHS = ['lines', 'uses', 'presses', 'stop', 'complete', 'me'];

describe('a body that no page sends', () => {
  test.each(BODIES)('is a mistake of the sender’s, and changes nothing: %s', async (_, body) => {
    const { visit, core } = await startWeb();
    const visitor = visit();
    for (const path of PATHS) {
      const headers = { 'content-type': 'application/json' };
      const reply = await visitor.request(`/api/${path}`, { method: 'POST', headers, body });
      expect(reply.status, path).toBeOneOf([200, 202, 400, 413]);
      expect(await reply.json()).not.toHaveProperty('stack');
    }
    expect({}).not.toHaveProperty('isAdmin');
    for (const { options } of core.invocations) expect(options).not.toHaveProperty('isAdmin');
    expect((await visitor.request('/healthz')).status).toBe(200);
  });
});

const NAMES = [
  'a\r\nset-cookie: session=mine.txt',
  '"; filename="evil.html',
  "UTF-8''evil.html",
  '../../etc/passwd',
  'a\u202Egnp.exe',
  '<img src=x onerror=alert(1)>.txt',
  'half \uD83D',
  '\uDE00 of a sign',
  '字.txt',
  '',
];

const serve = async (name: string, mediaType: string): Promise<Response> => {
  const files = createTempStore({ files: 10, bytes: 1_000 });
  onTestFinished(() => files[Symbol.asyncDispose]());
  const file = await files.put({ name, mediaType }, [Buffer.from('<script>')], 1_000);
  return new Hono().get('/file', (c) => sendFile(c, files, file)).request('/file');
};

describe('a file of any name and type', () => {
  test.each(NAMES)('is sent as something to keep, under its name alone: %j', async (name) => {
    const reply = await serve(name, 'text/plain');
    expect(reply.status).toBe(200);
    expect(reply.headers.get('set-cookie')).toBeNull();
    const disposition = reply.headers.get('content-disposition') ?? '';
    expect(disposition).toMatch(/^attachment; filename\*=UTF-8''[\w.!~*'()%-]*$/);
    expect(decodeURIComponent(disposition.split("''").slice(1).join("''"))).toBe(
      name.toWellFormed(),
    );
  });

  test.each(['text/html', 'image/svg+xml', 'x\r\nset-cookie: a=b', 'no type', '字'])(
    'is nothing that runs: %j',
    async (mediaType) => {
      const reply = await serve('a', mediaType);
      expect(reply.status).toBe(200);
      expect(reply.headers.get('set-cookie')).toBeNull();
      expect(reply.headers.get('content-disposition')).toMatch(/^attachment;/);
    },
  );
});
