import { Routes, type APIChannel } from 'discord.js';
import type { Channel, Content, Posted } from '../../src/model.ts';
import type { Platform } from '../../src/platform.ts';
import type { WatchPort } from '../../src/watch/port.ts';
import type { Api } from './api.ts';
import { channelOf, PLATFORM, channelIdOf } from './ids.ts';
import { isGone } from './errors.ts';
import { postedAt } from './handles.ts';
import { botPen, redraw } from './pens.ts';
import { render } from './render.ts';
import type { StandingPens } from './standing.ts';

export interface PlatformParts {
  readonly api: Api;
  readonly standing: StandingPens;
  readonly watch: WatchPort;
}

/** Discord as the core sees it. */
export const createPlatform = ({ api, standing, watch }: PlatformParts): Platform => {
  const post: Platform['post'] = async (to, content, { replyTo } = {}) =>
    postedAt(to, await redraw(botPen(api, to, { replyTo }), [], render(content)));

  const directWith = async (memberId: string): Promise<Channel> => {
    const body = { recipient_id: memberId };
    const { id } = await api.send<APIChannel>('POST', Routes.userChannels(), { body });
    return channelOf(undefined, id);
  };

  return {
    name: PLATFORM,
    naming: 'local',
    post,
    edit: async (message: Posted, content: Content) => {
      const pen = await standing.of(message);
      const ids = await redraw(pen, message.ids, render(content));
      return postedAt(message.channel, ids, message.handle);
    },
    delete: async (message) => {
      try {
        await standing.erase(message);
      } catch (thrown) {
        if (!isGone(thrown)) throw thrown;
      }
    },
    upload: async (to, file) => post(to, { text: '', files: [file] }),
    whisper: async (to, member, content) => {
      channelIdOf(to);
      await post(await directWith(member.id), content);
    },
    typing: async (to) => {
      await api.send('POST', Routes.channelTyping(channelIdOf(to)));
    },
    watch,
  };
};
