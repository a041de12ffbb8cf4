import { sameLanguage } from '../../text/language/languages.ts';

/** A translation of a caption, on its way or there. */
export interface CaptionTranslation {
  /** All of it so far; empty while it is only awaited, and where it failed. */
  readonly text: string;
  readonly done: boolean;
  /** It failed, and this caption is the one to say so. */
  readonly failed?: boolean;
}

/** What somebody said, as it is shown. It never changes: another one takes its place. */
export interface Caption {
  /** The number of the line that was heard. */
  readonly id: number;
  readonly speakerId: string;
  readonly name: string;
  /** Of the speech, on the room's clock. */
  readonly startMs: number;
  readonly endMs: number;
  /** On one line, and not empty. */
  readonly text: string;
  /** BCP 47; empty where it is not known. */
  readonly language: string;
  readonly isFinal: boolean;
  /** By language. What is not there does not come. */
  readonly translations: ReadonlyMap<string, CaptionTranslation>;
}

/** Where captions go. */
export interface CaptionSink {
  /** Takes a caption in, in place of the one of the same number. */
  show(caption: Caption): void;
  /** The same for a caption that must be there already; nothing happens where it is not. */
  change(caption: Caption): void;
  remove(id: number): void;
  /** Takes out everything that a member said, as far as that is still possible. */
  forget(speakerId: string): void;
}

/** A sink that people see. */
export interface CaptionBoard extends CaptionSink {
  /** Resolves when everything stands as it is to be: never, while its place takes nothing. */
  settled(): Promise<void>;
  /** Ends when everything stands as it is to be, or at that time of the room's clock. */
  end(latestMs: number): Promise<void>;
}

/** Whether one was spoken before the other. */
export const isBefore = (
  a: Pick<Caption, 'startMs' | 'id'>,
  b: Pick<Caption, 'startMs' | 'id'>,
): boolean => a.startMs < b.startMs || (a.startMs === b.startMs && a.id < b.id);

/** Whether it was said in that language, as far as is known. */
export const isIn = ({ language }: Pick<Caption, 'language'>, wanted: string): boolean =>
  language !== '' && sameLanguage(language, wanted);

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
