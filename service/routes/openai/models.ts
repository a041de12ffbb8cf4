import { MODELS_PATH } from '../../../src/api/contract.ts';
import type { Route } from '../../route.ts';

/** Route of the chat models, the one that is used by default first; empty without a chat engine. */
export const models: Route = {
  method: 'GET',
  path: MODELS_PATH,
  stage: 'llm',
  timeoutMs: 30_000,
  handle: async ({ engines }) => {
    const offers = await engines.offers('chat');
    const data = offers.flatMap(({ name, engine }) =>
      (engine.models ?? []).map((id) => ({ id, object: 'model', created: 0, owned_by: name })),
    );
    return Response.json({ object: 'list', data });
  },
};
