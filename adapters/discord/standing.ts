import { RESTJSONErrorCodes } from 'discord.js';
import type { Channel, Posted } from '../../src/model.ts';
import type { Persona } from '../../src/watch/port.ts';
import type { Api } from './api.ts';
import { DiscordError } from './errors.ts';
import { readHandle } from './handles.ts';
import { botPen, type BotPenOptions, type Pen } from './pens.ts';
import { isHookGone, webhookPen } from './webhook-pen.ts';
import { webhookChannelId, type Webhooks } from './webhooks.ts';

/** Pens for messages that stand already: only who wrote a message may change it. */
export interface StandingPens {
  /** Rejects as Discord does (`isHookGone`) when the webhook that posted it is known to be gone. */
  of(posted: Posted, as?: { readonly persona?: Persona | undefined } & BotPenOptions): Promise<Pen>;
  /** Takes messages away, those of webhooks that are gone as the bot; `forbidden` where it may not. */
  erase(posted: Posted): Promise<void>;
}

export const threadIdOf = ({ id, parentId }: Channel): string | undefined =>
  parentId === undefined ? undefined : id;

export const createStandingPens = (api: Api, webhooks: Webhooks): StandingPens => {
  const hooked = async (
    { channel, handle }: Posted,
    persona?: Persona,
  ): Promise<Pen | undefined> => {
    const { webhookId } = readHandle(handle);
    const hook = webhookId && (await webhooks.find(channel, webhookId));
    if (!hook) return undefined;
    return webhookPen(api, hook, {
      threadId: threadIdOf(channel),
      ...(persona ? { persona } : {}),
    });
  };

  return {
    of: async (posted, { persona, ...options } = {}) => {
      if (readHandle(posted.handle).webhookId === undefined)
        return botPen(api, posted.channel, options);
      const pen = await hooked(posted, persona);
      if (!pen)
        throw new DiscordError('not-found', 'the webhook that posted a message is gone', {
          discordCode: RESTJSONErrorCodes.UnknownWebhook,
        });
      return pen;
    },
    erase: async (posted) => {
      const bot = botPen(api, posted.channel);
      const pen = (await hooked(posted)) ?? bot;
      try {
        for (const id of posted.ids) await pen.erase(id);
      } catch (thrown) {
        if (!isHookGone(thrown)) throw thrown;
        webhooks.forget(webhookChannelId(posted.channel));
        for (const id of posted.ids) await bot.erase(id);
      }
    },
  };
};
