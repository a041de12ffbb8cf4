import { sameLanguage } from '../../text/language/languages.ts';

/** A translation of a caption, on its way or there. */
export interface CaptionTranslation {
  /** The text so far; empty while none has come, and where the translation failed. */
  readonly text: string;
  readonly done: boolean;
  /** True when it failed and this caption is the one to say so. */
  readonly failed?: boolean;
}

/** A transcript as it is shown. Immutable: another caption with the same id replaces it. */
export interface Caption {
  /** The utterance's id. */
  readonly id: number;
  readonly speakerId: string;
  readonly name: string;
  /** Beginning and end of the speech, on the room's clock. */
  readonly startMs: number;
  readonly endMs: number;
  /** Text on one line, not empty. */
  readonly text: string;
  /** BCP 47; empty where it is not known. */
  readonly language: string;
  readonly isFinal: boolean;
  /** Translations by language; a language that is missing gets none. */
  readonly translations: ReadonlyMap<string, CaptionTranslation>;
}

/** A receiver of captions. */
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
  /** Resolves when everything is shown: never, while its channel takes nothing. */
  settled(): Promise<void>;
  /** Ends when everything is shown, or at that time of the room's clock. */
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
