import { RESTJSONErrorCodes, Routes, type APIMessage, type RouteLike } from 'discord.js';
import type { Persona } from '../../src/watch/port.ts';
import type { Api } from './api.ts';
import { isRefusal } from './errors.ts';
import { bodyOf, ignoreGone, type Pen } from './pens.ts';

export interface WebhookKey {
  readonly id: string;
  readonly token: string;
}

export interface WebhookPenOptions {
  readonly persona?: Persona;
  /** The webhook's channel has it. */
  readonly threadId?: string | undefined;
  readonly signal?: AbortSignal;
}

/** Deleted by hand, or given another token. */
export const isHookGone = (thrown: unknown): boolean =>
  isRefusal(thrown, RESTJSONErrorCodes.UnknownWebhook, RESTJSONErrorCodes.InvalidWebhookToken);

const PERSONA_NAME_CHARS = 80;
const FORBIDDEN_IN_NAMES = /clyde|discord/gi;
/** Joiners are parts of emoji. */
const BLANKS = /(?:[\p{Cc}\s]|(?![\u200C\u200D])\p{Cf})+/gu;

/** Discord takes no name that is empty, over 80 characters or holds one of its own. */
export const personaName = (name: string): string => {
  const plain = name.toWellFormed().replaceAll(BLANKS, ' ').trim();
  const apart = plain.replaceAll(FORBIDDEN_IN_NAMES, (word) => `${word[0]}\u200A${word.slice(1)}`);
  const cut = apart
    .slice(0, PERSONA_NAME_CHARS)
    .toWellFormed()
    .replace(/\uFFFD$/, '');
  return cut.trim() || '…';
};

export const webhookPen = (api: Api, hook: WebhookKey, options: WebhookPenOptions = {}): Pen => {
  const { persona, threadId } = options;
  const thread: Record<string, string> = threadId === undefined ? {} : { thread_id: threadId };
  const common = { auth: false, ...(options.signal ? { signal: options.signal } : {}) };
  const route = (messageId: string): RouteLike =>
    Routes.webhookMessage(hook.id, hook.token, messageId);
  return {
    write: async (part) => {
      const { body, files } = bodyOf(part);
      // No nonce here: what was lost on the way back would stand twice if it were sent again.
      const posted = await api.sendOnce<APIMessage>('POST', Routes.webhook(hook.id, hook.token), {
        ...common,
        query: { ...thread, wait: 'true' },
        body: {
          ...body,
          ...(persona
            ? {
                username: personaName(persona.name),
                ...(persona.avatarUrl ? { avatar_url: persona.avatarUrl } : {}),
              }
            : {}),
        },
        files,
      });
      return posted.id;
    },
    rewrite: async (id, part) => {
      await api.send('PATCH', route(id), { ...common, query: thread, ...bodyOf(part) });
    },
    erase: async (id) => ignoreGone(api.send('DELETE', route(id), { ...common, query: thread })),
  };
};
