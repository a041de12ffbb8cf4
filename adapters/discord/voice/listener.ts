import { toAppError } from '../../../src/errors.ts';
import type { Log } from '../../../src/log.ts';
import type { LinkListener } from '../../../src/ports/voice.ts';
import { createBudget } from './counters.ts';

/** Packets come 50 times a second, and so may what goes wrong with them. */
const LOGGED = { most: 10, windowMs: 60_000 };

/** A listener that throws nothing: it is called from inside the library and from sockets. */
export const guardListener = (
  listener: LinkListener,
  log: Log,
  nowMs: () => number,
): LinkListener => {
  const budget = createBudget(LOGGED.most, LOGGED.windowMs, nowMs);
  const guard =
    <Told extends unknown[]>(tell: (...told: Told) => void) =>
    (...told: Told): void => {
      try {
        tell(...told);
      } catch (thrown) {
        if (!budget.take()) return;
        const { code, message, cause } = toAppError(thrown);
        const what = 'Discord: what a voice channel told was not taken';
        log.error({ code, reason: message, err: cause }, what);
      }
    };
  return {
    packet: guard((packet) => listener.packet(packet)),
    moved: guard((to) => listener.moved(to)),
    audible: guard((memberId, isAudible) => listener.audible(memberId, isAudible)),
    missed: guard((ms) => listener.missed(ms)),
    connected: guard((isConnected) => listener.connected(isConnected)),
    ended: guard((error) => listener.ended(error)),
  };
};
