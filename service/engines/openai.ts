import type { Ability } from '../config.ts';
import type { CreateEngine, EngineAbilities, ChatEngine } from '../engine.ts';
import { createUpstream, type Upstream } from './openai/http.ts';
import { chooseModels, listModels, type Models } from './openai/models.ts';
import { createRecognition } from './openai/recognition.ts';
import { createSpeech } from './openai/speech.ts';
import { createTranslation } from './openai/translation.ts';
import { AppError } from '../../src/errors.ts';

/**
 * Creates the chat ability: forwards the server's reply byte by byte, but for the service's own key; only
 * the model's name is replaced.
 */
export const createChat = (upstream: Upstream, model: string, models: Models): ChatEngine => ({
  models: models.chatting,
  complete: async (request, signal) => {
    const { model: wished = model } = request;
    const body = request.withModel(models.listed.has(wished) ? wished : model);
    const reply = await upstream.send('/chat/completions', body, signal);
    if (!/\bjson\b|event-stream/.test(reply.mediaType)) {
      reply.body.destroy();
      throw new AppError('bad-reply', 'The backend did not answer with a chat completion.');
    }
    return { mediaType: reply.mediaType, body: upstream.forward(reply.body) };
  },
});

const NAME = 'openai';
const SERVES = ['chat', 'translation', 'recognition', 'speech'] as const;

/**
 * Age at which a server's list of models is requested again; after a failure it is requested
 * sooner.
 */
const LIST_FRESH_MS = 60_000;
const LIST_MISSING_MS = 5_000;

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

  const build = (to: Upstream, models: Models): EngineAbilities => ({
    ...(models.chat ? { chat: createChat(to, models.chat, models) } : {}),
    ...(models.translation
      ? { translation: createTranslation(to, models.translation, models) }
      : {}),
    ...(models.recognition ? { recognition: createRecognition(to, models.recognition) } : {}),
    ...(models.speech
      ? { speech: createSpeech(to, models.speech, config.SERVICE_OPENAI_TTS_VOICES) }
      : {}),
  });

  let state:
    | { readonly models: Models; readonly abilities: EngineAbilities; readonly ids: string }
    | undefined;
  let listAgainAtMs = 0;
  /** True when the last request for the list of models succeeded. */
  let lists = false;
  let listing: Promise<void> | undefined;

  const refresh = async (to: Upstream): Promise<void> => {
    const listed = await listModels(to).catch((error: unknown) => {
      log.debug({ engine: NAME, err: error }, 'the server does not list its models');
      return undefined;
    });
    lists = listed !== undefined;
    listAgainAtMs = performance.now() + (listed ? LIST_FRESH_MS : LIST_MISSING_MS);
    const ids = listed?.join('\n') ?? state?.ids ?? '';
    // The abilities remember what the server refuses, so they are kept while its models stay the
    // same.
    if (state?.ids === ids) return;
    const models = chooseModels(listed ?? [], config);
    state = { models, abilities: build(to, models), ids };
  };

  const current = async (): Promise<typeof state> => {
    if (!upstream) return undefined;
    if (performance.now() >= listAgainAtMs) {
      listing ??= refresh(upstream).finally(() => {
        listing = undefined;
      });
      // Requests that the known models can serve do not wait for a new list.
      if (!state || Object.keys(state.abilities).length === 0) await listing;
    }
    return state;
  };

  return {
    name: NAME,
    serves: SERVES,
    rank: 1,
    concurrent: 16,
    abilities: async () => (await current())?.abilities ?? {},
    report: async () => {
      const models = (await current())?.models;
      const found = SERVES.filter((ability) => models?.[ability] !== undefined);
      const variables = SERVES.filter((ability) => !found.includes(ability)).map(
        (ability) => MODEL_VARIABLES[ability],
      );
      const remedy =
        found.length === 0
          ? `start the server of SERVICE_OPENAI_URL, or set ${variables.join(', ')}`
          : `for the rest set ${variables.join(', ')}`;
      return {
        name: NAME,
        serves: found.length > 0 ? found : SERVES,
        ready: found.length > 0,
        detail: upstream
          ? [
              ...found.map((ability) => `${ability}: ${models?.[ability]}`),
              ...(variables.length > 0 ? [remedy] : []),
            ].join('; ')
          : 'set SERVICE_OPENAI_URL to an OpenAI-compatible server',
      };
    },
    remedy: ({ ability }) => {
      if (!upstream) return 'set SERVICE_OPENAI_URL';
      const name = `set ${MODEL_VARIABLES[ability]}`;
      return lists
        ? name
        : `start the server of SERVICE_OPENAI_URL, which does not answer, or ${name}`;
    },
    [Symbol.asyncDispose]: async () => {
      await upstream?.[Symbol.asyncDispose]();
    },
  };
};
