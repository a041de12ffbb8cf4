import { describe, expect, test } from 'vitest';
import web from '../../../adapters/web/index.ts';
import { parseConfig } from '../../../src/config.ts';
import { ask, startWeb } from './start-web.ts';

const TOKEN = 'a long enough secret';

const form = (token: string): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams({ token }).toString(),
});

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
});

const parse = (environment: Record<string, string>) =>
  parseConfig(environment, { web: web.config }).web;

describe('the configuration', () => {
  test('needs nothing', () => {
    expect(parse({})).toEqual({ HOST: '127.0.0.1', PORT: 8_080, MAX_UPLOAD_BYTES: 104_857_600 });
  });

  test('demands a token where others can reach the page', () => {
    expect(() => parse({ HOST: '0.0.0.0' })).toThrow(/WEB_TOKEN: must be set to a secret/);
    expect(parse({ HOST: '0.0.0.0', WEB_TOKEN: TOKEN })).toMatchObject({ WEB_TOKEN: TOKEN });
  });

  test('tells all mistakes together, and no value', () => {
    expect(() =>
      parse({ HOST: '0.0.0.0', PORT: '99999', WEB_TOKEN: 'short', MAX_UPLOAD_BYTES: 'much' }),
    ).toThrow(/3 mistakes(?=[^]*PORT)(?=[^]*WEB_TOKEN)(?=[^]*MAX_UPLOAD_BYTES)(?![^]*short)/);
  });
});
