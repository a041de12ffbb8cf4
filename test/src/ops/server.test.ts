import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { OpsPages } from '../../../src/ops/pages.ts';
import { startOpsServer } from '../../../src/ops/server.ts';

type Request = Parameters<OpsPages['reply']>[1];

const start = async (reply: OpsPages['reply']) => {
  const errors: string[] = [];
  const server = await startOpsServer({
    host: '127.0.0.1',
    port: 0,
    pages: { reply },
    log: { error: (_: unknown, message: unknown) => void errors.push(String(message)) } as never,
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return { ask: (path: string, init?: RequestInit) => fetch(server.url + path, init), errors };
};

describe('the server of health and metrics', () => {
  it('replies at its paths as the pages say, on a port that is not public', async () => {
    const asked: (Request & { path: string })[] = [];
    const { ask } = await start(async (path, request) => {
      asked.push({ path, ...request });
      return { status: 503, mediaType: 'text/plain; charset=utf-8', body: path };
    });
    const reply = await ask('/readyz?x=1', { headers: { authorization: 'Bearer t' } });
    expect([reply.status, await reply.text()]).toEqual([503, '/readyz']);
    expect(reply.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const head = await ask('/healthz', { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([503, '']);
    expect(asked).toEqual([
      { path: '/readyz', authorization: 'Bearer t', isPublic: false },
      { path: '/healthz', authorization: undefined, isPublic: false },
    ]);
  });

  it('serves nothing else', async () => {
    const { ask } = await start(async () => ({ status: 200, mediaType: 'text/plain', body: '' }));
    expect((await ask('/')).status).toBe(404);
    expect((await ask('/metrics/x')).status).toBe(404);
    expect((await ask('/metrics', { method: 'POST' })).status).toBe(405);
  });

  it('goes on after a reply that failed', async () => {
    let fails = true;
    const { ask, errors } = await start(async () => {
      if (fails) throw new Error('broken');
      return { status: 200, mediaType: 'text/plain', body: 'ok' };
    });
    await expect(ask('/healthz')).rejects.toThrow();
    expect(errors).toHaveLength(1);
    fails = false;
    expect(await (await ask('/healthz')).text()).toBe('ok');
  });

  it('says in one sentence that its port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    const starting = startOpsServer({
      host: '127.0.0.1',
      port,
      pages: {} as OpsPages,
      log: {} as never,
    });
    await expect(starting).rejects.toMatchObject({
      code: 'config',
      message: `port ${port} is in use already: set OPS_PORT to another one`,
    });
  });
});
