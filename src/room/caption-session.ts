import type { Log } from '../log.ts';
import type { Channel, OutgoingFile, Posted } from '../model.ts';
import type { Platform } from '../platform.ts';
import type { Assistant } from '../services.ts';
import type { CaptionWish, RoomTranscriptKind } from './service.ts';
import { createBoard } from './captions/board.ts';
import type { CaptionBoard } from './captions/caption.ts';
import { createCaptions } from './captions/captions.ts';
import type { EditRate } from './captions/pace.ts';
import { sessionFile } from './captions/files.ts';
import { summarise } from './captions/summary.ts';
import { createTranscript } from './captions/transcript.ts';
import type { TranslateCaption } from './captions/translations.ts';
import type { Clock } from './clock.ts';
import type { HeardLine } from './heard.ts';
import type { RoomTexts } from './texts.ts';

export interface CaptionSessionParts {
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
}

/** Captions from their start to their end, and what is kept of them in memory afterwards. */
export interface CaptionSession {
  /** Where they are shown. */
  readonly channel: Channel;
  readonly wish: CaptionWish;
  languages(): readonly string[];
  setLanguages(languages: readonly string[]): void;
  heard(line: HeardLine): void;
  forget(memberId: string): void;
  /** From now on they are shown there; what stands where they were stays. */
  moveTo(channel: Channel): void;
  /** The last lines, oldest first, with who said them. */
  talk(): readonly string[];
  lineCount(): number;
  durationMs(): number;
  file(kind: RoomTranscriptKind, language?: string): Promise<OutgoingFile>;
  summary(language: string, signal: AbortSignal): AsyncGenerator<string, string, void>;
  /** Shows what is still on its way, and ends. */
  end(): Promise<void>;
}

const TALK_LINES = 20;

/** Takes in nothing new: what stands there goes on, and can still be taken out. */
const closed = (board: CaptionBoard): CaptionBoard => ({
  show: (caption) => board.change(caption),
  change: (caption) => board.change(caption),
  remove: (id) => board.remove(id),
  forget: (speakerId) => board.forget(speakerId),
  settled: () => board.settled(),
  [Symbol.asyncDispose]: () => board[Symbol.asyncDispose](),
});

export const startCaptionSession = (
  start: Channel,
  wish: CaptionWish,
  parts: CaptionSessionParts,
): CaptionSession => {
  const { clock, platform, texts, log, nameOf } = parts;
  const startMs = clock.nowMs();
  let channel = start;
  let endedMs: number | undefined;
  let { languages } = wish;
  const transcript = createTranscript({ clock, startedMs: parts.now() });
  const openBoard = (): CaptionBoard => {
    const to = channel;
    return createBoard({
      clock,
      port: {
        post: (content) => platform.post(to, content),
        edit: (posted: Posted, content) => platform.edit(posted, content),
        remove: (posted) => platform.delete(posted),
      },
      editRate: parts.editRate,
      texts: { untranslated: texts.untranslated },
      ...(wish.only === undefined ? {} : { language: wish.only }),
      log,
      gone: () => {
        if (to === channel) parts.gone();
      },
    });
  };
  let board = openBoard();
  const boards = new Set([board]);
  const captions = createCaptions({
    clock,
    nameOf,
    translate: parts.translate,
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
      channel = to;
      boards.delete(board);
      boards.add(closed(board));
      board = openBoard();
      boards.add(board);
    },
    talk: () =>
      transcript
        .lines()
        .slice(-TALK_LINES)
        .map(({ speaker, text }) => `${speaker}: ${text}`),
    lineCount: () => transcript.lines().length,
    durationMs: () => (endedMs ?? clock.nowMs()) - startMs,
    file: (kind, language) =>
      sessionFile(transcript, kind, {
        ...(language === undefined ? {} : { language }),
        dropped: texts.linesDropped,
      }),
    summary: (language, signal) =>
      summarise({ assistant: parts.assistant, lines: transcript.lines(), language }, signal),
    end: async () => {
      endedMs ??= clock.nowMs();
      await captions[Symbol.asyncDispose]();
      await Promise.all([...boards].map(async (each) => each[Symbol.asyncDispose]()));
    },
  };
};
