import type { IncomingMessage, ServerResponse } from 'node:http';
import { serveFile } from './cdn.ts';
import type { FaultPlan } from '../fault-plan.ts';
import { spoil } from '../spoil.ts';
import { Fault, fault, type Effect, type FaultyRequest, type Json } from './faults.ts';
import type { Rate } from './limits.ts';
import type { SentFile } from './message-body.ts';
import type { RequestRecord, World } from './state.ts';

/** A request that has passed the token, the limits and the parsing. */
export interface Call {
  readonly world: World;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly files: readonly SentFile[];
  /** Name of the client, where it uses `urlFor`; otherwise empty. */
  readonly client: string;
  /** The n-th `:placeholder` of the route. */
  param(index: number): string;
}

export interface Route {
  /** `METHOD /path/:id`, ids and tokens as placeholders; what `fail` and `requests` use. */
  readonly name: string;
  readonly rate: Rate;
  /** False for routes whose address holds a token; those are outside of the global limit. */
  readonly auth: boolean;
  /** What a JSON body of the answer is; undefined: 204. */
  handle(call: Call): unknown;
}

/** What files are asked for by, in `fail` and in `requests`. */
const CDN_ROUTE = 'GET /cdn';

/** How many requests are remembered at least. */
const RECORDS = 20_000;

const ORDINARY: Rate = { count: 50, windowMs: 1000 };

export const route = (
  name: string,
  handle: (call: Call) => unknown,
  options: { readonly rate?: Rate; readonly auth?: boolean } = {},
): Route => ({ name, handle, rate: options.rate ?? ORDINARY, auth: options.auth ?? true });

export const objectBody = (call: Call): Json => {
  if (typeof call.body !== 'object' || call.body === null || Array.isArray(call.body))
    throw fault(50109);
  return call.body as Json;
};

/** 25 MiB for the whole of a request (reference, "Uploading files"). */
const REQUEST_LIMIT_BYTES = 25 * 1024 * 1024;

const readBytes = async (request: IncomingMessage): Promise<Buffer> => {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.byteLength;
    if (size <= REQUEST_LIMIT_BYTES) parts.push(part);
    else parts.length = 0;
  }
  if (size > REQUEST_LIMIT_BYTES) throw fault(40005);
  return Buffer.concat(parts);
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw fault(50109);
  }
};

const readBody = async (
  request: IncomingMessage,
): Promise<{ body: unknown; files: readonly SentFile[] }> => {
  const bytes = await readBytes(request);
  const type = request.headers['content-type'] ?? '';
  if (bytes.byteLength === 0) return { body: {}, files: [] };
  if (!type.startsWith('multipart/form-data'))
    return { body: parseJson(bytes.toString('utf8')), files: [] };
  const form = await new Response(new Uint8Array(bytes), {
    headers: { 'content-type': type },
  }).formData();
  const files: SentFile[] = [];
  for (const [field, value] of form)
    if (typeof value !== 'string')
      files.push({
        field,
        name: value.name,
        contentType: value.type === '' ? undefined : value.type,
        bytes: new Uint8Array(await value.arrayBuffer()),
      });
  const payload = form.get('payload_json');
  return { body: typeof payload === 'string' ? parseJson(payload) : {}, files };
};

interface Compiled extends Route {
  readonly method: string;
  readonly pattern: RegExp;
}

const compile = (one: Route): Compiled => {
  const [method = '', path = ''] = one.name.split(' ');
  return { ...one, method, pattern: new RegExp(`^${path.replaceAll(/:\w+/g, '([^/]+)')}$`) };
};

/** The part of a path that has a bucket of its own: a channel, server or webhook with its token. */
const majorOf = (path: string): string =>
  /^\/webhooks\/\d+\/[^/]+|^\/(?:channels|guilds|webhooks)\/\d+/.exec(path)?.[0] ?? '';

/** Splits the name of the client that made a request from its path; see `DiscordFake.urlFor`. */
export const clientOf = (path: string): { readonly client: string; readonly rest: string } => {
  const { client = '', rest = path } =
    /^\/from\/(?<client>\w+)(?<rest>\/.*)?$/.exec(path)?.groups ?? {};
  return { client, rest };
};

export interface Router {
  readonly names: ReadonlySet<string>;
  handle(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void>;
}

export const createRouter = (
  world: World,
  plan: FaultPlan<FaultyRequest, Effect>,
  routes: readonly Route[],
): Router => {
  const compiled = routes.map(compile);

  const answer = (
    response: ServerResponse,
    status: number,
    body: unknown,
    headers: Record<string, string>,
    record: RequestRecord,
  ): void => {
    world.limits.answered(status, headers);
    record.status = status;
    response.writeHead(status, {
      // Bots compare their clock with this one.
      date: new Date(world.clock.now()).toUTCString(),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  };

  /** Answers a request of the API; the answer is held back until its effect is known. */
  const answerApi = (
    call: Omit<Call, 'param'>,
    found: Compiled | undefined,
    request: IncomingMessage,
    path: string,
    headers: Record<string, string>,
  ): unknown => {
    if (found === undefined) throw fault(0);
    if (found.auth && request.headers.authorization !== `Bot ${world.token}`)
      throw new Fault(401, { message: '401: Unauthorized', code: 0 });
    const told = world.limits.bucket(found.name, majorOf(path), found.rate, found.auth);
    Object.assign(headers, told);
    const params = found.pattern.exec(path)?.slice(1).map(decodeURIComponent) ?? [];
    return found.handle({ ...call, param: (index) => params[index] ?? '' });
  };

  return {
    names: new Set([CDN_ROUTE, ...routes.map((one) => one.name)]),
    handle: async (request, response, url) => {
      const { client, rest } = clientOf(url.pathname);
      const path = rest.replace(/^\/api(?:\/v\d+)?/, '');
      const method = request.method ?? '';
      const isFile = path.startsWith('/cdn/');
      const found = compiled.find((one) => one.method === method && one.pattern.test(path));
      const headers: Record<string, string> = {};
      const record: RequestRecord & { body: Json; files: RequestRecord['files'] } = {
        method,
        route: isFile ? CDN_ROUTE : (found?.name ?? `${method} ${path}`),
        path: path + url.search,
        body: {},
        files: [],
        at: world.clock.now(),
        status: undefined,
        client,
      };
      world.requests.push(record);
      if (world.requests.length > 2 * RECORDS) world.requests.splice(0, RECORDS);
      try {
        const { body, files } = await readBody(request);
        record.body = body as Json;
        record.files = files.map((one) => ({ name: one.name, sizeBytes: one.bytes.byteLength }));
        const effect = plan.take(record.route, { path, body: record.body });
        if (await spoil(effect, 'before', response)) return;
        if (effect !== undefined && 'status' in effect) {
          const told = effect.body ?? { message: '', code: 0 };
          return answer(response, effect.status, told, effect.headers ?? {}, record);
        }
        if (isFile) {
          record.status = await serveFile(world, request, response, url, effect);
          return;
        }
        const call = { world, query: url.searchParams, body, files, client };
        const result = answerApi(call, found, request, path, headers);
        if (await spoil(effect, 'after', response)) return;
        answer(response, result === undefined ? 204 : 200, result, headers, record);
      } catch (error) {
        // The other side went away in the middle of its request.
        if (!request.complete) return;
        if (error instanceof Fault) {
          const all = { ...headers, ...error.headers };
          return answer(response, error.status, error.body, all, record);
        }
        // A crash of the fake is told as one, not as something Discord would say.
        const detail = error instanceof Error ? error.stack : String(error);
        answer(response, 501, { message: `fake: ${detail}`, code: 0 }, headers, record);
      }
    },
  };
};
