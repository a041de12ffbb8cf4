import { Routes } from 'discord.js';
import type { Api } from './api.ts';
import { isGone } from './errors.ts';
import { recover } from '../../src/errors.ts';
import { BY_BOT, channelOf, ownPost, ownPostOf, PLATFORM, postedOf } from './ids.ts';
import { CAPABILITIES } from './limits.ts';
import type { Writers } from './mirrors/writers.ts';
import { botMessageWriter, syncParts } from './outbound/message-writer.ts';
import { render } from './outbound/render.ts';
import type { ChannelFeed } from '../../src/ports/channel-feed.ts';
import type { Mirrors } from '../../src/ports/mirrors.ts';
import type { Platform } from '../../src/ports/platform.ts';
import type { VoicePort } from '../../src/ports/voice.ts';

export interface PlatformDeps {
  readonly api: Api;
  readonly access: NonNullable<Platform['access']>;
  readonly missingToPost: NonNullable<Platform['missingToPost']>;
  readonly writers: Writers;
  readonly feed: ChannelFeed;
  readonly mirrors: Mirrors;
  readonly voice: VoicePort;
}

/** Creates the function that sends direct messages. */
const createTell =
  (api: Api): NonNullable<Platform['tell']> =>
  async ({ id }, content, held = {}) => {
    const body = { recipient_id: id };
    const opened = (await api.send('POST', Routes.userChannels(), { body })) as { id: string };
    const to = channelOf(undefined, opened.id);
    await syncParts(botMessageWriter(api, to, held), [], render(content));
  };

/** Creates the port through which the core uses Discord. */
export const createPlatform = ({
  api,
  access,
  missingToPost,
  writers,
  feed,
  mirrors,
  voice,
}: PlatformDeps): Platform => ({
  name: PLATFORM,
  naming: 'local',
  capabilities: CAPABILITIES,
  access,
  missingToPost,
  tell: createTell(api),
  post: async (to, content, options = {}) =>
    postedOf(
      ownPost(to, await syncParts(botMessageWriter(api, to, options), [], render(content)), BY_BOT),
    ),
  edit: async (message, content, held = {}) => {
    const { channel, ids, handle } = ownPostOf(message);
    const writer = await writers.of({ channel, ids, handle }, held);
    return postedOf(ownPost(channel, await syncParts(writer, ids, render(content)), handle));
  },
  delete: async (message) => recover(writers.erase(ownPostOf(message)), isGone),
  feed,
  mirrors,
  voice,
});
