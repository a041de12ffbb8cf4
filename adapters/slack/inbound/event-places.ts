import type { EventBody } from './bodies.ts';
import { channelOf } from '../ids.ts';
import type { Installations } from '../install/installations.ts';
import { originOf } from './origin.ts';
import type { Channel, Space } from '../../../src/model/place.ts';
import type { ChannelFeedListener } from '../../../src/ports/channel-feed.ts';

/** Says where an event happened, as the core knows the place. */
export interface EventPlaces {
  /** The space through which the app is told of an event; undefined where Slack named none. */
  space(body: EventBody): Space | undefined;
  /** A channel of an event, in the space that it is watched in: several may share it. */
  channel(space: Space, id: string): Channel;
}

export const createEventPlaces = (
  listener: Pick<ChannelFeedListener, 'spaceOf'>,
  installations: Pick<Installations, 'known'>,
): EventPlaces => {
  const isInstalled = (space: Space): boolean => installations.known(space) !== undefined;
  return {
    space: (body) => originOf(body, isInstalled),
    channel: (space, id) => {
      const channel = channelOf(space.id, id);
      const holder = listener.spaceOf(channel);
      return isInstalled(holder) ? { ...channel, space: holder } : channel;
    },
  };
};
