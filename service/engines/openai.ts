import type { Ability } from '../config.ts';
import type { CreateEngine } from '../engine.ts';
import { createUpstream } from './openai/http.ts';
import { followServer } from './openai/server.ts';

const NAME = 'openai';
const SERVES = ['chat', 'translation', 'recognition', 'speech'] as const;

const MODEL_VARIABLES: Readonly<Record<Ability, string>> = {
  chat: 'SERVICE_OPENAI_CHAT_MODEL',
  translation: 'SERVICE_OPENAI_TRANSLATION_MODEL',
  recognition: 'SERVICE_OPENAI_ASR_MODEL',
  speech: 'SERVICE_OPENAI_TTS_MODEL',
};

/**
 * Creates the engine for any server with the OpenAI API: hosted, or Ollama, vLLM, llama.cpp,
 * LocalAI, Speaches.
 */
export const createEngine: CreateEngine = ({ config, log }) => {
  const url = config.SERVICE_OPENAI_URL;
  const upstream =
    url === undefined ? undefined : createUpstream(url, config.SERVICE_OPENAI_KEY, log);
  const server = upstream && followServer(upstream, config, log);

  return {
    name: NAME,
    serves: SERVES,
    rank: 1,
    concurrent: 16,
    abilities: async () => (await server?.current())?.abilities ?? {},
    report: async () => {
      const { models, abilities = {}, faults = [] } = (await server?.current()) ?? {};
      const found = SERVES.filter((ability) => abilities[ability] !== undefined);
      const variables = SERVES.filter((ability) => !found.includes(ability)).map(
        (ability) => MODEL_VARIABLES[ability],
      );
      const remedy =
        found.length === 0 && !server?.lists()
          ? `start the server of SERVICE_OPENAI_URL, or set ${variables.join(', ')}`
          : `for the rest set ${variables.join(', ')}`;
      return {
        name: NAME,
        serves: found.length > 0 ? found : SERVES,
        ready: found.length > 0,
        detail: server
          ? [
              ...found.map((ability) => `${ability}: ${models?.[ability]}`),
              ...new Set(faults),
              ...(variables.length > 0 ? [remedy] : []),
            ].join('; ')
          : 'set SERVICE_OPENAI_URL to an OpenAI-compatible server',
      };
    },
    remedy: ({ ability }) => {
      if (!server) return 'set SERVICE_OPENAI_URL';
      const name = `set ${MODEL_VARIABLES[ability]}`;
      return server.lists()
        ? name
        : `start the server of SERVICE_OPENAI_URL, which does not answer, or ${name}`;
    },
    [Symbol.asyncDispose]: async () => {
      await upstream?.[Symbol.asyncDispose]();
    },
  };
};
