import { AppError, toAppError } from '../errors.ts';
import { writerOf, type Message } from '../model/message.ts';
import type { MessageRef } from '../model/place.ts';
import type { MirrorStore } from '../store/channels/mirrors.ts';
import { flaggedLanguage, fromStored, type Row } from '../store/inbox/row.ts';
import type { OpenSources } from './open-sources.ts';
import { textFor, type WatchedPlatforms } from './watched-platforms.ts';

export interface FlaggedDeps {
  readonly stored: Pick<MirrorStore, 'sourceOf'>;
  readonly platforms: Pick<WatchedPlatforms, 'of'>;
  readonly openSources: Pick<OpenSources, 'isOpen'>;
}

/**
 * Reads the message that a flag asks to be translated. A flag on a mirror means its source, so that it has the same meaning
 * on either; where that may not be read there any more, it means the words of the mirror. Undefined when one of them is
 * deleted or refused.
 */
export const readFlagged = async (
  ref: MessageRef,
  { stored, platforms, openSources }: FlaggedDeps,
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
  const { id, platform } = writerOf(words);
  if (!(await openSources.isOpen(words, ref.channel))) {
    const { kind } = words.author;
    return { ...pressed, author: { ...pressed.author, id, platform, kind } };
  }
  const text = await textFor(words.text, source.ref.channel, ref.channel, platforms);
  const { threadId: _thread, ...shown } = words;
  // The answer stands below the message that was pressed.
  const { position, threadId } = pressed;
  const author = { ...words.author, platform };
  return { ...shown, author, text, ref, position, ...(threadId === undefined ? {} : { threadId }) };
};

/** Reads the message of a row, with access to its files; undefined where there is none to translate. */
export const readSource = async (
  { ref, purpose, message: state }: Row,
  deps: FlaggedDeps,
): Promise<Message | undefined> => {
  const { platforms } = deps;
  if (state === 'deleted' || state === 'skipped') return undefined;
  if (state === 'unread')
    return flaggedLanguage(purpose) === undefined
      ? platforms.of(ref.channel).feed.read(ref)
      : readFlagged(ref, deps);
  return fromStored(
    ref,
    state,
    ({ id }) =>
      async function* (signal) {
        // Read again, because addresses of files expire.
        const message = await platforms.of(ref.channel).feed.read(ref);
        const file = message?.files.find((one) => one.id === id);
        if (!file) throw new AppError('not-found', 'the file is gone with its message');
        yield* file.open(signal);
      },
  );
};
