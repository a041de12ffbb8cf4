import type { Services } from '../../command/services.ts';
import { isSameChannel, type Channel } from '../../model/place.ts';
import type { ChannelWatch } from '../../model/space.ts';
import type { Tenure } from '../../ports/processes.ts';
import type { MirrorTarget } from '../../ports/mirrors.ts';
import { isSameTarget, type StandingThreads } from '../../store/channels/mirrors.ts';
import type { WatchStore } from '../../store/channels/watches.ts';
import { flaggedLanguage, type Row } from '../../store/inbox/row.ts';
import type { WatchedPlatforms } from '../watched-platforms.ts';
import { threadName } from './compose.ts';

export interface PlacesDeps {
  readonly watches: Pick<WatchStore, 'of' | 'group'>;
  readonly threads: Pick<StandingThreads, 'of' | 'put'>;
  readonly platforms: Pick<WatchedPlatforms, 'of'>;
  readonly languages: Pick<Services['languages'], 'name'>;
}

/** A place for the mirror of a message in one language. */
export interface Place {
  readonly language: string;
  /** Finds the place; makes its thread where there is none yet. */
  readonly target: () => Promise<MirrorTarget>;
}

export type Places = ReturnType<typeof createPlaces>;

/** Creates the functions that say where the mirrors of messages belong. */
export const createPlaces = ({ watches, threads, platforms, languages }: PlacesDeps) => {
  const standingThread = async (
    channel: Channel,
    language: string,
    tenure: Tenure,
  ): Promise<MirrorTarget> => {
    const known = await threads.of(channel, language);
    const name = threadName(language, languages);
    const assertHeld = (): void => tenure.assertHeld();
    assertHeld();
    const { mirrors } = platforms.of(channel);
    const target = await mirrors.thread(channel, name, { known, assertHeld });
    if (!known || !isSameTarget(known, target)) await threads.put(channel, language, target);
    return target;
  };

  /** The places of a watch's mirrors. */
  const of = (watch: ChannelWatch, tenure: Tenure): readonly Place[] => {
    const { channel, mode } = watch;
    if (mode === 'mirror')
      return watches
        .group(watch)
        .filter((other) => !isSameChannel(other.channel, channel))
        .map(({ channel: to, languages: [language = ''] }) => ({
          language,
          target: async () => ({ channel: to }),
        }));
    return watch.languages.map((language) => ({
      language,
      target: async () =>
        mode === 'reply' ? { channel } : standingThread(channel, language, tenure),
    }));
  };

  return {
    of,
    /**
     * Lists the places in which mirrors of a deleted row may exist. A flag's are replies to a
     * message that may still exist.
     */
    ofDeleted: async ({ ref, purpose }: Row, tenure: Tenure): Promise<readonly MirrorTarget[]> => {
      if (flaggedLanguage(purpose) !== undefined) return [{ channel: ref.channel }];
      const watch = watches.of(ref.channel);
      if (!watch) return [];
      if (watch.mode !== 'thread')
        return Promise.all(of(watch, tenure).map(({ target }) => target()));
      // A thread is recorded before anything is posted in it.
      const known = watch.languages.map((language) => threads.of(ref.channel, language));
      return (await Promise.all(known)).filter((target) => target !== undefined);
    },
    /** False for a channel that was taken out of the watch's group. */
    isLinked: (watch: ChannelWatch | undefined, target: MirrorTarget): boolean =>
      watch?.mode !== 'mirror' ||
      watches.group(watch).some(({ channel }) => isSameChannel(channel, target.channel)),
  };
};
