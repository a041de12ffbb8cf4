import type { Asker } from '../../src/model/lane.ts';

/** Somebody who uses a command. */
export const ASKER: Asker = { lane: 'interactive', space: { platform: 'p', id: 'asking' } };
