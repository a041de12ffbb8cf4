import type { Person, Space } from '../model/place.ts';
import { openRowsOf } from '../store/inbox/index.ts';
import type { Store } from '../store/index.ts';
import type { createReadTranslations } from './asked/translations.ts';
import type { createLateTargets } from './mirror/late-targets.ts';
import type { createCompactReplies } from './mirror/compact-replies.ts';
import type { createTranslationContext } from './prepare/context.ts';
import type { createPrepare } from './prepare/prepare.ts';
import type { createCopiedReactions } from './reactions/reactions.ts';
import type { createScheduler } from './scheduler.ts';

export interface ForgettingDeps {
  readonly store: Store;
  readonly scheduler: Pick<ReturnType<typeof createScheduler>, 'interrupt' | 'wake'>;
  readonly context: ReturnType<typeof createTranslationContext>;
  readonly translations: Pick<ReturnType<typeof createReadTranslations>, 'forget'>;
  readonly preparing: Pick<ReturnType<typeof createPrepare>, 'forget' | 'forgetAll'>;
  readonly replies: Pick<ReturnType<typeof createCompactReplies>, 'forget' | 'forgetAll'>;
  readonly late: Pick<ReturnType<typeof createLateTargets>, 'forget' | 'forgetAll'>;
  readonly copiedReactions: Pick<ReturnType<typeof createCopiedReactions>, 'recheck'>;
  /** The parts that know something of spaces in memory. */
  readonly memories: readonly { forgetSpace(space: Space): void }[];
  readonly forgetNames: (space: Space) => void;
}

/** Creates what drops words, people and spaces from memory; that of spaces that some process has left goes by itself. */
export const createForgetting = (deps: ForgettingDeps) => {
  const { store, scheduler, context, translations, preparing, replies, late } = deps;

  /** Drops the words in memory, which only help to translate others, where it is not known whose are to go. */
  const forgetAll = (): void => {
    context.forgetAll();
    translations.forget();
    preparing.forgetAll();
    replies.forgetAll();
    late.forgetAll();
  };

  store.signals.subscribe('space-left', (space) => {
    if (!space) return forgetAll();
    // Copies of its words may stand in the others.
    translations.forget();
    for (const memory of deps.memories) memory.forgetSpace(space);
    deps.forgetNames(space);
  });

  return {
    forgetAll,
    /** Drops data in memory of a person who opted out or is to be forgotten. */
    forget: async (person: Person): Promise<void> => {
      context.forget(person);
      translations.forget();
      preparing.forget(person.id);
      replies.forget(person.id);
      late.forget(person.id);
      deps.copiedReactions.recheck();
      // Messages prepared again respect the person's new choice.
      for (const { ref, partition } of await openRowsOf(store, person)) {
        scheduler.interrupt(ref);
        scheduler.wake(partition);
      }
      await store.checkpoint();
    },
  };
};
