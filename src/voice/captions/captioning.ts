import { orAborted } from '../../async/abort.ts';
import { AppError, userError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { channelMention } from '../../model/mention.ts';
import type { Channel, Posted } from '../../model/place.ts';
import type { Platform } from '../../ports/platform.ts';
import type { CaptionRecord, CaptionOptions, Room } from '../service.ts';
import { createKeyedMutex } from '../../async/keyed-mutex.ts';
import type { CaptionSession } from './caption-session.ts';
import { waitUntil, type Clock } from '../../async/clock.ts';
import { logFailure } from '../log-failure.ts';
import type { RoomTexts } from '../texts.ts';

export interface CaptioningDeps {
  readonly clock: Clock;
  readonly platform: Pick<Platform, 'post' | 'delete' | 'mirrors'>;
  /** Where we are. */
  readonly channel: () => Channel;
  readonly texts: RoomTexts;
  /** Begins captions; `gone` is told when the place where they are shown is gone. */
  readonly session: (to: Channel, wish: CaptionOptions, gone: () => void) => CaptionSession;
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
  extends Pick<Room, 'captions' | 'stopCaptions'>, Omit<CaptionRecord, 'people' | 'hasRecord'> {
  /** The session that takes lines. */
  readonly current: () => CaptionSession | undefined;
  /** Whether people are to be heard for captions. */
  readonly isOn: () => boolean;
  /** Whether there is a transcript, or may be one. */
  readonly hasRecord: () => boolean;
  /** Rejects, with nothing begun, where people cannot be told, or where it is ended meanwhile. */
  start(wish: CaptionOptions): Promise<void>;
  /** We are in another room: captions that were shown in the chat of the one before come along. */
  readonly moved: () => void;
  forget(memberId: string): void;
}

const COMMON = 'captions';
/** How long an end takes at most; that of a room, and so of the program, which waits for nobody. */
const LONGEST_END_MS = 15_000;
const SHORTEST_END_MS = 5_000;
/** How long a room that is over waits for the line that says so. */
const TELLING_MS = 1_000;

export const createCaptioning = (deps: CaptioningDeps): Captioning => {
  const { clock, platform, channel, texts, log } = deps;
  const turns = createKeyedMutex();
  let session: CaptionSession | undefined;
  let last: CaptionSession | undefined;
  /** One that could not begin, while it ends. */
  let failed: CaptionSession | undefined;
  let isEnding = false;
  let starting: AbortController | undefined;

  const isOn = (): boolean => session !== undefined && !isEnding;
  const record = (): CaptionSession | undefined =>
    [session, last].find((one) => one && one.lineCount() > 0);

  const sinkOf = async ({ in: wanted, thread }: CaptionOptions): Promise<Channel> => {
    const to = wanted ?? channel();
    if (thread === undefined || !platform.mirrors) return to;
    const made = await platform.mirrors.thread(to, thread === '' ? texts.threadName() : thread);
    return made.channel;
  };
  /** Where they were shown, or else in the room's own chat; with the transcript, or else without. */
  const tellEnd = async (ended: CaptionSession): Promise<void> => {
    const { transcript } = ended.wish;
    const lines = ended.lineCount();
    const text = texts.captionsEnded(lines, ended.durationMs());
    const content = { text, tone: 'note' } as const;
    const places = ended.channel.id === channel().id ? [channel()] : [ended.channel, channel()];
    for (const to of places)
      for (const kind of transcript && lines > 0 ? [transcript, undefined] : [undefined]) {
        const fault = await logFailure(log, 'the end of captions could not be told', async () => {
          const files = kind ? [await ended.file(kind)] : [];
          await platform.post(to, { ...content, files });
        });
        if (!fault) return;
      }
  };
  const latestMs = (): number =>
    clock.nowMs() + (deps.signal.aborted ? SHORTEST_END_MS : LONGEST_END_MS);

  /** Where they are to be shown, with its heading where that is not the room's own chat. */
  const placeOf = async (wish: CaptionOptions): Promise<{ to: Channel; head?: Posted }> => {
    const to = await sinkOf(wish);
    if (to.id === channel().id) return { to };
    return { to, head: await platform.post(to, texts.captionsOf(channel())) };
  };
  const begin = async (wish: CaptionOptions, stop: AbortController): Promise<void> => {
    const placed = placeOf(wish);
    const takeBackHead = (): Promise<unknown> =>
      logFailure(log, 'captions that did not begin may have a heading', async () => {
        const { head } = await placed;
        if (head) await platform.delete(head);
      });
    const { to } = await orAborted(placed, stop.signal).catch((thrown: unknown) => {
      if (stop.signal.aborted) void takeBackHead();
      throw thrown;
    });
    const begun = deps.session(to, wish, () => void stopCaptions());
    session = begun;
    try {
      await orAborted(deps.listen(), stop.signal);
    } catch (thrown) {
      session = undefined;
      failed = begun;
      await deps.unlisten();
      await begun.end(latestMs());
      failed = undefined;
      await takeBackHead();
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
    const untilMs = latestMs();
    await deps.unlisten();
    session = undefined;
    isEnding = false;
    // What was said before is wanted more than that nothing was said since.
    if (ending.lineCount() > 0) last = ending;
    await logFailure(log, 'captions did not end as they should', () => ending.end(untilMs));
    const told = tellEnd(ending);
    if (deps.signal.aborted) await waitUntil(clock, clock.nowMs() + TELLING_MS, told);
    else await told;
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
      deps.signal.throwIfAborted();
      if (session)
        throw userError('bad-input', 'captions.running', {
          channel: channelMention(session.channel),
        });
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
      void logFailure(log, 'people could not be told where captions went', () =>
        platform.post(from, texts.captionsMoved(to)),
      );
    },
    forget: (memberId) => {
      for (const one of [session, failed, last]) one?.forget(memberId);
    },
  };
};
