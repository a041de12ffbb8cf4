import { MessageFlags, Routes, type APIMessage, type RouteLike } from 'discord.js';
import type { Api } from '../api.ts';
import { FOLLOW_UPS } from '../limits.ts';
import { bodyOf, ignoreGone } from '../outbound/message-writer.ts';
import type { Part } from '../outbound/render.ts';

export interface InteractionKey {
  readonly applicationId: string;
  readonly token: string;
}

/** The name of the first answer, before and after it has an id. */
export const ORIGINAL = '@original';

/** The messages of an interaction: the first answer, and the further ones. */
export interface AnswerMessages {
  /** The ids of the further messages, in the order of their posting. */
  readonly ids: ReadonlySet<string>;
  /** Number of messages that may still be posted, where they are counted. */
  left(): number;
  post(part: Part, isHidden: boolean): Promise<string>;
  /** Resolves with the message's own id. */
  edit(id: string, part: Part): Promise<string>;
  /** A message that is gone already is no error. */
  remove(id: string): Promise<void>;
}

export const createAnswerMessages = (
  api: Api,
  { applicationId, token }: InteractionKey,
): AnswerMessages => {
  const ids = new Set<string>();
  let posts = 0;
  const route = (id: string): RouteLike => Routes.webhookMessage(applicationId, token, id);
  return {
    ids,
    left: () => FOLLOW_UPS - posts,
    post: async (part, isHidden) => {
      const { body, files } = bodyOf(part);
      posts += 1;
      // Sent once: a follow-up has no nonce.
      const { id } = await api.sendOnce<APIMessage>('POST', Routes.webhook(applicationId, token), {
        auth: false,
        body: isHidden ? { ...body, flags: MessageFlags.Ephemeral } : body,
        files,
      });
      ids.add(id);
      return id;
    },
    edit: async (id, part) => {
      const options = { auth: false, ...bodyOf(part) };
      return (await api.send<APIMessage>('PATCH', route(id), options)).id;
    },
    remove: async (id) => {
      await ignoreGone(api.send('DELETE', route(id), { auth: false }));
      ids.delete(id);
    },
  };
};
