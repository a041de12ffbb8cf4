import type { Assistant } from '../../chat/assistant.ts';
import type { OutgoingFile, RoomTranscriptKind } from '../../model/message.ts';
import type { Channel } from '../../model/place.ts';
import type { EditRate } from '../../ports/voice.ts';
import type { RoomContext, CaptionOptions } from '../room-types.ts';
import {
  type CaptionMessages,
  type CaptionMessagesListener,
  createCaptionMessages,
} from './caption-messages.ts';
import { type CaptionDisplay, createTranscript } from './caption.ts';
import { createCaptions } from './captions.ts';
import type { LostLines } from './missing-lines.ts';
import { summarise } from './summary.ts';
import { sessionFile } from './transcript-files.ts';
import type { TranslateCaption } from './translations.ts';

/** Receives what happens to captions in their channels. */
export interface CaptionSessionListener extends Required<
  Pick<CaptionMessagesListener, 'blocked' | 'captionShown'>
> {
  readonly gone: () => void;
  /** Reports lines that were not shown because their channel refused them. */
  readonly unshown: (to: Channel, lost: LostLines) => void;
}

export interface CaptionSessionDeps {
  readonly room: Pick<RoomContext, 'platform' | 'texts' | 'clock' | 'now' | 'log'>;
  readonly editRate: EditRate;
  readonly translate: TranslateCaption;
  readonly nameOf: (memberId: string) => string;
  /** Makes the id of a further caption. */
  readonly nextId: () => number;
  readonly listener: CaptionSessionListener;
}

const RECENT_CAPTIONS = 20;
/** Most channels whose earlier captions are still edited. */
const MOST_DISPLAYS = 4;

interface Stretch {
  readonly fromMs: number;
  toMs: number;
}

/** Shows new captions of speech that began in a stretch of time, and keeps editing those it shows. */
const during = (stretch: Stretch, display: CaptionDisplay): CaptionDisplay => ({
  ...display,
  show: (caption) => {
    const { id, startMs } = caption;
    if (startMs >= stretch.fromMs && startMs < stretch.toMs) display.show(caption);
    else display.remove(id);
  },
});

export type CaptionSession = ReturnType<typeof startCaptionSession>;

/** One run of captions from start to end, and afterwards its record in memory. */
export const startCaptionSession = (
  start: Channel,
  options: CaptionOptions,
  { room, editRate, translate, nameOf, nextId, listener }: CaptionSessionDeps,
) => {
  const { platform, texts, clock, now, log } = room;
  const { interrupted } = options;
  const startedMs = interrupted?.startedMs ?? now();
  const ageMs = now() - startedMs;
  const startMs = clock.nowMs() - ageMs;
  let channel = start;
  let endedMs: number | undefined;
  let { languages } = options;
  const transcript = createTranscript({ clock, startedMs, ageMs });
  if (interrupted) transcript.mark(texts.words('room.restarted-here'), startMs, clock.nowMs());
  const displays = new Set<CaptionDisplay>();
  let newest: CaptionMessages | undefined;
  let stretch: Stretch = { fromMs: Number.NEGATIVE_INFINITY, toMs: Infinity };
  const openDisplay = (to: Channel): void => {
    newest = createCaptionMessages({
      clock,
      platform,
      channel: to,
      editRate,
      language: options.only,
      log,
      listener: {
        ...listener,
        gone: () => {
          if (to === channel) listener.gone();
        },
        unshown: (lost) => listener.unshown(to, lost),
      },
    });
    displays.add(during(stretch, newest));
  };
  openDisplay(channel);
  const captions = createCaptions({ clock, nameOf, nextId, translate, displays, transcript, log });
  captions.setLanguages(languages);

  return {
    get channel(): Channel {
      return channel;
    },
    options,
    /** Start of the transcript, in ms since 1970. */
    startedMs,
    languages: (): readonly string[] => languages,
    setLanguages: (chosen: readonly string[]): void => {
      languages = chosen;
      captions.setLanguages(chosen);
    },
    /** Takes a transcript, with the name to show. Default: the speaker's name. */
    transcript: captions.transcript,
    /** Marks in the transcript where lines are missing, or seconds, and why. */
    mark: (
      why: 'room.lines-lost-here' | 'room.lines-withheld-here' | 'room.gap-here',
      { count, startMs: fromMs, endMs }: LostLines,
    ): void => transcript.mark(texts.words(why, { count }), fromMs, endMs),
    forget: captions.forget,
    /** Tries again where the channel refused: permissions may have changed. */
    retry: (): void => newest?.retry(),
    /** Shows later speech in another channel; earlier speech stays where it was. */
    moveTo: (to: Channel): void => {
      const nowMs = clock.nowMs();
      channel = to;
      stretch.toMs = nowMs;
      stretch = { fromMs: nowMs, toMs: Infinity };
      openDisplay(to);
      const [oldest] = displays;
      if (displays.size <= MOST_DISPLAYS || !oldest) return;
      displays.delete(oldest);
      void oldest.end(nowMs);
    },
    /** The latest captions with their speakers, oldest first. */
    recent: (): readonly string[] =>
      transcript
        .lines()
        .slice(-RECENT_CAPTIONS)
        .map(({ speaker, text }) => `${speaker}: ${text}`),
    /** Number of lines that somebody said. */
    lineCount: (): number => transcript.spokenCount,
    ended: () => texts.captionsEnded(transcript.spokenCount, (endedMs ?? clock.nowMs()) - startMs),
    file: (kind: RoomTranscriptKind, language?: string): Promise<OutgoingFile> =>
      sessionFile(transcript, kind, {
        language,
        dropped: (count) => texts.words('room.lines-dropped', { count }),
      }),
    summary: (
      language: string,
      assistant: Assistant,
      signal: AbortSignal,
    ): AsyncGenerator<string, string, void> =>
      summarise(
        {
          assistant,
          asker: { lane: 'interactive', space: channel.space },
          lines: transcript.lines(),
          droppedLines: transcript.droppedLines,
          language,
          ...texts.summaryIn(language),
        },
        signal,
      ),
    /** Shows the last captions, and ends by `latestMs` on the room's clock. */
    end: async (latestMs: number): Promise<void> => {
      endedMs ??= clock.nowMs();
      await captions.end(latestMs);
    },
  };
};
