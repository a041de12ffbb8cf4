import type { RawMessage } from './inbound/message-reader.ts';
import type { Clients } from './shards/clients.ts';

/** Members of one request: "Request Guild Members", `user_ids`. */
const MOST = 100;
/** Longest wait for an answer of the gateway. */
const WAIT_MS = 3_000;

/** Resolves with those of some people who are members of a server; with undefined where they can't be asked for together. */
export type MembersTogether = (
  guildId: string,
  userIds: readonly string[],
) => Promise<ReadonlyMap<string, NonNullable<RawMessage['member']>> | undefined>;

/** Creates what asks for many members in few requests: the gateway of a shard of this process takes such. */
export const createMembersTogether =
  (clients: Pick<Clients, 'here'>): MembersTogether =>
  async (guildId, userIds) => {
    const guild = clients.here(guildId)?.guilds.cache.get(guildId);
    if (!guild?.available) return undefined;
    const parts = Array.from({ length: Math.ceil(userIds.length / MOST) }, (_, at) =>
      userIds.slice(at * MOST, (at + 1) * MOST),
    );
    try {
      const found = await Promise.all(
        parts.map((user) => guild.members.fetch({ user, time: WAIT_MS })),
      );
      return new Map(
        found.flatMap((members) =>
          members.map(({ id, nickname: nick, avatar, roles }) => {
            const own = [...roles.cache.keys()].filter((role) => role !== guildId);
            return [id, { nick, avatar, roles: own }] as const;
          }),
        ),
      );
    } catch {
      return undefined;
    }
  };
