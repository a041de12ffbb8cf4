import { userError } from '../../errors.ts';
import { writerOf, type Message } from '../../model/message.ts';
import type { MessageRef, Person } from '../../model/place.ts';
import type { MirrorStore } from '../../store/channels/mirrors.ts';
import { outcomesOf } from '../../store/inbox/outcomes.ts';
import type { Store } from '../../store/index.ts';
import type { WatchedPlatforms } from '../watched-platforms.ts';

export interface AuthorsDeps {
  readonly store: Pick<Store, 'selectFrom'>;
  readonly stored: Pick<MirrorStore, 'sourcesOf'>;
  readonly platforms: Pick<WatchedPlatforms, 'of'>;
}

/** Reads a source; undefined where it is deleted. */
type Read = (source: MessageRef) => Promise<Message | undefined>;

/**
 * Creates the function that finds the people whose words a message holds: its author, and of one of our messages the authors
 * of all its sources, of whatever platform; nobody where it has none. Rejects with `not-found` where one of these is deleted,
 * and as reading does where only that tells who wrote it.
 */
export const createAuthorsOf = ({ store, stored, platforms }: AuthorsDeps) => {
  const readHere: Read = async (source) => platforms.of(source.channel).feed.read(source);

  const ofSources = async (ref: MessageRef, read: Read): Promise<readonly Person[]> => {
    const sources = await stored.sourcesOf(ref);
    return (await Promise.all(sources.map((source) => ofSource(source.ref, read)))).flat();
  };

  const ofSource = async (ref: MessageRef, read: Read): Promise<readonly Person[]> => {
    // A flag may be under a copy: its words are those of the source.
    const above = await ofSources(ref, read);
    if (above.length > 0) return above;
    const [known] = await outcomesOf(store, ref);
    const isGone = known?.skip === 'deleted';
    if (known && known.authorId !== '' && !isGone)
      return [{ platform: ref.channel.space.platform, id: known.authorId }];
    const written = isGone ? undefined : await read(ref);
    if (!written) throw userError('not-found', 'errors.not-found');
    return [writerOf(written)];
  };

  return async (message: Message, read = readHere): Promise<readonly Person[]> =>
    message.author.kind === 'ourselves' ? ofSources(message.ref, read) : [writerOf(message)];
};
