import type { Channel, Posted } from '../../../src/model/place.ts';

/**
 * How a message of ours was posted, as `Posted.handle` carries it: by the bot, as a section of a
 * message of the bot (`shared`), or the same through a webhook, whose id is kept with it.
 */
export interface Handle {
  readonly shared: boolean;
  /** The first message is a voice message. */
  readonly voice: boolean;
  readonly webhookId: string | undefined;
}

/** What the bot itself has posted, in the plainest way. */
export const BY_BOT: Handle = { shared: false, voice: false, webhookId: undefined };

/** What the core knows as `Posted`, with its handle read. */
export interface Placed {
  readonly channel: Channel;
  readonly ids: Posted['ids'];
  readonly handle: Handle;
}

/** Messages of ours that make one whole, in their order: one at least. */
export const placed = (channel: Channel, ids: readonly string[], handle: Handle): Placed => ({
  channel,
  ids: ids as Posted['ids'],
  handle,
});

const form = /^(?<who>[bw])(?<shared>s?)(?<voice>v?)(?::(?<webhook>\d+))?$/;

/** What is not a handle of ours counts as posted by the bot. */
export const placedOf = ({ channel, ids, handle }: Posted): Placed => {
  const groups = form.exec(handle ?? '')?.groups;
  return placed(channel, ids, {
    shared: groups?.['shared'] === 's',
    voice: groups?.['voice'] === 'v',
    webhookId: groups?.['webhook'],
  });
};

export const postedOf = ({ channel, ids, handle }: Placed): Posted => {
  const { shared, voice, webhookId } = handle;
  const who = webhookId === undefined ? 'b' : 'w';
  const by = webhookId === undefined ? '' : `:${webhookId}`;
  return { channel, ids, handle: `${who}${shared ? 's' : ''}${voice ? 'v' : ''}${by}` };
};
