import { createBlocks } from '../store/blocks.ts';
import { createCopiedReactionStore } from '../store/channels/copied-reactions.ts';
import { createCursorStore } from '../store/channels/cursors.ts';
import { createFormerSetups } from '../store/channels/former-setups.ts';
import { createHistoryGaps, createOwedHistories } from '../store/channels/histories.ts';
import { createLateMarks } from '../store/channels/late-marks.ts';
import { createLinkedThreadStore } from '../store/channels/linked-threads.ts';
import { createMirrorStore } from '../store/channels/mirrors.ts';
import { createStandingThreads } from '../store/channels/standing-threads.ts';
import { createLinkInvites } from '../store/channels/link-invites.ts';
import { createLinkRequestStore } from '../store/channels/link-requests.ts';
import { createWatchUndos } from '../store/channels/watch-undos.ts';
import { openWatchStore } from '../store/channels/watches.ts';
import { createInboxStore } from '../store/inbox/index.ts';
import { nameElsewhere, spaceElsewhere } from './links/names.ts';
import { createGlossaryProposals } from '../store/glossary-proposals.ts';
import type { Store } from '../store/index.ts';
import type { Log } from '../telemetry/log.ts';
import type { WatchedPlatforms } from './watched-platforms.ts';

/** Opens what the database holds of watched channels and their messages. */
export const openStores = async (
  store: Store,
  now: () => number,
  log: Log,
  platforms: Pick<WatchedPlatforms, 'find'>,
) => ({
  store,
  quota: store.quota,
  inbox: createInboxStore({ store, now }),
  stored: createMirrorStore(store, now),
  cursors: createCursorStore(store, (err) => log.warn({ err }, 'cursors could not be stored')),
  threads: createStandingThreads(store),
  linkedThreads: createLinkedThreadStore(store),
  reactions: createCopiedReactionStore(store, now),
  gaps: createHistoryGaps(store),
  owed: createOwedHistories(store, now),
  marks: createLateMarks(store, now),
  invites: createLinkInvites(store, now),
  requests: createLinkRequestStore(store, now),
  watches: await openWatchStore(
    store,
    now,
    (channel) => nameElsewhere(channel, platforms),
    (space) => spaceElsewhere(space, platforms),
  ),
  undos: createWatchUndos(store, now),
  formers: createFormerSetups(store),
  blocks: createBlocks(store, now),
  proposals: createGlossaryProposals(store, now),
});
