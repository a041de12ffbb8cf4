import { RESTJSONErrorCodes, Routes } from 'discord.js';
import { createCache } from '../../src/async/lru.ts';
import { MINUTE_MS, type Clock } from '../../src/async/clock.ts';
import { recover } from '../../src/errors.ts';
import type { ChannelFeed } from '../../src/ports/channel-feed.ts';
import type { Api } from './api.ts';
import { isRefusal } from './errors.ts';
import type { Clients } from './shards/clients.ts';

const MOST_ASKED = 10_000;
/** Time for which an answer counts. A ban of which Discord tells meanwhile holds at once. */
const LIFE_MS = 10 * MINUTE_MS;

/**
 * Creates `ChannelFeed.isBanned`. The list of bans is for those who may ban (reference, "Get Guild Ban"): without that
 * permission nothing is asked, as refusals in number block the bot.
 */
export const createBans = (
  api: Api,
  clients: Pick<Clients, 'knowing'>,
  { nowMs }: Pick<Clock, 'nowMs'>,
): NonNullable<ChannelFeed['isBanned']> => {
  const ask = async ([guildId, userId]: readonly [string, string]): Promise<boolean> => {
    const asking = api.send('GET', Routes.guildBan(guildId, userId)).then(() => true);
    return recover(asking, (thrown) => isRefusal(thrown, RESTJSONErrorCodes.UnknownBan), false);
  };
  const known = createCache(ask, {
    keyOf: (pair) => pair.join(' '),
    most: MOST_ASKED,
    lifeMs: LIFE_MS,
    now: nowMs,
  });
  return async ({ id }, personId) => {
    const guild = (await clients.knowing(id)).guilds.cache.get(id);
    const mayAsk = guild?.members.me?.permissions.has('BanMembers') ?? false;
    return mayAsk ? known.of([id, personId]) : undefined;
  };
};
