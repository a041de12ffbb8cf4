import type { Waiters } from '../../wait.ts';
import type { Transport } from '../delivery/transport.ts';
import type { World } from '../state.ts';

/** What the handles of the driver share. */
export interface Tools {
  readonly world: World;
  readonly waiters: Waiters;
  readonly transport: () => Transport;
}
