import type { Api } from '../api.ts';
import { isRefusal } from '../errors.ts';
import { readHistoryPage } from '../history.ts';
import type { Installed } from '../install/installations.ts';
import { LIMITED_PAGE } from '../rates.ts';
import { finding, optional } from './findings.ts';
import { toAppError } from '../../../src/errors.ts';
import type { Finding } from '../../../src/model/service-status.ts';
import type { Channel } from '../../../src/model/place.ts';

/**
 * Reads a page of a channel, whose length shows how much history Slack gives the app; undefined where
 * the app is not in the channel.
 */
export const checkHistory = async (
  api: Api,
  channel: Channel,
  { url }: Installed,
): Promise<Finding | undefined> => {
  const limited = optional(
    'history',
    `at ${url} ${LIMITED_PAGE} messages a minute, as Slack limits commercial apps outside its Marketplace: catching up after an absence takes long. An app that you create for your own workspace gets all`,
  );
  const isLimited = (): boolean => api.history.isLimited(channel.space);
  try {
    const { messages } = await readHistoryPage(api, channel, {}, {});
    if (isLimited()) return limited;
    const detail =
      messages.length > LIMITED_PAGE ? 'all' : 'not known yet, as there is little of it';
    return finding('history', true, `at ${url} ${detail}`);
  } catch (thrown) {
    if (isLimited()) return limited;
    if (isRefusal(thrown, 'not_in_channel', 'channel_not_found')) return undefined;
    return finding('history', false, `at ${url}: ${toAppError(thrown).message}`);
  }
};
