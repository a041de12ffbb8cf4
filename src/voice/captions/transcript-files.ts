import { yieldTurn } from '../../audio/pcm.ts';
import type { OutgoingFile } from '../../model/file.ts';
import type { RoomTranscriptKind } from '../../model/transcript.ts';
import { longTranscriptFile } from '../../speech/transcript-file.ts';
import { sameLanguage } from '../../text/language/languages.ts';
import type { SessionTranscript, TranscriptLine } from './transcript.ts';

/**
 * The JSON file of a session: an object on lines of its own, in UTF-8, made for `JSON.parse`. In one
 * language, `text` and `language` of a line are its translation's where there is one, and
 * `translations` is empty.
 */
export interface SessionJson {
  /** How many lines from the beginning are missing. */
  readonly droppedLines: number;
  /** When the session began: ISO 8601, in UTC. */
  readonly start: string;
  /** In the order in which they were spoken; times since the start; they may overlap. */
  readonly lines: readonly TranscriptLine[];
}

export interface SessionFileOptions {
  /** What is not in it is given in its translation. Default: all as it was said. */
  readonly language?: string | undefined;
  /** That so many lines from the beginning are missing. */
  readonly dropped: (lines: number) => string;
}

/** Lines that are made ready without a break. */
const SLICE_LINES = 200;

const inLanguage = (line: TranscriptLine, language: string | undefined): TranscriptLine => {
  if (language === undefined) return line;
  const translated = Object.entries(line.translations).find(([to]) => sameLanguage(to, language));
  const said = translated
    ? { language: translated[0], text: translated[1] }
    : { language: line.language, text: line.text };
  return { ...line, ...said, translations: {} };
};

const jsonFile = async (
  lines: readonly TranscriptLine[],
  { startedMs, droppedLines }: SessionTranscript,
): Promise<OutgoingFile> => {
  const head = { droppedLines, start: new Date(startedMs).toISOString() };
  const chunks = [Buffer.from(`${JSON.stringify(head).slice(0, -1)},"lines":[`)];
  for (let at = 0; at < lines.length; at += SLICE_LINES) {
    const rows = lines.slice(at, at + SLICE_LINES).map((line) => `\n${JSON.stringify(line)}`);
    chunks.push(Buffer.from(`${at === 0 ? '' : ','}${rows.join(',')}`));
    await yieldTurn();
  }
  const bytes = Buffer.concat([...chunks, Buffer.from('\n]}\n')]);
  return { name: 'transcript.json', mediaType: 'application/json', bytes };
};

/**
 * A session as a file, with speakers' names and times since its start. Overlapping speech of several
 * people overlaps in it too. When its first lines are missing it says so at its beginning: in text in
 * a line, in SubRip in a cue, in WebVTT in its head, in JSON as a number. Made in slices.
 */
export const sessionFile = async (
  transcript: SessionTranscript,
  kind: RoomTranscriptKind,
  { language, dropped }: SessionFileOptions,
): Promise<OutgoingFile> => {
  const lines: TranscriptLine[] = [];
  for (const line of transcript.lines()) {
    lines.push(inLanguage(line, language));
    if (lines.length % SLICE_LINES === 0) await yieldTurn();
  }
  if (kind === 'json') return jsonFile(lines, transcript);
  const { droppedLines } = transcript;
  const lead = droppedLines > 0 ? dropped(droppedLines) : undefined;
  return longTranscriptFile(kind, lines, { lead });
};
