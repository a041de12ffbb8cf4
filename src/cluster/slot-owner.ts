import { sleep, type Clock } from '../async/clock.ts';
import type { Log } from '../telemetry/log.ts';
import type { Leases, Tenure } from '../ports/processes.ts';
import { SLOTS, slotOf } from '../store/rows.ts';

/** Work that is divided among processes by hash slots. */
export interface SlotWorker {
  /** Takes over what earlier tenures of a slot left in the store. */
  takeOver?(slot: number, tenure: Tenure): Promise<void>;
  /** Begins with all that is stored of a slot; `tenureOf` knows it from now on. */
  begin?(slot: number): void;
  /**
   * Ends the work on a slot under a tenure: what is under way is finished within that time, or left. Where the slot was
   * lost, a later tenure may begin with it meanwhile.
   */
  end?(slot: number, tenure: Tenure, withinMs: number): Promise<void>;
  /** Hears what some process told of a key whose slot this process has. */
  hear(message: string): void;
}

export interface SlotOwnerDeps {
  readonly leases: Leases;
  readonly log: Log;
  readonly clock: Clock;
}

/** Set of the slots' leases. */
const SET = 'slot';
const AGAIN_MS = 500;
/** Time for the work on a slot that another process gets. */
const END_MS = 3_000;

export type SlotOwner = ReturnType<typeof createSlotOwner>;

/** Creates what holds the hash slots that this process works on. */
export const createSlotOwner = ({ leases, log, clock }: SlotOwnerDeps) => {
  const workers = new Map<string, SlotWorker>();
  const owned = new Map<number, Tenure>();
  /** Tenures whose end has begun, although they may still be held: nothing is begun under them any more. */
  const ending = new WeakSet<Tenure>();
  let share: AsyncDisposable | undefined;
  let endMs = END_MS;

  /** Takes a slot over, for the workers that are served at that time. */
  const takeOver = async (
    slot: number,
    tenure: Tenure,
    taking: () => readonly SlotWorker[],
  ): Promise<void> => {
    const isWanted = (): boolean => tenure.isHeld() && !ending.has(tenure);
    while (isWanted())
      try {
        const own = taking();
        for (const worker of own) await worker.takeOver?.(slot, tenure);
        if (!isWanted()) return;
        owned.set(slot, tenure);
        for (const worker of own) worker.begin?.(slot);
        return;
      } catch (err) {
        log.warn({ err, slot }, 'a slot could not be taken over');
        await sleep(clock, AGAIN_MS, tenure.signal).catch(() => undefined);
      }
  };

  const end = async (slot: number, tenure: Tenure): Promise<void> => {
    ending.add(tenure);
    if (owned.get(slot) !== tenure) return;
    owned.delete(slot);
    await Promise.all(workers.values().map(async (worker) => worker.end?.(slot, tenure, endMs)));
  };

  return {
    /** Adds a kind of work, one word. */
    serve: (kind: string, worker: SlotWorker): void => {
      workers.set(kind, worker);
      for (const [slot, tenure] of owned) void takeOver(slot, tenure, () => [worker]);
    },
    /** Takes this process's part of the slots, and works on them until it is drained or disposed of. */
    start: (): void => {
      share ??= leases.share(SET, SLOTS, (tenure) => {
        const slot = Number(tenure.name.slice(tenure.name.indexOf(':') + 1));
        const taken = takeOver(slot, tenure, () => [...workers.values()]);
        tenure.signal.addEventListener('abort', () => void end(slot, tenure), { once: true });
        return {
          hear: (message) => {
            const [kind = ''] = message.split(' ', 1);
            workers.get(kind)?.hear(message.slice(kind.length + 1));
          },
          [Symbol.asyncDispose]: async () => {
            await end(slot, tenure);
            await taken;
          },
        };
      });
    },
    slots: (): readonly number[] => [...owned.keys()],
    /** The tenure of a key's slot; undefined where another process has it. */
    tenureOf: (key: string): Tenure | undefined => owned.get(slotOf(key)),
    /**
     * Tells the process that has a key's slot of it; new work it would find by itself, but later.
     *
     * @param message what to tell instead of the key; some thousand bytes at most
     */
    tell: (kind: string, key: string, message = key): void =>
      leases.tell(`${SET}:${slotOf(key)}`, `${kind} ${message}`),
    /** Gives all slots away; what is under way is finished within that time, or left. */
    drain: async (withinMs: number): Promise<void> => {
      endMs = withinMs;
      await share?.[Symbol.asyncDispose]();
    },
    [Symbol.asyncDispose]: async (): Promise<void> => share?.[Symbol.asyncDispose](),
  };
};
