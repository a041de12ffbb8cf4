import type { Services } from '../../command/services.ts';
import { isSameChannel } from '../../model/place.ts';
import type { ChannelWatch } from '../../model/watch.ts';
import type { MirrorTarget } from '../../ports/mirrors.ts';
import { flaggedLanguage, type Row } from '../../store/inbox/row.ts';
import type { WatchStore } from '../../store/watches.ts';
import type { WatchedPlatforms } from '../watched-platforms.ts';
import { threadName } from './compose.ts';

export interface PlacesDeps {
  readonly services: Pick<Services, 'languages'>;
  readonly watches: Pick<WatchStore, 'of' | 'group'>;
  readonly platforms: WatchedPlatforms;
}

/** Creates the functions that tell where the messages of watched channels are shown. */
export const createPlaces = ({ services: { languages }, watches, platforms }: PlacesDeps) => {
  /** Lists the places and languages in which messages of a watched channel are shown. */
  const placesOf = (
    watch: ChannelWatch,
  ): readonly { language: string; target: () => Promise<MirrorTarget> }[] => {
    const { channel } = watch;
    if (watch.mode === 'mirror')
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
        watch.mode === 'reply'
          ? { channel }
          : platforms.of(channel).mirrors.thread(channel, threadName(language, languages)),
    }));
  };

  return {
    placesOf,

    /**
     * Lists the places in which mirrors of a deleted row may exist. A flag's are replies to a
     * message that may still exist.
     */
    orphanTargets: async ({ ref, purpose }: Row): Promise<readonly MirrorTarget[]> => {
      if (flaggedLanguage(purpose) !== undefined) return [{ channel: ref.channel }];
      const watch = watches.of(ref.channel);
      return watch ? Promise.all(placesOf(watch).map(({ target }) => target())) : [];
    },

    /** True unless the target's channel was taken out of the watch's group. */
    isLinked: (watch: ChannelWatch | undefined, target: MirrorTarget): boolean =>
      watch?.mode !== 'mirror' ||
      watches.group(watch).some(({ channel }) => isSameChannel(channel, target.channel)),
  };
};
