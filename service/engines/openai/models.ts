import { z } from 'zod';
import { ABILITIES, type Ability, type EngineConfig } from '../../config.ts';
import type { ServerModels } from '../../language-model/chat-server.ts';
import type { Upstream } from '../../back-end/http.ts';

export interface Models extends ServerModels {
  readonly chat: string | undefined;
  readonly translation: string | undefined;
  readonly recognition: string | undefined;
  readonly speech: string | undefined;
  /** The first that makes vectors of texts. */
  readonly embedding: string | undefined;
  /** Models that chat, the chosen one first. */
  readonly chatting: readonly string[];
  /** All models that the server lists; empty when it lists none. */
  readonly listed: ReadonlySet<string>;
  readonly contextTokens: Map<string, number>;
}

/** A model as a server lists it. */
export interface ListedModel {
  readonly id: string;
  readonly contextTokens?: number | undefined;
}

const tokens = z.int().positive().optional().catch(undefined);

/** The context length under the names that servers give it: vLLM, OpenRouter, LM Studio, Groq, llama.cpp. */
const list = z.object({
  data: z.array(
    z
      .object({
        id: z.string(),
        max_model_len: tokens,
        context_length: tokens,
        max_context_length: tokens,
        context_window: tokens,
        meta: z.object({ n_ctx: tokens }).optional().catch(undefined),
      })
      .transform(({ id, meta, ...lengths }): ListedModel => {
        const known = [meta?.n_ctx, ...Object.values(lengths)];
        return { id, contextTokens: known.find((length) => length !== undefined) };
      }),
  ),
});

/** The settings of llama.cpp's server, and the models that Ollama has loaded. */
const settings = z.object({ default_generation_settings: z.object({ n_ctx: z.int().positive() }) });
const loaded = z.object({
  models: z.array(z.object({ model: z.string(), context_length: z.int().positive() })),
});

/**
 * Names of models that recognise speech, that synthesise it, that do neither and do not chat, and
 * that think at length before they answer.
 */
const HEARS = /whisper|transcri|\basr\b|[-_/]asr|sense-?voice|paraformer|parakeet|canary/i;
const SPEAKS = /\btts\b|[-_/]tts|kokoro|piper|\bspeech\b|orpheus|bark/i;
const OTHERS = /rerank|moderation|dall-e|image|diffusion|flux|guard|realtime|colbert/i;
const EMBEDS = /embed|\bbge\b|bge-|nomic|minilm|\be5\b|\bgte\b|gte-/i;
const THINKS = /\br1\b|[-_:/]r1|qwq|reason|think|\bo[134]\b|-z1\b|magistral|exaone-deep/i;

/** Beginnings of the variables with which an ability is set up. */
export const VARIABLES = {
  chat: 'SERVICE_OPENAI_CHAT',
  translation: 'SERVICE_OPENAI_TRANSLATION',
  recognition: 'SERVICE_OPENAI_ASR',
  speech: 'SERVICE_OPENAI_TTS',
} as const satisfies Record<Ability, string>;

export const modelVariable = (ability: Ability) => `${VARIABLES[ability]}_MODEL` as const;

const LIST_TIMEOUT_MS = 3_000;

/**
 * Chooses the model for each ability: the configured one, otherwise the first with a matching name.
 *
 * @param serves the abilities that the server is asked for; there is no model for others
 */
export const chooseModels = (
  models: readonly ListedModel[],
  config: EngineConfig,
  serves: readonly Ability[] = ABILITIES,
): Models => {
  const ids = models.map(({ id }) => id);
  const chatting = ids.filter((id) =>
    [HEARS, SPEAKS, OTHERS, EMBEDS].every((kind) => !kind.test(id)),
  );
  const first = chatting.find((id) => !THINKS.test(id));
  const hears = ids.find((id) => HEARS.test(id));
  const speaks = ids.find((id) => SPEAKS.test(id) && !HEARS.test(id));
  const choose = (ability: Ability, otherwise: string | undefined): string | undefined =>
    serves.includes(ability) ? (config[modelVariable(ability)] ?? otherwise) : undefined;
  const chat = choose('chat', first);
  return {
    chat,
    chatting: [...new Set([...(chat === undefined ? [] : [chat]), ...chatting])],
    translation: choose('translation', chat ?? first),
    recognition: choose('recognition', hears),
    speech: choose('speech', speaks),
    embedding: ids.find((id) => EMBEDS.test(id) && !OTHERS.test(id)),
    listed: new Set(ids),
    contextTokens: new Map(
      models.flatMap(({ id, contextTokens: most }) => (most === undefined ? [] : [[id, most]])),
    ),
  };
};

const ask = async <T>(upstream: Upstream, path: string, schema: z.ZodType<T>): Promise<T> =>
  upstream.ask(['a list', schema], path, undefined, AbortSignal.timeout(LIST_TIMEOUT_MS));

/**
 * Requests the models that `/models` lists; none where the reply is no such list. Rejects when the server
 * cannot be reached or does not have the path.
 */
export const listModels = async (upstream: Upstream): Promise<readonly ListedModel[]> =>
  (await ask(upstream, '/models', list.catch({ data: [] }))).data;

/** Asks a server that lists no context lengths for them, where it has a path of its own. Never rejects. */
export const learnContextTokens = async (
  upstream: Upstream,
  { listed, contextTokens }: Models,
): Promise<void> => {
  if (contextTokens.size > 0) return;
  const [ofServer, ofLoaded] = await Promise.all([
    ask(upstream, '/../props', settings).catch(() => undefined),
    ask(upstream, '/../api/ps', loaded).catch(() => undefined),
  ]);
  const length = ofServer?.default_generation_settings.n_ctx;
  if (length !== undefined) for (const id of listed) contextTokens.set(id, length);
  for (const { model, context_length } of ofLoaded?.models ?? [])
    contextTokens.set(model, context_length);
};
