import type { Channel, MessageRef } from '../model/place.ts';
import type { Message } from '../model/message.ts';
import { toAppError } from '../errors.ts';
import type { Privacy } from '../store/privacy.ts';
import type { MirrorStore } from '../store/mirrors.ts';
import { WATCH } from '../store/inbox/purpose.ts';
import { excerpt } from '../text/split/excerpt.ts';
import type { Mirror, WatchPort } from '../ports/channel-feed.ts';

const QUOTED_CHARS = 80;

export interface QuoteDeps {
  readonly copies: Pick<MirrorStore, 'sourceOf' | 'of'>;
  readonly port: Pick<WatchPort, 'read' | 'names'>;
  readonly privacy: Pick<Privacy, 'optedOut'>;
}

/**
 * What a message answers to, as the readers of `target` find it: in their own language where a copy
 * of it stands there, the message itself otherwise. Undefined when it is gone, or its author opted out.
 */
export const quoteFor = async (
  { replyTo }: Message,
  target: Channel,
  { copies, port, privacy }: QuoteDeps,
): Promise<Mirror['quote']> => {
  if (!replyTo) return undefined;
  try {
    const origin = (await copies.sourceOf(replyTo))?.ref ?? replyTo;
    const written = await port.read(origin);
    if (!written) return undefined;
    const { platform } = target.space;
    if (await privacy.optedOut({ platform, id: written.author.id })) return undefined;
    const ref = await counterpart(origin, target, copies);
    const there = ref === origin ? written : await port.read(ref, origin);
    const shown = there ?? (await port.read(replyTo, origin)) ?? written;
    const text = excerpt(shown.text, QUOTED_CHARS, { names: port.names(target) });
    return { ref: shown.ref, name: shown.author.name, text };
  } catch (thrown) {
    const error = toAppError(thrown);
    if (error.retryable || error.code === 'cancelled') throw error;
    // What cannot be read is not quoted; the message itself is no worse for it.
    return undefined;
  }
};

const counterpart = async (
  origin: MessageRef,
  target: Channel,
  copies: Pick<MirrorStore, 'of'>,
): Promise<MessageRef> => {
  if (origin.channel.id === target.id) return origin;
  const all = await copies.of({ ref: origin, purpose: WATCH });
  const there = all.find((kept) => kept.target.id === target.id)?.posted;
  return there ? { channel: there.channel, id: there.ids[0] } : origin;
};
