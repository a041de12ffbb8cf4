import { yieldTurn } from '../../audio/pcm.ts';
import type { OutgoingFile, RoomTranscriptKind } from '../../model/message.ts';
import { longTranscriptFile } from '../../speech/transcript.ts';
import { sameLanguage } from '../../text/language/languages.ts';
import type { SessionTranscript, TranscriptLine } from './caption.ts';

/**
 * The JSON file of a session: one object, in UTF-8, with each caption on a line of its own. For one
 * language, `text` and `language` of a line are those of its translation where there is one, and
 * `translations` is empty.
 */
export interface SessionJson {
  readonly droppedLines: number;
  /** Start of the session: ISO 8601, in UTC. */
  readonly start: string;
  /** Lines in the order in which they were spoken; times since the start; they may overlap. */
  readonly lines: readonly TranscriptLine[];
}

export interface SessionFileOptions {
  /** The language of the file: other lines are given in their translation. Default: all as spoken. */
  readonly language?: string | undefined;
  /** A note that states how many lines are missing at the beginning. */
  readonly dropped: (lines: number) => string;
}

/** Lines that are written before other work gets a turn. */
const SLICE_LINES = 200;

const inLanguage = (line: TranscriptLine, language: string | undefined): TranscriptLine => {
  if (language === undefined) return line;
  const translated = Object.entries(line.translations).find(([to]) => sameLanguage(to, language));
  const spoken = translated
    ? { language: translated[0], text: translated[1] }
    : { language: line.language, text: line.text };
  return { ...line, ...spoken, translations: {} };
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
 * Writes a session as a file, with speakers' names and times since its start; overlapping speech of
 * several people overlaps in it too. Missing first lines are noted at its beginning: in text as a
 * line, in SubRip as a cue, in WebVTT in the header, in JSON as a number. Other work gets a turn
 * between slices.
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
  return longTranscriptFile(kind, lines, lead);
};
