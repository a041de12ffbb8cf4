import type { Clock } from '../../async/clock.ts';
import type { Assistant } from '../../chat/assistant.ts';
import type { AppError } from '../../errors.ts';
import type { Log } from '../../telemetry/log.ts';
import type { OutgoingFile } from '../../model/file.ts';
import type { Channel } from '../../model/place.ts';
import type { RoomTranscriptKind } from '../../model/transcript.ts';
import type { Platform } from '../../ports/platform.ts';
import type { EditRate } from '../../ports/voice.ts';
import type { CaptionOptions } from '../room-types.ts';
import type { RoomTexts } from '../texts.ts';
import { type CaptionMessages, createCaptionMessages } from './caption-messages.ts';
import { type CaptionDisplay, createTranscript } from './caption.ts';
import { createCaptions } from './captions.ts';
import type { TranscriptEvent } from '../stt/transcript-emitter.ts';
import type { VoiceMetrics } from '../metrics.ts';
import type { LostLines } from './lost-lines.ts';
import { summarise } from './summary.ts';
import { sessionFile } from './transcript-files.ts';
import type { TranslateCaption } from './translations.ts';

export interface CaptionSessionDeps {
  readonly clock: Clock;
  /** Ms since 1970. */
  readonly now: () => number;
  readonly platform: Pick<Platform, 'post' | 'edit' | 'delete'>;
  readonly editRate: EditRate;
  readonly translate: TranslateCaption;
  readonly nameOf: (memberId: string) => string;
  readonly texts: RoomTexts;
  readonly log: Log;
  readonly gone: () => void;
  /**
   * Reports the error that keeps captions from being shown until somebody changes something;
   * undefined when they are shown again.
   */
  readonly blocked: (error: AppError | undefined) => void;
  /** Reports lines that were not shown because their channel refused them. */
  readonly unshown: (to: Channel, lost: LostLines) => void;
  readonly captionShown?: VoiceMetrics['captionShown'];
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
  deps: CaptionSessionDeps,
) => {
  const { clock, platform, texts, log, nameOf } = deps;
  const { interrupted } = options;
  const startedMs = interrupted?.startedMs ?? deps.now();
  const ageMs = deps.now() - startedMs;
  const startMs = clock.nowMs() - ageMs;
  let channel = start;
  let endedMs: number | undefined;
  let { languages } = options;
  const transcript = createTranscript({ clock, startedMs, ageMs });
  if (interrupted) transcript.mark(texts.restartedHere(), startMs, clock.nowMs());
  const displays = new Set<CaptionDisplay>();
  let newest: CaptionMessages | undefined;
  let stretch: Stretch = { fromMs: Number.NEGATIVE_INFINITY, toMs: Infinity };
  const openDisplay = (to: Channel): void => {
    const display = createCaptionMessages({
      clock,
      platform,
      channel: to,
      editRate: deps.editRate,
      texts: { untranslated: texts.untranslated },
      language: options.only,
      log,
      gone: () => {
        if (to === channel) deps.gone();
      },
      blocked: deps.blocked,
      unshown: (lost) => deps.unshown(to, lost),
      ...(deps.captionShown ? { captionShown: deps.captionShown } : {}),
    });
    newest = display;
    displays.add(during(stretch, display));
  };
  openDisplay(channel);
  const { translate } = deps;
  const captions = createCaptions({ clock, nameOf, translate, displays, transcript, log });
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
    transcript: captions.transcript,
    /** Takes what the bot speaks, with the name to show. */
    spoken: (event: TranscriptEvent, name: string): void => captions.transcript(event, name),
    /** Marks in the transcript where lines could not be transcribed. */
    lost: ({ count, startMs: fromMs, endMs }: LostLines): void =>
      transcript.mark(texts.linesLostHere(count), fromMs, endMs),
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
    captionCount: (): number => transcript.lineCount,
    spokenCount: (): number => transcript.spokenCount,
    durationMs: (): number => (endedMs ?? clock.nowMs()) - startMs,
    file: (kind: RoomTranscriptKind, language?: string): Promise<OutgoingFile> =>
      sessionFile(transcript, kind, { language, dropped: texts.captionsDropped }),
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
