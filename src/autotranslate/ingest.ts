import type { InboxWriter } from './inbox-writer.ts';
import { languageOfReaction, skipReason } from './policy.ts';
import { readFlagged, type WatchedPlatforms } from './watched-platforms.ts';
import type { Message } from '../model/message.ts';
import type { MessageRef } from '../model/place.ts';
import { isQuiet } from '../model/space.ts';
import type { CursorStore } from '../store/channels/cursors.ts';
import type { InboxStore } from '../store/inbox/index.ts';
import { flagPurpose, ownPartition, WATCH, watchPartition } from '../store/inbox/row.ts';
import type { MirrorStore } from '../store/channels/mirrors.ts';
import type { Privacy } from '../store/privacy/person-data.ts';
import type { SpaceSettings } from '../store/settings.ts';
import type { WatchStore } from '../store/channels/watches.ts';

export interface IngestDeps {
  readonly inboxWriter: InboxWriter;
  readonly inbox: Pick<InboxStore, 'purposes'>;
  readonly stored: Pick<MirrorStore, 'sourceOf'>;
  readonly cursors: Pick<CursorStore, 'advance'>;
  readonly watches: Pick<WatchStore, 'of' | 'sinceMs'>;
  readonly spaces: SpaceSettings;
  readonly privacy: Pick<Privacy, 'optedOut'>;
  readonly platforms: WatchedPlatforms;
  /** The time since which no row has been cleared, ms since 1970. */
  readonly rowsSinceMs: () => number;
}

export type Ingest = ReturnType<typeof createIngest>;

/** Creates the functions that judge new and changed messages and reactions, and hand them to the inbox. */
export const createIngest = ({
  inboxWriter,
  inbox,
  stored,
  cursors,
  watches,
  spaces,
  privacy,
  platforms,
  rowsSinceMs,
}: IngestDeps) => {
  const { accept, markDeleted } = inboxWriter;
  const optedOut = ({ ref, author }: Message): Promise<boolean> =>
    privacy.optedOut({ platform: ref.channel.space.platform, id: author.id });

  /** Updates flag replies after a change of their message; those under a mirror follow its source. */
  const acceptForFlags = async (seen: Message, purposes: readonly string[]): Promise<void> => {
    const flags = purposes.filter((one) => one !== WATCH);
    if (flags.length === 0) return;
    const isOurs = seen.author.kind === 'ourselves';
    const message = isOurs ? await readFlagged(seen.ref, stored, platforms) : seen;
    if (!message) return;
    const skip = (await optedOut(message)) ? 'opted-out' : undefined;
    for (const purpose of flags)
      await accept({ message, purpose, partition: ownPartition('flag', seen.ref), skip });
  };

  return {
    /**
     * Accepts a message.
     *
     * @param isWhole true when everything before the message is in the inbox
     */
    take: async (message: Message, isWhole: boolean): Promise<void> => {
      const { ref, author, position } = message;
      const { channel } = ref;
      const watch = watches.of(channel);
      const advance = (): void => {
        if (watch && isWhole) cursors.advance(channel, position);
      };
      if (author.kind === 'ourselves') {
        // A message just posted has no reactions yet.
        if (message.edited) await acceptForFlags(message, await inbox.purposes(ref));
        advance();
        return;
      }

      // Rows of older messages may have been cleared: only those in the inbox are handled.
      const fromMs = watch && Math.max(watches.sinceMs(watch), rowsSinceMs());
      const from =
        fromMs === undefined ? undefined : platforms.find(channel)?.feed.positionAt(fromMs);
      const isLater = from !== undefined && position >= from;
      const known = isLater ? [] : await inbox.purposes(ref);
      if (!watch || !(isLater || known.includes(WATCH))) {
        await acceptForFlags(message, known);
        return;
      }
      const choices = await spaces.of(channel.space);
      const skip = skipReason(message, watch, choices, await optedOut(message));
      const partition = watchPartition(watch);
      const was = await accept({ message, purpose: WATCH, partition, skip });
      advance();
      if (was !== 'new') await acceptForFlags(message, await inbox.purposes(ref));
    },
    /** Handles a reaction that was added, or removed. */
    react: async (ref: MessageRef, emoji: string, isPresent: boolean): Promise<void> => {
      const { channel } = ref;
      const feed = platforms.find(channel)?.feed;
      const choices = await spaces.of(channel.space);
      const language = languageOfReaction(emoji, choices);
      if (!feed || language === undefined) return;
      const purpose = flagPurpose(language);
      if (!isPresent) {
        if ((await feed.reactions(ref, emoji)) === 0) await markDeleted([ref], { purpose });
        return;
      }
      if (isQuiet(channel, choices)) return;
      const watch = watches.of(channel);
      const isThere = watch?.mode === 'reply' && watch.languages.includes(language);
      if (isThere && (await inbox.purposes(ref)).includes(WATCH)) return;
      const message = await readFlagged(ref, stored, platforms);
      if (!message || message.system || (await optedOut(message))) return;
      await accept({ message, purpose, partition: ownPartition('flag', ref) });
    },
  };
};
