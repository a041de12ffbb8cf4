import { orAborted } from '../abort.ts';
import { AppError, toAppError, userError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Channel } from '../model.ts';
import type { Platform } from '../platform.ts';
import type { CaptionRecord, CaptionWish, Room } from './service.ts';
import { createTurns } from '../turns.ts';
import type { CaptionSession } from './caption-session.ts';
import type { RoomTexts } from './texts.ts';

export interface CaptioningParts {
  readonly platform: Pick<Platform, 'post' | 'delete' | 'watch'>;
  /** Where we are. */
  readonly channel: () => Channel;
  readonly texts: RoomTexts;
  /** Begins captions; `gone` is told when the place where they are shown is gone. */
  readonly session: (to: Channel, wish: CaptionWish, gone: () => void) => CaptionSession;
  /** Lets people be told and heard; resolves when they were told. */
  readonly listen: () => Promise<void>;
  /** Hears nothing more for captions; resolves when what was said until now was told. */
  readonly unlisten: () => Promise<void>;
  /** Aborted when the room is over. */
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** The captions of a room: none, or one session at a time. */
export interface Captioning
  extends Pick<Room, 'captions' | 'stopCaptions'>, Omit<CaptionRecord, 'people'> {
  /** The session that takes lines. */
  readonly current: () => CaptionSession | undefined;
  /** Whether people are to be heard for captions. */
  readonly isOn: () => boolean;
  /** Whether there is a transcript, or may be one. */
  readonly hasRecord: () => boolean;
  /** Rejects, with nothing begun, where people cannot be told, or where it is ended meanwhile. */
  start(wish: CaptionWish): Promise<void>;
  /** We are in another room: captions that were shown in the chat of the one before come along. */
  readonly moved: () => void;
  forget(memberId: string): void;
}

const COMMON = 'captions';

export const createCaptioning = (parts: CaptioningParts): Captioning => {
  const { platform, channel, texts, log } = parts;
  const turns = createTurns();
  let session: CaptionSession | undefined;
  let last: CaptionSession | undefined;
  let isEnding = false;
  let starting: AbortController | undefined;

  const isOn = (): boolean => session !== undefined && !isEnding;
  const record = (): CaptionSession | undefined =>
    [session, last].find((one) => one && one.lineCount() > 0);

  const sinkOf = async ({ in: wanted, thread }: CaptionWish): Promise<Channel> => {
    const to = wanted ?? channel();
    if (thread === undefined || !platform.watch) return to;
    return platform.watch.thread(to, thread === '' ? texts.threadName() : thread);
  };
  const quietly = async (what: string, run: () => Promise<unknown>): Promise<boolean> => {
    try {
      await run();
      return true;
    } catch (thrown) {
      const { code, message } = toAppError(thrown);
      log.warn({ code, reason: message }, what);
      return false;
    }
  };
  const tellEnd = async (ended: CaptionSession): Promise<void> => {
    const { wish } = ended;
    const lines = ended.lineCount();
    const text = texts.captionsEnded(lines, ended.durationMs());
    const content = { text, tone: 'note', files: [] } as const;
    const isPosted = await quietly('the end of captions could not be told', async () => {
      const files = wish.transcript && lines > 0 ? [await ended.file(wish.transcript)] : [];
      await platform.post(ended.channel, { ...content, files });
    });
    if (!isPosted && wish.transcript && lines > 0)
      await quietly('nor could it without the transcript', () =>
        platform.post(ended.channel, content),
      );
  };

  const begin = async (wish: CaptionWish, stop: AbortController): Promise<void> => {
    const to = await sinkOf(wish);
    const head =
      to.id === channel().id ? undefined : await platform.post(to, texts.captionsOf(channel()));
    const begun = parts.session(to, wish, () => void stopCaptions());
    session = begun;
    try {
      await orAborted(parts.listen(), stop.signal);
    } catch (thrown) {
      session = undefined;
      await parts.unlisten();
      await begun.end();
      if (head) await quietly('a heading stands alone', () => platform.delete(head));
      throw thrown;
    }
  };

  const stopCaptions = async (): Promise<boolean> => {
    const wasStarting = starting !== undefined;
    starting?.abort(new AppError('cancelled', 'captions were ended while they began'));
    using _ = await turns.take(COMMON);
    const ending = session;
    if (!ending) return wasStarting;
    isEnding = true;
    await parts.unlisten();
    session = undefined;
    isEnding = false;
    last = ending;
    await quietly('captions did not end as they should', () => ending.end());
    await tellEnd(ending);
    return true;
  };

  return {
    get captions() {
      return session && isOn()
        ? { languages: session.languages(), in: session.channel }
        : undefined;
    },
    current: () => session,
    isOn,
    hasRecord: () => record() !== undefined,
    start: async (wish) => {
      using _ = await turns.take(COMMON);
      parts.signal.throwIfAborted();
      if (session)
        throw userError('bad-input', 'captions.running', { channel: `<#${session.channel.id}>` });
      const stop = new AbortController();
      starting = stop;
      try {
        await begin(wish, stop);
      } finally {
        starting = undefined;
      }
    },
    stopCaptions,
    transcript: async (kind, language) => record()?.file(kind, language),
    summary: async function* (language, signal) {
      const of = record();
      if (!of) throw userError('not-found', 'captions.none');
      return yield* of.summary(language, signal);
    },
    moved: () => {
      if (!session || session.wish.in || session.wish.thread !== undefined) return;
      const from = session.channel;
      const to = channel();
      session.moveTo(to);
      void quietly('people could not be told where captions went', () =>
        platform.post(from, texts.captionsMoved(to)),
      );
    },
    forget: (memberId) => {
      session?.forget(memberId);
      last?.forget(memberId);
    },
  };
};
