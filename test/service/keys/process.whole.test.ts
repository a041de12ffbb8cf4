import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { PATHS } from '../../../src/api/contract.ts';
import { BARE_ENVIRONMENT, wordsOf } from '../../fakes/program.ts';
import { createKeys } from './support.ts';
import { fresh } from '../../fakes/opened.ts';

const run = promisify(execFile);

describe('keys and the service as programs', () => {
  let service: ChildProcess | undefined;
  const keys = fresh(() => createKeys());
  afterEach(() => service?.kill('SIGKILL'));

  const environment = () => ({
    ...BARE_ENVIRONMENT,
    SERVICE_PORT: '0',
    SERVICE_APERTIUM_MODES: '/nonexistent',
    SERVICE_DATABASE: keys.database,
    LOG_LEVEL: 'silent',
  });
  /** Runs a command and returns what it printed. */
  const command = async (...words: readonly string[]): Promise<string> => {
    const main = wordsOf('service/main.ts', ...words);
    return (await run(process.execPath, main, { env: environment() })).stdout;
  };
  const start = async (): Promise<string> => {
    service = spawn(process.execPath, wordsOf('service/main.ts'), {
      env: environment(),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    service.stdout!.setEncoding('utf8').on('data', (part: string) => (text += part));
    await expect.poll(() => text).toContain('sherpa-onnx');
    return /http:\/\/127\.0\.0\.1:\d+/.exec(text)![0];
  };
  const translate = async (url: string, key: string): Promise<number> => {
    const body = new FormData();
    const fields = { text: 'x'.repeat(1_000), source_lang: 'en', target_lang: 'en-XA' };
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    const headers = { authorization: `Bearer ${key}` };
    const reply = await fetch(`${url}${PATHS.translate}`, { method: 'POST', headers, body });
    await reply.arrayBuffer();
    return reply.status;
  };

  it('share what is created and revoked at once, and keep the credit of a killed service', async () => {
    const url = await start();
    const [key = ''] = (await command('keys', 'create', 'ada')).split('\n');
    expect(await translate(url, key)).toBe(200);
    await expect.poll(() => keys.find('ada')?.creditNanoUsd).toBe(9_999_000_000);
    service!.kill('SIGKILL');
    await once(service!, 'exit');
    const list = await command('keys', 'list');
    expect(list).toMatch(/ada +all +9\.999 USD/);
    expect(list).not.toContain(key);

    const again = await start();
    expect(await translate(again, key)).toBe(200);
    expect(await command('keys', 'revoke', 'ada')).toBe('ada is revoked.\n');
    expect(await translate(again, key)).toBe(401);
    service!.kill('SIGTERM');
    await once(service!, 'exit');
  });

  it('refuse prices that cannot be read before they start', async () => {
    const env = { ...environment(), SERVICE_PRICES: '/nonexistent/prices.json' };
    await expect(run(process.execPath, wordsOf('service/main.ts'), { env })).rejects.toMatchObject({
      stderr: 'The prices, /nonexistent/prices.json, cannot be read\n',
    });
  });
});
