import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** How a connection is spoilt. `after` and `hang: 'after'`: the request took effect, the answer is lost. */
export type ConnectionEffect =
  /** The connection is reset (ECONNRESET), which discord.js tries again. */
  | { readonly reset: 'before' | 'after' }
  /** The connection is closed without an answer, which discord.js does not try again. */
  | { readonly close: 'before' | 'after' }
  | { readonly hang: true | 'after' }
  /** Goes on as usual, but not before this resolves; `after`: it took effect, and the answer waits. */
  | { readonly until: Promise<unknown>; readonly when?: 'after' }
  | { readonly latencyMs: number };

/** Does to a connection what a test has asked for; true where there will be no answer. */
export const spoil = async (
  effect: ConnectionEffect | { readonly status: number } | { readonly error: string } | undefined,
  when: 'before' | 'after',
  response: ServerResponse,
): Promise<boolean> => {
  if (effect === undefined) return false;
  if ('reset' in effect && effect.reset === when) {
    response.socket?.resetAndDestroy();
    return true;
  }
  if ('close' in effect && effect.close === when) {
    response.socket?.destroy();
    return true;
  }
  if ('hang' in effect) return (effect.hang === 'after') === (when === 'after');
  if ('until' in effect && (effect.when ?? 'before') === when) await effect.until;
  if ('latencyMs' in effect && when === 'before') await delay(effect.latencyMs);
  return false;
};
