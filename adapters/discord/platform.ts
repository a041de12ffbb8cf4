import type { Posted } from '../../src/model/place.ts';
import type { Content } from '../../src/model/content.ts';
import type { Platform } from '../../src/ports/platform.ts';
import type { VoicePort } from '../../src/ports/voice.ts';
import type { WatchPort } from '../../src/ports/channel-feed.ts';
import type { Api } from './api.ts';
import { PLATFORM } from './ids.ts';
import { CAPABILITIES } from './limits.ts';
import { isGone } from './errors.ts';
import { BY_BOT, placed, placedOf, postedOf } from './mirrors/handles.ts';
import { botMessageWriter } from './mirrors/message-writer.ts';
import type { WriterRegistry } from './mirrors/writer-registry.ts';
import { postParts, syncParts } from './outbound/sync.ts';
import { render } from './outbound/render.ts';

export interface PlatformDeps {
  readonly api: Api;
  readonly pensFor: WriterRegistry;
  readonly watch: WatchPort;
  readonly voice: VoicePort;
}

/** Discord as the core sees it. */
export const createPlatform = ({ api, pensFor, watch, voice }: PlatformDeps): Platform => ({
  name: PLATFORM,
  naming: 'local',
  capabilities: CAPABILITIES,
  post: async (to, content, { replyTo } = {}) =>
    postedOf(
      placed(to, await postParts(botMessageWriter(api, to, { replyTo }), render(content)), BY_BOT),
    ),
  edit: async (message: Posted, content: Content) => {
    const { channel, ids, handle } = placedOf(message);
    const pen = await pensFor.of({ channel, ids, handle });
    return postedOf(placed(channel, await syncParts(pen, ids, render(content)), handle));
  },
  delete: async (message) => {
    try {
      await pensFor.erase(placedOf(message));
    } catch (thrown) {
      if (!isGone(thrown)) throw thrown;
    }
  },
  watch,
  voice,
});
