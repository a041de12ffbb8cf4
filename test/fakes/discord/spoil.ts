import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Effect } from './faults.ts';

/** Does to a connection what a test has asked for; true where there will be no answer. */
export const spoil = async (
  effect: Effect | undefined,
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
  if ('latencyMs' in effect && when === 'before') await delay(effect.latencyMs);
  return false;
};
