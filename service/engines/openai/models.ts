import { z } from 'zod';
import type { EngineConfig } from '../../config.ts';
import type { Upstream } from './http.ts';

export interface Models {
  readonly chat: string | undefined;
  readonly translation: string | undefined;
  readonly recognition: string | undefined;
  readonly speech: string | undefined;
  /** Models that chat, the chosen one first. */
  readonly chatting: readonly string[];
  /** All models that the server lists; empty when it lists none. */
  readonly listed: ReadonlySet<string>;
}

const list = z.object({ data: z.array(z.object({ id: z.string() })) });

/**
 * Names of models that recognise speech, that synthesise it, that do neither and do not chat, and
 * that think at length before they answer.
 */
const HEARS = /whisper|transcri|\basr\b|[-_/]asr|sense-?voice|paraformer|parakeet|canary/i;
const SPEAKS = /\btts\b|[-_/]tts|kokoro|piper|\bspeech\b|orpheus|bark/i;
const OTHERS =
  /embed|rerank|moderation|dall-e|image|diffusion|flux|guard|realtime|\bbge\b|bge-|nomic|minilm|\be5\b|\bgte\b|gte-|colbert/i;
const THINKS = /\br1\b|[-_:/]r1|qwq|reason|think|\bo[134]\b|-z1\b|magistral|exaone-deep/i;

const LIST_TIMEOUT_MS = 3_000;

/**
 * Chooses the model for each ability: the configured one, otherwise the first with a matching name.
 */
export const chooseModels = (ids: readonly string[], config: EngineConfig): Models => {
  const chat =
    config.SERVICE_OPENAI_CHAT_MODEL ??
    ids.find((id) => [HEARS, SPEAKS, OTHERS, THINKS].every((kind) => !kind.test(id)));
  return {
    chat,
    chatting: [
      ...new Set([
        ...(chat === undefined ? [] : [chat]),
        ...ids.filter((id) => [HEARS, SPEAKS, OTHERS].every((kind) => !kind.test(id))),
      ]),
    ],
    translation: config.SERVICE_OPENAI_TRANSLATION_MODEL ?? chat,
    recognition: config.SERVICE_OPENAI_ASR_MODEL ?? ids.find((id) => HEARS.test(id)),
    speech: config.SERVICE_OPENAI_TTS_MODEL ?? ids.find((id) => SPEAKS.test(id) && !HEARS.test(id)),
    listed: new Set(ids),
  };
};

/**
 * Requests the ids that `/models` lists. Rejects when the server cannot be reached or has no such
 * list.
 */
export const listModels = async (upstream: Upstream): Promise<readonly string[]> => {
  const reply = await upstream.sendForJson(
    '/models',
    undefined,
    AbortSignal.timeout(LIST_TIMEOUT_MS),
  );
  const parsed = list.safeParse(reply);
  return parsed.success ? parsed.data.data.map(({ id }) => id) : [];
};
