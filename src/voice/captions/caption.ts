import type { Clock } from '../../async/clock.ts';
import { sameLanguage } from '../../text/language/languages.ts';
import type { TranscriptEvent } from '../stt/transcript-emitter.ts';

/** A translation of a caption, in progress or finished. */
export interface CaptionTranslation {
  /** The text so far; empty before the first piece, and when the translation failed. */
  readonly text: string;
  readonly done: boolean;
  /** True when the translation failed. */
  readonly failed?: boolean;
}

/**
 * A transcript as it is shown: its text is on one line, and not empty. Immutable: another caption with the same id
 * replaces it.
 */
export interface Caption extends TranscriptEvent {
  readonly name: string;
  /** Translations by language; the caption is not translated into a language that is missing. */
  readonly translations: ReadonlyMap<string, CaptionTranslation>;
}

export interface CaptionSink {
  /** Takes a caption, in place of the one with the same id. */
  show(caption: Caption): void;
  /** Replaces a caption; does nothing where there is none with its id. */
  change(caption: Caption): void;
  remove(id: number): void;
  /** Removes the captions of a member, as far as that is still possible. */
  forget(speakerId: string): void;
}

/** A sink that people see. */
export interface CaptionDisplay extends CaptionSink {
  /** Resolves when everything is shown; stays pending while the channel accepts nothing. */
  settled(): Promise<void>;
  /** Ends when everything is shown, or at `latestMs` on the room's clock. */
  end(latestMs: number): Promise<void>;
}

/** True when one caption was spoken before the other. */
export const isBefore = (
  a: Pick<Caption, 'startMs' | 'id'>,
  b: Pick<Caption, 'startMs' | 'id'>,
): boolean => a.startMs < b.startMs || (a.startMs === b.startMs && a.id < b.id);

/** True when a caption is known to be in a language. */
export const isIn = ({ language }: Pick<Caption, 'language'>, other: string): boolean =>
  language !== '' && sameLanguage(language, other);

export const translationInto = (
  { translations }: Caption,
  language: string,
): CaptionTranslation | undefined => {
  const exact = translations.get(language);
  if (exact) return exact;
  for (const [key, translation] of translations)
    if (sameLanguage(key, language)) return translation;
  return undefined;
};

const MOST_LINES = 20_000;

const MOST_BYTES = 4 * 1_048_576;

/** Approximate memory of a line in addition to its texts. */
const LINE_BYTES = 200;

/** A final caption in the transcript of a session. */
export interface TranscriptLine {
  /** Times since the session began. */
  readonly startMs: number;
  readonly endMs: number;
  readonly speaker: string;
  /** BCP 47 code; empty when the language is not known. */
  readonly language: string;
  readonly text: string;
  /** Finished translations, by language. */
  readonly translations: Readonly<Record<string, string>>;
}

export type SessionTranscript = ReturnType<typeof createTranscript>;

export interface TranscriptDeps {
  readonly clock: Pick<Clock, 'nowMs'>;
  /** Start of the session, in ms since 1970. */
  readonly startedMs: number;
  /** Time since then. Default: none. */
  readonly ageMs?: number;
  readonly mostLines?: number;
  readonly mostBytes?: number;
}

const bytesOf = ({ name, text, translations }: Caption): number => {
  let units = name.length + text.length;
  for (const [language, translation] of translations)
    units += language.length + translation.text.length;
  return LINE_BYTES + 2 * units;
};

const lineOf = (caption: Caption, startMs: number): TranscriptLine => ({
  startMs: Math.max(0, Math.round(caption.startMs - startMs)),
  endMs: Math.max(0, Math.round(caption.endMs - startMs)),
  speaker: caption.name,
  language: caption.language,
  text: caption.text,
  translations: Object.fromEntries(
    [...caption.translations]
      .filter(([, { done, text }]) => done && text !== '')
      .map(([language, { text }]) => [language, text]),
  ),
});

interface Entry {
  readonly speakerId: string;
  readonly at: Pick<Caption, 'id' | 'startMs'>;
  readonly line: TranscriptLine;
  readonly bytes: number;
}

/** Creates the transcript of a session, in memory only; above its bounds the first lines are dropped. */
export const createTranscript = ({
  clock,
  startedMs,
  ageMs = 0,
  mostLines = MOST_LINES,
  mostBytes = MOST_BYTES,
}: TranscriptDeps) => {
  const startMs = clock.nowMs() - ageMs;
  /** Lines in the order in which they became final, which is nearly the order of speech. */
  const entries = new Map<number, Entry>();
  let bytes = 0;
  let droppedLines = 0;
  /** Number of marks, whose ids are negative. */
  let marks = 0;

  const remove = (id: number): void => {
    bytes -= entries.get(id)?.bytes ?? 0;
    entries.delete(id);
  };

  const put = (caption: Caption): void => {
    const { id, speakerId, startMs: atMs } = caption;
    const at = { id, startMs: atMs };
    const entry = { speakerId, at, line: lineOf(caption, startMs), bytes: bytesOf(caption) };
    bytes += entry.bytes - (entries.get(id)?.bytes ?? 0);
    entries.set(id, entry);
    for (const oldest of entries.keys()) {
      if (entries.size <= mostLines && bytes <= mostBytes) return;
      remove(oldest);
      droppedLines += 1;
    }
  };

  return {
    /** Start of the session, in ms since 1970. */
    startedMs,
    /** Number of first lines that were dropped because the transcript grew too long. */
    get droppedLines(): number {
      return droppedLines;
    },
    /** Number of lines that somebody said. */
    get spokenCount(): number {
      return [...entries.keys()].filter((id) => id >= 0).length;
    },
    /** Lines in the order in which they were spoken. */
    lines: (): readonly TranscriptLine[] =>
      [...entries.values()]
        .toSorted((a, b) => (isBefore(a.at, b.at) ? -1 : 1))
        .map(({ line }) => line),
    show: (caption: Caption): void => {
      if (caption.isFinal) put(caption);
    },
    /** Adds a line that nobody said. */
    mark: (text: string, fromMs: number, endMs: number): void => {
      marks += 1;
      const unspoken = { speakerId: '', name: '', language: '', isFinal: true } as const;
      put({ ...unspoken, id: -marks, startMs: fromMs, endMs, text, translations: new Map() });
    },
    change: (caption: Caption): void => {
      if (entries.has(caption.id)) put(caption);
    },
    remove,
    forget: (speakerId: string): void => {
      for (const [id, entry] of entries) if (entry.speakerId === speakerId) remove(id);
    },
  };
};
