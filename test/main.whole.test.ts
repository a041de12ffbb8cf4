import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { open as openFile, readFile, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { createLog } from '../src/telemetry/log.ts';
import { openStore } from '../src/store/index.ts';
import { createOwnKeys } from '../src/store/secrets/own-keys.ts';
import { endProgram, listenToProgram, spawnDragoman } from './fakes/program.ts';
import { startSpeechFake } from './fakes/speech.ts';

/** Runs the program until it ends by itself. */
const run = async (environment: Record<string, string>, envFile = '', ...words: string[]) => {
  const child = spawnDragoman(environment, envFile, ...words);
  const [said, told, [code]] = await Promise.all([
    text(child.stderr),
    text(child.stdout),
    once(child, 'exit') as Promise<[number]>,
  ]);
  return { said, told, code };
};

/** Starts the service alone. It reads its prices before it listens: from a pipe, as slowly as they are written. */
const startSlowService = () => {
  const folder = mkdtempSync(join(tmpdir(), 'prices-'));
  const prices = join(folder, 'prices.json');
  execFileSync('mkfifo', [prices]);
  const child = spawnDragoman({
    ROLES: 'service',
    SERVICE_PORT: '0',
    SERVICE_PRICES: prices,
    OPS_PORT: '0',
    LOG_LEVEL: 'silent',
  });
  return {
    child,
    prices,
    [Symbol.asyncDispose]: async (): Promise<void> => {
      await endProgram(child);
      rmSync(folder, { recursive: true });
    },
  };
};

describe('the program', () => {
  it('tells every mistake of its configuration at once, wherever it stands', async () => {
    const { said, code } = await run(
      { PORT: 'eighty', HOST: '0.0.0.0', DATABASE_URL: 'mysql://x', ROLES: 'worker,cook' },
      'LOG_LEVEL=loud\nSPEECH_API_URL=ftp://x\n',
    );
    expect(code).toBe(1);
    for (const name of ['PORT', 'WEB_TOKEN', 'DATABASE_URL', 'LOG_LEVEL', 'SPEECH_API_URL'])
      expect(said).toContain(`  ${name}: `);
    expect(said).toContain('  ROLES: must be all, or some of gateway, worker, web, service');
    expect(said).not.toContain('    at ');
  });

  it('serves only speech, translation and chat where that is its role, and is ready once that listens', async () => {
    await using slow = startSlowService();
    const { child, prices } = slow;
    let told = '';
    child.stdout.on('data', (part: Buffer) => (told += part.toString()));
    const address = (): string | undefined => /health and metrics: (\S+)/.exec(told)?.[1];
    await expect.poll(address).toBeDefined();
    const readiness = async () => {
      const reply = await fetch(`${address()}/readyz`);
      return [reply.status, await reply.json()];
    };
    const starting = { ready: false, starting: true, draining: false, parts: {} };
    expect(await readiness()).toEqual([503, starting]);
    await writeFile(prices, await readFile('service/keys/prices.json'));
    await expect.poll(() => told).toContain('Speech, translation and chat at http://');
    expect(await readiness()).toEqual([200, { ...starting, ready: true, starting: false }]);
    expect((await fetch(`${address()}/healthz`)).status).toBe(200);
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(told).not.toContain('Dragoman on');
  });

  it('ends at once as the service alone when it is told to, though that does not listen yet', async () => {
    await using slow = startSlowService();
    const { child, prices } = slow;
    const { address, said } = await listenToProgram(child);
    // It reads the prices until the pipe is closed.
    const pipe = await openFile(prices, 'w');
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const readiness = async () => (await fetch(`${address}/readyz`)).status;
    await expect.poll(async () => readiness().catch(() => 'gone')).toBe('gone');
    await pipe.close();
    expect(await ended).toEqual([0, null]);
    expect(said()).not.toContain('Speech, translation and chat at');
  });

  it('says in a sentence that its port is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { said, code } = await run({ PORT: String(port), LOG_LEVEL: 'silent' });
    server.close();
    expect(code).toBe(1);
    expect(said).toContain(String(port));
    expect(said).not.toContain('    at ');
  });

  it('counts its calls of the service for who has the token of its metrics', async () => {
    await using service = await startSpeechFake();
    const child = spawnDragoman({
      PORT: '0',
      LOG_LEVEL: 'silent',
      SPEECH_API_URL: service.url,
      SPEECH_API_KEY: service.key,
      METRICS_TOKEN: 'a secret of Prometheus',
      OPS_PORT: '0',
    });
    const ended = once(child, 'exit');
    let said = '';
    for await (const piece of child.stdout.setEncoding('utf8')) {
      said += String(piece);
      if (said.includes('on web')) break;
    }
    const [, url = ''] = /on web: (\S+)/.exec(said) ?? [];
    const [, own = ''] = /metrics: (\S+)/.exec(said) ?? [];
    await (await fetch(new URL('/readyz', url))).text();
    const headers = { authorization: 'Bearer a secret of Prometheus' };
    const metrics = await (await fetch(new URL('/metrics', url), { headers })).text();
    const again = await (await fetch(`${own}/metrics`, { headers })).text();
    expect((await fetch(`${own}/metrics`)).status).toBe(401);
    expect((await fetch(`${own}/healthz`)).status).toBe(200);
    expect(await (await fetch(`${own}/readyz`)).json()).toMatchObject({ parts: { web: true } });
    child.kill('SIGTERM');
    await ended;
    expect(again).toMatch(/^dragoman_event_loop_delay_seconds\{quantile="0.99"\} /m);
    expect(metrics).toMatch(/^dragoman_service_calls_total\{endpoint="voices",.*"answered"\} 1$/m);
    expect(metrics).not.toContain(service.key);
  });

  it('finds nothing wrong with itself, and examines its database without encrypting anything anew, which a start does', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'doctor-'));
    const DATABASE_URL = `sqlite:${join(folder, 'dragoman.db')}`;
    const [old, newer] = [randomBytes(32), randomBytes(32)];
    const environment = {
      DATABASE_URL,
      ENCRYPTION_KEY: `${newer.toString('hex')},${old.toString('hex')}`,
      PORT: '0',
    };
    const secret = async () => {
      await using store = await openStore(DATABASE_URL);
      return (await store.selectFrom('space_key').select('secret').executeTakeFirstOrThrow())
        .secret;
    };
    try {
      const store = await openStore(DATABASE_URL);
      const keys = createOwnKeys({ store, encryption: [old], log: createLog('silent') });
      await keys.put({ platform: 'p', id: 'space' }, 'svck:own', { id: 'ann', name: 'Ann' });
      await store.destroy();
      const before = await secret();
      const { told, code } = await run(environment, '', 'doctor');
      expect(told).toContain('1 stored');
      expect(told).toContain('Nothing is wrong.');
      expect(told).toMatch(/^ -- {3}Discord {20}off: set DISCORD_TOKEN/m);
      expect(told).not.toContain('FAIL');
      expect(code).toBe(0);
      expect(await secret()).toBe(before);
      const child = spawnDragoman(environment);
      const ended = once(child, 'exit');
      for await (const piece of child.stdout) if (String(piece).includes('Dragoman on')) break;
      const beside = await run(environment, '', 'doctor');
      expect(beside.told).toContain('1 stored');
      const link =
        'https://discord.com/channels/100000000000000001/200000000000000002/300000000000000003';
      const why = await run(environment, '', 'doctor', 'why', link);
      expect(why.told).toContain('why.unknown.not-set');
      expect(why.code).toBe(0);
      const second = await run(environment);
      expect(second.said).toContain('is in use by another program');
      expect(second.code).toBe(1);
      child.kill('SIGTERM');
      await ended;
      expect(await secret()).not.toBe(before);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('says in a sentence that its database cannot be opened', async () => {
    const { said, code } = await run({ DATABASE_URL: 'sqlite:/dev/null/x.db', PORT: '0' });
    expect(code).toBe(1);
    expect(said).toContain('DATABASE_URL');
    expect(said).not.toContain('    at ');
  });
});
