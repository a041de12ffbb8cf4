import type { AppError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { Channel } from '../../model/place.ts';
import type { OutgoingFile } from '../../model/file.ts';
import type { Platform } from '../../ports/platform.ts';
import type { Assistant } from '../../chat/assistant.ts';
import type { CaptionOptions } from '../service.ts';
import type { RoomTranscriptKind } from '../../model/transcript.ts';
import { createCaptionMessages } from './caption-messages.ts';
import type { CaptionBoard } from './caption.ts';
import { createCaptions } from './captions.ts';
import { sessionFile } from './transcript-files.ts';
import { summarise } from './summary.ts';
import { createTranscript } from './transcript.ts';
import type { TranslateCaption } from './translations.ts';
import type { Clock } from '../../async/clock.ts';
import type { TranscriptEvent } from '../stt/transcript-emitter.ts';
import type { EditRate } from '../../ports/voice.ts';
import type { RoomTexts } from '../texts.ts';

export interface CaptionSessionDeps {
  readonly clock: Clock;
  /** Ms since 1970. */
  readonly now: () => number;
  readonly platform: Pick<Platform, 'post' | 'edit' | 'delete'>;
  readonly editRate: EditRate;
  readonly assistant: Assistant;
  readonly translate: TranslateCaption;
  readonly nameOf: (memberId: string) => string;
  readonly texts: RoomTexts;
  readonly log: Log;
  /** Where they are shown is gone. */
  readonly gone: () => void;
  /** They cannot be shown there until somebody changes something, and why; undefined: they can again. */
  readonly hindered: (error: AppError | undefined) => void;
}

/** Captions from their start to their end, and what is kept of them in memory afterwards. */
export interface CaptionSession {
  /** Where they are shown. */
  readonly channel: Channel;
  readonly wish: CaptionOptions;
  languages(): readonly string[];
  setLanguages(languages: readonly string[]): void;
  heard(line: TranscriptEvent): void;
  forget(memberId: string): void;
  /** What is said from now on is shown there; what was said until now, where they were. */
  moveTo(channel: Channel): void;
  /** The last lines, oldest first, with who said them. */
  talk(): readonly string[];
  lineCount(): number;
  durationMs(): number;
  file(kind: RoomTranscriptKind, language?: string): Promise<OutgoingFile>;
  summary(language: string, signal: AbortSignal): AsyncGenerator<string, string, void>;
  /** Shows what is still on its way, and ends no later than at that time of the room's clock. */
  end(latestMs: number): Promise<void>;
}

const TALK_LINES = 20;

/** Channels in which what was said before still changes. */
const MOST_BOARDS = 4;

interface Stretch {
  readonly fromMs: number;
  toMs: number;
}

/** Takes in what began to be spoken in a stretch of time; what stands there goes on. */
const during = (stretch: Stretch, board: CaptionBoard): CaptionBoard => ({
  show: (caption) => {
    const { id, startMs } = caption;
    if (startMs >= stretch.fromMs && startMs < stretch.toMs) board.show(caption);
    else board.remove(id);
  },
  change: (caption) => board.change(caption),
  remove: (id) => board.remove(id),
  forget: (speakerId) => board.forget(speakerId),
  settled: () => board.settled(),
  end: (latestMs) => board.end(latestMs),
});

export const startCaptionSession = (
  start: Channel,
  wish: CaptionOptions,
  deps: CaptionSessionDeps,
): CaptionSession => {
  const { clock, platform, texts, log, nameOf } = deps;
  const startMs = clock.nowMs();
  let channel = start;
  let endedMs: number | undefined;
  let { languages } = wish;
  const transcript = createTranscript({ clock, startedMs: deps.now() });
  const boards = new Set<CaptionBoard>();
  let stretch: Stretch = { fromMs: Number.NEGATIVE_INFINITY, toMs: Infinity };
  const openBoard = (to: Channel): void => {
    const board = createCaptionMessages({
      clock,
      port: {
        post: (content) => platform.post(to, content),
        edit: (posted, content) => platform.edit(posted, content),
        remove: (posted) => platform.delete(posted),
      },
      editRate: deps.editRate,
      texts: { untranslated: texts.untranslated },
      language: wish.only,
      log,
      gone: () => {
        if (to === channel) deps.gone();
      },
      hindered: deps.hindered,
    });
    boards.add(during(stretch, board));
  };
  openBoard(channel);
  const captions = createCaptions({
    clock,
    nameOf,
    translate: deps.translate,
    boards,
    transcript,
    log,
  });
  captions.setLanguages(languages);

  return {
    get channel() {
      return channel;
    },
    wish,
    languages: () => languages,
    setLanguages: (wanted) => {
      languages = wanted;
      captions.setLanguages(wanted);
    },
    heard: captions.heard,
    forget: captions.forget,
    moveTo: (to) => {
      const nowMs = clock.nowMs();
      channel = to;
      stretch.toMs = nowMs;
      stretch = { fromMs: nowMs, toMs: Infinity };
      openBoard(to);
      const [oldest] = boards;
      if (boards.size <= MOST_BOARDS || !oldest) return;
      boards.delete(oldest);
      void oldest.end(nowMs);
    },
    talk: () =>
      transcript
        .lines()
        .slice(-TALK_LINES)
        .map(({ speaker, text }) => `${speaker}: ${text}`),
    lineCount: () => transcript.lineCount,
    durationMs: () => (endedMs ?? clock.nowMs()) - startMs,
    file: (kind, language) =>
      sessionFile(transcript, kind, { language, dropped: texts.linesDropped }),
    summary: (language, signal) =>
      summarise(
        {
          assistant: deps.assistant,
          lines: transcript.lines(),
          droppedLines: transcript.droppedLines,
          language,
          ...texts.summaryIn(language),
        },
        signal,
      ),
    end: async (latestMs) => {
      endedMs ??= clock.nowMs();
      await captions.end(latestMs);
    },
  };
};
