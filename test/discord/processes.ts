import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { createDiscordAdapter, type DiscordOptions } from '../../adapters/discord/adapter.ts';
import type { Adapter, Core } from '../../src/adapter.ts';
import { createServiceClient } from '../../src/api/client.ts';
import type { Store } from '../../src/store/index.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { makeDatabase } from '../fakes/database.ts';
import {
  startDiscordFake,
  type DiscordFake,
  type FakeChannel,
  type FakeGuild,
} from '../fakes/discord/index.ts';
import { guildsOfShards } from '../fakes/discord/shard-of.ts';
import { onServer } from '../fakes/on-server.ts';
import { openTestCore } from '../fakes/open-core.ts';
import { startSpeechFake, type SpeechFake } from '../fakes/speech.ts';
import { fastClock } from './support.ts';

/** Every window of Discord's limits is so many times shorter: five seconds are a quarter of one. */
const SPEED = 20;
/** Longer than that by what a busy machine may take. */
const IDENTIFY_EVERY_MS = 500;

/** One process of several. */
export interface BotProcess {
  readonly name: string;
  readonly core: Core;
  readonly adapter: Adapter;
  readonly store: Store;
  readonly logged: string[];
  /**
   * Lets a minute have passed in which it stood still, so that its leases are over.
   *
   * @param lease one of its shards, as `<count>:<id>`
   */
  freeze(lease: string): Promise<void>;
  stop(): Promise<void>;
}

/** Several processes on one database, and one Discord. */
export interface Processes {
  readonly discord: DiscordFake;
  readonly speech: SpeechFake;
  /** Address of their database. */
  readonly database: string;
  open(part?: Partial<DiscordOptions>): Promise<BotProcess>;
  /** Makes servers until each of so many shards has one; resolves with those of the shards. */
  towns(shards: number): readonly (readonly [guild: FakeGuild, channel: FakeChannel])[];
  /** The names of the processes that are connected for each shard. */
  owners(shards: number): readonly (readonly string[])[];
}

export const openProcesses = async (
  options: Parameters<typeof startDiscordFake>[0],
): Promise<Processes> => {
  const discord = await startDiscordFake({ speed: SPEED, ...options });
  onTestFinished(async () => discord[Symbol.asyncDispose]());
  const speech = await startSpeechFake();
  onTestFinished(async () => speech[Symbol.asyncDispose]());
  const url = await makeDatabase();
  let opened = 0;

  return {
    discord,
    speech,
    database: url,
    open: async (part = {}) => {
      opened += 1;
      const name = `p${opened}`;
      const logged: string[] = [];
      const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) });
      const parts = new AsyncDisposableStack();
      onTestFinished(async () => parts.disposeAsync());
      let aheadMs = 0;
      const store = parts.adopt(
        await openPostgresStore({
          url,
          connections: 5,
          log,
          wallMs: () => Date.now() + aheadMs,
        }),
        async (open) => open.destroy(),
      );
      const client = parts.use(
        createServiceClient({
          baseUrl: speech.url,
          key: speech.key,
          retry: { random: () => 0, sleep: async () => {} },
        }),
      );
      const running = parts.use(await openTestCore({ client, store, log }));
      const adapter = parts.use(
        createDiscordAdapter(
          {
            token: discord.token,
            url: discord.urlFor(name),
            requestsPerSecond: 10_000,
            random: () => 0,
            identifyEveryMs: IDENTIFY_EVERY_MS,
            clock: fastClock,
            ...part,
          },
          running.core,
        ),
      );
      running.attach(adapter);
      await adapter.start();
      return {
        name,
        core: running.core,
        adapter,
        store,
        logged,
        freeze: async (lease) => {
          aheadMs = 60_000;
          await onServer(
            url,
            `UPDATE lease SET expires_ms = 0
             WHERE owner = (SELECT owner FROM lease WHERE name = 'discord-shards-${lease}')`,
          );
        },
        stop: async () => parts.disposeAsync(),
      };
    },
    towns: (shards) =>
      guildsOfShards(discord, shards).map(
        (guild) => [guild, guild.channel({ name: 'general' })] as const,
      ),
    owners: (shards) =>
      Array.from({ length: shards }, (_, shard) =>
        discord.gateway.sessions
          .filter(
            ({ connected, shard: [id, count] }) => connected && id === shard && count === shards,
          )
          .map(({ client }) => client),
      ),
  };
};

type Owners = readonly (readonly string[])[];

/** True when each shard has one connection. */
export const isWhole = (owners: Owners): boolean => owners.every(({ length }) => length === 1);

/** Numbers of the shards that processes have, in their order. */
export const counts = (owners: Owners): number[] => {
  const names = owners.flat();
  return [...new Set(names)]
    .map((name) => names.filter((one) => one === name).length)
    .toSorted((a, b) => a - b);
};

/** Has a channel of each server translated in place. */
export const watchAll = async (
  discord: DiscordFake,
  towns: readonly (readonly [FakeGuild, FakeChannel])[],
): Promise<void> => {
  await Promise.all(
    towns.map(([guild, channel]) =>
      discord
        .command(guild.owner, {
          channel,
          name: 'autotranslate reply',
          options: { languages: 'es' },
        })
        .answer(),
    ),
  );
};

/** Number of the replies with a translation. */
export const replies = (channel: FakeChannel, text: string): number =>
  channel.messages.filter(({ content }) => content.includes(`es:${text}`)).length;
