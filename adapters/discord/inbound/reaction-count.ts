import {
  ReactionType,
  RESTJSONErrorCodes,
  Routes,
  type APIReaction,
  type APIUser,
} from 'discord.js';
import type { MessageRef } from '../../../src/model/place.ts';
import type { Api } from '../api.ts';
import { isGone, isRefusal } from '../errors.ts';
import { channelIdOf } from '../ids.ts';
import { REACTIONS_PAGE } from '../limits.ts';

/** The emoji as a path names it: a server's own goes by its id, whatever name stands in front. */
const pathOf = ({ id, name }: APIReaction['emoji']): string =>
  encodeURIComponent(id === null ? (name ?? '') : `${name ?? '_'}:${id}`);

/**
 * Counts the people who have reacted so. Bots are told from people on one page of each kind of reaction:
 * no message has that many bots under it.
 */
export const countPeople = async (
  api: Api,
  { channel, id }: MessageRef,
  { emoji, count_details: counts }: APIReaction,
): Promise<number> => {
  const route = Routes.channelMessageReaction(channelIdOf(channel), id, pathOf(emoji));
  const list = async (type: ReactionType): Promise<readonly APIUser[]> =>
    api.send<APIUser[]>('GET', route, {
      query: { type: String(type), limit: String(REACTIONS_PAGE) },
    });
  try {
    const users = [
      ...(counts.normal > 0 ? await list(ReactionType.Normal) : []),
      ...(counts.burst > 0 ? await list(ReactionType.Burst) : []),
    ];
    return users.filter(({ bot }) => !bot).length;
  } catch (thrown) {
    // The last one has gone meanwhile.
    if (isGone(thrown) || isRefusal(thrown, RESTJSONErrorCodes.UnknownEmoji)) return 0;
    throw thrown;
  }
};
