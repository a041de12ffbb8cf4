import type { UsersConversationsResponse } from '@slack/web-api';
import type { Space } from '../../src/model/place.ts';
import { type Api, readCursorPages, type SlackCallOptions } from './api.ts';
import { CHANNELS_PAGE } from './limits.ts';

export type OwnChannel = NonNullable<UsersConversationsResponse['channels']>[number] & {
  readonly id: string;
};

export interface OwnChannelsOptions extends Pick<SlackCallOptions, 'priority'> {
  /** The channels that are listed. Default: public and private ones that are not archived. */
  readonly only?: 'public' | 'archived too';
}

/** Lists the channels of a workspace that the app is in ("users.conversations"). Rejects with an `AppError`. */
export const ownChannels = async (
  api: Api,
  space: Space,
  { only, priority }: OwnChannelsOptions = {},
): Promise<readonly OwnChannel[]> => {
  const args = {
    types: only === 'public' ? 'public_channel' : 'public_channel,private_channel',
    exclude_archived: only !== 'archived too',
    limit: CHANNELS_PAGE,
  };
  const pages = readCursorPages(async (at) =>
    api.call(space, 'users.conversations', { ...args, ...at }, { priority }),
  );
  const found: OwnChannel[] = [];
  for await (const { channels = [] } of pages)
    for (const { id, ...channel } of channels) if (id !== undefined) found.push({ ...channel, id });
  return found;
};
