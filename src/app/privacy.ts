import type { AutoTranslate } from '../autotranslate/index.ts';
import { type Person, keyOf, type Space } from '../model/place.ts';
import type { PersonalData } from '../ports/platform.ts';
import type { Store } from '../store/index.ts';
import type { Privacy } from '../store/privacy/person-data.ts';
import type { EngineTurns } from '../translation/engine-turns.ts';
import type { LanguageHistory } from '../translation/language-history.ts';
import { createKeyedMutex } from '../async/locks.ts';
import { openSpaceData } from '../store/privacy/space-data.ts';

export interface PersonPrivacyDeps {
  readonly signals: Pick<Store['signals'], 'subscribe'>;
  /** The data of people in the database. */
  readonly stored: Privacy;
  readonly autoTranslate: Pick<AutoTranslate, 'forget' | 'forgetAll'>;
  /** Voice rooms, which hear people. */
  readonly rooms: {
    readonly forget: (person: Person) => void;
    readonly optedIn: (person: Person) => Promise<void>;
    readonly lookAgain: () => Promise<void>;
  };
  readonly languageHistory: Pick<LanguageHistory, 'forget' | 'forgetAll'>;
  readonly engineTurns: Pick<EngineTurns, 'forget' | 'forgetAll'>;
  /** The data about people that a platform keeps itself; undefined for none. */
  readonly personalDataOf: (platform: string) => PersonalData | undefined;
}

/**
 * Opens what people decide of their data: the one place for every part that knows something of them. An opt-out or the
 * deletion of a person's data holds in this process before it is stored, and in the others by signals.
 */
export const openPersonPrivacy = (deps: PersonPrivacyDeps): Privacy => {
  const { signals, stored, autoTranslate, rooms, languageHistory, engineTurns, personalDataOf } =
    deps;
  const applyOptOut = (person: Person): void => {
    rooms.forget(person);
    personalDataOf(person.platform)?.optedOut(person.id);
  };
  /** Drops everybody's words in memory that can be done without: it is not known who opted out or is to be forgotten. */
  const forgetMissed = async (): Promise<void> => {
    languageHistory.forgetAll();
    engineTurns.forgetAll();
    autoTranslate.forgetAll();
    await rooms.lookAgain();
  };
  signals.subscribe('opt-out', async (changed) => {
    if (!changed) return forgetMissed();
    const { optedOut, ...person } = changed;
    if (!optedOut) return rooms.optedIn(person);
    // A wish to be heard may have been under way meanwhile.
    applyOptOut(person);
    languageHistory.forget(person);
    return autoTranslate.forget(person);
  });
  signals.subscribe('forgotten', async (person) => {
    if (!person) return forgetMissed();
    rooms.forget(person);
    languageHistory.forget(person);
    engineTurns.forget(person);
    await autoTranslate.forget(person);
    await personalDataOf(person.platform)?.forget(person.id);
  });
  return {
    ...stored,
    setOptedOut: async (person, optedOut) => {
      // It holds at once, stored or not.
      if (optedOut) applyOptOut(person);
      await stored.setOptedOut(person, optedOut);
    },
    forget: async (person) => {
      rooms.forget(person);
      await stored.forget(person);
    },
  };
};

export interface SpaceRemovalDeps {
  readonly store: Store;
  readonly autoTranslate: Pick<AutoTranslate, 'leave'>;
  /** Voice rooms, which end. */
  readonly rooms: { readonly spaceLeft: (space: Space) => Promise<void> };
  readonly languageHistory: Pick<LanguageHistory, 'forgetAll' | 'forgetSpace'>;
}

export type SpaceRemoval = Awaited<ReturnType<typeof openSpaceRemoval>>;

/** Opens the removal of all that is known of a space: the one place for every platform. */
export const openSpaceRemoval = async (deps: SpaceRemovalDeps) => {
  const { store, autoTranslate, rooms, languageHistory } = deps;
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
