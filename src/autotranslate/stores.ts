import { createCursorStore } from '../store/channels/cursors.ts';
import { createHistoryGaps } from '../store/channels/histories.ts';
import { createLinkInvites, openWatchStore } from '../store/channels/watches.ts';
import { createMirrorStore, createStandingThreads } from '../store/channels/mirrors.ts';
import { createInboxStore } from '../store/inbox/index.ts';
import type { Store } from '../store/index.ts';
import type { Log } from '../telemetry/log.ts';

export type Stores = Awaited<ReturnType<typeof openStores>>;

/** Opens what the database holds of watched channels and their messages. */
export const openStores = async (store: Store, now: () => number, log: Log) => ({
  store,
  inbox: createInboxStore({ store, now }),
  stored: createMirrorStore(store, now),
  cursors: createCursorStore(store, (err) => {
    log.warn({ err }, 'cursors could not be stored');
  }),
  threads: createStandingThreads(store),
  gaps: createHistoryGaps(store),
  invites: createLinkInvites(store, now),
  watches: await openWatchStore(store, now),
});
