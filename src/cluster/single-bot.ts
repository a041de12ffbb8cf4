import { randomUUID } from 'node:crypto';
import { whenAborted } from '../async/abort.ts';
import { sleep, type Clock } from '../async/clock.ts';
import { AppError } from '../errors.ts';
import type { Tenure, Processes } from '../ports/processes.ts';

const AGAIN_MS = 1_000;

/** The bots of a platform, of which one may work on a database. */
export interface BotKind {
  /** Name of the agreed bot's number, one word; the first one of the sets of leases that the processes of a bot hold. */
  readonly name: string;
  /** The platform’s word for a bot. */
  readonly noun: 'app' | 'bot';
  /** The variable that says which bot it is. */
  readonly variable: string;
}

export type SingleBot = ReturnType<typeof createSingleBot>;

/**
 * Creates the check of the bot: processes of two would take messages from each other, and could not post what belongs to
 * the other's spaces.
 */
export const createSingleBot = (
  { agreements, leases, isAlone }: Pick<Processes, 'agreements' | 'leases' | 'isAlone'>,
  clock: Pick<Clock, 'after'>,
  { name, noun, variable }: BotKind,
) => {
  const over = new AbortController();
  let tenure: Tenure | undefined;
  const setOf = (bot: number): string => `${name} ${bot}`;

  const acquire = async (bot: number): Promise<Tenure> => {
    tenure = await leases.acquire(`${setOf(bot)}:${randomUUID()}`, over.signal);
    return tenure;
  };
  /** Acquires the lease again and again whenever it was lost. */
  const holdOn = async (bot: number, first: Tenure): Promise<void> => {
    let held: Tenure | undefined = first;
    while (!over.signal.aborted) {
      if (held) await whenAborted(held.signal);
      if (over.signal.aborted) return;
      held = await acquire(bot).catch(() => undefined);
      if (!held) await sleep(clock, AGAIN_MS, over.signal).catch(() => undefined);
    }
  };
  /** Holds a lease of the bot's set from now on, also after one was lost. */
  const hold = async (bot: number): Promise<void> => void holdOn(bot, await acquire(bot));
  /** Takes the place of another bot that no process runs; false where one does. */
  const takeFrom = async (former: number, bot: number): Promise<boolean> => {
    const set = setOf(former);
    if (await leases.isAnyHeld(set)) return false;
    return (await agreements.replace(name, { former, value: bot, unlessHeld: set })) === bot;
  };
  return {
    /** Resolves once no process runs another bot, and none can begin to. Rejects with `config` while one does. */
    demand: async (bot: number): Promise<void> => {
      if (isAlone) return;
      // Before the agreed one is asked for, so that whoever takes its place sees that it is run.
      if (!tenure) await hold(bot);
      const agreed = await agreements.agree(name, bot);
      if (agreed === bot || (await takeFrom(agreed, bot))) return;
      throw new AppError(
        'config',
        `processes with the ${variable} of another ${noun} work on the database at DATABASE_URL: give this ${noun} ` +
          'a database of its own, or end them first',
      );
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      over.abort();
      await tenure?.release();
    },
  };
};
