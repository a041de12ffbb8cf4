import { randomUUID } from 'node:crypto';
import { sleep, type Clock } from '../../src/async/clock.ts';
import { AppError } from '../../src/errors.ts';
import type { Tenure } from '../../src/ports/leases.ts';
import type { Processes } from '../../src/ports/processes.ts';

/** Name of the agreed bot, and the first word of the sets of leases that the processes of a bot hold. */
const BOT = 'discord-bot';
const AGAIN_MS = 1_000;
/** Bits of an id below the time at which it was made; the time alone is a number without loss. */
const BELOW_TIME = 22n;

const numberOf = (applicationId: string): number => Number(BigInt(applicationId) >> BELOW_TIME);
const setOf = (bot: number): string => `${BOT} ${bot}`;

/** Keeps processes of two bots from working on one database. */
export interface OneBot extends AsyncDisposable {
  /** Resolves once no process runs another bot, and none can begin to. Rejects with `config` while one does. */
  demand(applicationId: string): Promise<void>;
}

/**
 * Creates the check of the bot: processes of two would take shards and messages from each other, and could not post
 * what belongs to the other's servers.
 */
export const createOneBot = (
  { agreements, leases, isAlone }: Pick<Processes, 'agreements' | 'leases' | 'isAlone'>,
  clock: Pick<Clock, 'after'>,
): OneBot => {
  const over = new AbortController();
  let tenure: Tenure | undefined;

  /** Holds a lease of the bot's set from now on, also after one was lost. */
  const hold = async (bot: number): Promise<void> => {
    tenure = await leases.acquire(`${setOf(bot)}:${randomUUID()}`, over.signal);
    tenure.signal.addEventListener('abort', () => void holdAgain(bot), { once: true });
  };
  const holdAgain = async (bot: number): Promise<void> => {
    while (!over.signal.aborted)
      try {
        return await hold(bot);
      } catch {
        await sleep(clock, AGAIN_MS, over.signal).catch(() => undefined);
      }
  };
  return {
    demand: async (applicationId) => {
      if (isAlone) return;
      const bot = numberOf(applicationId);
      // Before the others are looked for, so that of two bots that begin together one sees the other.
      if (!tenure) await hold(bot);
      const agreed = await agreements.agree(BOT, bot);
      if (agreed === bot) return;
      if (!(await leases.isAnyHeld(setOf(agreed)))) return agreements.write({ [BOT]: bot });
      throw new AppError(
        'config',
        'processes with the DISCORD_TOKEN of another bot work on the database at DATABASE_URL: give this bot ' +
          'a database of its own, or end them first',
      );
    },
    [Symbol.asyncDispose]: async () => {
      over.abort();
      await tenure?.release();
    },
  };
};
