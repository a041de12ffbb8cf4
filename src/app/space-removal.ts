import { createKeyedMutex } from '../async/locks.ts';
import type { AutoTranslate } from '../autotranslate/index.ts';
import { keyOf, type Space } from '../model/place.ts';
import type { Store } from '../store/index.ts';
import { openSpaceData } from '../store/privacy/space-data.ts';
import type { LanguageHistory } from '../translation/language-history.ts';

export interface SpaceRemovalDeps {
  readonly store: Store;
  readonly autoTranslate: Pick<AutoTranslate, 'leave'>;
  /** Voice rooms, which end. */
  readonly rooms: { readonly spaceLeft: (space: Space) => Promise<void> };
  readonly languageHistory: Pick<LanguageHistory, 'forgetAll' | 'forgetSpace'>;
}

export type SpaceRemoval = Awaited<ReturnType<typeof openSpaceRemoval>>;

/** Opens the removal of all that is known of a space: the one place for every platform. */
export const openSpaceRemoval = async ({
  store,
  autoTranslate,
  rooms,
  languageHistory,
}: SpaceRemovalDeps) => {
  const data = await openSpaceData(store);
  const turns = createKeyedMutex();
  store.signals.subscribe('space-left', (space) =>
    space ? languageHistory.forgetSpace(space) : languageHistory.forgetAll(),
  );
  return {
    /** Removes a space that the bot was removed from; resolves when nothing is left of it. */
    left: async (space: Space): Promise<void> => {
      using _ = await turns.take(keyOf(space));
      await data.leave(space);
      await Promise.all([
        rooms.spaceLeft(space),
        autoTranslate.leave(space, () => data.remove(space)),
      ]);
      await data.removeLeases(space);
    },
    /** Lets data of a space be stored that the bot is in again. */
    joined: async (space: Space): Promise<void> => {
      if (!data.isLeft(space)) return;
      using _ = await turns.take(keyOf(space));
      await data.join(space);
    },
    /** Waits for the end of a removal, so that what is set after it lasts. */
    settled: async (space: Space): Promise<void> => {
      if (!data.isLeft(space)) return;
      using _ = await turns.take(keyOf(space));
    },
  };
};
