/** A text that was to be translated. */
export interface TranslationTask {
  readonly source: string;
  /** BCP 47 codes. */
  readonly from: string;
  readonly to: string;
  /** Sentences that a language model got beside the text, which no translation repeats. */
  readonly rules?: readonly string[];
}
