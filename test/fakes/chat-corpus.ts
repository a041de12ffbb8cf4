import { readFileSync } from 'node:fs';

/** A line of the chat corpus. */
export interface CorpusLine {
  /** The language as it is written: `ja-Latn` is romanised Japanese, `und` none. */
  readonly written: string;
  /** The language that detection should find. */
  readonly language: string;
  /** `sentence`, `short` (one to three words), `slang` or `mixed` (with English words, names, code). */
  readonly kind: string;
  readonly text: string;
}

/** Languages most used in chat, in which detection has to be best. */
export const MAIN_LANGUAGES: ReadonlySet<string> = new Set(
  'en es ja zh zh-Hant ko fr de pt ru it id tr vi ar hi pl nl th uk sv cs ro el hu fi da no he fa bg sr hr'.split(
    ' ',
  ),
);

/** Reads a half of the corpus: the one that detection is fitted to, or the one held out. */
export const readCorpus = (half: 'tuned' | 'held-out' | 'earlier'): readonly CorpusLine[] =>
  Object.entries(
    JSON.parse(readFileSync(`test/fixtures/chat/${half}.json`, 'utf8')) as Record<
      string,
      Record<string, readonly string[]>
    >,
  ).flatMap(([written, kinds]) =>
    Object.entries(kinds).flatMap(([kind, lines]) =>
      lines.map((text) => ({
        written,
        language: written.replace(/-Latn$/, ''),
        kind,
        text,
      })),
    ),
  );
