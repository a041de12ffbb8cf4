import type { Persona } from '../../../src/ports/channel-feed.ts';
import type { Api } from '../api.ts';
import type { Placed } from './handles.ts';
import {
  botMessageWriter,
  type BotMessageWriterOptions,
  type MessageWriter,
} from './message-writer.ts';
import { hookGone, isHookGone, webhookMessageWriter } from './webhook-message-writer.ts';
import { webhookChannelId, type Webhooks } from './webhooks.ts';

/** Changes what stands already: only who wrote a message may do so. */
export interface WriterRegistry {
  /** Rejects with `isHookGone` when the webhook that posted it is known to be gone. */
  of(
    placed: Placed,
    as?: { readonly persona?: Persona | undefined } & BotMessageWriterOptions,
  ): Promise<MessageWriter>;
  /** Takes messages away, those of webhooks that are gone as the bot; `forbidden` where it may not. */
  erase(placed: Placed): Promise<void>;
}

export const createWriterRegistry = (api: Api, webhooks: Webhooks): WriterRegistry => {
  const hooked = async (
    { channel, handle: { webhookId } }: Placed,
    persona?: Persona,
  ): Promise<MessageWriter | undefined> => {
    const hook = webhookId && (await webhooks.find(channel, webhookId));
    if (!hook) return undefined;
    const pen = webhookMessageWriter(api, hook, channel, { persona });
    return {
      ...pen,
      rewrite: async (id, part) => {
        try {
          await pen.rewrite(id, part);
        } catch (thrown) {
          if (isHookGone(thrown)) webhooks.forget(webhookChannelId(channel));
          throw thrown;
        }
      },
    };
  };

  return {
    of: async (placed, { persona, ...options } = {}) => {
      if (placed.handle.webhookId === undefined)
        return botMessageWriter(api, placed.channel, options);
      const pen = await hooked(placed, persona);
      if (!pen) throw hookGone();
      return pen;
    },
    erase: async (placed) => {
      const pen = (await hooked(placed)) ?? botMessageWriter(api, placed.channel);
      for (const id of placed.ids) await pen.erase(id);
    },
  };
};
