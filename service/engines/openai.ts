import { setTimeout as delay } from 'node:timers/promises';
import type { Ability } from '../config.ts';
import type { CreateEngine, EngineAbilities, ChatEngine } from '../engine.ts';
import { createUpstream, type Upstream } from './openai/http.ts';
import { chooseModels, listModels, type ListedModel, type Models } from './openai/models.ts';
import { createRecognition } from './openai/recognition.ts';
import { createSpeech } from './openai/speech.ts';
import { createTranslation } from './openai/translation.ts';
import { AppError } from '../../src/errors.ts';
import { ContractError } from '../errors.ts';
import { probeModel, type ProbeResult } from './openai/probe.ts';

/** Bytes of UTF-8 in a token, at most about. */
const BYTES_PER_TOKEN = 5;

/**
 * Creates the chat ability: forwards the server's reply byte by byte, but for the service's own key; only
 * the model's name is replaced.
 */
export const createChat = (upstream: Upstream, model: string, models: Models): ChatEngine => ({
  models: models.chatting,
  complete: async (request, signal) => {
    const { model: wished = model } = request;
    const asked = models.listed.has(wished) ? wished : model;
    const contextTokens = models.contextTokens.get(asked) ?? Infinity;
    // Some servers cut what is too long, or answer nothing.
    if (contextTokens < Infinity && request.wordBytes() > BYTES_PER_TOKEN * contextTokens)
      throw new ContractError(
        'ErrTextTooLong',
        `The conversation is too long for the model, which takes ${contextTokens} tokens.`,
      );
    const body = request.withModel(asked);
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
/** Longest wait for a model's first answer before it is offered untried: its server may have to load it. */
const TRY_MS = 5_000;

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

  /** Results of the models that were tried. */
  const tried = new Map<string, ProbeResult>();

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

  interface State {
    readonly models: Models;
    readonly abilities: EngineAbilities;
    readonly listed: readonly ListedModel[];
  }
  let state: State | undefined;
  let listAgainAtMs = 0;
  /** True when the last request for the list of models succeeded. */
  let lists = false;
  let listing: Promise<void> | undefined;
  let trying: Promise<void> = Promise.resolve();

  /** Why a model does not serve an ability; undefined where it does, or is not tried yet. */
  const unfitness = (ability: Ability, models: Models): ProbeResult => {
    const result = tried.get(models[ability] ?? '');
    if (result === 'not for chat' && (ability === 'chat' || ability === 'translation'))
      return result;
    // Whoever names a model for translation may know more of it than the two words tell.
    const isNamed = config.SERVICE_OPENAI_TRANSLATION_MODEL !== undefined;
    return result === 'not for translation' && ability === 'translation' && !isNamed
      ? result
      : undefined;
  };

  const fit = ({ abilities, models }: State): EngineAbilities =>
    Object.fromEntries(
      Object.entries(abilities).filter(([name]) => !unfitness(name as Ability, models)),
    );

  const tryModels = async (to: Upstream, { models, abilities }: State): Promise<void> => {
    for (const model of new Set([models.translation, models.chat])) {
      if (model === undefined || tried.get(model) !== undefined) continue;
      const { translation } = abilities;
      const isChosen = translation && model === models.translation;
      tried.set(
        model,
        await probeModel(isChosen ? translation : createTranslation(to, model, models)),
      );
    }
  };

  const refresh = async (to: Upstream): Promise<void> => {
    const listed = await listModels(to, state?.listed ?? []).catch((error: unknown) => {
      log.debug({ engine: NAME, err: error }, 'the server does not list its models');
      return undefined;
    });
    // Another model may have the same name after a restart.
    if (listed && !lists) tried.clear();
    lists = listed !== undefined;
    listAgainAtMs = performance.now() + (listed ? LIST_FRESH_MS : LIST_MISSING_MS);
    // The abilities remember what the server refuses, so they are kept while its models stay the
    // same.
    if (!state || (listed && listed !== state.listed)) {
      const models = chooseModels(listed ?? [], config);
      state = { models, abilities: build(to, models), listed: listed ?? [] };
    }
    if (lists) trying = tryModels(to, state);
    const isInTime = new AbortController();
    await Promise.race([
      trying,
      delay(TRY_MS, undefined, { signal: isInTime.signal }).catch(() => {}),
    ]);
    isInTime.abort();
  };

  const current = async (): Promise<State | undefined> => {
    if (!upstream) return undefined;
    if (performance.now() >= listAgainAtMs) {
      listing ??= refresh(upstream).finally(() => {
        listing = undefined;
      });
      // Requests that the known models can serve do not wait for a new list.
      if (!state || Object.keys(fit(state)).length === 0) await listing;
    }
    return state;
  };

  return {
    name: NAME,
    serves: SERVES,
    rank: 1,
    concurrent: 16,
    abilities: async () => {
      const known = await current();
      return known ? fit(known) : {};
    },
    report: async () => {
      const known = await current();
      const models = known?.models;
      const abilities = known ? fit(known) : {};
      const found = SERVES.filter((ability) => abilities[ability] !== undefined);
      const unfit = SERVES.flatMap((ability) => {
        const why = models && tried.get(models[ability] ?? '');
        return why && why !== 'translates' && !(ability in abilities)
          ? [`${models[ability]} is ${why}`]
          : [];
      });
      const variables = SERVES.filter((ability) => !found.includes(ability)).map(
        (ability) => MODEL_VARIABLES[ability],
      );
      const remedy =
        found.length === 0 && !lists
          ? `start the server of SERVICE_OPENAI_URL, or set ${variables.join(', ')}`
          : `for the rest set ${variables.join(', ')}`;
      return {
        name: NAME,
        serves: found.length > 0 ? found : SERVES,
        ready: found.length > 0,
        detail: upstream
          ? [
              ...found.map((ability) => `${ability}: ${models?.[ability]}`),
              ...new Set(unfit),
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
