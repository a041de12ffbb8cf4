import {
  RESTJSONErrorCodes,
  Routes,
  type APIChannel,
  type APIGuild,
  type APIGuildMember,
  type Client,
} from 'discord.js';
import type { Clock } from '../../../src/async/clock.ts';
import { AppError } from '../../../src/errors.ts';
import type { Api } from '../api.ts';
import type { Application } from '../application.ts';
import { isRefusal } from '../errors.ts';
import type { ThreadParents } from '../thread-parents.ts';

/** Time for which what was read of a server of another process is used. */
const LIFE_MS = 60_000;
/** Time for which it is used after a refusal, which may come of a change. */
const DOUBTED_MS = 1_000;
/** Servers of other processes that are in memory. */
const MOST = 200;

export interface ClientsDeps {
  readonly api: Api;
  readonly application: () => Application;
  /** Makes a client that never connects. */
  readonly makeVisitor: (application: Application) => Client;
  readonly parents: Pick<ThreadParents, 'note'>;
  readonly clock: Clock;
  /** True where no other process can have a shard. */
  readonly isAlone: boolean;
}

interface Visit {
  readonly done: Promise<void>;
  readonly atMs: number;
  untilMs: number;
}

/** Method by which the library itself puts a server of the gateway into its cache. */
const ADD = '_add';
interface GuildCache {
  [ADD](data: object): unknown;
}

const forget = (client: Client, guildId: string): void => {
  const guild = client.guilds.cache.get(guildId);
  for (const id of guild?.channels.cache.keys() ?? []) client.channels.cache.delete(id);
  client.guilds.cache.delete(guildId);
};

/** Refusals where the bot is not in a server. */
const NOT_THERE = [
  RESTJSONErrorCodes.UnknownGuild,
  RESTJSONErrorCodes.UnknownMember,
  RESTJSONErrorCodes.MissingAccess,
];
const PLACE_IN_PATH = /\/(?:channels|guilds)\/(?<id>\d+)/;

export type Clients = ReturnType<typeof createClients>;

/** Creates the caches of servers: of this process's shards, and of servers that were read by requests. */
export const createClients = (deps: ClientsDeps) => {
  const { api, application, makeVisitor, parents, clock, isAlone } = deps;
  const own = new Set<Client>();
  const visits = new Map<string, Visit>();
  let made: Client | undefined;

  const visitor = (): Client => {
    if (made) return made;
    made = makeVisitor(application());
    // Only a client that has connected knows who it is; members are found by that.
    Object.assign(made, { user: { id: application().botId } });
    return made;
  };

  /** Reads a server as the gateway would send it, and puts it into the cache if it is still needed then. */
  const read = async (guildId: string, isNeeded: () => boolean): Promise<void> => {
    const client = visitor();
    try {
      const [guild, channels, { threads }, me] = await Promise.all([
        api.send<APIGuild>('GET', Routes.guild(guildId)),
        api.send<APIChannel[]>('GET', Routes.guildChannels(guildId)),
        api.send<{ threads: (APIChannel & { parent_id?: string })[] }>(
          'GET',
          Routes.guildActiveThreads(guildId),
        ),
        api.send<APIGuildMember>('GET', Routes.guildMember(guildId, application().botId)),
      ]);
      if (!isNeeded()) return;
      for (const thread of threads) parents.note(guildId, thread);
      forget(client, guildId);
      const guilds = client.guilds as unknown as GuildCache;
      guilds[ADD]({ ...guild, channels, threads, members: [me] });
    } catch (thrown) {
      if (isNeeded()) forget(client, guildId);
      if (!isRefusal(thrown, ...NOT_THERE)) throw thrown;
    }
  };

  const visit = async (guildId: string): Promise<void> => {
    const nowMs = clock.nowMs();
    const known = visits.get(guildId);
    if (known && nowMs < known.untilMs) return known.done;
    const begun: Visit = {
      done: read(guildId, () => visits.get(guildId) === begun),
      atMs: nowMs,
      untilMs: nowMs + LIFE_MS,
    };
    // Ordered by their times, so that the first one is the oldest.
    visits.delete(guildId);
    visits.set(guildId, begun);
    for (const oldest of visits.keys()) {
      if (visits.size <= MOST) break;
      visits.delete(oldest);
      forget(visitor(), oldest);
    }
    try {
      await begun.done;
    } catch (thrown) {
      if (visits.get(guildId) === begun) visits.delete(guildId);
      throw thrown;
    }
    const current = visits.get(guildId);
    if (!current)
      throw new AppError('unavailable', 'too many servers are read at once', { retryable: true });
    if (current !== begun) await current.done;
  };

  const here = (guildId: string): Client | undefined => {
    for (const client of own) if (client.guilds.cache.has(guildId)) return client;
    return undefined;
  };

  return {
    add: (client: Client): void => void own.add(client),
    remove: (client: Client): void => void own.delete(client),
    /** The client of the shard of a server; undefined where another process has it. */
    here,
    /** Clients of all shards here. */
    all: (): readonly Client[] => [...own],
    /**
     * A client whose caches have a server, unless the bot is not there. Rejects with a retryable
     * error where it cannot be read now.
     */
    knowing: async (guildId: string): Promise<Client> => {
      const known = here(guildId);
      if (isAlone) return known ?? visitor();
      if (known?.guilds.cache.get(guildId)?.available) return known;
      if (/^\d+$/.test(guildId)) await visit(guildId);
      return visitor();
    },
    /** Has the server of a request that was refused read anew. */
    doubt: (path: string): void => {
      if (!made) return;
      const id = PLACE_IN_PATH.exec(path)?.groups?.['id'] ?? '';
      const channel = made.channels.cache.get(id);
      const guildId = channel && 'guildId' in channel ? (channel.guildId ?? id) : id;
      const known = visits.get(guildId);
      if (known) known.untilMs = Math.min(known.untilMs, known.atMs + DOUBTED_MS);
    },
    /** Ends the client of servers that were read. */
    close: async () => made?.destroy(),
  };
};
