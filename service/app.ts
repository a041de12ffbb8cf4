import { Hono } from 'hono';
import type { HttpBindings } from '@hono/node-server';
import { PATHS } from '../src/api/contract.ts';
import { AppError } from '../src/errors.ts';
import type { Log } from '../src/log.ts';
import type { EngineConfig } from './config.ts';
import type { Engines } from './engine-loader.ts';
import { errorReply, ContractError } from './errors.ts';
import { createKeyCheck } from './keys.ts';
import type { Route } from './route.ts';
import { createAsr } from './routes/asr.ts';
import { chat } from './routes/chat.ts';
import { translate } from './routes/translate.ts';
import { tts } from './routes/tts.ts';
import { voices } from './routes/voices.ts';

export interface AppOptions {
  readonly keys: readonly string[];
  readonly engines: Engines;
  readonly config: EngineConfig;
  readonly log: Log;
}

/** Signal that is aborted after the timeout and when the reply's connection closes. */
const signalFor = (outgoing: HttpBindings['outgoing'], timeoutMs: number): AbortSignal => {
  const controller = new AbortController();
  const timer = setTimeout(
    () => controller.abort(new AppError('timeout', 'the request took too long')),
    timeoutMs,
  );
  outgoing.once('close', () => {
    clearTimeout(timer);
    controller.abort(new AppError('cancelled', 'the client disconnected'));
  });
  return controller.signal;
};

/** Creates the app that serves the paths of contract section 4.1 with the engines. */
export const createServiceApp = (options: AppOptions): Hono<{ Bindings: HttpBindings }> => {
  const { engines, config, log } = options;
  const checkKey = createKeyCheck(options.keys);
  const routes: readonly Route[] = [chat, voices, tts, createAsr(), translate];
  const app = new Hono<{ Bindings: HttpBindings }>();

  app.use(async (c, next) => {
    checkKey(c.req.header('authorization') ?? null);
    await next();
  });

  for (const route of routes) {
    app.on(route.method, route.path, async (c) => {
      const { outgoing } = c.env;
      const signal = signalFor(outgoing, route.timeoutMs);
      const cutOff = (): void => {
        outgoing.destroy();
      };
      try {
        return await route.handle({ request: c.req.raw, engines, config, log, signal, cutOff });
      } catch (error) {
        const reply = errorReply(error, route.stage, route.failures);
        if (reply.status >= 500 && !outgoing.destroyed)
          log.warn({ stage: route.stage, status: reply.status, err: error }, 'a request failed');
        return reply;
      }
    });
    app.all(route.path, () => {
      const error = new ContractError('ErrMethodNotAllowed', `Use ${route.method} here.`);
      const reply = errorReply(error, 'router');
      reply.headers.set('allow', route.method);
      return reply;
    });
  }

  for (const path of [PATHS.realtimeRecognition, PATHS.realtimeSpeech])
    app.all(path, () =>
      errorReply(
        new ContractError('ErrInvalidRequest', 'Connect here with a WebSocket.'),
        'router',
      ),
    );

  app.notFound(() =>
    errorReply(new ContractError('ErrUnsupportedEndpoint', 'Unsupported API endpoint'), 'router'),
  );
  app.onError((error) => errorReply(error, 'router'));
  return app;
};
