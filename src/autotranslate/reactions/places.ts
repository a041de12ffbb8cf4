import { isSameChannel, type MessageRef } from '../../model/place.ts';
import { isPaused, isQuiet, type ChannelWatch } from '../../model/space.ts';
import type { Store } from '../../store/index.ts';
import { outcomesOf } from '../../store/inbox/outcomes.ts';
import type { MirrorStore } from '../../store/channels/mirrors.ts';
import type { WatchStore } from '../../store/channels/watches.ts';
import { WATCH } from '../../store/inbox/row.ts';
import type { SpaceSettings } from '../../store/settings.ts';
import { isCountryFlag } from '../../text/language/languages.ts';
import { languageOfReaction } from '../policy.ts';
import type { WatchedPlatforms } from '../watched-platforms.ts';

/** One of the messages of linked channels that show the same: what somebody wrote, or a copy of it. */
export interface ReactionPlace {
  readonly watch: ChannelWatch;
  /** The message's parts; reactions of ours stand under the first one. */
  readonly refs: readonly [MessageRef, ...MessageRef[]];
}

export interface ReactionPlacesDeps {
  readonly store: Pick<Store, 'selectFrom'>;
  readonly stored: Pick<MirrorStore, 'of' | 'sourcesOf'>;
  readonly watches: Pick<WatchStore, 'of'>;
  readonly spaces: Pick<SpaceSettings, 'of'>;
  readonly platforms: Pick<WatchedPlatforms, 'find' | 'of' | 'all'>;
}

/** Creates what finds the copies of messages of linked channels. */
export const createReactionPlaces = ({
  store,
  stored,
  watches,
  spaces,
  platforms,
}: ReactionPlacesDeps) => {
  /** The watch of linked channels that a message stands in. */
  const watchOf = ({ channel }: MessageRef): ChannelWatch | undefined => {
    const watch = watches.of(platforms.find(channel)?.feed.resolve(channel) ?? channel);
    return watch?.mode === 'mirror' ? watch : undefined;
  };

  const placeOf = (refs: ReactionPlace['refs']): ReactionPlace | undefined => {
    const watch = watchOf(refs[0]);
    return watch && { watch, refs };
  };

  /** The message that a message copies, or itself; of several in one of our messages the newest. */
  const sourceOf = async (ref: MessageRef): Promise<MessageRef> => {
    const sources = await stored.sourcesOf(ref);
    return sources.findLast(({ purpose }) => purpose === WATCH)?.ref ?? ref;
  };

  return {
    watchOf,
    sourceOf,
    /** Lists the messages that show the same as a source, itself included; none where it is not copied. */
    around: async (source: MessageRef): Promise<readonly ReactionPlace[]> => {
      const own = placeOf([source]);
      if (!own) return [];
      const copies = (await stored.of({ ref: source, purpose: WATCH })).flatMap(({ posted }) => {
        if (!posted) return [];
        const [first, ...rest] = posted.ids.map((id) => ({ channel: posted.channel, id }));
        const place = first && placeOf([first, ...rest]);
        return place && place.watch.group === own.watch.group ? [place] : [];
      });
      return [own, ...copies];
    },
    /**
     * True while copies of a message are about to be posted, or it may be one that was posted just now.
     *
     * @param all see `around`
     */
    isAwaited: async (source: MessageRef, all: readonly ReactionPlace[]): Promise<boolean> => {
      const outcomes = await outcomesOf(store, source);
      const own = outcomes.find(({ purpose }) => purpose === WATCH);
      return outcomes.length === 0 ? all.length < 2 : own?.state === 'waiting';
    },
    /** True where reactions with this emoji are neither copied from a channel nor into it. */
    isClosed: async ({ watch }: ReactionPlace, emoji: string): Promise<boolean> => {
      const choices = await spaces.of(watch.channel.space);
      return (
        !choices.reactions ||
        isQuiet(watch.channel, choices) ||
        isPaused(watch) ||
        isCountryFlag(emoji) ||
        languageOfReaction(emoji, choices) !== undefined
      );
    },
  };
};

export const isAt = ({ refs }: ReactionPlace, { channel, id }: MessageRef): boolean =>
  refs.some((one) => one.id === id && isSameChannel(one.channel, channel));
