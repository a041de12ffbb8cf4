import { type IncomingMessage, request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { startWeb } from '../adapters/web/start-web.ts';
import { serve } from '../fakes/serve.ts';
import { closeWithTest, type OpenPage, said, send } from './open-page.ts';
import { sentence } from '../fakes/sentences.ts';

const PREFIX = '/chat';

/** Starts a proxy that serves what stands at `url` under `PREFIX` alone; returns the page's address. */
const startProxy = async (url: string): Promise<string> => {
  const { hostname, port } = new URL(url);
  const pass = (incoming: IncomingMessage) =>
    request({
      hostname,
      port,
      path: incoming.url!.slice(PREFIX.length),
      method: incoming.method,
      headers: incoming.headers,
    });
  const server = await serve((incoming, reply) => {
    if (!incoming.url!.startsWith(`${PREFIX}/`)) {
      reply.writeHead(404).end();
      return;
    }
    const outgoing = pass(incoming);
    outgoing.on('response', (answer) => {
      reply.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(reply);
    });
    outgoing.on('error', () => reply.destroy());
    reply.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  onTestFinished(server[Symbol.asyncDispose]);
  return `${server.url}${PREFIX}/`;
};

export const testPrefix = (open: OpenPage): void => {
  test('works under a path that a proxy takes off: the token, the worker, files', async () => {
    const { url } = await startWeb({ token: 'a long enough secret' });
    const at = await startProxy(url);
    const page = closeWithTest(await open(at, { mayBreak: true, locked: true }));
    const missing: string[] = [];
    page.on('response', (reply) => {
      if (reply.status() >= 400) missing.push(reply.url());
    });
    await page.getByLabel(sentence('web.login.token')).fill('a long enough secret');
    await page.keyboard.press('Enter');
    await page.locator('.me bdi').waitFor();
    expect(page.url().replace(/#.*/, '')).toBe(at);
    await send(page, '/say Hello');
    await page.locator('article .wave').waitFor();
    await send(page, 'good evening');
    await said(page, 'good evening').waitFor();
    await page.getByRole('button', { name: sentence('web.preferences.title') }).click();
    await page.getByRole('button', { name: sentence('web.login.leave') }).click();
    await page.getByLabel(sentence('web.login.token')).waitFor();
    expect(missing.filter((each) => !each.startsWith(at) || each.includes('/page/'))).toEqual([]);
  });
};
