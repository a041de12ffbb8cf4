import { userError } from '../../errors.ts';
import { writerOf, type Message } from '../../model/message.ts';
import type { MessageRef, Person } from '../../model/place.ts';
import type { MirrorStore } from '../../store/channels/mirrors.ts';
import { outcomesOf, skippedAmong } from '../../store/inbox/outcomes.ts';
import type { Store } from '../../store/index.ts';
import type { Privacy } from '../../store/privacy/person-data.ts';
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
    if (known?.author && !isGone) return [known.author];
    const written = isGone ? undefined : await read(ref);
    if (!written) throw userError('not-found', 'errors.not-found');
    return [writerOf(written)];
  };

  return async (message: Message, read = readHere): Promise<readonly Person[]> =>
    message.author.kind === 'ourselves' ? ofSources(message.ref, read) : [writerOf(message)];
};

/** Knowledge of a caller that checks many messages, and its own reader of sources. */
interface Known {
  readonly read?: Read;
  readonly isOut?: (person: Person) => Promise<boolean>;
  /** The ids of messages that were written by people who had opted out then. */
  readonly wroteOut?: ReadonlySet<string>;
}

export type OptedOutOf = ReturnType<typeof createOptedOutOf>;

/**
 * Creates the one check before words are shown to somebody who asks for them: it finds those whose words a message holds, as
 * `createAuthorsOf` does, who opted out, or had when they wrote it.
 */
export const createOptedOutOf = (
  deps: AuthorsDeps & { readonly privacy: Pick<Privacy, 'optedOut'> },
) => {
  const authorsOf = createAuthorsOf(deps);
  return async (message: Message, known: Known = {}): Promise<readonly Person[]> => {
    const { isOut = (person) => deps.privacy.optedOut(person) } = known;
    const authors = await authorsOf(message, known.read);
    const wroteOut = known.wroteOut ?? (await skippedAmong(deps.store, [message.ref], 'opted-out'));
    if (wroteOut.has(message.ref.id)) return authors;
    const areOut = await Promise.all(authors.map(isOut));
    return authors.filter((_, at) => areOut[at]);
  };
};
