import { Hono } from 'hono';
import type { HttpBindings } from '@hono/node-server';
import { EXTRA_FIELDS, EXTRA_FIELDS_HEADER, PATHS } from '../src/api/contract.ts';
import { AppError } from '../src/errors.ts';
import type { Log } from '../src/telemetry/log.ts';
import type { Tracing } from '../src/telemetry/tracing.ts';
import { allowOrigins } from './browser-origins.ts';
import type { EngineConfig } from './config.ts';
import type { Engines } from './engine-loader.ts';
import { errorReply, ContractError, invalidRequest } from './errors.ts';
import type { Accounts } from './keys/accounts.ts';
import { createRequestLog, currentRequestId, type RequestVariables } from './request-log.ts';
import { OPENAPI_PATH, openApi } from './openapi.ts';
import type { DescribedPath, Route, RouteContext } from './route.ts';
import { createAsr } from './routes/asr.ts';
import { createChatRoute } from './routes/chat.ts';
import { model, models, OPENAI_PATHS, voices } from './routes/lists.ts';
import { embeddings } from './routes/openai/embeddings.ts';
import { responses } from './routes/openai/responses.ts';
import { createSpeechRoute } from './routes/openai/speech.ts';
import { createTranscriptions } from './routes/openai/transcriptions.ts';
import { createLibreFiles } from './routes/libretranslate-files.ts';
import { createLibreLists, libreDetect, withKeyHeader } from './routes/libretranslate.ts';
import { translate } from './routes/translate.ts';
import { createTts } from './routes/tts.ts';
import type { Spools } from './speech/spool.ts';
import { AI_DISCLOSURE } from './respond.ts';
import { createAudioUploads } from './uploads.ts';

export interface AppOptions {
  readonly accounts: Accounts;
  readonly engines: Engines;
  readonly config: EngineConfig;
  readonly spools: Spools;
  readonly log: Log;
  readonly tracing: Tracing;
  /** Origins whose pages may send requests. Default: none. */
  readonly browserOrigins?: readonly string[];
}

/** Signal that is aborted after the timeout, which can be changed, and when the connection closes. */
const signalFor = (
  outgoing: HttpBindings['outgoing'],
  timeoutMs: number,
): Pick<RouteContext, 'signal' | 'allowMs'> => {
  const controller = new AbortController();
  const tooLong = (): void =>
    controller.abort(new AppError('timeout', 'the request took too long'));
  let timer = setTimeout(tooLong, timeoutMs);
  const leave = (): void => {
    clearTimeout(timer);
    controller.abort(new AppError('cancelled', 'the client disconnected'));
  };
  if (outgoing.closed) leave();
  else outgoing.once('close', leave);
  return {
    signal: controller.signal,
    allowMs: (ms) => {
      clearTimeout(timer);
      if (!outgoing.closed) timer = setTimeout(tooLong, ms);
    },
  };
};

/** Longest time of a request where its route names none. */
const USUAL_MS = 30_000;

const WEB_SOCKETS: readonly DescribedPath[] = [
  PATHS.realtimeRecognition,
  PATHS.realtimeSpeech,
  OPENAI_PATHS.realtime,
].map((path) => ({ method: 'GET', path, summary: 'WebSocket; see docs/service.md.', reply: {} }));

/** Creates the app that serves the paths of contract section 4.1 with the engines. */
export const createServiceApp = (
  options: AppOptions,
): Hono<{ Bindings: HttpBindings; Variables: RequestVariables }> => {
  const { accounts, engines, config, spools, log } = options;
  const uploads = createAudioUploads();
  const files = createLibreFiles();
  const routes: readonly Route[] = [
    createChatRoute(uploads),
    voices,
    createTts(spools),
    createAsr(uploads),
    translate,
    libreDetect,
    files.route,
    models,
    model,
    createSpeechRoute(spools),
    responses,
    embeddings,
    ...createTranscriptions(uploads),
  ];
  const app = new Hono<{ Bindings: HttpBindings; Variables: RequestVariables }>();

  app.use(createRequestLog(log, options.tracing));
  app.use(allowOrigins(options.browserOrigins ?? []));
  const open = [...createLibreLists(engines), files.download];
  for (const { path, answer } of open) app.get(path, answer);
  let described: object | undefined;
  app.get(OPENAPI_PATH, () =>
    Response.json((described ??= openApi([...routes, ...WEB_SOCKETS], open))),
  );
  app.use(async (c, next) => {
    c.req.raw = await withKeyHeader(c.req.raw, c.req.path);
    c.set('account', accounts.find(c.req.header('authorization') ?? null));
    await next();
    c.res.headers.set(EXTRA_FIELDS_HEADER, Object.values(EXTRA_FIELDS).join(', '));
  });

  for (const route of routes) {
    // Redirects would lose the body of a client that leaves out the slash at the end.
    const paths = [...new Set([route.path, route.path.replace(/\/$/, '')])];
    app.on(route.method, paths, async (c) => {
      const { outgoing } = c.env;
      const { signal, allowMs } = signalFor(outgoing, route.timeoutMs ?? USUAL_MS);
      const cutOff = (): void => {
        outgoing.destroy();
      };
      const account = c.get('account');
      try {
        account.admit(route.access);
        outgoing.once('close', () => account.release());
        const reply = await route.handle({
          request: c.req.raw,
          engines,
          config,
          log,
          account,
          signal,
          cutOff,
          allowMs,
        });
        if (route.access) reply.headers.set(AI_DISCLOSURE.name, AI_DISCLOSURE.value);
        return reply;
      } catch (error) {
        const reply = errorReply(error, route.stage);
        if (reply.status >= 500 && !outgoing.destroyed)
          log.warn(
            {
              requestId: currentRequestId(),
              stage: route.stage,
              status: reply.status,
              err: error,
            },
            'a request failed',
          );
        return reply;
      } finally {
        // What was reserved after the client had left.
        if (outgoing.closed) account.release();
      }
    });
    app.all(route.path, () => {
      const error = new ContractError('ErrMethodNotAllowed', `Use ${route.method} here.`);
      const reply = errorReply(error, 'router');
      reply.headers.set('allow', route.method);
      return reply;
    });
  }

  for (const { path } of WEB_SOCKETS)
    app.all(path, () => errorReply(invalidRequest('Connect here with a WebSocket.'), 'router'));

  app.notFound(() =>
    errorReply(new ContractError('ErrUnsupportedEndpoint', 'Unsupported API endpoint'), 'router'),
  );
  app.onError((error) => {
    const reply = errorReply(error, 'router');
    if (reply.status >= 500)
      log.warn({ requestId: currentRequestId(), err: error }, 'a request failed');
    return reply;
  });
  return app;
};
