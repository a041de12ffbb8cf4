import { createHmac } from 'node:crypto';
import { BlockList } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { parseRanges } from '../../../adapters/web/access.ts';
import { sentence } from '../../fakes/sentences.ts';
import webModule from '../../../adapters/web/index.ts';
import { parseConfig } from '../../../src/config.ts';
import { ask, startWeb, type StartedWeb } from './start-web.ts';

const TOKEN = 'a long enough secret';

const form = (token: string): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams({ token }).toString(),
});

/** The part of the session's cookie that follows from the token. */
const sessionOf = (token: string): string =>
  createHmac('sha256', token).update('dragoman page session').digest('base64url');

describe('a page with a token', () => {
  test('asks for it before anything else', async () => {
    const { visit } = await startWeb({ token: TOKEN });
    const page = await visit().request('/');
    expect(page.status).toBe(401);
    expect(await page.text()).toContain('name="token"');
    for (const path of ['/events', '/api/status', '/files/x'])
      expect((await visit().request(path)).status, path).toBe(401);
    expect((await visit().post('/api/lines', { channel: 'lounge', text: 'x' })).status).toBe(401);
  });

  test('is reached by any name, such as that of a proxy in front', async () => {
    const { url } = await startWeb({ token: TOKEN });
    const authorization = `Bearer ${TOKEN}`;
    expect((await ask(url, { host: 'talk.example.com', authorization })).statusCode).toBe(200);
    expect((await ask(url, { host: 'talk.example.com' })).statusCode).toBe(401);
  });

  test('shows health to those who watch it, without the token', async () => {
    const { visit } = await startWeb({ token: TOKEN });
    expect((await visit().request('/healthz')).status).toBe(200);
    expect((await visit().request('/readyz')).status).toBe(200);
  });

  test('lets in whoever enters it, until they leave', async () => {
    const visitor = (await startWeb({ token: TOKEN })).visit();
    const entered = await visitor.request('/login', form(TOKEN));
    expect(entered.status).toBe(303);
    expect(entered.headers.getSetCookie()[0]).toMatch(
      /^dragoman_session=.*HttpOnly; SameSite=Strict/,
    );
    expect(entered.headers.getSetCookie()[0]).not.toContain(encodeURIComponent(TOKEN));
    expect((await visitor.request('/')).status).toBe(200);
    await visitor.request('/logout', { method: 'POST' });
    expect((await visitor.request('/')).status).toBe(401);
  });

  test.each([
    ['https', true],
    ['http', false],
  ])('sets cookies that are secure behind a proxy for %s: %s', async (protocol, isSecure) => {
    const web = await startWeb({ token: TOKEN, trustedProxies: parseRanges('127.0.0.1')! });
    const visitor = web.visit();
    const { headers, ...login } = form(TOKEN);
    const proxied = { ...(headers as Record<string, string>), 'x-forwarded-proto': protocol };
    const replies = [
      await visitor.request('/login', { ...login, headers: proxied }),
      await visitor.request('/', { headers: proxied }),
    ];
    const cookies = replies.flatMap((reply) => reply.headers.getSetCookie());
    expect(cookies.map((cookie) => [cookie.split('=')[0], /; Secure/.test(cookie)])).toEqual([
      ['dragoman_session', isSecure],
      ['dragoman_member', isSecure],
    ]);
  });

  test('takes it as a bearer token too', async () => {
    const { visit } = await startWeb({ token: TOKEN });
    const bearing = (token: string) =>
      visit().request('/api/status', { headers: { authorization: `Bearer ${token}` } });
    expect((await bearing(TOKEN)).status).toBe(200);
    expect((await bearing('another secret here')).status).toBe(401);
  });

  test('says that a token is wrong, and stops listening after ten', async () => {
    const { visit } = await startWeb({ token: TOKEN });
    for (let attempt = 0; attempt < 10; attempt += 1) {
      const reply = await visit().request('/login', form('wrong'));
      expect(reply.status).toBe(401);
      expect(await reply.text()).toContain('role="alert"');
    }
    expect((await visit().request('/login', form('wrong'))).status).toBe(429);
    expect((await visit().request('/login', form(TOKEN))).status).toBe(429);
  });

  test('counts cookies made of guessed tokens, and then believes not even the right one', async () => {
    const web = await startWeb({ token: TOKEN });
    const bringing = (cookie: string) =>
      web.visit('en', new Map([['dragoman_session', cookie]])).request('/api/status');
    for (let attempt = 0; attempt < 9; attempt += 1)
      expect((await bringing(sessionOf(`guess ${attempt}`))).status).toBe(401);
    expect((await bringing(sessionOf(TOKEN))).status).toBe(200);
    expect((await bringing(sessionOf('guess 9'))).status).toBe(429);
    expect((await web.visit().request('/login', form(TOKEN))).status).toBe(429);
    for (const browser of ['', '.', '.guessed'])
      expect((await bringing(`${sessionOf(TOKEN)}${browser}`)).status).toBe(429);
  });

  test('counts a cookie of an earlier token once, however many pages send it', async () => {
    const { visit } = await startWeb({ token: TOKEN });
    for (let page = 0; page < 20; page += 1) {
      const stale = `${sessionOf('an earlier secret')}.${page}`;
      const visitor = visit('en', new Map([['dragoman_session', stale]]));
      expect((await visitor.request('/')).status).toBe(401);
    }
    expect((await visit().request('/login', form(TOKEN))).status).toBe(303);
  });
});

describe('who is shut out', () => {
  const enter = (web: StartedWeb, token: string, from?: string, header = 'x-forwarded-for') => {
    const { method = '', headers, body = null } = form(token);
    const forwarded = from === undefined ? {} : { [header]: from };
    return web.visit().request('/login', {
      method,
      headers: { ...(headers as Record<string, string>), accept: 'text/html', ...forwarded },
      body,
    });
  };

  /** Ten wrong tokens. */
  const guess = async (web: StartedWeb, from?: string) => {
    for (let attempt = 0; attempt < 10; attempt += 1) await enter(web, 'wrong', from);
  };

  const AT = Date.UTC(2026, 0, 1, 12, 0, 30);
  const until = sentence('web.errors.too-many-attempts', { time: '12:06 PM UTC' });

  test('is told on the page until when, and programs in JSON', async () => {
    let now = AT;
    const web = await startWeb({ token: TOKEN, now: () => now });
    await guess(web);
    now += 10_000;
    const page = await enter(web, TOKEN);
    expect(page.status).toBe(429);
    expect(page.headers.get('retry-after')).toBe('290');
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(await page.text()).toContain(until);
    const again = await web.visit().request('/', { headers: { accept: 'text/html' } });
    expect(again.status).toBe(429);
    expect(await again.text()).toContain(until);
    const authorization = `Bearer ${TOKEN}`;
    const program = await web.visit().request('/api/status', { headers: { authorization } });
    expect(program.status).toBe(429);
    expect(await program.json()).toEqual({ error: until });
    now += 290_000;
    expect((await enter(web, TOKEN)).status).toBe(303);
  });

  test.each(['en-aa-aa', 'en-u', 'x-klingon, en-a-bb-a-cc'])(
    'is told in English to a browser that asks for no valid locale: %s',
    async (locale) => {
      const web = await startWeb({ token: TOKEN, now: () => AT });
      await guess(web);
      const refused = await web.visit(locale).request('/', { headers: { accept: 'text/html' } });
      expect(refused.status).toBe(429);
      expect(await refused.text()).toContain(until);
    },
  );

  test('is no longer than five minutes where the clock is set back', async () => {
    let now = AT;
    const web = await startWeb({ token: TOKEN, now: () => now });
    await guess(web);
    now -= 86_400_000;
    expect((await enter(web, TOKEN)).status).toBe(303);
  });

  test('keeps the session that others of the same network have', async () => {
    const web = await startWeb({ token: TOKEN });
    const member = web.visit();
    await member.request('/login', form(TOKEN));
    await guess(web);
    expect((await member.request('/')).status).toBe(200);
    expect((await enter(web, TOKEN)).status).toBe(429);
  });

  test('keeps a session that began before this process, once it was seen', async () => {
    const web = await startWeb({ token: TOKEN });
    const member = web.visit('en', new Map([['dragoman_session', `${sessionOf(TOKEN)}.member`]]));
    expect((await member.request('/')).status).toBe(200);
    await guess(web);
    expect((await member.request('/')).status).toBe(200);
  });

  test('is one client of a trusted proxy, whatever the client says; the others get in', async () => {
    const trustedProxies = parseRanges('127.0.0.0/8')!;
    const web = await startWeb({ token: TOKEN, trustedProxies });
    for (let attempt = 0; attempt < 10; attempt += 1)
      await enter(web, 'wrong', `198.51.100.${attempt}, 203.0.113.7`);
    expect((await enter(web, TOKEN, '203.0.113.7')).status).toBe(429);
    expect((await enter(web, TOKEN, '203.0.113.8')).status).toBe(303);
    expect((await enter(web, TOKEN)).status).toBe(303);
  });

  test('is one client by the header that the proxy has for it, and by no other', async () => {
    const trustedProxies = parseRanges('127.0.0.1')!;
    const clientAddressHeader = 'Fly-Client-IP';
    const web = await startWeb({ token: TOKEN, trustedProxies, clientAddressHeader });
    for (let attempt = 0; attempt < 10; attempt += 1)
      await enter(web, 'wrong', '203.0.113.7', clientAddressHeader);
    expect((await enter(web, TOKEN, '203.0.113.7', clientAddressHeader)).status).toBe(429);
    expect((await enter(web, TOKEN, '203.0.113.8', clientAddressHeader)).status).toBe(303);
    expect((await enter(web, TOKEN, '203.0.113.7')).status).toBe(303);
  });

  test('does not get in by the header of no proxy, and the operator is told', async () => {
    const web = await startWeb({ token: TOKEN });
    const warned = vi.spyOn(web.core.log, 'warn');
    for (let attempt = 0; attempt < 10; attempt += 1)
      await enter(web, 'wrong', `203.0.113.${attempt}`);
    expect((await enter(web, TOKEN, '203.0.113.99')).status).toBe(429);
    expect(warned).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('TRUSTED_PROXIES'));
  });

  test('with a network of IPv6 addresses cannot go on with another one of it', async () => {
    const trustedProxies = parseRanges('127.0.0.1')!;
    const web = await startWeb({ token: TOKEN, trustedProxies });
    for (let attempt = 0; attempt < 10; attempt += 1)
      await enter(web, 'wrong', `2001:db8:1:2::${attempt}`);
    expect((await enter(web, TOKEN, '2001:db8:1:2:ffff::1')).status).toBe(429);
    expect((await enter(web, TOKEN, '2001:db8:1:3::1')).status).toBe(303);
  });
});

describe('the token of the metrics', () => {
  const METRICS_TOKEN = 'a secret of Prometheus';
  const open = async () => {
    const web = await startWeb({ token: TOKEN, metricsToken: METRICS_TOKEN, now: () => 0 });
    const asking = (path: string, bearer?: string) =>
      web.visit().request(path, {
        headers: bearer === undefined ? {} : { authorization: `Bearer ${bearer}` },
      });
    /** The status of each of these many requests. */
    const statuses = async (count: number, path: string, bearer?: string) => {
      const found: number[] = [];
      for (let request = 0; request < count; request += 1)
        found.push((await asking(path, bearer)).status);
      return found;
    };
    return { asking, statuses };
  };

  test('is not listened to after ten wrong ones either, and the page goes on', async () => {
    const { asking, statuses } = await open();
    expect(new Set(await statuses(10, '/metrics', 'wrong'))).toEqual(new Set([401]));
    expect(await statuses(1, '/metrics', 'wrong')).toEqual([429]);
    const refused = await asking('/metrics', METRICS_TOKEN);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '300']);
    expect(await statuses(1, '/healthz')).toEqual([200]);
    expect(await statuses(1, '/api/status', TOKEN)).toEqual([200]);
  });

  test('is taken however often it is right, or missing', async () => {
    const { statuses } = await open();
    expect(new Set(await statuses(20, '/metrics'))).toEqual(new Set([401]));
    expect(new Set(await statuses(20, '/metrics', METRICS_TOKEN))).toEqual(new Set([200]));
  });

  test('gives nobody more attempts at the page’s', async () => {
    const { statuses } = await open();
    expect(new Set(await statuses(9, '/api/status', 'wrong'))).toEqual(new Set([401]));
    expect(await statuses(1, '/metrics', METRICS_TOKEN)).toEqual([200]);
    expect(await statuses(1, '/api/status', 'wrong')).toEqual([429]);
    expect(await statuses(1, '/metrics', METRICS_TOKEN)).toEqual([200]);
  });
});

const parse = (environment: Record<string, string>) =>
  parseConfig(environment, { web: webModule.config }).web;

describe('the configuration', () => {
  test('needs nothing', () => {
    expect(parse({})).toEqual({
      HOST: '127.0.0.1',
      PORT: 8_080,
      TRUSTED_PROXIES: expect.any(BlockList),
      CLIENT_ADDRESS_HEADER: 'X-Forwarded-For',
      MAX_UPLOAD_BYTES: 104_857_600,
    });
  });

  test('demands a token where others can reach the page', () => {
    expect(() => parse({ HOST: '0.0.0.0' })).toThrow(/WEB_TOKEN: must be set to a secret/);
    expect(parse({ HOST: '0.0.0.0', WEB_TOKEN: TOKEN })).toMatchObject({ WEB_TOKEN: TOKEN });
  });

  test('takes addresses and ranges of proxies, and says what else they are', () => {
    const { TRUSTED_PROXIES } = parse({ TRUSTED_PROXIES: '10.0.0.0/8, ::1' });
    expect((TRUSTED_PROXIES as BlockList).check('10.2.3.4')).toBe(true);
    expect(() => parse({ TRUSTED_PROXIES: 'proxy.example.com' })).toThrow(
      /TRUSTED_PROXIES: must be IP addresses or ranges such as/,
    );
  });

  test('takes the name of a header alone', () => {
    expect(parse({ CLIENT_ADDRESS_HEADER: 'Fly-Client-IP' })).toMatchObject({
      CLIENT_ADDRESS_HEADER: 'Fly-Client-IP',
    });
    for (const written of ['Fly-Client-IP, X-Forwarded-For', 'X-Real-IP: 10.0.0.1', 'é'])
      expect(() => parse({ CLIENT_ADDRESS_HEADER: written })).toThrow(
        /CLIENT_ADDRESS_HEADER: must be the name of a header/,
      );
  });

  test('tells all mistakes together, and no value', () => {
    expect(() =>
      parse({ HOST: '0.0.0.0', PORT: '99999', WEB_TOKEN: 'short', MAX_UPLOAD_BYTES: 'much' }),
    ).toThrow(/3 mistakes(?=[^]*PORT)(?=[^]*WEB_TOKEN)(?=[^]*MAX_UPLOAD_BYTES)(?![^]*short)/);
  });
});
