import { createLru } from '../../../src/async/lru.ts';
import type { Core } from '../../../src/adapter.ts';
import type { Tenure } from '../../../src/ports/processes.ts';
import type { Api } from '../api.ts';
import { createAcknowledge } from './acknowledge.ts';
import { createInteractions, type Interactions, type InteractionDeps } from './interactions.ts';

export interface InteractionSetDeps extends Omit<InteractionDeps, 'acknowledge'> {
  readonly api: Api;
  readonly core: Core;
}

/** Interactions whose ids are remembered: two sessions take each while the number of shards changes. */
const KNOWN_INTERACTIONS = 2_000;

/** Creates the interactions of all shards of this process. */
export const createInteractionSet = (deps: InteractionSetDeps) => {
  const all = new Set<Interactions>();
  const seen = createLru<string, true>(KNOWN_INTERACTIONS);
  return {
    /** Creates the interactions of a shard; they are answered only while its tenure is held. */
    open: (tenure: Pick<Tenure, 'isHeld'>): Pick<Interactions, 'take'> & Disposable => {
      const acknowledge = createAcknowledge(deps.api, deps.core.log, () => tenure.isHeld());
      const own = createInteractions({ ...deps, acknowledge });
      all.add(own);
      return {
        take: async (interaction) => {
          if (seen.get(interaction.id)) return;
          seen.set(interaction.id, true);
          await own.take(interaction);
        },
        // What is under way is still shown: nobody else shows it.
        [Symbol.dispose]: () => void own.settled().then(() => all.delete(own)),
      };
    },
    /** Messages, channels or spaces with these ids are gone. */
    lost: (ids: readonly string[]): void => {
      for (const each of all) each.lost(ids);
    },
    /** Ends what is being done; resolves when it has ended. */
    stop: async (): Promise<void> => {
      await Promise.all([...all].map(async (each) => each.stop()));
    },
  };
};

export type InteractionSet = ReturnType<typeof createInteractionSet>;
