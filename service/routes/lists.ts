import { PATHS, MODELS_PATH } from '../../src/api/contract.ts';
import type { Route } from '../route.ts';
import { allVoices } from '../speech/request.ts';

/** Route of contract section 4.3. */
export const voices: Route = {
  method: 'GET',
  path: PATHS.voices,
  stage: 'tts',
  timeoutMs: 30_000,
  failures: { unreachable: 500 },
  handle: async ({ engines, signal }) => {
    const known = await allVoices(engines, signal);
    return Response.json({ voices: known.map(({ voice }) => voice) });
  },
};

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

/** Paths of the OpenAI API beside the contract's chat, which clients of that family expect. */
export const OPENAI_PATHS = {
  speech: '/openai/v1/audio/speech',
  transcriptions: '/openai/v1/audio/transcriptions',
} as const;
