import { faultFields } from '../errors.ts';
import type { Content, Control } from '../model/message.ts';
import type { Channel } from '../model/place.ts';
import type { RichText } from '../rich-text/rich-text.ts';
import type { Log } from '../telemetry/log.ts';

/** Says something in a channel. Never rejects: a failure is logged with its place. */
export type Tell = (
  channel: Channel,
  text: RichText,
  controls?: readonly Control[],
) => Promise<void>;

/** @param post posts into a channel of any platform */
export const createTell =
  (post: (channel: Channel, content: Content) => Promise<void>, log: Pick<Log, 'warn'>): Tell =>
  async (channel, text, controls) => {
    try {
      await post(channel, { text, tone: 'note', ...(controls ? { controls } : {}) });
    } catch (thrown) {
      const where = { platform: channel.space.platform, channel: channel.id };
      log.warn({ ...where, ...faultFields(thrown) }, 'a channel could not be told of something');
    }
  };
