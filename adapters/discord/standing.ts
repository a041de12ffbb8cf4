import type { Posted } from '../../src/model.ts';
import type { Persona } from '../../src/watch/port.ts';
import type { Api } from './api.ts';
import { readHandle } from './handles.ts';
import { botPen, type BotPenOptions, type Pen } from './pens.ts';
import { hookGone, isHookGone, webhookPen } from './webhook-pen.ts';
import { webhookChannelId, type Webhooks } from './webhooks.ts';

/** Pens for messages that stand already: only who wrote a message may change it. */
export interface StandingPens {
  /** Rejects with `isHookGone` when the webhook that posted it is known to be gone. */
  of(posted: Posted, as?: { readonly persona?: Persona | undefined } & BotPenOptions): Promise<Pen>;
  /** Takes messages away, those of webhooks that are gone as the bot; `forbidden` where it may not. */
  erase(posted: Posted): Promise<void>;
}

export const createStandingPens = (api: Api, webhooks: Webhooks): StandingPens => {
  const hooked = async (
    { channel, handle }: Posted,
    persona?: Persona,
  ): Promise<Pen | undefined> => {
    const { webhookId } = readHandle(handle);
    const hook = webhookId && (await webhooks.find(channel, webhookId));
    if (!hook) return undefined;
    const pen = webhookPen(api, hook, channel, { persona });
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
    of: async (posted, { persona, ...options } = {}) => {
      if (readHandle(posted.handle).webhookId === undefined)
        return botPen(api, posted.channel, options);
      const pen = await hooked(posted, persona);
      if (!pen) throw hookGone();
      return pen;
    },
    erase: async (posted) => {
      const pen = (await hooked(posted)) ?? botPen(api, posted.channel);
      for (const id of posted.ids) await pen.erase(id);
    },
  };
};
