import { AppError, toAppError, userError } from '../errors.ts';
import type { Message } from '../model/message.ts';
import type { MessageRef } from '../model/place.ts';
import type { MirrorStore } from '../store/channels/mirrors.ts';
import { flaggedLanguage, fromStored, type Row } from '../store/inbox/row.ts';
import { textFor, type WatchedPlatforms } from './watched-platforms.ts';

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

/** Reads the message of a row, with access to its files; undefined where there is none to translate. */
export const readSource = async (
  { ref, purpose, message: state }: Row,
  stored: Pick<MirrorStore, 'sourceOf'>,
  platforms: Pick<WatchedPlatforms, 'of'>,
): Promise<Message | undefined> => {
  if (state === 'deleted' || state === 'skipped') return undefined;
  if (state === 'unread')
    return flaggedLanguage(purpose) === undefined
      ? platforms.of(ref.channel).feed.read(ref)
      : readFlagged(ref, stored, platforms);
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

/**
 * Finds the ids of the people whose words a message holds: its author, or for a mirror the authors of all
 * its sources. Rejects with `not-found` where one of these is deleted.
 */
export const authorsOf = async (
  { ref, author }: Message,
  stored: Pick<MirrorStore, 'sourcesOf'>,
  platforms: Pick<WatchedPlatforms, 'find' | 'of'>,
): Promise<readonly string[]> => {
  const isOurs = author.kind === 'ourselves' && platforms.find(ref.channel) !== undefined;
  const sources = isOurs ? await stored.sourcesOf(ref) : [];
  if (sources.length === 0) return [author.id];
  return Promise.all(
    sources.map(async (source) => {
      const written = await platforms.of(source.ref.channel).feed.read(source.ref);
      if (!written) throw userError('not-found', 'errors.not-found');
      return written.author.id;
    }),
  );
};
