import type { Channel, Posted } from '../../../src/model/place.ts';

/** The way in which messages of ours were posted, as `Posted.handle` carries it. */
export interface Handle {
  /** True for a message that holds several mirrors, or may come to. */
  readonly shared: boolean;
  /** True when the first message is a voice message. */
  readonly voice: boolean;
  /** The webhook that posted it; undefined: the bot itself. */
  readonly webhookId: string | undefined;
}

/** The plainest way, in which the bot itself posts. */
export const BY_BOT: Handle = { shared: false, voice: false, webhookId: undefined };

/** Messages of ours that make one whole, in their order: `Posted` with its handle read. */
export interface OwnPost {
  readonly channel: Channel;
  readonly ids: Posted['ids'];
  readonly handle: Handle;
}

/** @param ids one at least */
export const ownPost = (channel: Channel, ids: readonly string[], handle: Handle): OwnPost => ({
  channel,
  ids: ids as Posted['ids'],
  handle,
});

const form = /^(?<who>[bw])(?<shared>s?)(?<voice>v?)(?::(?<webhook>\d+))?$/;

/** Reads a handle; what is none of ours counts as posted by the bot. */
export const ownPostOf = ({ channel, ids, handle }: Posted): OwnPost => {
  const groups = form.exec(handle ?? '')?.groups;
  return ownPost(channel, ids, {
    shared: groups?.['shared'] === 's',
    voice: groups?.['voice'] === 'v',
    webhookId: groups?.['webhook'],
  });
};

export const postedOf = ({ channel, ids, handle }: OwnPost): Posted => {
  const { shared, voice, webhookId } = handle;
  const who = webhookId === undefined ? 'b' : 'w';
  const by = webhookId === undefined ? '' : `:${webhookId}`;
  return { channel, ids, handle: `${who}${shared ? 's' : ''}${voice ? 'v' : ''}${by}` };
};
