import { judgeTranslation } from '../../../src/text/reply/translation-reply.ts';
import type { TranslationEngine } from '../../engine.ts';
import { BackendError } from '../../errors.ts';
import { CutReplyError, OnlyThinkingError } from '../../language-model/completion.ts';

/** Abilities of a model, as far as one question tells; undefined where it did not get to answer. */
export type ProbeResult = 'translates' | 'not for translation' | 'not for chat' | undefined;

/** Long enough for a server that loads the model first. */
const PROBE_MS = 60_000;

const PROBE = {
  text: 'Good morning',
  tokens: new Map(),
  from: 'en',
  to: 'es',
  keywords: [],
  context: '',
} as const;
/** Beginnings of its usual translations. */
const EXPECTED = /\bbuen(?:os|as)?\b/i;

/** Errors of servers to a model without a template, or without the ability to chat. */
const NO_CHAT = /template|does not support chat|not a chat model|chat.{0,20}not supported/i;

const REFUSED = new Set([400, 404, 422, 500, 501]);

/** Has a model translate two words, once, and judges its reply. Never rejects. */
export const probeModel = async (translation: TranslationEngine): Promise<ProbeResult> => {
  let reply = '';
  try {
    for await (const { text } of translation.translate(PROBE, AbortSignal.timeout(PROBE_MS)))
      reply += text;
  } catch (thrown) {
    if (thrown instanceof BackendError && REFUSED.has(thrown.status))
      return NO_CHAT.test(thrown.message) ? 'not for chat' : undefined;
    if (thrown instanceof OnlyThinkingError) return 'not for translation';
    // A model that is not tuned to answer goes on until it is stopped.
    return thrown instanceof CutReplyError ? 'not for chat' : undefined;
  }
  const rules = translation.rules?.(PROBE) ?? [];
  const { text } = judgeTranslation(
    { source: PROBE.text, from: PROBE.from, to: PROBE.to, rules },
    reply,
  );
  return text !== undefined && EXPECTED.test(text) ? 'translates' : 'not for translation';
};
