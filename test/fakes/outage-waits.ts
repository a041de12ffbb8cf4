import { createOutageWaits } from '../../src/autotranslate/outage-waits.ts';
import { silentLog } from './silent-log.ts';

/** Partitions that wait, and whose channels are not watched, so that nobody is told. */
export const createSilentWaits = () =>
  createOutageWaits({
    watches: { of: () => undefined, group: () => [] },
    texts: { rich: () => () => [] },
    post: async () => {},
    log: silentLog,
    now: Date.now,
  });
