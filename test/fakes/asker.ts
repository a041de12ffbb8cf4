import type { Account } from '../../src/api/keys.ts';
import type { Asker } from '../../src/model/lane.ts';

/** Somebody who uses a command. */
export const ASKER: Asker = { lane: 'interactive', space: { platform: 'p', id: 'asking' } };

/** Nobody brought a key. */
export const accountOf = async (): Promise<Account> => ({ id: 'operator', isOwn: false });
