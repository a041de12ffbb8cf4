import { toAppError } from '../errors.ts';
import type { Message } from '../model/message.ts';
import type { MessageRef } from '../model/place.ts';
import type { SpaceChoices } from '../model/space-choices.ts';
import type { MirrorStore } from '../store/channels/mirrors.ts';
import { languageOfFlag } from '../text/language/flags.ts';
import { textFor, type WatchedPlatforms } from './watched-platforms.ts';

/** The language that a reaction stands for in a space; undefined where it stands for none. */
export const languageOfReaction = (
  emoji: string,
  { flags }: Pick<SpaceChoices, 'flags'>,
): string | undefined => (flags.on ? (flags.languages[emoji] ?? languageOfFlag(emoji)) : undefined);

/**
 * Reads the message that a flag asks to be translated. A flag on a mirror means its source, so that
 * it has the same meaning on either. Undefined when one of them is deleted or may not be read.
 */
export const readFlagged = async (
  ref: MessageRef,
  stored: Pick<MirrorStore, 'sourceOf'>,
  platforms: Pick<WatchedPlatforms, 'of'>,
): Promise<Message | undefined> => {
  const readOpen = async (one: MessageRef): Promise<Message | undefined> => {
    try {
      return await platforms.of(one.channel).feed.read(one);
    } catch (thrown) {
      if (toAppError(thrown).code === 'forbidden') return undefined;
      throw thrown;
    }
  };
  const source = await stored.sourceOf(ref);
  const pressed = await readOpen(ref);
  if (!source || !pressed) return pressed;
  const words = await readOpen(source.ref);
  if (!words) return undefined;
  const text = await textFor(words.text, source.ref.channel, ref.channel, platforms);
  const { threadId: _thread, ...shown } = words;
  // The answer stands below the message that was pressed.
  const { position, threadId } = pressed;
  return { ...shown, text, ref, position, ...(threadId === undefined ? {} : { threadId }) };
};
