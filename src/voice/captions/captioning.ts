import { orAborted } from '../../async/abort.ts';
import { waitUntil, MINUTE_MS } from '../../async/clock.ts';
import type { Assistant } from '../../chat/assistant.ts';
import { type AppError, userError } from '../../errors.ts';
import { logFailure } from '../../telemetry/log.ts';
import { lines } from '../../rich-text/compose.ts';
import type { Content, RoomTranscriptKind } from '../../model/message.ts';
import { channelMention, type Channel, type Posted } from '../../model/place.ts';
import type { ConsentChoice, StoredCaptions } from '../../model/room.ts';
import type { Platform } from '../../ports/platform.ts';
import type { EditRate } from '../../ports/voice.ts';
import { spokenMs, type SpeechItem } from '../tts/speech-item.ts';
import type { RoomContext, CaptionOptions } from '../room-types.ts';
import { type CaptionSession, startCaptionSession } from './caption-session.ts';
import type { LostLines } from './missing-lines.ts';
import { createTranslateCaption } from './translations.ts';

export interface CaptioningDeps {
  readonly room: Omit<RoomContext, 'choices'>;
  readonly editRate: EditRate;
  readonly nameOf: (memberId: string) => string;
  /** Takes the time from the end of speech to its final caption in the channel. */
  readonly captionShown: (lagMs: number) => void;
  /** True when the bot will be back in a room that is over, if the program starts again soon. */
  readonly mayReturn: () => boolean;
}

/** Longest time to end a session; in a room that is over the program waits for it. */
const LONGEST_END_MS = 15_000;
const SHORTEST_END_MS = 5_000;
/** Least time between two private messages to the member who started captions. */
const NOTICE_EVERY_MS = 10 * MINUTE_MS;
/** Time for the message about the end, in a room that is over. */
const POSTING_MS = 1_000;

interface Place {
  readonly channel: Channel;
  readonly heading?: Posted;
}

/** The permissions that are missing in a channel, as far as the platform knows. */
const missingIn = (platform: Platform, to: Channel): AppError | undefined => {
  const list = platform.missingToPost?.(to) ?? [];
  if (list.length === 0) return undefined;
  const permissions = { list };
  return userError('forbidden', 'room.missing', { channel: channelMention(to), permissions });
};

export type Captioning = ReturnType<typeof createCaptioning>;

/** The captions of a room: none, or one session at a time. */
export const createCaptioning = (deps: CaptioningDeps) => {
  const { services, platform, channel, texts, messages, clock, now, signal, log } = deps.room;
  let session: CaptionSession | undefined;
  let last: CaptionSession | undefined;
  /** A session that did not begin, while it ends. */
  let discarded: CaptionSession | undefined;
  let place: Promise<Place> | undefined;
  /** The member who started the captions. */
  let starter: string | undefined;
  let starterNotifiedMs = Number.NEGATIVE_INFINITY;
  /** The error that keeps captions from being shown. */
  let blocking: AppError | undefined;
  let lastId = 0;
  const nextId = (): number => (lastId += 1);

  const translate = createTranslateCaption(services, channel);
  const record = (): CaptionSession | undefined =>
    [session, last].find((one) => one && one.lineCount() > 0);
  const latestEndMs = (): number =>
    clock.nowMs() + (signal.aborted ? SHORTEST_END_MS : LONGEST_END_MS);

  const channelFor = async ({ in: chosen, thread }: CaptionOptions): Promise<Channel> => {
    const parent = chosen ?? channel();
    if (thread === undefined || !platform.mirrors) return parent;
    const name = thread === '' ? texts.words('room.thread-name') : thread;
    return (await platform.mirrors.thread(parent, name)).channel;
  };
  const openPlace = async (options: CaptionOptions): Promise<Place> => {
    const to = await channelFor(options);
    const { interrupted } = options;
    if (!interrupted && to.id === channel().id) return { channel: to };
    const heading = interrupted
      ? texts.between('room.restarted', interrupted.sinceMs, now())
      : texts.note('room.captions-of', { channel: channelMention(channel()) });
    return { channel: to, heading: await platform.post(to, heading) };
  };
  const removeHeading = async (opened: Promise<Place> | undefined): Promise<void> => {
    await logFailure(log, 'the heading of captions that did not begin may remain', async () => {
      const heading = (await opened)?.heading;
      if (heading) await platform.delete(heading);
    });
  };
  /** Sends a message to the member who started the captions, in private and not too often. */
  const notifyStarter = async ({ text }: Content): Promise<void> => {
    const nowMs = clock.nowMs();
    if (starter === undefined || !platform.tell || nowMs - starterNotifiedMs < NOTICE_EVERY_MS)
      return;
    starterNotifiedMs = nowMs;
    const member = { platform: platform.name, id: starter };
    const { tell } = platform;
    await logFailure(log, 'the member who started captions could not be notified', () =>
      tell(member, texts.toStarter(channel(), text)),
    );
  };
  const blocked = async (error: AppError | undefined): Promise<void> => {
    const to = session?.channel ?? channel();
    blocking = (error?.code === 'forbidden' ? missingIn(platform, to) : undefined) ?? error;
    if (!blocking) return messages.settle('captions', texts.note('room.shown-again'));
    const content = texts.failed('room.not-shown', blocking);
    if (!(await messages.show('captions', content))) await notifyStarter(content);
  };
  /** Marks in the channel of the captions how many lines are missing there. */
  const unshown = (to: Channel, { count, startMs, endMs }: LostLines): void => {
    const sinceMs = now() - clock.nowMs();
    const note = texts.between('room.lines-unshown', sinceMs + startMs, sinceMs + endMs, { count });
    void logFailure(log, 'missing captions could not be marked', () => platform.post(to, note));
  };

  /** Posts in the channel of the captions, or else in the room; best with the transcript. */
  const postEnd = async (ended: CaptionSession): Promise<void> => {
    const { transcript } = ended.options;
    const text = deps.mayReturn()
      ? lines(ended.ended(), texts.note('room.stopping').text)
      : ended.ended();
    const channels = ended.channel.id === channel().id ? [channel()] : [ended.channel, channel()];
    const kinds = transcript && ended.lineCount() > 0 ? [transcript, undefined] : [undefined];
    for (const to of channels) {
      let refused: AppError | undefined;
      for (const kind of kinds) {
        const told = refused && texts.failed('room.transcript-refused', refused).text;
        const fault = await logFailure(log, 'the end of captions could not be posted', async () => {
          const files = kind ? [await ended.file(kind)] : [];
          await platform.post(to, { text: lines(text, told), tone: 'note', files });
        });
        if (!fault) return;
        refused = fault;
      }
    }
  };

  return {
    /** Makes the id of a further utterance, of any pipeline: captions of several may be shown together. */
    nextId,
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
     * Rejects, without a session, when `stopped` is aborted or the channel accepts no captions.
     *
     * @param gone is called when the channel is gone later
     */
    open: async (
      options: CaptionOptions,
      stopped: AbortSignal,
      gone: () => void,
    ): Promise<void> => {
      place = openPlace(options);
      starter = options.startedBy;
      blocking = undefined;
      try {
        const { channel: to } = await orAborted(place, stopped);
        session = startCaptionSession(to, options, {
          room: deps.room,
          editRate: deps.editRate,
          translate,
          nameOf: deps.nameOf,
          nextId,
          listener: {
            gone,
            blocked: (error) => void blocked(error),
            unshown,
            captionShown: deps.captionShown,
          },
        });
      } catch (thrown) {
        // The caller does not wait for a slow channel.
        if (stopped.aborted) void removeHeading(place);
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
      if (ending.lineCount() > 0) last = ending;
      await logFailure(log, 'captions did not end properly', () => ending.end(latestMs));
      const posted = postEnd(ending);
      if (signal.aborted) await waitUntil(clock, clock.nowMs() + POSTING_MS, posted);
      else await posted;
    },
    transcript: async (kind: RoomTranscriptKind, language?: string) =>
      record()?.file(kind, language),
    summary: async function* (language: string, assistant: Assistant, aborted: AbortSignal) {
      const of = record();
      if (!of) throw userError('not-found', 'captions.none');
      return yield* of.summary(language, assistant, aborted);
    },
    /** Moves captions that are shown in the room's own chat along with the room. */
    moved: (): void => {
      if (!session || session.options.in || session.options.thread !== undefined) return;
      const from = session.channel;
      const to = channel();
      session.moveTo(to);
      void logFailure(log, 'the move of captions could not be posted', () =>
        platform.post(from, texts.note('room.captions-moved', { channel: channelMention(to) })),
      );
    },
    /** The error that keeps captions from being shown; undefined while they are, or while there are none. */
    fault: (): AppError | undefined => {
      if (!session) return undefined;
      // Permissions that were missing may be there again.
      const other = blocking?.sentence.key === 'room.missing' ? undefined : blocking;
      return missingIn(platform, session.channel) ?? other;
    },
    notifyStarter,
    /** Tries again where a channel refused: permissions may have changed. */
    retry: (): void => session?.retry(),
    forgetStarter: (memberId: string): void => {
      if (starter === memberId) starter = undefined;
    },
    forget: (memberId: string): void => {
      for (const one of [session, discarded, last]) one?.forget(memberId);
    },
  };
};

export interface SpokenCaptionsDeps {
  readonly room: Pick<RoomContext, 'channel' | 'clock' | 'log'>;
  readonly captioning: Pick<Captioning, 'current' | 'nextId'>;
  readonly ownName: () => string;
  readonly choiceOf: (memberId: string) => Promise<ConsentChoice>;
}

/** Captions what the bot speaks, but for members who want to be in no captions. */
export const createSpokenCaptions =
  ({ room, captioning, ownName, choiceOf }: SpokenCaptionsDeps) =>
  async ({ kind, by, text, readAs = '' }: SpeechItem): Promise<void> => {
    const startMs = room.clock.nowMs();
    await logFailure(room.log, 'spoken text could not be captioned', async () => {
      const author = kind === 'answer' ? undefined : by;
      if (author && (await choiceOf(author.id)) === 'refused') return;
      captioning.current()?.transcript(
        {
          id: captioning.nextId(),
          speakerId: author?.id ?? '',
          startMs,
          endMs: startMs + spokenMs(text),
          text,
          language: readAs,
          isFinal: true,
        },
        `🔊 ${author?.name ?? ownName()}`,
      );
    });
  };
