import { RESTJSONErrorCodes } from 'discord.js';
import { AppError } from '../../../src/errors.ts';
import type { Channel } from '../../../src/model/place.ts';
import type { Persona } from '../../../src/ports/channel-feed.ts';
import type { Api } from '../api.ts';
import { isRefusal } from '../errors.ts';
import { placed, type Placed } from './handles.ts';
import { threadIdOf } from '../ids.ts';
import type { MessageWriter } from './message-writer.ts';
import { isHookGone, webhookMessageWriter, type WebhookKey } from './webhook-message-writer.ts';
import type { WebhookRate } from './webhook-rate.ts';
import { webhookChannelId, type Webhooks } from './webhooks.ts';

export interface WebhookWriterDeps {
  readonly api: Api;
  readonly webhooks: Webhooks;
  readonly rate: WebhookRate;
}

/** What was written in one go. */
export interface Written {
  readonly ids: readonly string[];
  /** The first one is a voice message. */
  readonly voice: boolean;
  /** The message holds several copies, or may come to. */
  readonly shared: boolean;
}

/** Posts through webhooks at their pace. */
export interface WebhookWriter {
  /** Undefined when no webhook can be had or used now. */
  post(
    to: Channel,
    by: Persona | undefined,
    write: (pen: MessageWriter) => Promise<Written>,
    signal?: AbortSignal,
  ): Promise<Placed | undefined>;
  /** Waits until a webhook may write once more there, and counts it. */
  pace(to: Channel, signal?: AbortSignal): Promise<void>;
}

const EXHAUSTED_MS = 60_000;

/** Refused, so that nothing of it was posted. */
const isTooMuch = (thrown: unknown): thrown is AppError =>
  thrown instanceof AppError && thrown.code === 'rate-limited';

/** A webhook moved to another channel answers Unknown Channel for threads of its old one. */
const isElsewhere = (thrown: unknown, to: Channel): boolean =>
  threadIdOf(to) !== undefined && isRefusal(thrown, RESTJSONErrorCodes.UnknownChannel);

export const createWebhookWriter = ({ api, webhooks, rate }: WebhookWriterDeps): WebhookWriter => {
  const pace: WebhookWriter['pace'] = async (to, signal) => rate.take(webhookChannelId(to), signal);

  const counting = (
    pen: MessageWriter,
    to: Channel,
    written: string[],
    signal?: AbortSignal,
  ): MessageWriter => ({
    ...pen,
    write: async (part, index) => {
      await pace(to, signal);
      const id = await pen.write(part, index);
      written.push(id);
      return id;
    },
  });

  return {
    pace,
    post: async (to, by, write, signal) => {
      const through = async (hook: WebhookKey, written: string[]): Promise<Placed> => {
        const pen = webhookMessageWriter(api, hook, to, {
          persona: by,
          ...(signal ? { signal } : {}),
        });
        const { ids, voice, shared } = await write(counting(pen, to, written, signal));
        return placed(to, ids, { shared, voice, webhookId: hook.id });
      };
      // One that was deleted by hand, or moved, is made anew once.
      for (let attempt = 1; attempt <= 2; attempt += 1) {
        const hook = await webhooks.of(to);
        if (!hook) return undefined;
        const written: string[] = [];
        try {
          return await through(hook, written);
        } catch (thrown) {
          const tooMuch = isTooMuch(thrown);
          if (tooMuch) rate.exhaust(webhookChannelId(to), thrown.retryAfterMs ?? EXHAUSTED_MS);
          else if (isHookGone(thrown) || isElsewhere(thrown, to))
            webhooks.forget(webhookChannelId(to));
          else throw thrown;
          // The next try finds the parts that stand, and clears them away.
          if (written.length > 0)
            throw new AppError('unavailable', 'a copy was posted in part', {
              cause: thrown,
              retryable: true,
            });
          if (tooMuch) return undefined;
        }
      }
      return undefined;
    },
  };
};
