import { silentLog } from './silent-log.ts';
import { createStalledSpaces } from '../../src/autotranslate/stalled-spaces.ts';
import { createOutageWaits } from '../../src/autotranslate/outages/waits.ts';

/** What partitions wait for, whose channels are not watched: nobody is told, and no space passes another. */
export const createSilentWaits = () => ({
  waits: createOutageWaits({
    watches: { of: () => undefined, group: () => [] },
    spaces: { of: async () => ({ rules: {} }) as never },
    texts: { rich: () => () => [] },
    platforms: { find: () => undefined },
    moderators: { paused: () => undefined, resumed: () => undefined },
    tell: async () => {},
    log: silentLog,
    now: Date.now,
  }),
  stalled: createStalledSpaces(),
  watches: { inGroup: () => [] },
  wake: () => undefined,
});
