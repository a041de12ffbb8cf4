import { hash } from 'node:crypto';
import type { Clock } from '../../src/async/clock.ts';
import { createSingleBot, type BotKind, type SingleBot } from '../../src/cluster/single-bot.ts';
import type { Processes } from '../../src/ports/processes.ts';

/** Apps with the token of one workspace, known by their ids. */
const BY_TOKEN: BotKind = { name: 'slack-app', noun: 'app', variable: 'SLACK_BOT_TOKEN' };
/** Apps that workspaces install, known by their client IDs: before the first one has, nothing tells another id. */
const BY_CLIENT: BotKind = { name: 'slack-client', noun: 'app', variable: 'SLACK_CLIENT_ID' };

/** Digits of a hash in base 16, as many as a number has without loss. */
const DIGITS = 12;

const numberOf = (id: string): number =>
  Number.parseInt(hash('sha256', id, 'hex').slice(0, DIGITS), 16);

/**
 * Keeps processes of two apps from working on one database.
 *
 * @param clientId the app's client ID; undefined where the token of one workspace is configured
 * @param appId finds the app's id in that workspace
 */
export const createOneApp = (
  processes: Processes,
  clock: Pick<Clock, 'after'>,
  clientId: string | undefined,
  appId: () => string | undefined,
): Omit<SingleBot, 'demand'> & { readonly demand: () => Promise<void> } => {
  const oneBot = createSingleBot(processes, clock, clientId === undefined ? BY_TOKEN : BY_CLIENT);
  return {
    demand: async () => {
      const id = clientId ?? appId();
      if (id !== undefined) await oneBot.demand(numberOf(id));
    },
    [Symbol.asyncDispose]: async () => oneBot[Symbol.asyncDispose](),
  };
};
