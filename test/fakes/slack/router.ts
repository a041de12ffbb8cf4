import type { IncomingMessage, ServerResponse } from 'node:http';
import { SlackFault } from './errors.ts';
import { createFaultPlan, type FaultPlan } from '../fault-plan.ts';
import { spoilAnswer, type Effect } from './faults.ts';
import { serveFile, takeUpload } from './file-host.ts';
import { authorize, OF_WORKSPACE, type Method } from './methods/call.ts';
import { readBody } from './read-body.ts';
import { serveConsent } from './consent.ts';
import { takeResponse } from './response-urls.ts';
import type { Json } from './json.ts';
import type { RequestRecord, World } from './state.ts';

/** Requests that are remembered at least. */
const RECORDS = 20_000;
const argsOf = (request: IncomingMessage, body: string): Json => {
  const query = new URL(request.url ?? '/', 'http://fake').searchParams;
  const type = request.headers['content-type'] ?? '';
  if (type.startsWith('application/json')) return JSON.parse(body || '{}') as Json;
  return { ...Object.fromEntries(query), ...Object.fromEntries(new URLSearchParams(body)) };
};

const bearer = (request: IncomingMessage, args: Json): string | undefined =>
  /^Bearer (?<token>\S+)$/.exec(request.headers.authorization ?? '')?.groups?.['token'] ??
  (args['token'] as string | undefined);

export interface Router {
  readonly plan: FaultPlan<Json, Effect>;
  readonly names: ReadonlySet<string>;
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

export const createRouter = (world: World, methods: readonly Method[]): Router => {
  const plan = createFaultPlan<Json, Effect>();
  const byName = new Map(methods.map((method) => [method.name, method]));

  const answer = (
    response: ServerResponse,
    body: Json,
    status = 200,
    headers: Readonly<Record<string, string>> = {},
  ): void => {
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers });
    response.end(JSON.stringify(body));
  };

  const run = (
    method: Method,
    request: IncomingMessage,
    response: ServerResponse,
    args: Json,
  ): Json => {
    if (method.token === 'none') return method.run(world, args, undefined);
    const token = bearer(request, args);
    if (method.token === 'app') {
      if (!token) throw new SlackFault('not_authed');
      if (token.startsWith('xoxb')) throw new SlackFault('not_allowed_token_type');
      if (token !== world.app.appToken) throw new SlackFault('invalid_auth');
      world.limits.take(method.name, method.rate);
      return method.run(world, args, undefined);
    }
    if (token === world.app.appToken) throw new SlackFault('not_allowed_token_type');
    const installation = authorize(world, token, args);
    if (installation.organisation && OF_WORKSPACE.has(method.name) && !args['team_id'])
      throw new SlackFault('missing_argument');
    response.setHeader('x-oauth-scopes', [...installation.scopes].join(','));
    const { scopes, rate, name } = method;
    if (scopes.length > 0 && !scopes.some((scope) => installation.scopes.has(scope)))
      throw new SlackFault('missing_scope', {
        needed: scopes[0],
        provided: [...installation.scopes].join(','),
      });
    world.limits.take(`${name} ${installation.workspace.id}`, rate);
    return method.run(world, args, installation);
  };

  const callApi = async (
    request: IncomingMessage,
    response: ServerResponse,
    name: string,
  ): Promise<void> => {
    const args = argsOf(request, (await readBody(request)).toString());
    const record: RequestRecord = {
      method: name,
      args,
      team: undefined,
      at: world.clock.now(),
      result: undefined,
    };
    world.requests.push(record);
    if (world.requests.length > 2 * RECORDS) world.requests.splice(0, RECORDS);
    const effect = plan.take(name, args);
    if (await spoilAnswer(effect, 'before', response)) return;
    try {
      if (effect && 'error' in effect) throw new SlackFault(effect.error);
      const method = byName.get(name);
      if (!method) throw new SlackFault('unknown_method');
      const result = run(method, request, response, args);
      record.result = 'ok';
      if (await spoilAnswer(effect, 'after', response)) return;
      answer(response, { ok: true, ...result });
    } catch (thrown) {
      if (!(thrown instanceof SlackFault)) throw thrown;
      record.result = thrown.error;
      answer(
        response,
        { ok: false, error: thrown.error, ...thrown.body },
        thrown.status,
        thrown.headers,
      );
    }
  };

  return {
    plan,
    names: new Set(byName.keys()),
    handle: async (request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'http://fake');
      try {
        const name = /^\/api\/(?<name>[\w.]+)$/.exec(pathname)?.groups?.['name'];
        if (name !== undefined) await callApi(request, response, name);
        else if (pathname.startsWith('/upload/')) await takeUpload(world, request, response);
        else if (pathname.startsWith('/files-pri/'))
          await serveFile(world, plan, request, response);
        else if (pathname.startsWith('/response/')) await takeResponse(world, request, response);
        else if (pathname === '/oauth/v2/authorize') serveConsent(world, request, response);
        else answer(response, { ok: false, error: 'not_found' }, 404);
      } catch (thrown) {
        if (!request.complete || response.headersSent) return;
        // A crash of the fake is told as one, not as something Slack would say.
        const detail = thrown instanceof Error ? thrown.stack : String(thrown);
        answer(response, { ok: false, error: 'fake_failed', detail }, 501);
      }
    },
  };
};
