import { PATHS } from '../../src/api/contract.ts';
import { parseConfig } from '../../src/config.ts';
import { silentLog } from '../fakes/silent-log.ts';
import { engineSection, type EngineConfig } from '../../service/config.ts';
import type { Engine } from '../../service/engine.ts';
import type { EngineReport } from '../../src/model/service.ts';
import { operatorAccount } from '../../service/keys/account.ts';
import { createEngineHealth } from '../../service/engine-loader.ts';
import type { RequestLimiter } from '../../service/request-limiter.ts';
import { startService, type Service, type ServiceOptions } from '../../service/index.ts';
import type { RouteContext } from '../../service/route.ts';

export const KEY = 'svck:test-0123456789abcdef';

/** A configuration in which nothing of this machine counts but what `variables` name. */
export const engineConfig = (variables: Readonly<Record<string, string>> = {}): EngineConfig =>
  parseConfig(
    { SERVICE_APERTIUM_MODES: '/nonexistent', SERVICE_MODELS: '/nonexistent', ...variables },
    { engines: engineSection },
  ).engines;

export interface TestService extends AsyncDisposable {
  readonly service: Service;
  request(
    path: string,
    init?: Omit<RequestInit, 'headers'> & {
      key?: string | null;
      headers?: Record<string, string>;
    },
  ): Promise<Response>;
  postJson(path: string, value: unknown, signal?: AbortSignal): Promise<Response>;
  translate(
    fields: Record<string, string | readonly string[]>,
    signal?: AbortSignal,
  ): Promise<Response>;
}

/** The service on a free port, with its own requests. */
export const startTestService = async (
  variables: Readonly<Record<string, string>> = {},
  log = silentLog,
  browserOrigins: readonly string[] = [],
  more: Pick<ServiceOptions, 'stored' | 'rates' | 'clock'> = {},
): Promise<TestService> => {
  const service = await startService({
    host: '127.0.0.1',
    port: 0,
    keys: ['svck:another-0123456789abcdef', KEY],
    engines: engineConfig(variables),
    log,
    browserOrigins,
    ...more,
  });
  const request: TestService['request'] = (path, { key = KEY, headers, ...init } = {}) =>
    fetch(`${service.url}${path}`, {
      ...init,
      headers: { ...headers, ...(key === null ? {} : { authorization: `Bearer ${key}` }) },
    });
  return {
    service,
    request,
    postJson: (path, value, signal) =>
      request(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: typeof value === 'string' ? value : JSON.stringify(value),
        ...(signal ? { signal } : {}),
      }),
    translate: (fields, signal) => {
      const body = new FormData();
      for (const [name, value] of Object.entries(fields))
        for (const one of [value].flat()) body.append(name, one);
      return request(PATHS.translate, { method: 'POST', body, ...(signal ? { signal } : {}) });
    },
    [Symbol.asyncDispose]: () => service.close(),
  };
};

/** What a route is called with when one engine is all there is; the request is to be added. */
export const offering = (
  name: string,
  engine: unknown,
  limiter: RequestLimiter,
): Omit<RouteContext, 'request'> => ({
  engines: {
    offers: async () => [{ name, engine, limiter, health: createEngineHealth() }] as never,
    diarisation: async () => undefined,
    missing: () => {
      throw new Error('not missing');
    },
    measure: async function* measureNothing() {},
    report: async () => [],
    [Symbol.asyncDispose]: async () => {},
  },
  config: engineConfig(),
  log: silentLog,
  signal: new AbortController().signal,
  account: operatorAccount('one'),
  cutOff: () => {},
  allowMs: () => {},
});

/** The first line of an engine in the table of engines. */
export const lineOf = async (engine: Engine): Promise<EngineReport> =>
  [await engine.report()].flat()[0]!;

/** Status, name and sentence of an error reply. */
export const failure = async (
  reply: Response,
): Promise<{ status: number; code: number; name: string; error: string; context: string[] }> => ({
  status: reply.status,
  ...((await reply.json()) as { code: number; name: string; error: string; context: string[] }),
});

/** A WAV file: silence with a tone from each start to each end, in seconds. */
export const makeWav = (
  seconds: number,
  tones: readonly (readonly [number, number])[] = [],
  sampleRateHz = 16_000,
): Buffer => {
  const count = Math.round(seconds * sampleRateHz);
  const bytes = Buffer.alloc(44 + 2 * count);
  bytes.write('RIFF', 0, 'latin1');
  bytes.writeUInt32LE(36 + 2 * count, 4);
  bytes.write('WAVEfmt ', 8, 'latin1');
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(sampleRateHz, 24);
  bytes.writeUInt32LE(2 * sampleRateHz, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write('data', 36, 'latin1');
  bytes.writeUInt32LE(2 * count, 40);
  for (const [start, end] of tones)
    for (let i = Math.round(start * sampleRateHz); i < Math.round(end * sampleRateHz); i += 1)
      bytes.writeInt16LE(Math.round(12_000 * Math.sin(i * 0.2)), 44 + 2 * i);
  return bytes;
};
