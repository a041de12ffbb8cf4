import type { Tell } from '../tell.ts';
import { createLru } from '../../async/lru.ts';
import { type AppError, reasonSentence } from '../../errors.ts';
import { say, type Texts } from '../../i18n/texts.ts';
import { channelKey, keyOf, type Space } from '../../model/place.ts';
import type { ChannelWatch } from '../../model/space.ts';
import type { WatchStore } from '../../store/channels/watches.ts';
import { WATCH, watchPartition, type Row } from '../../store/inbox/row.ts';
import type { SpaceSettings } from '../../store/settings.ts';
import { logFailure, type Log } from '../../telemetry/log.ts';
import { noticeLanguage } from '../rules.ts';
import type { ModeratorNotices } from '../moderators/notices.ts';
import { takesLong } from '../row-backoff.ts';
import type { OutageError } from './breaker.ts';
import type { WatchedPlatforms } from '../watched-platforms.ts';

/** Time in which a channel is told once. */
const QUIET_MS = 600_000;
/** Channels whose last notice is remembered. */
const MOST_TOLD = 5_000;

export interface OutageWaitsDeps {
  readonly watches: Pick<WatchStore, 'of' | 'group'>;
  readonly texts: Pick<Texts, 'rich'>;
  readonly platforms: Pick<WatchedPlatforms, 'find'>;
  readonly spaces: Pick<SpaceSettings, 'of'>;
  readonly tell: Tell;
  readonly moderators: Pick<ModeratorNotices, 'paused' | 'resumed'>;
  readonly log: Pick<Log, 'warn'>;
  readonly now: () => number;
}

export type OutageWaits = ReturnType<typeof createOutageWaits>;

/** Creates what knows the partitions that wait for the end of an outage, and tells their channels once. */
export const createOutageWaits = (deps: OutageWaitsDeps) => {
  const { watches, texts, spaces, tell, moderators, platforms, now } = deps;
  /**
   * The partitions that wait, with the spaces that wait in each by their keys, and for each the conversation of the watch,
   * where a message waits by itself too, and that key.
   */
  const waiting = new Map<string, Map<string, { conversation: string; space: Space }>>();
  /** The keys of the channels that know that messages wait, by conversation and space. */
  const told = new Map<string, Set<string>>();
  const toldMs = createLru<string, number>(MOST_TOLD);

  const tellOf = async (watch: ChannelWatch, error: AppError): Promise<void> => {
    const language = noticeLanguage(watch, await spaces.of(watch.channel.space));
    const t = texts.rich(language, platforms.find(watch.channel)?.naming);
    await tell(watch.channel, t('autotranslate.paused', { reason: say(t, reasonSentence(error)) }));
  };

  /** Notes that the rows of a space wait in a partition no more. Default: the rows of all spaces */
  const end = (partition: string, space?: Space): void => {
    const here = waiting.get(partition);
    for (const [key, wait] of here ?? []) {
      if (space && key !== keyOf(space)) continue;
      if (told.delete(wait.conversation)) moderators.resumed(wait.space);
      here?.delete(key);
    }
    if (here?.size === 0) waiting.delete(partition);
  };

  return {
    /** Notes that the rows of a space wait in a partition, with the first of them. */
    begin: (first: Row, error: OutageError): void => {
      const { partition, ref, purpose } = first;
      const { space } = ref.channel;
      const watch = watches.of(ref.channel);
      const own = keyOf(space);
      const conversation = `${watch ? watchPartition(watch) : partition} ${own}`;
      const here = waiting.get(partition) ?? new Map();
      waiting.set(partition, here.set(own, { conversation, space }));
      if (!watch || purpose !== WATCH || !takesLong(first, error, now())) return;
      const knowing = told.get(conversation) ?? new Set();
      told.set(conversation, knowing);
      moderators.paused(space, error);
      for (const each of watch.group === undefined ? [watch] : watches.group(watch)) {
        // Another server is told as soon as its own messages wait: it may have a key that works.
        if (keyOf(each.channel.space) !== own) continue;
        const key = channelKey(each.channel);
        const isQuiet = now() - (toldMs.get(key) ?? -Infinity) < QUIET_MS;
        if (isQuiet || knowing.has(key)) continue;
        knowing.add(key);
        toldMs.set(key, now());
        void logFailure(deps.log, 'a channel could not be told of an outage', () =>
          tellOf(each, error),
        );
      }
    },
    end,
    forgetSpace: (space: Space): void =>
      [...waiting.keys()].forEach((partition) => end(partition, space)),
    /** True where the rows of a partition wait, or those of a space in it. */
    has: (partition: string, space?: Space): boolean =>
      space ? waiting.get(partition)?.has(keyOf(space)) === true : waiting.has(partition),
    all: (): readonly string[] => [...waiting.keys()],
  };
};
