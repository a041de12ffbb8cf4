import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { BARE_ENVIRONMENT, wordsOf } from '../fakes/program.ts';

const running: ChildProcess[] = [];

/** `service/main.ts` as people start it, without what this machine happens to have. */
const startMain = (
  variables: Record<string, string>,
): { process: ChildProcess; output: () => string } => {
  const child = spawn(process.execPath, wordsOf('service/main.ts'), {
    env: {
      ...BARE_ENVIRONMENT,
      SERVICE_PORT: '0',
      SERVICE_APERTIUM_MODES: '/nonexistent',
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => (text += part));
  return { process: child, output: () => text };
};

describe('the service alone', () => {
  afterEach(() => {
    for (const child of running.splice(0)) child.kill('SIGKILL');
  });

  it('says its address, one key and its engines, serves, and ends when told to', async () => {
    const { process: child, output } = startMain({});
    await expect.poll(output).toContain('sherpa-onnx');
    const [key] = /svck:\S{16,}/.exec(output()) ?? [];
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(output()) ?? [];
    const headers = { authorization: `Bearer ${key}` };
    expect((await fetch(`${url}/tts/voices`, { headers })).status).toBe(200);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('answers for its health and metrics on a port of their own, and prints no keys that were given', async () => {
    const key = 'svck:given-0123456789abcdef';
    const token = 'token-0123456789';
    const { output } = startMain({ OPS_PORT: '0', METRICS_TOKEN: token, SERVICE_KEYS: key });
    await expect.poll(output).toContain('sherpa-onnx');
    expect(output()).not.toContain(key);
    const [, ops] = /health and metrics: (\S+)/.exec(output()) ?? [];
    expect(await (await fetch(`${ops}/healthz`)).text()).toBe('ok');
    expect(await (await fetch(`${ops}/readyz`)).json()).toMatchObject({ ready: true });
    expect((await fetch(`${ops}/metrics`)).status).toBe(401);
    const headers = { authorization: `Bearer ${token}` };
    const metrics = await (await fetch(`${ops}/metrics`, { headers })).text();
    expect(metrics).toContain('process_resident_memory_bytes');
    expect(metrics).toContain('dragoman_engine_ready{engine="deepl",ability="translation"} 0');
  });

  it('says in a sentence that its port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { process: child, output } = startMain({ SERVICE_PORT: String(port) });
    expect((await once(child, 'exit'))[0]).toBe(1);
    other.close();
    expect(output().trim()).toBe(
      `The service cannot listen on 127.0.0.1:${port}: the port is taken by another program; choose another with SERVICE_PORT.`,
    );
  });

  it('tells every mistake of the configuration at once', async () => {
    const { process: child, output } = startMain({
      SERVICE_PORT: 'none',
      SERVICE_KEYS: 'short',
      SERVICE_OPENAI_URL: 'nowhere',
      LOG_LEVEL: 'loud',
    });
    expect((await once(child, 'exit'))[0]).toBe(1);
    for (const name of ['SERVICE_PORT', 'SERVICE_KEYS', 'SERVICE_OPENAI_URL', 'LOG_LEVEL'])
      expect(output()).toContain(name);
    expect(output()).not.toContain('    at ');
  });
});
