import { backoffMs, type Backoff } from './async/backoff.ts';
import { sleep, type Clock } from './async/clock.ts';
import { AppError, toAppError } from './errors.ts';
import type { Log } from './log.ts';
import type { OpenDeliveries } from './ports/deliveries.ts';
import type { DeliveryStore, StoredDelivery } from './store/deliveries.ts';

export interface DeliveriesDeps {
  readonly storeOf: (platform: string) => DeliveryStore;
  readonly log: Log;
  readonly clock: Clock;
}

const BACKOFF: Backoff = { firstMs: 1_000, longestMs: 60_000 };
/** Tries of one event, over some ten minutes; until then those of the same order wait. */
const TRIES = 15;

/** Creates what opens the deliveries of platforms. */
export const createOpenDeliveries =
  ({ storeOf, log, clock }: DeliveriesDeps): OpenDeliveries =>
  (platform, handle) => {
    const stored = storeOf(platform);
    const stopping = new AbortController();
    /** The end of the last event of each order; gone once there is none. */
    const tails = new Map<string, Promise<void>>();
    /** The events that are not handled yet, by number. */
    const known = new Map<number, { readonly spaceId: string; readonly handled: Promise<void> }>();

    const tryToHandle = async (number: number): Promise<void> => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          const body = await stored.read(number);
          if (body !== undefined) await handle(body);
          return await stored.end(number);
        } catch (thrown) {
          stopping.signal.throwIfAborted();
          const { code, message: reason, retryable } = toAppError(thrown);
          const isFinal = thrown instanceof AppError && !retryable && code !== 'internal';
          if (isFinal || attempt >= TRIES) {
            log.error({ platform, code, err: thrown }, 'an event was given up');
            return stored.end(number);
          }
          log.warn({ platform, code, reason }, 'an event could not be handled yet');
          await sleep(clock, backoffMs(BACKOFF, attempt - 1), stopping.signal);
        }
      }
    };

    const handleAfter = async (before: Promise<void>, number: number): Promise<void> => {
      await before;
      if (stopping.signal.aborted) return;
      try {
        await tryToHandle(number);
      } catch (err) {
        if (!stopping.signal.aborted) log.error({ platform, err }, 'an event could not be ended');
      }
      known.delete(number);
    };

    const add = ({ number, space, orderKey }: StoredDelivery): void => {
      if (known.has(number)) return;
      const tail = handleAfter(tails.get(orderKey) ?? Promise.resolve(), number);
      known.set(number, { spaceId: space.id, handled: tail });
      tails.set(orderKey, tail);
      void tail.then(() => tails.get(orderKey) === tail && tails.delete(orderKey));
    };

    return {
      take: async (delivery) => {
        const number = await stored.put(delivery);
        if (number !== undefined) add({ ...delivery, number });
      },
      resume: async () => {
        for (const delivery of await stored.open()) add(delivery);
      },
      handled: async ({ id }) => {
        const own = [...known.values()].filter(({ spaceId }) => spaceId === id);
        await Promise.all(own.map(async ({ handled }) => handled));
      },
      [Symbol.dispose]: () => stopping.abort(),
    };
  };
