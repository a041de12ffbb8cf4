import { RESTJSONErrorCodes, Routes, WebhookType, type APIWebhook } from 'discord.js';
import { AppError, toAppError } from '../../../src/errors.ts';
import type { Channel } from '../../../src/model/place.ts';
import type { Log } from '../../../src/log.ts';
import type { Api } from '../api.ts';
import { isRefusal } from '../errors.ts';
import type { Application } from '../application.ts';
import { createLru } from '../../../src/async/lru.ts';
import { personaName, type WebhookKey } from '../outbound/message-writer.ts';

/** One webhook of ours in each channel that needs one; found again after a restart. */
export interface Webhooks {
  /** The channel's, made when there is none; undefined where there can be none. */
  of(channel: Channel): Promise<WebhookKey | undefined>;
  /** The one that posted something earlier; undefined when it is gone. */
  find(channel: Channel, webhookId: string): Promise<WebhookKey | undefined>;
  /** It turned out to be gone, or something about webhooks changed there: the next one asks anew. */
  forget(channelId: string): void;
  /** How many a channel has, of all applications, and whether one is ours. Makes none. */
  count(channel: Channel): Promise<{ readonly all: number; readonly isOursThere: boolean }>;
}

export interface WebhooksDeps {
  readonly api: Api;
  readonly application: () => Pick<Application, 'id' | 'name'>;
  readonly log: Log;
  readonly now: () => number;
}

const KEPT = 5_000;
/** After this it is seen whether people have allowed webhooks meanwhile. */
const REFUSAL_MS = 300_000;

/** Threads speak through the webhook of the channel that they belong to. */
export const webhookChannelId = ({ id, parentId }: Channel): string => parentId ?? id;

interface Asked {
  readonly hook: Promise<WebhookKey | undefined>;
  /** There can be none now: when it is looked anew, in `now`'s time. */
  refusedUntilMs?: number;
}

/** Not allowed, or no room for one more: people have to change something first. */
const isImpossible = (thrown: unknown): boolean =>
  isRefusal(
    thrown,
    RESTJSONErrorCodes.MissingPermissions,
    RESTJSONErrorCodes.MissingAccess,
    RESTJSONErrorCodes.MaximumNumberOfWebhooksReached,
    RESTJSONErrorCodes.MaximumNumberOfWebhooksPerGuildReached,
  );

export const createWebhooks = ({ api, application, log, now }: WebhooksDeps): Webhooks => {
  const known = createLru<string, Asked>(KEPT);

  const list = async (channelId: string): Promise<readonly APIWebhook[]> =>
    api.send<APIWebhook[]>('GET', Routes.channelWebhooks(channelId));

  const isOurs = ({ type, token, application_id }: APIWebhook): boolean =>
    type === WebhookType.Incoming && application_id === application().id && token !== undefined;

  const owned = async (channelId: string): Promise<WebhookKey[]> =>
    (await list(channelId)).filter(isOurs).map(({ id, token = '' }) => ({ id, token }));

  const findOrMake = async (channelId: string): Promise<WebhookKey> => {
    const [own] = await owned(channelId);
    if (own) return own;
    const { id, token } = await api.sendOnce<APIWebhook>(
      'POST',
      Routes.channelWebhooks(channelId),
      { body: { name: personaName(application().name) } },
    );
    if (token === undefined) throw new AppError('bad-reply', 'a new webhook has no token');
    return { id, token };
  };

  const ask = (channelId: string): Asked => {
    const find = async (): Promise<WebhookKey | undefined> => {
      try {
        return await findOrMake(channelId);
      } catch (thrown) {
        const { code, message: reason, retryAfterMs = REFUSAL_MS } = toAppError(thrown);
        // Servers take some dozens of new webhooks an hour; nobody waits that long for a mirror.
        if (!isImpossible(thrown) && code !== 'rate-limited') throw thrown;
        log.warn(
          { channel: channelId, reason },
          'no webhook: mirrors are posted by the bot itself',
        );
        const waitMs = code === 'rate-limited' ? Math.min(retryAfterMs, REFUSAL_MS) : REFUSAL_MS;
        asked.refusedUntilMs = now() + waitMs;
        return undefined;
      }
    };
    const asked: Asked = { hook: find() };
    return asked;
  };

  const isOld = ({ refusedUntilMs }: Asked): boolean =>
    refusedUntilMs !== undefined && refusedUntilMs <= now();

  return {
    of: async (channel) => {
      const id = webhookChannelId(channel);
      const kept = known.get(id);
      const asked = kept && !isOld(kept) ? kept : ask(id);
      known.set(id, asked);
      try {
        return await asked.hook;
      } catch (thrown) {
        known.delete(id);
        throw thrown;
      }
    },
    find: async (channel, webhookId) => {
      const id = webhookChannelId(channel);
      const current = await known.get(id)?.hook.catch(() => undefined);
      if (current?.id === webhookId) return current;
      try {
        return (await owned(id)).find((hook) => hook.id === webhookId);
      } catch (thrown) {
        if (isImpossible(thrown)) return undefined;
        throw thrown;
      }
    },
    forget: (channelId) => known.delete(channelId),
    count: async (channel) => {
      const all = await list(webhookChannelId(channel));
      return { all: all.length, isOursThere: all.some(isOurs) };
    },
  };
};
