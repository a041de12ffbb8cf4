import { silentLog } from './silent-log.ts';
import { createOutageWaits } from '../../src/autotranslate/outages/waits.ts';

/** Partitions that wait, and whose channels are not watched, so that nobody is told. */
export const createSilentWaits = () =>
  createOutageWaits({
    watches: { of: () => undefined, group: () => [] },
    spaces: { of: async () => ({ rules: {} }) as never },
    texts: { rich: () => () => [] },
    platforms: { find: () => undefined },
    moderators: { paused: () => undefined, resumed: () => undefined },
    tell: async () => {},
    log: silentLog,
    now: Date.now,
  });
