import type { ServiceClient } from '../api/client.ts';
import type { ServiceKey } from '../api/keys.ts';
import { orAborted } from '../async/abort.ts';
import { createLru } from '../async/lru.ts';
import { toAppError } from '../errors.ts';
import type { Asker } from '../model/service.ts';

/** Time for which a service's list of models holds, and after which one that failed is asked for again. */
const LIFE_MS = 3_600_000;
const FAILED_MS = 60_000;
/** Keys whose model is kept. */
const MOST_KEYS = 500;

/** Names of models that turn texts into vectors, or rank texts by them: they cannot chat. */
const EMBEDS = /embed|rerank|minilm|mpnet|colbert|(?:^|[/_-])(?:bge|gte|e5)(?:[-_:]|$)/i;

/**
 * Creates the choice of a language model where none is configured: the first that the service lists
 * for a key and that chats. Resolves with undefined where it lists none: the service then has to choose.
 */
export const createModelChoice = (
  client: Pick<ServiceClient, 'models' | 'serviceKeyOf'>,
  now: () => number,
) => {
  interface Asked {
    model: Promise<string | undefined>;
    untilMs: number;
  }
  const choices = createLru<string, Asked>(MOST_KEYS);

  const ask = async (
    asker: Asker,
    key: ServiceKey,
    lives: (ms: number) => void,
  ): Promise<string | undefined> => {
    try {
      // The first asker cannot abort it: others may wait for it.
      const { signal } = new AbortController();
      const ids = await client.models({ ...asker, key, signal });
      return ids.find((id) => !EMBEDS.test(id));
    } catch (thrown) {
      if (toAppError(thrown).retryable) lives(FAILED_MS);
      return undefined;
    }
  };

  return async (asker: Asker, signal: AbortSignal): Promise<string | undefined> => {
    const key = await client.serviceKeyOf(asker.space);
    const known = choices.get(key.id);
    if (known && now() < known.untilMs) {
      choices.set(key.id, known);
      return orAborted(known.model, signal);
    }
    const asked: Asked = { model: Promise.resolve(undefined), untilMs: now() + LIFE_MS };
    asked.model = ask(asker, key, (ms) => {
      asked.untilMs = now() + ms;
    });
    choices.set(key.id, asked);
    return orAborted(asked.model, signal);
  };
};
