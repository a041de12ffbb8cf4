import { randomUUID } from 'node:crypto';
import type { Clock } from '../async/clock.ts';
import { AppError } from '../errors.ts';
import type { Processes } from '../ports/processes.ts';
import { holdLease } from './held-lease.ts';

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
  /** The lease of the bot's set that this process holds. */
  let held: AsyncDisposable | undefined;
  const setOf = (bot: number): string => `${name} ${bot}`;

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
      held ??= await holdLease(leases, `${setOf(bot)}:${randomUUID()}`, clock);
      const agreed = await agreements.agree(name, bot);
      if (agreed === bot || (await takeFrom(agreed, bot))) return;
      throw new AppError(
        'config',
        `processes with the ${variable} of another ${noun} work on the database at DATABASE_URL: give this ${noun} ` +
          'a database of its own, or end them first',
      );
    },
    [Symbol.asyncDispose]: async (): Promise<void> => held?.[Symbol.asyncDispose](),
  };
};
