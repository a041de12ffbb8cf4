import { setTimeout as delay } from 'node:timers/promises';
import { PATHS } from '../../src/api/contract.ts';
import { onServer } from '../../test/fakes/on-server.ts';
import type { Fault as ServiceFault } from '../../test/fakes/speech.ts';
import { createTokenBucket } from '../../test/fakes/token-bucket.ts';
import type { Places } from './places.ts';

/** A fault that people can cause or live through, with its name in the log. */
interface Fault {
  readonly name: string;
  run(places: Places): Promise<void> | void;
}

const LASTS_MS = 5_000;
const PLENTY = 2_000;
const POST = 'POST /channels/:id/messages';
const TEXT_PATHS = [PATHS.translate, PATHS.chat, PATHS.asr, PATHS.tts];

/** The service's faults come with every request while they last. */
const service = (name: string, fault: () => ServiceFault): Fault => ({
  name: `service: ${name}`,
  run: async ({ programs: { speech } }) => {
    for (const path of TEXT_PATHS) speech.fail(path, ...Array.from({ length: PLENTY }, fault));
    await delay(LASTS_MS);
    speech.heal();
  },
});

/** For as long as it lasts. */
const during = () => {
  const untilMs = performance.now() + LASTS_MS;
  return { while: () => performance.now() < untilMs };
};

const FAULTS: readonly Fault[] = [
  service('503', () => ({ status: 503 })),
  service('resets', () => ({ reset: true })),
  service('2 s slower', () => ({ until: delay(2_000) })),
  {
    name: 'service: four requests a second',
    run: async ({ programs: { speech } }) => {
      speech.limit = createTokenBucket(() => performance.now(), { perSecond: 4, burst: 4 });
      await delay(LASTS_MS);
      speech.limit = undefined;
    },
  },
  {
    name: 'service: answers to /ask are cut off',
    run: ({ programs: { speech } }) => speech.fail(PATHS.chat, { cutAfter: 40 }, { cutAfter: 70 }),
  },
  { name: 'gateway: drops', run: ({ programs }) => programs.discord.gateway.drop() },
  { name: 'gateway: reconnect', run: ({ programs }) => programs.discord.gateway.reconnect() },
  {
    name: 'gateway: session invalid',
    run: ({ programs }) => programs.discord.gateway.invalidate(),
  },
  { name: 'voice gateway: drops', run: ({ programs }) => programs.discord.voice.drop() },
  {
    name: 'Discord: 429',
    run: ({ programs }) => {
      const body = { message: 'You are being rate limited.', retry_after: 1, global: false };
      const headers = { 'retry-after': '1', 'x-ratelimit-scope': 'shared' };
      programs.discord.fail(POST, { status: 429, body, headers }, during());
    },
  },
  {
    name: 'Discord: 503',
    run: ({ programs }) => programs.discord.fail(POST, { status: 503 }, { times: 10 }),
  },
  {
    name: 'Discord: answers are lost',
    run: ({ programs }) => programs.discord.fail(POST, { reset: 'after' }, { times: 3 }),
  },
  {
    name: 'Slack: 429',
    run: ({ slack: { slack } }) =>
      slack.fail('chat.postMessage', { status: 429, headers: { 'retry-after': '1' } }, during()),
  },
  {
    name: 'Slack: 503',
    run: ({ slack: { slack } }) => slack.fail('chat.postMessage', { status: 503 }, { times: 5 }),
  },
  { name: 'Slack: sockets drop', run: ({ slack: { slack } }) => slack.sockets.drop() },
  { name: 'Slack: sockets are renewed', run: ({ slack: { slack } }) => slack.sockets.disconnect() },
  {
    name: 'PostgreSQL: connections are ended',
    run: async ({ programs }) =>
      onServer(
        programs.databaseUrl,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      ),
  },
];

const restart: Fault = {
  name: 'PostgreSQL: restarts',
  run: async ({ programs: { postgres } }) => {
    await postgres.stop('SIGINT');
    await postgres.start();
  },
};

/**
 * Causes one fault after the other until it is stopped; resolves when the last one is over.
 *
 * @param options with what is in the names of the faults; all are caused where it is empty
 */
export const causeFaults = async (
  places: Places,
  options: { readonly everyMs: number; readonly restartEvery: number; readonly only: string },
  signal: AbortSignal,
  onFault: (name: string) => void,
): Promise<void> => {
  const { only } = options;
  const chosen = FAULTS.filter(({ name }) => name.includes(only));
  const isRestarting = restart.name.includes(only);
  if (chosen.length === 0 && !isRestarting) throw new Error(`no fault has ${only} in its name`);
  for (let at = 1; ; at += 1) {
    await delay(options.everyMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) break;
    const isRestart = isRestarting && (chosen.length === 0 || at % options.restartEvery === 0);
    const fault = isRestart ? restart : chosen[at % chosen.length]!;
    onFault(fault.name);
    await fault.run(places);
  }
  places.programs.speech.heal();
  places.programs.discord.heal();
  places.slack.slack.heal();
};
