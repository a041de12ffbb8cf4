import type { Space, Channel, Person } from './place.ts';
import type { ByteSource } from './message.ts';

export interface GlossaryTerm {
  /** A word or phrase; `dragon*` stands for each word that begins with `dragon`. */
  readonly term: string;
  /** The target language that `translation` is for; undefined: the term is kept in every language. */
  readonly language: string | undefined;
  /** The translation that the term must have; undefined: it stays as it is. */
  readonly translation: string | undefined;
}

/** An entry that a member proposes. */
export interface GlossaryProposal {
  readonly id: string;
  readonly authorId: string;
  readonly term: GlossaryTerm;
  /** The channel in which it was proposed, as far as that is known. */
  readonly channel?: Channel | undefined;
}

/** Entries that occur in a text. */
export interface TermsInText {
  /** The entries; first come those that occurred in the fewest texts so far, of these the longest. */
  readonly terms: readonly GlossaryTerm[];
  /** The places of all, in UTF-16 offsets, with those that overlap, in any order. */
  readonly occurrences: readonly {
    readonly start: number;
    readonly end: number;
    readonly term: GlossaryTerm;
  }[];
}

/** The entries that an import would write. */
export interface ImportPreview extends ImportReport {
  /** The file, for `finishImport`. */
  readonly id: string;
  /** Number of entries that stand already as the file has them. */
  readonly unchanged: number;
  /** The first of those that would be new or changed, with what each replaces. */
  readonly first: readonly { readonly term: GlossaryTerm; readonly before?: GlossaryTerm }[];
}

export interface ImportReport {
  readonly added: number;
  readonly changed: number;
  /** Number of lines that were left out. */
  readonly rejectedCount: number;
  /** The first of them, with the line's number in the file. */
  readonly rejected: readonly {
    readonly line: number;
    readonly reason: 'empty' | 'too-long' | 'unknown-language' | 'limit';
  }[];
  /**
   * The part that the file did not say by itself. `pairs`: its second column is in that language;
   * `rest`: so are its lines that name none; `header`: its first line names the languages of its
   * columns.
   */
  readonly assumed:
    | { readonly kind: 'pairs' | 'rest'; readonly language: string }
    | { readonly kind: 'header'; readonly languages: readonly string[] }
    | undefined;
  /** The name of the encoding that was recognised, such as `UTF-8`. */
  readonly encoding: string;
}

/**
 * The glossary of a space, or of one of its channels, whose entries go before the space's: terms to
 * keep, to translate in a given way, or to recognise in speech. A thread has its channel's.
 */
export interface Glossary {
  /**
   * Adds an entry. Resolves with the entry of the same term and language that it replaces, whatever
   * the case, width, composition and apostrophes of the terms.
   */
  add(place: Space | Channel, term: GlossaryTerm): Promise<GlossaryTerm | undefined>;
  /** Removes the term in one language or, without it, in all; resolves with how many went. */
  remove(place: Space | Channel, term: string, language?: string): Promise<number>;
  /** The place's own entries, in alphabetical order of the terms. */
  list(place: Space | Channel): Promise<readonly GlossaryTerm[]>;
  /** All entries that apply in a place; the same list until one of them changes. */
  applying(place: Space | Channel): Promise<readonly GlossaryTerm[]>;
  /**
   * Finds the entries that apply in a place and occur in a text as whole words. With the text's
   * language, entries with a translation are found in the plural and in other forms, too.
   */
  inText(place: Space | Channel, text: string, language?: string): Promise<TermsInText>;
  /**
   * Says what the import of a file would write, and keeps the file; writes nothing. Rejects for one that cannot be read;
   * of others bad lines are reported.
   *
   * @param asked.space where it is asked for
   * @param asked.to the language of translations where the file gives none
   */
  previewImport(
    place: Space | Channel,
    file: ByteSource,
    signal: AbortSignal,
    asked: { readonly by: Person; readonly space: Space; readonly to?: string | undefined },
  ): Promise<ImportPreview>;
  /** Imports a file that was kept, without its bad lines; undefined where it is kept no more. */
  finishImport(space: Space, id: string, signal: AbortSignal): Promise<ImportReport | undefined>;
  dropImport(space: Space, id: string): Promise<void>;
  /**
   * Proposes an entry to the moderators of a channel's space; resolves with undefined where it was proposed before. Rejects with
   * `rate-limited` for too many that wait.
   */
  propose(channel: Channel, by: Person, term: GlossaryTerm): Promise<GlossaryProposal | undefined>;
  /** Lists the proposals of a space on which nobody has decided, the oldest first. */
  proposals(space: Space): Promise<readonly GlossaryProposal[]>;
  /**
   * Decides on a proposal: an accepted one is in the glossary from then on. Resolves with it; undefined
   * where somebody else has decided.
   */
  decide(space: Space, id: string, isAccepted: boolean): Promise<GlossaryProposal | undefined>;
  /** UTF-8 with a byte order mark, a header line, and nothing that a spreadsheet would run. */
  exportCsv(place: Space | Channel): Promise<Uint8Array>;
}
