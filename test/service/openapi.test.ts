import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createServiceApp } from '../../service/app.ts';
import { createAccounts } from '../../service/keys/accounts.ts';
import { createRequestLimiter } from '../../service/request-limiter.ts';
import { createSpools, SPOOL_LIMITS } from '../../service/speech/spool.ts';
import { NO_TRACING } from '../../src/telemetry/tracing.ts';
import { silentLog } from '../fakes/silent-log.ts';
import { KEY, startTestService, offering } from './support.ts';
import { shared } from '../fakes/opened.ts';

type Json = Readonly<Record<string, unknown>>;
interface Operation {
  readonly security?: readonly unknown[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Json }>> };
}
interface Description {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** Commands of the document that send a body, with its path. */
const examples = readFileSync('docs/service.md', 'utf8')
  .replaceAll('\\\n', ' ')
  .split('\n')
  .flatMap((line) => {
    const path = /curl .*\$URL([\w/]+)/.exec(line.replaceAll('"', ''))?.[1];
    const json = /-d '(\{.*\})'/.exec(line)?.[1] ?? /echo "(\{.*\})"/.exec(line)?.[1];
    const fields = [...line.matchAll(/-[Fd] (\w+)=(?:'([^']*)'|"([^"]*)"|(\S+))/g)];
    if (path === undefined || (!json && fields.length === 0)) return [];
    const body: Json = json
      ? (JSON.parse(json.replaceAll(/\\"/g, '"').replaceAll(/\$\([^)]*\)/g, 'UklGRg==')) as Json)
      : Object.fromEntries(
          fields.map(([, name = '', single, double, bare = '']) => {
            const value = single ?? double ?? bare;
            return [name, value.startsWith('@') ? new File([], value) : value];
          }),
        );
    return [{ path, body, isJson: json !== undefined }];
  });

describe('the description of the service', () => {
  let description: Description;
  const service = shared(() => startTestService());
  beforeAll(async () => {
    description = (await (await service.request('/openapi.json', { key: null })).json()) as never;
  });

  it('has every path of the app, and none beside them', () => {
    const limiter = createRequestLimiter({ concurrent: 1, waiting: 1 });
    const app = createServiceApp({
      ...offering('one', {}, limiter),
      accounts: createAccounts({ keys: [KEY], log: silentLog }),
      spools: createSpools(SPOOL_LIMITS),
      tracing: NO_TRACING,
    });
    const served = app.routes
      .filter(({ path }) => !path.includes('*') && path !== '/openapi.json')
      .filter(({ method, path }) => method !== 'ALL' || path.includes('realtime'))
      .map(({ method, path }) => {
        const named = path.replaceAll(/:(\w+)(?:\{[^}]*\})?/g, '{$1}');
        return `${method === 'ALL' ? 'get' : method.toLowerCase()} ${named}`;
      });
    const all = Object.entries(description.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method} ${path}`),
    );
    const withoutSlash = (one: string): string => one.replace(/\/$/, '');
    expect(new Set(all.map(withoutSlash))).toEqual(new Set(served.map(withoutSlash)));
    expect(description.openapi).toBe('3.1.0');
  });

  it('says which paths need no key', async () => {
    for (const [path, { get }] of Object.entries(description.paths)) {
      if (!get || path.includes('{') || path.startsWith('/ws') || path.endsWith('realtime'))
        continue;
      const { status } = await service.request(path, { key: null });
      expect([path, status === 401]).toEqual([path, get.security === undefined]);
    }
  });

  it('finds examples in the document', () => {
    expect(examples.length).toBeGreaterThan(6);
  });

  it.each(
    examples.map(
      ({ path, body, isJson }) => [path, Object.keys(body).join(), body, isJson] as const,
    ),
  )('takes the example of %s with %s', (path, _, body, isJson) => {
    const operations = description.paths[path] ?? description.paths[`${path}/`];
    const content = operations?.['post']?.requestBody?.content ?? {};
    const type = isJson
      ? 'application/json'
      : Object.keys(content).find((one) => one.includes('form'));
    const { schema } = content[type ?? ''] ?? {};
    expect(schema).toBeDefined();
    const plain = Object.fromEntries(
      Object.entries(body).map(([name, value]) => [name, value instanceof File ? '' : value]),
    );
    expect(z.fromJSONSchema(schema as never).safeParse(plain).error).toBeUndefined();
  });

  it.each([
    ['/tts', { voice_id: 'x', text: '', format: 'mp3' }],
    ['/tts', { voice_id: 'x', text: 'Hello', format: 'mp3', rate: 2 }],
    ['/openai/v1/chat/completions', { messages: [] }],
    ['/openai/v1/embeddings', { input: [1, 2] }],
    ['/openai/v1/responses', { input: 'Hello', previous_response_id: 'x' }],
  ])('refuses for %s what the service refuses: %j', async (path, body) => {
    const { schema } = description.paths[path]!['post']!.requestBody!.content['application/json']!;
    expect(z.fromJSONSchema(schema as never).safeParse(body).success).toBe(false);
    // Where nothing serves it, a body is not looked at.
    expect([400, 404]).toContain((await service.postJson(path, body)).status);
  });
});
