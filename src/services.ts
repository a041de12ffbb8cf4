import type { ChatTurn, Voice } from './api/contract.ts';
import type { CommandInfo } from './command.ts';
import type { AudioFormat, ByteSource, Member, Space } from './model.ts';

/** What commands and adapters can ask for. Every method rejects with an `AppError`. */
export interface Services {
  readonly languages: Languages;
  readonly translator: Translator;
  readonly transcriber: Transcriber;
  readonly speaker: Speaker;
  readonly assistant: Assistant;
  readonly glossary: Glossary;
  readonly settings: MemberSettings;
  /** What can be typed here, in the best locale for `locale`. */
  commands(locale: string): readonly CommandInfo[];
}

/** Languages are BCP 47 codes: `ja`, `zh`, `pt`, and `en-XA`, the pseudo-locale. */
export interface Languages {
  /** The code for what a person typed: a code, or a name in any language; undefined if unknown. */
  find(typed: string): string | undefined;
  name(code: string, locale: string): string;
  /** Best matches first. */
  search(typed: string, locale: string): readonly { code: string; name: string }[];
  /** The language of a text; undefined where it cannot be told. */
  detect(text: string): { readonly language: string; readonly confidence: number } | undefined;
}

export interface TranslationRequest {
  readonly text: string;
  readonly to: string;
  /** Detected when left out. */
  readonly from?: string;
  /** Whose glossary applies. */
  readonly space: Space;
  /** Earlier talk, oldest first; what does not fit the contract's limit is left out. */
  readonly context?: readonly string[];
}

export interface Translation {
  readonly text: string;
  readonly from: string;
  readonly to: string;
  /** `same-language` and `nothing-to-translate`: `text` is the original. */
  readonly outcome: 'translated' | 'same-language' | 'nothing-to-translate';
}

export interface Translator {
  /** Yields the whole translation so far, as it grows; returns the finished one. */
  translate(
    request: TranslationRequest,
    signal: AbortSignal,
  ): AsyncGenerator<string, Translation, void>;
}

export interface TranscriptSegment {
  readonly startMs: number;
  readonly endMs: number;
  readonly text: string;
}

export interface Transcript {
  readonly text: string;
  readonly language: string;
  /** 0 to 1, the least certain part's. */
  readonly confidence: number;
  readonly durationMs: number;
  /** The parts that the audio was heard in; one for short audio. */
  readonly segments: readonly TranscriptSegment[];
}

export interface TranscriptionRequest {
  readonly audio: ByteSource;
  /** Heard by the service when left out. */
  readonly language?: string;
  /** Whose glossary gives the words to listen for. */
  readonly space: Space;
}

export interface Transcriber {
  /** Yields the whole text so far, part by part; returns the finished transcript. */
  transcribe(
    request: TranscriptionRequest,
    signal: AbortSignal,
  ): AsyncGenerator<string, Transcript, void>;
}

export interface VoiceWish {
  /** A voice's id, or words of its description; wins over the rest. */
  readonly named?: string;
  readonly language?: string;
  readonly gender?: string;
}

export interface SpeechRequest extends VoiceWish {
  readonly text: string;
  /** The language that emoji and the like are spoken in; the wish's when left out. */
  readonly readAs?: string;
  /** The first that the voice can make is used. Default: the caller takes any. */
  readonly formats?: readonly AudioFormat[];
}

export interface Speech {
  readonly voice: Voice;
  readonly format: AudioFormat;
  readonly mediaType: string;
  readonly sampleRateHz: number;
  /** The file's bytes as they come. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

export interface Speaker {
  /** Resolves when the first bytes are there, so that a voice or format that fails is passed over. */
  speak(request: SpeechRequest, signal: AbortSignal): Promise<Speech>;
  /** All voices, or those that fit the wish, best first. */
  voices(wish: VoiceWish, signal: AbortSignal): Promise<readonly Voice[]>;
}

export interface Assistant {
  /** Yields the whole answer so far; returns it. `turns` are the talk, oldest first. */
  answer(turns: readonly ChatTurn[], signal: AbortSignal): AsyncGenerator<string, string, void>;
}

export interface GlossaryTerm {
  readonly term: string;
  /** The target language that `translation` is for; undefined: the term is kept in every language. */
  readonly language: string | undefined;
  /** What the term must become; undefined: it stays as it is. */
  readonly translation: string | undefined;
}

export interface ImportReport {
  readonly added: number;
  readonly changed: number;
  /** How many lines were left out. */
  readonly rejectedCount: number;
  /** The first of them, with the line's number in the file. */
  readonly rejected: readonly {
    readonly line: number;
    readonly reason: 'empty' | 'too-long' | 'unknown-language' | 'limit';
  }[];
}

/** A space's dictionary: what to keep, what to translate how, what to listen for. */
export interface Glossary {
  /** Replaces the entry of the same term and language. */
  add(space: Space, term: GlossaryTerm): Promise<void>;
  /** Removes the term in one language or, without it, in all; resolves with how many went. */
  remove(space: Space, term: string, language?: string): Promise<number>;
  /** In alphabetical order of the terms. */
  list(space: Space): Promise<readonly GlossaryTerm[]>;
  /** All or nothing for a file that cannot be read; a bad line is reported and the rest kept. */
  importCsv(space: Space, file: ByteSource, signal: AbortSignal): Promise<ImportReport>;
  /** UTF-8 with a byte order mark, a header line, and nothing that a spreadsheet would run. */
  exportCsv(space: Space): Promise<Uint8Array>;
}

export interface Preferences {
  readonly language: string | undefined;
  readonly voiceId: string | undefined;
}

export interface MemberSettings {
  of(member: Pick<Member, 'platform' | 'id'>): Promise<Preferences>;
  /** A key that is left out stays; `undefined` clears it. */
  change(
    member: Pick<Member, 'platform' | 'id'>,
    change: { language?: string | undefined; voiceId?: string | undefined },
  ): Promise<void>;
}
