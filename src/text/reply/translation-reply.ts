import { isBlank } from '../unicode.ts';
import {
  mayBeAddition,
  withoutEntities,
  withoutNote,
  withoutPartial,
  withoutPreface,
  withoutQuotationMarks,
  withoutTemplate,
  withoutThinking,
  withoutWrapping,
} from './additions.ts';
import { changesAmounts } from './amounts.ts';
import { isInLanguage, isInOtherLanguage, repeatsSource } from './other-language.ts';
import { refusesToTranslate } from './refusal.ts';
import { loops, repeatsRun } from './repetition.ts';
import type { TranslationTask } from './task.ts';

export type { TranslationTask } from './task.ts';

/**
 * Letters that languages need for what takes English one, roughly: of the same text, in its usual
 * translations. Languages that are not named need about as many.
 */
const DENSITIES: Readonly<Record<string, number>> = {
  zh: 0.33,
  yue: 0.33,
  wuu: 0.33,
  ja: 0.45,
  ko: 0.5,
  th: 0.85,
  he: 0.8,
  ar: 0.85,
};
/** Longer translations than this many times the usual length are none. */
const TIMES = 4;
/** Short words may become whole sentences: "brb". */
const SPARE_CHARS = 120;

const densityOf = (language: string): number =>
  DENSITIES[language.toLowerCase().split('-')[0] ?? ''] ?? 1;

/** UTF-16 units of the usual translation of a text. */
export const usualTranslation = ({ source, from, to }: TranslationTask): number =>
  (densityOf(to) / densityOf(from)) * source.length;

/** True as soon as a growing reply can be no translation any more. */
const isTooLong = (task: TranslationTask, reply: string): boolean =>
  reply.length > TIMES * usualTranslation(task) + SPARE_CHARS;

/** UTF-16 units within which a model may think before it translates. */
const MOST_THINKING_CHARS = 50_000;

/** True for a reply that need not be read: a thought is in it that never ends, or no translation. */
const isEndless = (task: TranslationTask, reply: string): boolean =>
  reply.length > MOST_THINKING_CHARS && isTooLong(task, reply);

/** Letters of the shortest source whose translation can be told to be too short, and the share that it needs. */
const LONG_SOURCE_LETTERS = 100;
const LEAST_SHARE = 0.15;

/** Counts letters; those that somebody repeats, as in `noooo`, count once. */
const lettersIn = (text: string): number => text.match(/(\p{L})\1*/giu)?.length ?? 0;

/** True for a reply that is only a fraction of a translation. */
const isTooShort = ({ source, from, to }: TranslationTask, reply: string): boolean => {
  const letters = lettersIn(source);
  const least = (LEAST_SHARE * letters * densityOf(to)) / densityOf(from);
  return letters >= LONG_SOURCE_LETTERS && lettersIn(reply) < least;
};

/** Why a reply is no translation. */
export type ReplyFault =
  | 'blank'
  | 'only thinking'
  | 'a refusal'
  | 'too long'
  | 'too short'
  | 'a loop'
  | 'the instructions'
  | 'the text itself'
  | 'in another language'
  | 'an answer'
  | 'in other lines'
  | 'other tokens'
  | 'other amounts'
  | 'not what it began as'
  | 'JSON';

type JudgedReply =
  | { readonly text: string; readonly fault?: never }
  | { readonly fault: ReplyFault; readonly text?: never };

const token = /⟦\p{Nd}{1,9}⟧/u;

/** True for a reply with tokens to a source without any: the example of the instructions. */
const inventsTokens = (source: string, reply: string): boolean =>
  token.test(reply) && !token.test(source);

const question = /[?？؟;]/u;
/** Languages whose questions end with a sign. */
const SIGNED = new Set(
  'en es pt fr de it nl pl ru uk sv da no fi cs sk ro hu tr id ms vi bg hr sr ca gl el ar'.split(
    ' ',
  ),
);
/** UTF-16 units at the end of a text that are read for a question. */
const QUESTION_CHARS = 200;

const asks = (source: string): boolean =>
  /\p{L}[^\n.!]{8,}[?？؟]["'”»)\s]*$/u.test(source.trimEnd().slice(-QUESTION_CHARS));

/** True where a question has become a statement: its answer, mostly. */
const answers = ({ source, to }: TranslationTask, reply: string): boolean =>
  SIGNED.has(to.toLowerCase().split('-')[0] ?? '') && asks(source) && !question.test(reply);

const linesIn = (text: string): number =>
  text.split('\n').filter((line) => line.trim() !== '').length;

/** True for a reply with twice as many lines: what models add, explain or go on with has lines of its own. */
const hasOtherLines = (source: string, reply: string): boolean =>
  reply.includes('\n') && linesIn(reply) >= 2 * Math.max(1, linesIn(source));

/** UTF-16 units before its growth that a growing text is judged with: a run of words may begin there. */
const OVERLAP_CHARS = 100;

/** The same, of what may be repeated a few times. */
const LOOP_CHARS = 2_000;

/** Faults that a growing text shows in what has come since it was `judgedChars` long. */
const faultOfGrowth = (
  task: TranslationTask,
  text: string,
  judgedChars: number,
): ReplyFault | undefined => {
  const { source, rules = [] } = task;
  const growth = text.slice(Math.max(0, judgedChars - OVERLAP_CHARS));
  if (isTooLong(task, text)) return 'too long';
  if (loops(source, text.slice(Math.max(0, judgedChars - LOOP_CHARS)))) return 'a loop';
  if (repeatsRun(rules, source, growth)) return 'the instructions';
  if (inventsTokens(source, growth)) return 'other tokens';
  return hasOtherLines(source, text) ? 'in other lines' : undefined;
};

/** Faults that a beginning already shows. */
const earlyFault = (task: TranslationTask, text: string): ReplyFault | undefined => {
  if (refusesToTranslate(task, text)) return 'a refusal';
  const fault = faultOfGrowth(task, text, 0);
  if (fault) return fault;
  return isInOtherLanguage(task, text) ? 'in another language' : undefined;
};

const faultOf = (task: TranslationTask, text: string): ReplyFault | undefined => {
  const early = earlyFault(task, text);
  if (early) return early;
  if (repeatsSource(task, text)) return 'the text itself';
  if (isTooShort(task, text)) return 'too short';
  if (answers(task, text)) return 'an answer';
  return changesAmounts(task.source, text) ? 'other amounts' : undefined;
};

/**
 * Judges the reply of an engine to a translation, before anybody sees it. What engines put around a
 * translation is removed: thinking, a preface, a note, a fence, JSON, quotation marks, HTML's entities, and
 * the template of a conversation.
 */
export const judgeTranslation = (task: TranslationTask, reply: string): JudgedReply => {
  const { source, rules = [] } = task;
  if (isEndless(task, reply)) return { fault: 'too long' };
  const answer = withoutThinking(source, reply);
  if (answer === undefined) return { fault: 'only thinking' };
  if (isBlank(answer)) return { fault: isBlank(reply) ? 'blank' : 'only thinking' };
  const whole = withoutWrapping(source, withoutTemplate(source, answer));
  // Instructions that end with a colon would be removed as a preface.
  if (repeatsRun(rules, source, whole)) return { fault: 'the instructions' };
  if (/^\s*\{\s*"/.test(whole) && !source.includes('{')) return { fault: 'JSON' };
  const alone = withoutNote(task, withoutPreface(task, whole));
  const text = withoutEntities(source, withoutQuotationMarks(source, alone));
  if (isBlank(text)) return { fault: 'blank' };
  const fault = faultOf(task, text);
  return fault === undefined ? { text: text.toWellFormed() } : { fault };
};

/**
 * The translation within a reply that is still growing; '' while none has begun, or an addition may
 * become of it.
 */
export const translationSoFar = (task: TranslationTask, partial: string): string => {
  const { source } = task;
  const answer = withoutThinking(source, withoutPartial(partial)) ?? '';
  const begun = withoutTemplate(source, answer).trimStart();
  return mayBeAddition(task, begun) ? '' : withoutEntities(source, withoutPreface(task, begun));
};

/** UTF-16 units of a beginning in the wanted language that decide, and of any other one. */
const DECIDING_CHARS = 80;
const SURELY_DECIDING_CHARS = 160;

/** True for a source whose translation is judged whole before any of it is shown. */
const isShort = ({ source, from }: TranslationTask): boolean =>
  source.length / densityOf(from) < SURELY_DECIDING_CHARS;

const isDecided = (task: TranslationTask, text: string): boolean => {
  const chars = text.length / densityOf(task.to);
  return chars >= SURELY_DECIDING_CHARS || (chars >= DECIDING_CHARS && isInLanguage(task, text));
};

/**
 * Judges a reply that is still growing: its translation so far once that may be shown, or a fault;
 * undefined while its beginning does not tell, and always where the source is short.
 *
 * @param shownChars UTF-16 units of the translation that were shown already: only what has come since is judged
 */
export const judgeBeginning = (
  task: TranslationTask,
  partial: string,
  shownChars = 0,
): JudgedReply | undefined => {
  if (isEndless(task, partial)) return { fault: 'too long' };
  const text = translationSoFar(task, partial);
  if (text === '') return undefined;
  if (isShort(task)) return isTooLong(task, text) ? { fault: 'too long' } : undefined;
  const fault = shownChars > 0 ? faultOfGrowth(task, text, shownChars) : earlyFault(task, text);
  if (fault) return { fault };
  return shownChars > 0 || isDecided(task, text) ? { text } : undefined;
};
