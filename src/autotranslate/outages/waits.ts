import type { Tell } from '../tell.ts';
import { createLru } from '../../async/lru.ts';
import { reasonSentence } from '../../errors.ts';
import { say, type Texts } from '../../i18n/texts.ts';
import type { Space } from '../../model/place.ts';
import type { ChannelWatch } from '../../model/space.ts';
import type { WatchStore } from '../../store/channels/watches.ts';
import { WATCH, watchPartition, type Row } from '../../store/inbox/row.ts';
import type { SpaceSettings } from '../../store/settings.ts';
import { logFailure, type Log } from '../../telemetry/log.ts';
import { noticeLanguage } from '../rules.ts';
import type { ModeratorNotices } from '../moderators/notices.ts';
import type { OutageError } from './breaker.ts';
import type { WatchedPlatforms } from '../watched-platforms.ts';

/** Time for which messages wait before their channels are told, where the service may be back at once. */
const TOLD_AFTER_MS = 10_000;
/** Time in which a channel is told once. */
const QUIET_MS = 600_000;
/** Conversations whose last notice is remembered. */
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
  /** The partitions that wait, with the conversation of each: that of the watch, where a message waits by itself too. */
  const waiting = new Map<string, string>();
  /** Conversations whose channels know. */
  const informed = new Set<string>();
  /** The spaces of conversations whose channels know. */
  const told = new Map<string, readonly Space[]>();
  const toldMs = createLru<string, number>(MOST_TOLD);

  const tellOf = async (watch: ChannelWatch, error: OutageError): Promise<void> => {
    const language = noticeLanguage(watch, await spaces.of(watch.channel.space));
    const t = texts.rich(language, platforms.find(watch.channel)?.naming);
    await tell(watch.channel, t('autotranslate.paused', { reason: say(t, reasonSentence(error)) }));
  };

  const isToBeTold = (
    conversation: string,
    { purpose, sinceMs }: Row,
    { isRefusal }: OutageError,
  ): boolean =>
    !informed.has(conversation) &&
    purpose === WATCH &&
    (isRefusal || now() - sinceMs >= TOLD_AFTER_MS) &&
    now() - (toldMs.get(conversation) ?? -Infinity) >= QUIET_MS;

  return {
    /** Notes that a partition waits, with its first row. */
    begin: (first: Row, error: OutageError): void => {
      const { partition, ref } = first;
      const watch = watches.of(ref.channel);
      const conversation = watch ? watchPartition(watch) : partition;
      waiting.set(partition, conversation);
      if (!watch || !isToBeTold(conversation, first, error)) return;
      informed.add(conversation);
      toldMs.set(conversation, now());
      const all = watch.group === undefined ? [watch] : watches.group(watch);
      for (const each of all) {
        void logFailure(deps.log, 'a channel could not be told of an outage', () =>
          tellOf(each, error),
        );
        moderators.paused(each.channel.space, error);
      }
      told.set(
        conversation,
        all.map(({ channel }) => channel.space),
      );
    },
    /** Notes that a partition does not wait. */
    end: (partition: string): void => {
      const conversation = waiting.get(partition) ?? partition;
      informed.delete(conversation);
      for (const space of told.get(conversation) ?? []) moderators.resumed(space);
      told.delete(conversation);
      waiting.delete(partition);
    },
    has: (partition: string): boolean => waiting.has(partition),
    /** The partitions that wait. */
    all: (): readonly string[] => [...waiting.keys()],
  };
};
