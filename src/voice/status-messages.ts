import { toAppError } from '../errors.ts';
import { type Log, logFailure } from '../log.ts';
import type { Channel, Posted } from '../model/place.ts';
import type { Content } from '../model/content.ts';
import type { Platform } from '../ports/platform.ts';
import { createLru } from '../async/lru.ts';
import { createKeyedMutex } from '../async/keyed-mutex.ts';

/** Lines in the room's own chat that say how it is; each is about one thing, and changes with it. */
export interface StatusMessages {
  /** Shows a line about `what`, in place of the one before. */
  show(what: string, content: Content): Promise<void>;
  /** It is over: the line says so, where there is one. */
  settle(what: string, content: Content): Promise<void>;
  /** Resolves with false where nothing can be shown. */
  post(content: Content): Promise<boolean>;
}

export interface StatusMessagesDeps {
  readonly platform: Pick<Platform, 'post' | 'edit'>;
  readonly channel: () => Channel;
  readonly log: Log;
}

/** Things that are told of at the same time; about more, the oldest lines stay as they are. */
const MOST_LINES = 50;

export const createStatusMessages = ({
  platform,
  channel,
  log,
}: StatusMessagesDeps): StatusMessages => {
  const lines = createLru<string, { readonly posted: Posted; readonly text: string }>(MOST_LINES);
  const turns = createKeyedMutex();

  const attempt = async (run: () => Promise<unknown>): Promise<boolean> =>
    !(await logFailure(log, 'a room could not be told how it is', run));
  /** Undefined where somebody deleted it. */
  const edit = async (posted: Posted, content: Content): Promise<Posted | undefined> => {
    try {
      return await platform.edit(posted, content);
    } catch (thrown) {
      if (toAppError(thrown).code === 'not-found') return undefined;
      throw thrown;
    }
  };
  const change = async (what: string, content: Content, isNew: boolean): Promise<void> => {
    using _ = await turns.take(what);
    const line = lines.get(what);
    if (line?.text === content.text || (!line && !isNew)) return;
    await attempt(async () => {
      const edited = line && (await edit(line.posted, content));
      if (!edited && !isNew) return;
      const posted = edited ?? (await platform.post(channel(), content));
      lines.set(what, { posted, text: content.text });
    });
  };

  return {
    show: async (what, content) => change(what, content, true),
    settle: async (what, content) => {
      await change(what, content, false);
      lines.delete(what);
    },
    post: async (content) => attempt(() => platform.post(channel(), content)),
  };
};
