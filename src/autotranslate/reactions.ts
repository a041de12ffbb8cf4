import { toAppError } from '../errors.ts';
import type { Message } from '../model/message.ts';
import type { MessageRef } from '../model/place.ts';
import type { SpaceChoices } from '../model/space-choices.ts';
import type { MirrorStore } from '../store/mirrors.ts';
import { languageOfFlag } from '../text/language/flags.ts';
import type { WatchPort } from '../ports/channel-feed.ts';

/** The language that a reaction stands for in a space; undefined where it stands for none. */
export const languageOfReaction = (
  emoji: string,
  { flags }: Pick<SpaceChoices, 'flags'>,
): string | undefined => (flags.on ? (flags.languages[emoji] ?? languageOfFlag(emoji)) : undefined);

/** Undefined too where we may not look. */
const readOpen = async (
  port: Pick<WatchPort, 'read'>,
  ref: MessageRef,
): Promise<Message | undefined> => {
  try {
    return await port.read(ref);
  } catch (thrown) {
    if (toAppError(thrown).code === 'forbidden') return undefined;
    throw thrown;
  }
};

/**
 * What a flag under a message asks to be translated: a copy speaks for its source, so pressed on either
 * a flag means the same words. Undefined when one of them is gone, or closed to us.
 */
export const readFlagged = async (
  ref: MessageRef,
  copies: Pick<MirrorStore, 'sourceOf'>,
  port: Pick<WatchPort, 'read'>,
): Promise<Message | undefined> => {
  const origin = await copies.sourceOf(ref);
  const pressed = await readOpen(port, ref);
  const words = origin ? await readOpen(port, origin.ref) : pressed;
  return pressed && words && { ...words, ref, position: pressed.position };
};

/** Rows that reactions asked for are done by themselves: nobody waits for those before them. */
export const flagPartition = ({ channel, id }: MessageRef): string => `flag:${channel.id}:${id}`;
