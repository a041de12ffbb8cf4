import { createServiceClient, type ServiceClient } from '../../src/api/client.ts';
import { createRealtime, type RealtimeOptions } from '../../src/api/realtime/index.ts';
import { type CoreDeps, openCore, type RunningCore } from '../../src/app/core.ts';
import { realCommands } from './real-commands.ts';
import type { Log } from '../../src/telemetry/log.ts';
import { silentLog } from './silent-log.ts';
import { openStore } from '../../src/store/index.ts';
import type { SpeechFake } from './speech.ts';
import { realTexts } from './texts.ts';
import { createHastyClock } from './clock.ts';

/** The dependencies of the core, without their groups. */
export type CoreParts = CoreDeps['service'] &
  Pick<CoreDeps, 'store'> &
  Partial<
    Omit<CoreDeps, 'service' | 'telemetry' | 'process'> &
      CoreDeps['telemetry'] &
      NonNullable<CoreDeps['process']>
  >;

/** Opens the real core with the real commands and sentences, without logs. */
export const openTestCore = async ({
  client,
  realtime,
  ownKeys,
  calls,
  builtIn,
  log = silentLog,
  metrics,
  tracing,
  receives,
  draining,
  ...part
}: CoreParts): Promise<RunningCore> => {
  const running = await openCore({
    service: { client, ...(realtime && { realtime }), ...(calls && { calls }), ownKeys, builtIn },
    telemetry: { log, ...(metrics && { metrics }), ...(tracing && { tracing }) },
    process: { ...(receives === undefined ? {} : { receives }), ...(draining && { draining }) },
    texts: realTexts,
    commands: realCommands,
    config: { INBOX_DAYS: 7, COPY_DAYS: 365, OPERATORS: new Set<string>() },
    ...part,
  });
  running.startWork();
  return running;
};

/** Opens that core without a service, over a database of its own, which is closed with it. */
export const openOwnCore = async (part: Partial<CoreParts> = {}) => {
  const store = await openStore('sqlite::memory:');
  const running = await openTestCore({ client: {} as ServiceClient, store, ...part });
  return {
    ...running,
    store,
    [Symbol.asyncDispose]: async () => {
      await running[Symbol.asyncDispose]();
      await store.destroy();
    },
  };
};

/** Opens that core over the fake service, whose failures are retried at once, and a database. */
export const openServedCore = async (
  { url, key }: SpeechFake,
  databaseUrl = 'sqlite::memory:',
  uses: RealtimeOptions['uses'] = [],
  log: Log = silentLog,
): Promise<RunningCore> => {
  const store = await openStore(databaseUrl);
  const client = createServiceClient({
    baseUrl: url,
    key,
    retry: { random: () => 0, sleep: async () => {} },
    clock: createHastyClock(),
  });
  const realtime = createRealtime({
    baseUrl: url,
    key,
    uses,
    requests: client,
    log,
  });
  const running = await openTestCore({ client, store, realtime, log });
  return {
    ...running,
    [Symbol.asyncDispose]: async () => {
      await running[Symbol.asyncDispose]();
      realtime[Symbol.dispose]();
      await client[Symbol.asyncDispose]();
      await store.destroy();
    },
  };
};
