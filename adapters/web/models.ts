import { getConnInfo } from '@hono/node-server/conninfo';
import { Hono, type Context, type MiddlewareHandler } from 'hono';
import { z } from 'zod';
import { AppError } from '../../src/errors.ts';
import { isLoopback } from '../../src/config.ts';
import { MODEL_SIZES, type LocalModels } from '../../src/model/local-models.ts';
import { isOwnOrigin, parseAddress } from './access.ts';
import { readJsonBody } from './json-body.ts';
import { TIMES } from './limits.ts';
import type { ModelsPlanReply, ModelsReply } from './protocol.ts';

const MOST_NAMES = 200;
const MOST_LANGUAGES = 50;

const planRequest = z.object({
  languages: z.array(z.string().max(35)).min(1).max(MOST_LANGUAGES),
  size: z.enum(MODEL_SIZES),
});
const installRequest = z.object({
  names: z.array(z.string().max(100)).min(1).max(MOST_NAMES),
  size: z.enum(MODEL_SIZES),
});
const removeRequest = z.object({ name: z.string().max(100) });

/** Headers by which a proxy says that it asks for somebody else. */
const FORWARDED = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
];

/**
 * True for the operator, who may install models: whoever holds the token, which others were asked for before; without
 * one whoever sits at this machine. A proxy on it that adds no header shows by the address of the browser's page.
 */
export const isModelsOperator = (
  c: Context,
  { token, clientAddressHeader }: { token: string | undefined; clientAddressHeader: string },
): boolean => {
  if (token !== undefined) return true;
  const isForwarded = [...FORWARDED, clientAddressHeader].some(
    (name) => c.req.header(name) !== undefined,
  );
  const origin = c.req.header('origin');
  if (isForwarded || (origin !== undefined && !isOwnOrigin(c, origin))) return false;
  return isLoopback(parseAddress(getConnInfo(c).remote.address ?? '') ?? '');
};

/** Serves the operator's page of models. */
export const createModelRoutes = (
  models: () => Promise<LocalModels>,
  isOperator: (c: Context) => boolean,
): Hono => {
  const routes = new Hono();
  const operatorsOnly: MiddlewareHandler = async (c, next) => {
    if (!isOperator(c)) throw new AppError('forbidden', 'models are the operator’s');
    await next();
  };
  routes.use('/api/models/*', operatorsOnly);
  routes.use('/api/models', operatorsOnly);

  routes.get('/api/models', async (c) =>
    c.json((await (await models()).view()) satisfies ModelsReply),
  );

  routes.post('/api/models/plan', async (c) => {
    const { languages, size } = await readJsonBody(c, planRequest);
    const signal = AbortSignal.any([c.req.raw.signal, AbortSignal.timeout(TIMES.modelsMs)]);
    return c.json((await (await models()).plan(languages, size, signal)) satisfies ModelsPlanReply);
  });

  routes.post('/api/models/install', async (c) => {
    const { names, size } = await readJsonBody(c, installRequest);
    await (await models()).install(names, size);
    return c.json({}, 202);
  });

  routes.post('/api/models/stop', async (c) => {
    (await models()).stop();
    return c.json({});
  });

  routes.post('/api/models/remove', async (c) => {
    const { name } = await readJsonBody(c, removeRequest);
    await (await models()).remove(name);
    return c.json({});
  });

  return routes;
};
