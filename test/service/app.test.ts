import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import { expect, it, vi } from 'vitest';
import { createServiceApp } from '../../service/app.ts';
import type { KeyAccount } from '../../service/keys/account.ts';
import { operatorAccount } from '../../service/keys/account.ts';
import { createRequestLimiter } from '../../service/request-limiter.ts';
import { NO_TRACING } from '../../src/telemetry/tracing.ts';
import { eventually } from '../fakes/eventually.ts';
import { offering } from './support.ts';

it('what a request reserves after its client has left is given back', async () => {
  const incoming = new IncomingMessage(new Socket());
  const outgoing = new ServerResponse(incoming);
  let reserved = false;
  const account: KeyAccount = {
    ...operatorAccount('ada'),
    reserve: () => (reserved = true),
    release: () => (reserved = false),
  };
  const limiter = createRequestLimiter({ concurrent: 1, waiting: 1 });
  const translate = vi.fn(async function* () {
    yield { text: 'hola', model: 'one' };
  });
  const context = offering('one', { translates: () => true, translate }, limiter);
  const offers: typeof context.engines.offers = async (...wanted) => {
    outgoing.destroy();
    await eventually(() => expect(outgoing.closed).toBe(true));
    return context.engines.offers(...wanted);
  };
  const app = createServiceApp({
    ...context,
    engines: { ...context.engines, offers },
    accounts: { find: () => account, [Symbol.asyncDispose]: async () => {} },
    spools: {} as never,
    tracing: NO_TRACING,
  });
  const body = JSON.stringify({ q: 'hello', source: 'en', target: 'es' });
  const env: HttpBindings = { incoming, outgoing };
  await app.request('/translate', { method: 'POST', headers: { authorization: 'x' }, body }, env);
  expect(reserved).toBe(false);
});

it('a reply of an engine says that a machine made it, and nothing else does', async () => {
  const incoming = new IncomingMessage(new Socket());
  const limiter = createRequestLimiter({ concurrent: 1, waiting: 1 });
  const translate = async function* () {
    yield { text: 'hola', model: 'one' };
  };
  const app = createServiceApp({
    ...offering('one', { translates: () => true, translate }, limiter),
    accounts: { find: () => operatorAccount('ada'), [Symbol.asyncDispose]: async () => {} },
    spools: {} as never,
    tracing: NO_TRACING,
  });
  const ask = async (path: string, body?: object) => {
    const env: HttpBindings = { incoming, outgoing: new ServerResponse(incoming) };
    const headers = { authorization: 'x' };
    const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers };
    const { status, headers: replied } = await app.request(path, init, env);
    return { status, disclosed: replied.get('ai-disclosure') };
  };
  const words = { q: 'hello', source: 'en' };
  expect(await ask('/translate', { ...words, target: 'es' })).toEqual({
    status: 200,
    disclosed: 'mode=machine-generated',
  });
  expect(await ask('/translate', { ...words, target: '' })).toEqual({
    status: 400,
    disclosed: null,
  });
  expect(await ask('/openapi.json')).toEqual({ status: 200, disclosed: null });
});
