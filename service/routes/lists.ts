import { tryDecodeURIComponent } from 'hono/utils/url';
import { z } from 'zod';
import { PATHS, MODELS_PATH, voice } from '../../src/api/contract.ts';
import { ContractError } from '../errors.ts';
import type { Route, RouteContext } from '../route.ts';
import { allVoices } from '../speech/request.ts';

/** Route of contract section 4.3. */
export const voices: Route = {
  method: 'GET',
  path: PATHS.voices,
  summary: 'Voices.',
  reply: { 'application/json': z.object({ voices: z.array(voice) }) },
  stage: 'tts',
  handle: async ({ engines, signal }) => {
    const known = await allVoices(engines, signal);
    return Response.json({ voices: known.map((each) => each.voice) });
  },
};

const chatModels = async ({ engines }: Pick<RouteContext, 'engines'>) =>
  (await engines.offers('chat')).flatMap(({ name, engine }) =>
    (engine.models ?? []).map((id) => ({ id, object: 'model', created: 0, owned_by: name })),
  );

/** Route of the chat models, the one that is used by default first; empty without a chat engine. */
export const models: Route = {
  method: 'GET',
  path: MODELS_PATH,
  summary: 'Models that chat, the one that is used by default first.',
  stage: 'llm',
  handle: async (context) => Response.json({ object: 'list', data: await chatModels(context) }),
};

/** Route of one chat model, by its id. */
export const model: Route = {
  method: 'GET',
  path: `${MODELS_PATH}/:id{.+}`,
  summary: 'A model that chats.',
  stage: 'llm',
  handle: async (context) => {
    const { pathname } = new URL(context.request.url);
    const id = tryDecodeURIComponent(pathname.slice(MODELS_PATH.length + 1));
    const found = (await chatModels(context)).find((each) => each.id === id);
    if (!found)
      throw new ContractError('ErrUnsupportedEndpoint', 'There is no model of this name.');
    return Response.json(found);
  },
};

/** Paths of the OpenAI API beside the contract's chat, which clients of that family expect. */
export const OPENAI_PATHS = {
  responses: '/openai/v1/responses',
  embeddings: '/openai/v1/embeddings',
  speech: '/openai/v1/audio/speech',
  realtime: '/openai/v1/realtime',
  transcriptions: '/openai/v1/audio/transcriptions',
  translations: '/openai/v1/audio/translations',
} as const;
