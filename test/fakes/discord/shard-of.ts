import type { DiscordFake } from './start.ts';
import type { FakeGuild } from './driver/guild.ts';

/** The shard of a server (reference, "Sharding"). */
export const shardOf = ({ id }: { readonly id: string }, count: number): number =>
  Number((BigInt(id) >> 22n) % BigInt(count));

/** Makes servers until each of so many shards has one; resolves with them in the order of the shards. */
export const guildsOfShards = (discord: DiscordFake, shards: number): readonly FakeGuild[] => {
  const found = new Map<number, FakeGuild>();
  while (found.size < shards) {
    const guild = discord.guild({ name: 'Babel' });
    found.set(shardOf(guild, shards), guild);
    discord.clock.advance(1);
  }
  return Array.from({ length: shards }, (_, shard) => found.get(shard)!);
};
