import { z } from 'zod';
import type { Api } from './api.ts';
import { channelOf } from './ids.ts';
import type { Channel, Space } from '../../src/model/place.ts';

const conversation = z.object({ channel: z.object({ id: z.string() }) });

/** True for a person's id in place of a channel's: their conversation with the app is meant. */
export const isPersonId = (id: string): boolean => /^[UW]/.test(id);

/** Opens the conversation between a person and the app. */
export const openDirectChannel = async (
  api: Api,
  space: Space,
  userId: string,
): Promise<Channel> => {
  const answer = await api.call(space, 'conversations.open', { users: userId });
  return channelOf(space.id, conversation.parse(answer).channel.id);
};
