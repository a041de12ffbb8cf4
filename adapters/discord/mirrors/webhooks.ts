import { type APIWebhook, RESTJSONErrorCodes, Routes, WebhookType } from 'discord.js';
import type { Api } from '../api.ts';
import type { Application } from '../application.ts';
import { isRefusal } from '../errors.ts';
import { WEBHOOK_BURST as BURST, WEBHOOK_STEADY as STEADY } from '../limits.ts';
import { personaName, type WebhookKey } from '../outbound/message-writer.ts';
import { type Clock, sleep } from '../../../src/async/clock.ts';
import { createLru } from '../../../src/async/lru.ts';
import { AppError, recover, toAppError } from '../../../src/errors.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import type { Channel } from '../../../src/model/place.ts';

export interface WebhooksDeps {
  readonly api: Api;
  readonly application: () => Pick<Application, 'id' | 'name'>;
  readonly log: Log;
  readonly now: () => number;
}

const CHANNELS = 5_000;
/** Time after which it is checked again if webhooks are possible. */
const REFUSAL_MS = 300_000;

/** The channel of a thread's webhook: the one that it belongs to. */
export const webhookChannelId = ({ id, parentId }: Channel): string => parentId ?? id;

interface Refusal {
  /** Time until which no webhook is possible, on the clock of `now`. */
  readonly untilMs: number;
  /** Id of the space whose people have to change something first. */
  readonly waitsForSpace: string | undefined;
  /** True where others have all webhooks of the channel. */
  readonly isFull: boolean;
}

interface Search {
  readonly hook: Promise<WebhookKey | undefined>;
  /** Undefined unless no webhook is possible for now. */
  readonly refusal: () => Refusal | undefined;
}

/** True when people have to change something first: a permission is missing, or no webhook is free. */
const isImpossible = (thrown: unknown): boolean =>
  isRefusal(
    thrown,
    RESTJSONErrorCodes.MissingPermissions,
    RESTJSONErrorCodes.MissingAccess,
    RESTJSONErrorCodes.MaximumNumberOfWebhooksReached,
    RESTJSONErrorCodes.MaximumNumberOfWebhooksPerGuildReached,
  );

export type Webhooks = ReturnType<typeof createWebhooks>;

/**
 * Creates the access to the bot's webhooks, one in each channel that needs one; they are found again
 * after a restart.
 */
export const createWebhooks = ({ api, application, log, now }: WebhooksDeps) => {
  const known = createLru<string, Search>(CHANNELS);

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

  const search = (channelId: string, spaceId: string): Search => {
    let refusal: Refusal | undefined;
    const find = async (): Promise<WebhookKey | undefined> => {
      try {
        return await findOrMake(channelId);
      } catch (thrown) {
        const { code, message: reason, retryAfterMs = REFUSAL_MS } = toAppError(thrown);
        // Servers allow some dozens of new webhooks an hour; mirrors cannot wait that long.
        if (!isImpossible(thrown) && code !== 'rate-limited') throw thrown;
        log.warn(
          { channel: channelId, reason },
          'no webhook available: the bot posts mirrors itself',
        );
        const waitMs = code === 'rate-limited' ? Math.min(retryAfterMs, REFUSAL_MS) : REFUSAL_MS;
        const waitsForSpace = isImpossible(thrown) ? spaceId : undefined;
        const isFull = isRefusal(thrown, RESTJSONErrorCodes.MaximumNumberOfWebhooksReached);
        refusal = { untilMs: now() + waitMs, waitsForSpace, isFull };
        return undefined;
      }
    };
    return { hook: find(), refusal: () => refusal };
  };

  const isOutdated = ({ refusal }: Search): boolean => (refusal()?.untilMs ?? Infinity) <= now();

  return {
    /** The channel's webhook, created when there is none; undefined where that is impossible. */
    of: async (channel: Channel): Promise<WebhookKey | undefined> => {
      const id = webhookChannelId(channel);
      const before = known.get(id);
      const current = before && !isOutdated(before) ? before : search(id, channel.space.id);
      known.set(id, current);
      try {
        return await current.hook;
      } catch (thrown) {
        known.delete(id);
        throw thrown;
      }
    },
    /** The webhook that posted an earlier message; undefined when it is gone. */
    find: async (channel: Channel, webhookId: string): Promise<WebhookKey | undefined> => {
      const id = webhookChannelId(channel);
      const current = await known.get(id)?.hook.catch(() => undefined);
      if (current?.id === webhookId) return current;
      const hooks = await recover(owned(id), isImpossible, []);
      return hooks.find((hook) => hook.id === webhookId);
    },
    /** Forgets a channel's webhook that is gone or may have changed: the next call looks it up again. */
    forget: (channelId: string): void => known.delete(channelId),
    /** Forgets what was impossible in a space in which permissions have changed. */
    reconsider: (spaceId: string): void => {
      for (const [id, { refusal }] of known)
        if (refusal()?.waitsForSpace === spaceId) known.delete(id);
    },
    /** True where the channel had no room for a webhook when one was last needed. */
    isFull: (channel: Channel): boolean =>
      known.get(webhookChannelId(channel))?.refusal()?.isFull === true,
    /** Counts a channel's webhooks, of all applications, and tells if the bot has one. */
    count: async (channel: Channel) => {
      const all = await list(webhookChannelId(channel));
      return { all: all.length, isOursThere: all.some(isOurs) };
    },
  };
};

/** Margin for Discord's windows, which begin when a request arrives, later than it is counted here. */
const MARGIN_MS = 100;

/** Creates the count of webhook posts in each channel, which has one webhook of the bot. */
export const createWebhookRate = (clock: Clock) => {
  const { nowMs } = clock;
  const posts = new Map<string, number[]>();

  const recent = (channelId: string): number[] => {
    const since = nowMs() - STEADY.windowMs - MARGIN_MS;
    const times = (posts.get(channelId) ?? []).filter((at) => at > since);
    // Ordered by last use, so that the first ones are inactive.
    posts.delete(channelId);
    if (times.length > 0) posts.set(channelId, times);
    for (const [id, [...others]] of posts) {
      if ((others.at(-1) ?? 0) > since) break;
      posts.delete(id);
    }
    return times;
  };

  const inBurst = (times: readonly number[]): readonly number[] =>
    times.filter((at) => at > nowMs() - BURST.windowMs - MARGIN_MS);

  return {
    /** Marks the channel's minute as used up for `forMs`, after Discord refused a post. */
    exhaust: (channelId: string, forMs: number): void => {
      // Counted as if posted so late that it leaves the window when the refusal ends.
      const at = nowMs() - STEADY.windowMs + Math.min(forMs, STEADY.windowMs);
      posts.set(
        channelId,
        Array.from({ length: STEADY.posts }, () => at),
      );
    },
    /**
     * Number of posts possible now. One burst window is waited for if all that are needed are possible
     * then; otherwise waiting would only let more posts wait.
     */
    room: (channelId: string, needed: number): number => {
      const times = recent(channelId);
      const steady = STEADY.posts - times.length;
      const burst = BURST.posts - inBurst(times).length;
      const soon = Math.min(steady, burst + BURST.posts);
      return Math.max(0, needed <= soon ? soon : Math.min(steady, burst));
    },
    /** Waits for the burst's window, then counts one post. */
    take: async (channelId: string, signal?: AbortSignal): Promise<void> => {
      for (;;) {
        const burst = inBurst(recent(channelId));
        const oldest = burst[burst.length - BURST.posts];
        if (oldest === undefined) break;
        const freeMs = oldest + BURST.windowMs + MARGIN_MS;
        await sleep(clock, Math.max(1, freeMs - nowMs()), signal);
      }
      const times = recent(channelId);
      posts.set(channelId, [...times, nowMs()]);
    },
  };
};

export type WebhookRate = ReturnType<typeof createWebhookRate>;
