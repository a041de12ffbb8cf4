import type { DiscordFake } from '../test/fakes/discord/index.ts';

/** Number of the shards that each client is connected for. */
export const partsOf = ({ gateway }: DiscordFake): Map<string, number> => {
  const parts = new Map<string, number>();
  for (const { connected, client } of gateway.sessions)
    if (connected) parts.set(client, (parts.get(client) ?? 0) + 1);
  return parts;
};

/** True when each shard is connected, by another client than this one. */
export const isWhole = ({ gateway }: DiscordFake, shards: number, without?: string): boolean => {
  const connected = gateway.sessions.filter((one) => one.connected && one.client !== without);
  return new Set(connected.map(({ shard: [id] }) => id)).size === shards;
};

/** True when each shard is connected, and so many clients have a fair part of them. */
export const isShared = (discord: DiscordFake, shards: number, clients: number): boolean => {
  const parts = partsOf(discord);
  const most = shards / (clients - 1);
  return (
    isWhole(discord, shards) &&
    parts.size === clients &&
    [...parts.values()].every((part) => part <= most)
  );
};
