import { faultFields } from '../errors.ts';
import type { Control } from '../model/message.ts';
import type { Channel, Posted } from '../model/place.ts';
import type { RichText } from '../rich-text/rich-text.ts';
import type { Log } from '../telemetry/log.ts';
import type { WatchedPlatforms } from './watched-platforms.ts';

/** Says something in a channel; resolves with the message. Never rejects: a failure is logged with its place. */
export type Tell = (
  channel: Channel,
  text: RichText,
  controls?: readonly Control[],
) => Promise<Posted | undefined>;

/** @param post posts into a channel of any platform */
export const createTell =
  (post: WatchedPlatforms['send'], log: Pick<Log, 'warn'>): Tell =>
  async (channel, text, controls) => {
    try {
      return await post(channel, { text, tone: 'note', ...(controls ? { controls } : {}) });
    } catch (thrown) {
      const where = { platform: channel.space.platform, channel: channel.id };
      log.warn({ ...where, ...faultFields(thrown) }, 'a channel could not be told of something');
      return undefined;
    }
  };
