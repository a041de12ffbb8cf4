import type { Channel, Message, MessageRef } from '../model.ts';
import type { CopyStore } from '../store/copies.ts';
import { excerpt } from '../text/excerpt.ts';
import type { Copy, WatchPort } from './port.ts';

const QUOTED_CHARS = 80;
const WATCH = 'watch';

/**
 * What a message answers to, as the readers of `target` find it: in their own language where a copy
 * of it stands there, the message itself otherwise. Undefined when it is gone.
 */
export const quoteFor = async (
  { replyTo }: Message,
  target: Channel,
  copies: Pick<CopyStore, 'sourceOf' | 'of'>,
  port: Pick<WatchPort, 'read'>,
): Promise<Copy['quote']> => {
  if (!replyTo) return undefined;
  const origin = (await copies.sourceOf(replyTo))?.ref ?? replyTo;
  const ref = await counterpart(origin, target, copies);
  const shown = (await port.read(ref)) ?? (await port.read(replyTo));
  if (!shown) return undefined;
  return { ref: shown.ref, name: shown.author.name, text: excerpt(shown.text, QUOTED_CHARS) };
};

const counterpart = async (
  origin: MessageRef,
  target: Channel,
  copies: Pick<CopyStore, 'of'>,
): Promise<MessageRef> => {
  if (origin.channel.id === target.id) return origin;
  const all = await copies.of({ ref: origin, purpose: WATCH });
  const there = all.find(({ posted }) => posted.channel.id === target.id)?.posted;
  return there ? { channel: there.channel, id: there.ids[0] } : origin;
};
