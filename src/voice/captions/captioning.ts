import { orAborted } from '../../async/abort.ts';
import { waitUntil } from '../../async/clock.ts';
import { MINUTE_MS } from '../../async/time.ts';
import { type AppError, userError } from '../../errors.ts';
import { logFailure } from '../../telemetry/log.ts';
import { lines } from '../../rich-text/compose.ts';
import type { Content } from '../../model/content.ts';
import { channelMention, type Channel, type Posted } from '../../model/place.ts';
import type { Platform } from '../../ports/platform.ts';
import type { CaptionOptions } from '../room-types.ts';
import type { StoredCaptions } from '../../model/stored-room.ts';
import type { RoomTranscriptKind } from '../../model/transcript.ts';
import type { StatusMessages } from '../status-messages.ts';
import {
  type CaptionSession,
  type CaptionSessionDeps,
  startCaptionSession,
} from './caption-session.ts';
import type { Assistant } from '../../chat/assistant.ts';
import type { MeteredServices } from '../../usage/meter.ts';
import type { LostLines } from './lost-lines.ts';
import { createTranslateCaption } from './translations.ts';

export interface CaptioningDeps extends Omit<
  CaptionSessionDeps,
  'translate' | 'gone' | 'blocked' | 'unshown'
> {
  readonly services: MeteredServices;
  readonly platform: Pick<
    Platform,
    'name' | 'post' | 'edit' | 'delete' | 'mirrors' | 'tell' | 'missingToPost'
  >;
  readonly channel: () => Channel;
  readonly messages: StatusMessages;
  /** Aborted when the room is over. */
  readonly signal: AbortSignal;
  /** True when the bot will be back in a room that is over, if the program starts again soon. */
  readonly mayReturn: () => boolean;
}

/** Longest time to end a session; in a room that is over the program waits for it. */
const LONGEST_END_MS = 15_000;
const SHORTEST_END_MS = 5_000;
/** Least time between two private messages to the member who started captions. */
const TOLD_EVERY_MS = 10 * MINUTE_MS;
/** Time for the message about the end, in a room that is over. */
const POSTING_MS = 1_000;

interface Place {
  readonly channel: Channel;
  readonly heading?: Posted;
}

/** The captions of a room: none, or one session at a time. */
export const createCaptioning = (deps: CaptioningDeps) => {
  const { services, clock, platform, channel, messages, texts, log } = deps;
  let session: CaptionSession | undefined;
  let last: CaptionSession | undefined;
  /** A session that did not begin, while it ends. */
  let discarded: CaptionSession | undefined;
  let place: Promise<Place> | undefined;
  /** The member who started the captions. */
  let starter: string | undefined;
  let toldMs = Number.NEGATIVE_INFINITY;
  /** The error that keeps captions from being shown. */
  let blocking: AppError | undefined;

  const translate = createTranslateCaption(services, channel);
  const record = (): CaptionSession | undefined =>
    [session, last].find((one) => one && one.captionCount() > 0);
  const latestEndMs = (): number =>
    clock.nowMs() + (deps.signal.aborted ? SHORTEST_END_MS : LONGEST_END_MS);

  const channelFor = async ({ in: chosen, thread }: CaptionOptions): Promise<Channel> => {
    const parent = chosen ?? channel();
    if (thread === undefined || !platform.mirrors) return parent;
    const name = thread === '' ? texts.threadName() : thread;
    return (await platform.mirrors.thread(parent, name)).channel;
  };
  const openPlace = async (options: CaptionOptions): Promise<Place> => {
    const to = await channelFor(options);
    if (options.interrupted) {
      const restarted = texts.restarted(options.interrupted.sinceMs, deps.now());
      return { channel: to, heading: await platform.post(to, restarted) };
    }
    if (to.id === channel().id) return { channel: to };
    return { channel: to, heading: await platform.post(to, texts.captionsOf(channel())) };
  };
  const removeHeading = async (opened: Promise<Place> | undefined): Promise<void> => {
    await logFailure(log, 'the heading of captions that did not begin may remain', async () => {
      const heading = (await opened)?.heading;
      if (heading) await platform.delete(heading);
    });
  };
  /** The permissions that are missing in a channel, as far as the platform knows. */
  const missingIn = (to: Channel): AppError | undefined => {
    const permissions = platform.missingToPost?.(to).join(', ') ?? '';
    if (permissions === '') return undefined;
    return userError('forbidden', 'room.missing', { channel: channelMention(to), permissions });
  };
  const explained = (to: Channel, error: AppError): AppError =>
    (error.code === 'forbidden' ? missingIn(to) : undefined) ?? error;
  const faultOf = ({ channel: to }: CaptionSession): AppError | undefined => {
    const missing = missingIn(to);
    if (missing) return missing;
    // Permissions that were missing are there again.
    return blocking?.sentence.key === 'room.missing' ? undefined : blocking;
  };
  /** Tells the member who started the captions, in private and not too often. */
  const tellStarter = async ({ text }: Content): Promise<void> => {
    const nowMs = clock.nowMs();
    if (starter === undefined || !platform.tell || nowMs - toldMs < TOLD_EVERY_MS) return;
    toldMs = nowMs;
    const member = { platform: platform.name, id: starter };
    const { tell } = platform;
    await logFailure(log, 'the member who started captions could not be told', () =>
      tell(member, texts.toStarter(channel(), text)),
    );
  };
  const blocked = async (error: AppError | undefined): Promise<void> => {
    blocking = error && explained(session?.channel ?? channel(), error);
    if (!blocking) return messages.settle('captions', texts.status('room.shown-again'));
    const content = texts.failed('room.not-shown', blocking);
    if (!(await messages.show('captions', content))) await tellStarter(content);
  };
  /** Marks in the channel of the captions how many lines are missing there. */
  const unshown = (to: Channel, { count, startMs, endMs }: LostLines): void => {
    const sinceMs = deps.now() - clock.nowMs();
    void logFailure(log, 'missing captions could not be marked', () =>
      platform.post(to, texts.linesUnshown(count, sinceMs + startMs, sinceMs + endMs)),
    );
  };

  /** Posts in the channel of the captions, or else in the room; best with the transcript. */
  const postEnd = async (ended: CaptionSession): Promise<void> => {
    const { transcript } = ended.options;
    const count = ended.captionCount();
    const ending = texts.captionsEnded(ended.spokenCount(), ended.durationMs());
    const text = deps.mayReturn() ? lines(ending, texts.stopping()) : ending;
    const content = { text, tone: 'note' } as const;
    const channels = ended.channel.id === channel().id ? [channel()] : [ended.channel, channel()];
    for (const to of channels)
      for (const kind of transcript && count > 0 ? [transcript, undefined] : [undefined]) {
        const fault = await logFailure(log, 'the end of captions could not be posted', async () => {
          const files = kind ? [await ended.file(kind)] : [];
          await platform.post(to, { ...content, files });
        });
        if (!fault) return;
      }
  };

  return {
    current: (): CaptionSession | undefined => session,
    /** The captions as they are stored while they are on. */
    stored: (): StoredCaptions | undefined => {
      if (!session) return undefined;
      const { options, channel: shownIn, startedMs } = session;
      const { only, transcript } = options;
      const follows = options.in === undefined && options.thread === undefined;
      return {
        languages: session.languages(),
        in: follows ? undefined : shownIn,
        only,
        transcript,
        startedMs,
        startedBy: starter,
      };
    },
    /** The latest captions with their speakers, oldest first. */
    recent: (): readonly string[] => session?.recent() ?? [],
    /** True when there is a transcript, or may soon be one. */
    hasRecord: (): boolean => record() !== undefined,
    /**
     * Opens a session in the chosen channel, under a heading unless that is the room's own chat.
     * Rejects, without a session, when `signal` is aborted or the channel accepts no captions.
     *
     * @param gone is called when the channel is gone later
     */
    open: async (options: CaptionOptions, signal: AbortSignal, gone: () => void): Promise<void> => {
      place = openPlace(options);
      starter = options.startedBy;
      blocking = undefined;
      try {
        const { channel: to } = await orAborted(place, signal);
        session = startCaptionSession(to, options, {
          ...deps,
          translate,
          gone,
          blocked: (error) => void blocked(error),
          unshown,
        });
      } catch (thrown) {
        // The caller does not wait for a slow channel.
        if (signal.aborted) void removeHeading(place);
        throw thrown;
      }
    },
    /** Discards a session that did not begin, and removes its heading. */
    discard: async (): Promise<void> => {
      discarded = session;
      session = undefined;
      await discarded?.end(latestEndMs());
      discarded = undefined;
      await removeHeading(place);
    },
    /** The time, on the room's clock, by which a session that stops now has ended. */
    latestEndMs,
    /** Ends the session by `latestMs` and posts that it ended, with the transcript if requested. */
    end: async (latestMs: number): Promise<void> => {
      const ending = session;
      if (!ending) return;
      session = undefined;
      // An earlier transcript is not replaced by an empty one.
      if (ending.captionCount() > 0) last = ending;
      await logFailure(log, 'captions did not end properly', () => ending.end(latestMs));
      const posted = postEnd(ending);
      if (deps.signal.aborted) await waitUntil(clock, clock.nowMs() + POSTING_MS, posted);
      else await posted;
    },
    transcript: async (kind: RoomTranscriptKind, language?: string) =>
      record()?.file(kind, language),
    summary: async function* (language: string, assistant: Assistant, signal: AbortSignal) {
      const of = record();
      if (!of) throw userError('not-found', 'captions.none');
      return yield* of.summary(language, assistant, signal);
    },
    /** Moves captions that are shown in the room's own chat along with the room. */
    moved: (): void => {
      if (!session || session.options.in || session.options.thread !== undefined) return;
      const from = session.channel;
      const to = channel();
      session.moveTo(to);
      void logFailure(log, 'the move of captions could not be posted', () =>
        platform.post(from, texts.captionsMoved(to)),
      );
    },
    /** The error that keeps captions from being shown; undefined while they are, or while there are none. */
    fault: (): AppError | undefined => session && faultOf(session),
    tellStarter,
    /** Tries again where a channel refused: permissions may have changed. */
    retry: (): void => session?.retry(),
    /** Forgets that this member started the captions. */
    forgetStarter: (memberId: string): void => {
      if (starter === memberId) starter = undefined;
    },
    forget: (memberId: string): void => {
      for (const one of [session, discarded, last]) one?.forget(memberId);
    },
  };
};
