import { isBlank } from '../unicode.ts';
import { withoutAdditions, withoutPrefaceSoFar } from './additions.ts';
import { withoutEntities } from './entities.ts';
import { longestTranslation } from './length.ts';
import { withoutQuotationMarks } from './quotation-marks.ts';
import { mayRefuse, refusesToTranslate } from './refusal.ts';
import { withoutThinking, withoutThinkingSoFar } from './thinking.ts';

/** A text that was to be translated. */
export interface TranslationTask {
  readonly source: string;
  /** BCP 47 codes. */
  readonly from: string;
  readonly to: string;
}

export type JudgedReply =
  | { readonly text: string; readonly fault?: never }
  | { readonly fault: 'blank' | 'too long' | 'only thinking' | 'a refusal'; readonly text?: never };

/** True as soon as a growing reply can be no translation any more. */
export const isTooLong = ({ source, from, to }: TranslationTask, reply: string): boolean =>
  reply.length > longestTranslation(source, from, to);

/**
 * Judges the reply of an engine to a translation, before anybody sees it. What engines put around a
 * translation is removed: thinking, a preface, a note, quotation marks, HTML's entities.
 */
export const judgeTranslation = (task: TranslationTask, reply: string): JudgedReply => {
  const { source } = task;
  const answer = withoutThinking(reply);
  if (answer === undefined) return { fault: 'only thinking' };
  if (isBlank(answer)) return { fault: isBlank(reply) ? 'blank' : 'only thinking' };
  const bare = withoutQuotationMarks(source, withoutAdditions(source, answer));
  const text = withoutEntities(source, bare);
  if (isBlank(text)) return { fault: 'blank' };
  if (isTooLong(task, text)) return { fault: 'too long' };
  return refusesToTranslate(task, text) ? { fault: 'a refusal' } : { text };
};

/** The translation within a reply that is still growing; '' while none has begun. */
export const translationSoFar = ({ source }: TranslationTask, partial: string): string => {
  const begun = withoutPrefaceSoFar(source, withoutThinkingSoFar(partial));
  return mayRefuse(source, begun) ? '' : withoutEntities(source, begun);
};
