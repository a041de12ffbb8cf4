import { userError } from '../errors.ts';
import type { Message } from '../model/message.ts';
import type { MirrorStore } from '../store/mirrors.ts';
import type { WatchPort } from '../ports/channel-feed.ts';

/**
 * Ids of those whose words a message holds: its author, or of a copy of ours the authors of all that it
 * was made of. Rejects with `not-found` where one of these is gone.
 */
export const authorsOf = async (
  { ref, author }: Message,
  copies: Pick<MirrorStore, 'sourcesOf'>,
  port: Pick<WatchPort, 'read'> | undefined,
): Promise<readonly string[]> => {
  const sources = port && author.kind === 'ourselves' ? await copies.sourcesOf(ref) : [];
  if (!port || sources.length === 0) return [author.id];
  return Promise.all(
    sources.map(async (source) => {
      const written = await port.read(source.ref);
      if (!written) throw userError('not-found', 'errors.not-found');
      return written.author.id;
    }),
  );
};
