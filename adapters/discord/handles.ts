import type { Channel, Posted } from '../../src/model.ts';

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

const form = /^(?<who>[bw])(?<shared>s?)(?<voice>v?)(?::(?<webhook>\d+))?$/;

export const writeHandle = ({ shared, voice, webhookId }: Handle): string =>
  `${webhookId === undefined ? 'b' : 'w'}${shared ? 's' : ''}${voice ? 'v' : ''}` +
  (webhookId === undefined ? '' : `:${webhookId}`);

/** Messages of ours that make one whole, in their order. */
export const postedAt = (channel: Channel, ids: readonly string[], handle?: string): Posted => ({
  channel,
  ids: ids as [string, ...string[]],
  ...(handle === undefined ? {} : { handle }),
});

/** What is not a handle of ours counts as posted by the bot. */
export const readHandle = (handle: string | undefined): Handle => {
  const groups = form.exec(handle ?? '')?.groups;
  return {
    shared: groups?.['shared'] === 's',
    voice: groups?.['voice'] === 'v',
    webhookId: groups?.['webhook'],
  };
};
