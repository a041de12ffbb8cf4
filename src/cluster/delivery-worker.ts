import { backoffMs, type Backoff, sleep, waitUntil, type Clock } from '../async/clock.ts';
import { AppError, toAppError } from '../errors.ts';
import type { Log } from '../telemetry/log.ts';
import type { OpenDeliveries } from '../ports/store.ts';
import type { SlotOwner } from './slot-owner.ts';
import { isStorageFault } from '../sqlite/disk-fault.ts';
import type { DeliveryStore, StoredDelivery } from '../store/deliveries.ts';
import { slotOf } from '../store/rows.ts';

export interface DeliveryWorkerDeps {
  readonly storeOf: (platform: string) => DeliveryStore;
  /** The slots of the events that this process handles. */
  readonly slots: Pick<SlotOwner, 'serve' | 'slots' | 'tenureOf' | 'tell'>;
  readonly log: Log;
  readonly clock: Clock;
}

/** An event that is to be handled here. */
interface Known {
  readonly spaceId: string;
  readonly orderKey: string;
  readonly handled: Promise<void>;
}

const BACKOFF: Backoff = { firstMs: 1_000, longestMs: 60_000 };
/** Tries of one event, over some ten minutes; until then those of the same order wait. */
const TRIES = 15;

/** Wait between two looks whether other processes have handled their events of a space. */
const OTHERS_MS = 250;
/** Longest wait for them. */
const LONGEST_MS = 30_000;
/** Time between two looks for events of which this process was not told. */
const LOOK_MS = 5_000;

export const createDeliveryWorker =
  ({ storeOf, slots, log, clock }: DeliveryWorkerDeps): OpenDeliveries =>
  (platform, handle) => {
    const stored = storeOf(platform);
    const kind = `delivery-${platform}`;
    let isReady = false;
    const stopping = new AbortController();
    /** The end of the last event of each order; gone once there is none. */
    const tails = new Map<string, Promise<void>>();
    /** The events that are not handled yet, by number. */
    const known = new Map<number, Known>();

    /** Handles an event while this process has its slot; otherwise it is the next owner's. */
    const tryToHandle = async (number: number, orderKey: string): Promise<void> => {
      let failures = 0;
      for (let attempt = 0; ; attempt += 1) {
        const tenure = slots.tenureOf(orderKey);
        if (!tenure?.isHeld()) return;
        const isOurs = (): boolean => slots.tenureOf(orderKey) === tenure && tenure.isHeld();
        try {
          const body = await stored.read(number);
          if (!isOurs()) continue;
          if (body !== undefined) await handle(body);
          // It was handled, whoever has the slot by now.
          return await stored.end(number);
        } catch (thrown) {
          stopping.signal.throwIfAborted();
          if (!isOurs()) continue;
          const { code, message: reason, retryable } = toAppError(thrown);
          // A database that is away is no fault of the event.
          if (!isStorageFault(thrown)) {
            failures += 1;
            const isFinal = thrown instanceof AppError && !retryable && code !== 'internal';
            if (isFinal || failures >= TRIES) {
              if (await stored.giveUp(number, tenure))
                log.error({ platform, code, err: thrown }, 'an event was given up');
              return;
            }
          }
          log.warn({ platform, code, reason }, 'an event could not be handled yet');
          const ended = AbortSignal.any([stopping.signal, tenure.signal]);
          await sleep(clock, backoffMs(BACKOFF, attempt), ended).catch(() => undefined);
          stopping.signal.throwIfAborted();
        }
      }
    };

    const handleAfter = async (
      before: Promise<void>,
      number: number,
      orderKey: string,
    ): Promise<void> => {
      await before;
      if (stopping.signal.aborted) return;
      try {
        await tryToHandle(number, orderKey);
      } catch (err) {
        if (!stopping.signal.aborted) log.error({ platform, err }, 'an event could not be ended');
      }
      known.delete(number);
    };

    const add = ({ number, space, orderKey }: StoredDelivery): void => {
      if (known.has(number)) return;
      const tail = handleAfter(tails.get(orderKey) ?? Promise.resolve(), number, orderKey);
      known.set(number, { spaceId: space.id, orderKey, handled: tail });
      tails.set(orderKey, tail);
      void tail.then(() => tails.get(orderKey) === tail && tails.delete(orderKey));
    };

    const look = async (which: readonly number[]): Promise<void> => {
      if (!isReady) return;
      try {
        for (const delivery of await stored.open(which)) add(delivery);
      } catch (err) {
        if (!stopping.signal.aborted) log.warn({ platform, err }, 'events could not be looked for');
      }
    };
    slots.serve(kind, {
      begin: (slot) => void look([slot]),
      end: async (slot, _tenure, withinMs) => {
        const own = [...known.values()].filter(({ orderKey }) => slotOf(orderKey) === slot);
        const all = Promise.all(own.map(({ handled }) => handled));
        await waitUntil(clock, clock.nowMs() + withinMs, all);
      },
      hear: (orderKey) => void look([slotOf(orderKey)]),
    });
    const again = setInterval(() => void look(slots.slots()), LOOK_MS).unref();

    return {
      take: async (delivery) => {
        const number = await stored.put(delivery);
        if (number === undefined) return;
        if (!slots.tenureOf(delivery.orderKey)) return slots.tell(kind, delivery.orderKey);
        // Another process may have stored one before it, of which this one is told only now.
        await look([slotOf(delivery.orderKey)]);
        add({ ...delivery, number });
      },
      resume: async () => {
        isReady = true;
        await look(slots.slots());
      },
      handled: async (space) => {
        const upTo = await stored.newest();
        const latestMs = clock.nowMs() + LONGEST_MS;
        for (;;) {
          const own = [...known.values()].filter(({ spaceId }) => spaceId === space.id);
          await Promise.all(own.map(async ({ handled }) => handled));
          if (!(await stored.isOpen(space, upTo)) || clock.nowMs() > latestMs) return;
          await sleep(clock, OTHERS_MS, stopping.signal).catch(() => undefined);
          if (stopping.signal.aborted) return;
        }
      },
      [Symbol.dispose]: () => {
        clearInterval(again);
        stopping.abort();
      },
    };
  };
