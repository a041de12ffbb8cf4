import { AppError, userError } from '../../../src/errors.ts';
import { describe, expect, test } from 'vitest';
import { createWebAdapter } from '../../../adapters/web/adapter.ts';
import { typedCode } from '../../../src/command/helpers.ts';
import { createFakeCore } from '../../fakes/core.ts';
import { OPTIONS, ask, startWeb } from './start-web.ts';
import { sentence } from '../../fakes/sentences.ts';

describe('the page', () => {
  test('comes in the locale that the browser asks for, with its texts and commands', async () => {
    const web = await startWeb();
    const reply = await web.visit('nl, ja;q=0.8').request('/');
    const html = await reply.text();
    expect(html).toContain('<html lang="ja">');
    expect(html).toContain(sentence('web.channels.label', {}, 'ja'));
    expect(html).toContain('"name":"translate"');
  });

  test('is marked as what it is written in, while the reader keeps the language of the browser', async () => {
    const visitor = (await startWeb()).visit('ar-EG, en-GB;q=0.5');
    const shown = visitor.request('/').then((reply) => reply.text());
    expect(await shown).toContain('<html lang="en-GB">');
    const foreign = (await startWeb()).visit('ar-EG');
    const html = await (await foreign.request('/')).text();
    expect(html).toContain('<html lang="en">');
    expect(html).toContain('"locale":"en"');
    const events = await foreign.events();
    const me = await events.next((event) =>
      event.type === 'hello' ? event.snapshot.me : undefined,
    );
    events.close();
    expect(me.language).toBe('ar');
  });

  test('allows nothing but its own parts', async () => {
    const web = await startWeb();
    const { headers } = await web.visit().request('/');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy.replace(/'sha256-[\w+/]{43}='/, "'sha256-…'").split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self' 'sha256-…'",
      "style-src 'self'",
      "img-src 'self' blob:",
      "media-src 'self' blob:",
      "worker-src 'self'",
      "connect-src 'self' blob:",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      'trusted-types lit-html dragoman',
    ]);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('same-origin');
    expect(headers.getSetCookie()[0]).toMatch(/HttpOnly; SameSite=Strict/);
  });

  test('is made of modules without types, which browsers may keep', async () => {
    const web = await startWeb();
    const visitor = web.visit();
    const html = await (await visitor.request('/')).text();
    const parts = [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, path]) => `/${path!}`);
    expect(parts.length).toBeGreaterThan(20);
    for (const path of parts) {
      const reply = await visitor.request(path);
      expect(reply.status, path).toBe(200);
      if (!path.endsWith('.ts')) continue;
      const module = await reply.text();
      expect(module).not.toMatch(/^import type/m);
      for (const [, imported] of module.matchAll(/ from '(\.[^']+)'/g))
        expect(parts, path).toContain(new URL(imported!, `http://page${path}`).pathname);
    }
    const etag = (await visitor.request('/page/main.ts')).headers.get('etag')!;
    const again = await visitor.request('/page/main.ts', { headers: { 'if-none-match': etag } });
    expect(again.status).toBe(304);
  });

  test.each([
    '/page/../index.ts',
    '/page/%2e%2e/index.ts',
    '/page/tsconfig.json',
    '/src/command/../core.ts',
    '/src/app/core.ts',
    '/lib/lit/../../zod/index.js',
    '/lib/lit/..%2f..%2fzod%2findex.js',
    '/lib/zod/index.js',
    '/lib/lit/package.json',
    '/lib/lit/none.js',
    '/nowhere',
  ])('has nothing at %s', async (path) => {
    const web = await startWeb();
    const reply = await web.visit().request(path);
    expect(reply.status).toBe(404);
    expect(await reply.json()).toEqual({ error: sentence('errors.not-found') });
  });
});

describe('a server on this machine alone', () => {
  test('answers only to names of this machine', async () => {
    const { url } = await startWeb();
    const { port } = new URL(url);
    expect((await ask(url, { host: `localhost:${port}` })).statusCode).toBe(200);
    expect((await ask(url, { host: `[::1]:${port}` })).statusCode).toBe(200);
    expect((await ask(url, { host: `rebound.example:${port}` })).statusCode).toBe(403);
  });

  test.each<Record<string, string>>([
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])('refuses changes asked for by other sites: %j', async (headers) => {
    const web = await startWeb();
    const reply = await web.visit().post('/api/lines', { channel: 'lounge', text: 'x' }, headers);
    expect(reply.status).toBe(403);
  });

  const link = {
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'document',
  };

  test.each<[string, Record<string, string>]>([
    ['/events', { 'sec-fetch-site': 'cross-site' }],
    ['/api/languages', { 'sec-fetch-site': 'cross-site' }],
    ['/api/languages', { origin: 'https://evil.example' }],
    ['/page/main.ts', { 'sec-fetch-site': 'same-site' }],
    ['/files/x', link],
    ['/', { ...link, 'sec-fetch-dest': 'iframe' }],
    ['/', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
  ])('shows nothing to other sites: %s %j', async (path, headers) => {
    const { url } = await startWeb();
    expect((await ask(new URL(path, url).href, headers)).statusCode).toBe(403);
  });

  test('opens by a link of another site, and takes nobody who follows it for a newcomer', async () => {
    const { url } = await startWeb();
    const reply = await ask(url, link);
    expect(reply.statusCode).toBe(200);
    expect(reply.headers['set-cookie']).toBeUndefined();
    expect((await ask(new URL('/healthz', url).href, link)).statusCode).toBe(200);
  });

  test.each(['/api/languages', '/api/status', '/files/x', '/nowhere'])(
    'knows nobody who only looks at %s',
    async (path) => {
      const { visit } = await startWeb();
      expect((await visit().request(path)).headers.getSetCookie()).toEqual([]);
    },
  );

  test('takes changes of its own page', async () => {
    const web = await startWeb();
    const headers = { origin: new URL(web.url).origin, 'sec-fetch-site': 'same-origin' };
    const reply = await web.visit().post('/api/lines', { channel: 'lounge', text: 'x' }, headers);
    expect(reply.status).toBe(202);
  });
});

const line = (text: unknown) => ({ channel: 'lounge', text });

describe('bad input', () => {
  test.each([
    ['not JSON', '{', 400],
    ['another shape', { text: 1 }, 400],
    ['an unknown channel', { channel: 'attic', text: 'x' }, 400],
    ['an empty line', line(' '), 400],
    ['a line too long', line('x'.repeat(8_001)), 413],
    ['two megabytes', line('x'.repeat(2_000_000)), 413],
  ])('is refused with a sentence: %s', async (_, body, status) => {
    const web = await startWeb();
    const reply = await web.visit().post('/api/lines', body);
    expect(reply.status).toBe(status);
    expect(await reply.json()).toEqual({ error: expect.stringMatching(/\S+ \S+.*\.$/) });
  });

  test('is refused in the language of whoever sent it', async () => {
    const web = await startWeb();
    const reply = await web.visit('ja').post('/api/lines', line('x'.repeat(8_001)));
    expect(await reply.json()).toEqual({
      error: sentence('web.errors.line-too-long', { limit: 8_000 }, 'ja'),
    });
  });

  test('is refused when it is no JSON type, which forms of other sites could send', async () => {
    const web = await startWeb();
    const reply = await web.visit().post('/api/lines', line('x'), { 'content-type': 'text/plain' });
    expect(reply.status).toBe(400);
  });

  test('of any script and shape is taken when it is text', async () => {
    const web = await startWeb();
    const visitor = web.visit();
    const events = await visitor.events();
    for (const text of ['שלום', '\u200B.', '🎉', '\uD800 lone', '<script>'])
      expect((await visitor.post('/api/lines', line(text))).status).toBe(202);
    const { html } = await events.message((message) => message.html.includes('script'));
    expect(html).toContain('&lt;script&gt;');
  });

  test('to a command that does not exist is named', async () => {
    const web = await startWeb();
    const reply = await web
      .visit()
      .post('/api/uses', { channel: 'playground', command: 'nothing', options: {} });
    expect(reply.status).toBe(404);
    expect(await reply.json()).toMatchObject({ error: expect.stringContaining('/nothing') });
  });

  test('is told in words without markup, and words of the asker are none', async () => {
    const web = await startWeb();
    const command = typedCode('/**x**');
    web.core.complete = () =>
      Promise.reject(userError('not-found', 'errors.unknown-command', { command }));
    const request = { command: '**x**', option: 'to', typed: '' };
    const reply = await web.visit().post('/api/complete', request);
    expect(await reply.json()).toEqual({
      error: 'Unknown command: /**x**. /help lists all commands.',
    });
  });
});

describe('health', () => {
  test('says that the process lives and that people can be served', async () => {
    const web = await startWeb();
    expect((await web.visit().request('/healthz')).status).toBe(200);
    const ready = await web.visit().request('/readyz');
    expect(ready.status).toBe(200);
    expect(await ready.json()).toEqual({ ready: true });
  });

  test('says that people cannot be served, and not which part is to blame', async () => {
    const web = await startWeb();
    const expectNotReady = async () => {
      const reply = await web.visit().request('/readyz');
      expect([reply.status, await reply.json()]).toEqual([503, { ready: false }]);
    };
    web.core.setReachable(false);
    await expectNotReady();

    web.core.setReachable(true);
    web.core.setRefusal(new AppError('config', 'a wrong key'));
    await expectNotReady();

    web.core.setRefusal(undefined);
    web.core.setReady({ web: true, discord: false });
    await expectNotReady();

    web.core.setReady({ web: true });
    web.core.setStorageFault(new AppError('unavailable', 'the disk is full'));
    await expectNotReady();
  });
});

describe('metrics', () => {
  const metricsToken = 'a secret of Prometheus';
  const read = async (options: Parameters<typeof startWeb>[0], bearer?: string) => {
    const { visit } = await startWeb(options);
    const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
    return visit().request('/metrics', { headers });
  };

  test('are for who has their token, whether the page has one of its own or not', async () => {
    for (const token of [undefined, 'a long enough secret']) {
      const reply = await read({ metricsToken, token }, metricsToken);
      expect([reply.status, await reply.text()]).toEqual([
        200,
        expect.stringContaining('calls_total 7\n'),
      ]);
      expect(reply.headers.get('content-type')).toMatch(/^text\/plain/);
    }
  });

  test.each([undefined, '', 'another secret', 'a long enough secret'])(
    'are refused to who has another or none: %j',
    async (bearer) => {
      const reply = await read({ metricsToken, token: 'a long enough secret' }, bearer);
      expect(reply.status).toBe(401);
      expect(await reply.text()).not.toContain('calls_total');
    },
  );

  test('are not there where none is set', async () => {
    expect((await read({})).status).toBe(404);
    expect((await read({ token: 'a long enough secret' }, 'a long enough secret')).status).toBe(
      404,
    );
  });
});

test('a taken port is said in one sentence', async () => {
  const { url } = await startWeb();
  await expect(startWeb({ port: Number(new URL(url).port) })).rejects.toMatchObject({
    code: 'config',
    message: expect.stringMatching(/^port \d+ is in use already: set PORT/),
  });
});

test.each(['127.0.0.1', 'localhost'])('a page on %s stops while it starts', async (host) => {
  const adapter = createWebAdapter({ ...OPTIONS, host }, createFakeCore());
  const starting = adapter.start().catch((thrown: unknown) => thrown);
  await adapter[Symbol.asyncDispose]();
  expect(await starting).toMatchObject({ code: 'cancelled' });
  expect(adapter.ready()).toBe(false);
});
