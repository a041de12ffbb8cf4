import { MINUTE_MS } from '../../async/clock.ts';
import type { Leases } from '../../ports/processes.ts';
import type { MirrorStore } from '../../store/channels/mirrors.ts';
import type { SpaceSettings } from '../../store/settings.ts';
import type { Log } from '../../telemetry/log.ts';
import type { InboxWriter } from '../ingest.ts';
import { startRepeated } from '../repeated.ts';

export interface FlagRemovalDeps {
  readonly spaces: Pick<SpaceSettings, 'removingFlags'>;
  readonly stored: Pick<MirrorStore, 'flagReplies'>;
  readonly markDeleted: InboxWriter['markDeleted'];
  readonly leases: Pick<Leases, 'share'>;
  readonly log: Log;
  readonly now: () => number;
}

/** Time between two looks at what flags brought. */
const LOOKED_EVERY_MS = 20_000;
/** Replies of one space that are removed at one look. */
const MOST_AT_ONCE = 50;

/**
 * Has what flags brought removed again where moderators want that, by one process at a time, until it is disposed of. What
 * is due is read from what stands, so that nothing is forgotten over a restart.
 */
export const startFlagRemoval = (deps: FlagRemovalDeps): AsyncDisposable => {
  const { spaces, stored, markDeleted, leases, log, now } = deps;

  const remove = async (): Promise<void> => {
    try {
      for (const { space, keptMinutes } of await spaces.removingFlags()) {
        const beforeMs = now() - keptMinutes * MINUTE_MS;
        for (const { ref, purpose } of await stored.flagReplies(space, beforeMs, MOST_AT_ONCE))
          await markDeleted([ref], { purpose });
      }
    } catch (err) {
      log.warn({ err }, 'translations of flags could not be removed');
    }
  };

  return startRepeated(leases, 'flag-removal', LOOKED_EVERY_MS, remove);
};
