import { findTurnMark } from '../control-tokens.ts';
import { isBlank } from '../unicode.ts';
import { withoutPartial, withoutTemplate, withoutThinking } from './additions.ts';
import { foldedWords, goesRound, repeatsRun, withoutLoop } from './repetition.ts';

/** A turn of a conversation with a language model. */
interface Turn {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

type JudgedAnswer =
  | { readonly text: string; readonly isCut: boolean; readonly fault?: never }
  | { readonly fault: 'an echo'; readonly text?: never };

const NONE_YET: JudgedAnswer = { text: '', isCut: false };

/** Words, or signs of a script without spaces, of a question from which its repetition is no answer. */
const FEWEST_WORDS = 4;
const signs = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]{8}/u;

const questionOf = (turns: readonly Turn[]): string => turns.at(-1)?.content ?? '';

const isEcho = (turns: readonly Turn[], answer: string): boolean => {
  const question = foldedWords(questionOf(turns));
  const isLong = question.split(' ').length >= FEWEST_WORDS || signs.test(question);
  return isLong && question === foldedWords(answer);
};

const allOf = (turns: readonly Turn[]): string => turns.map(({ content }) => content).join('\n');

const answerIn = (turns: readonly Turn[], reply: string): string =>
  withoutTemplate(allOf(turns), withoutThinking(questionOf(turns), reply) ?? '', findTurnMark);

const judged = (turns: readonly Turn[], answer: string): JudgedAnswer => {
  if (isBlank(answer)) return NONE_YET;
  const told = turns.filter(({ role }) => role === 'system').map(({ content }) => content);
  const said = turns.filter(({ role }) => role !== 'system');
  if (repeatsRun(told, allOf(said), answer)) return { fault: 'an echo' };
  return goesRound(answer)
    ? { text: withoutLoop(answer), isCut: true }
    : { text: answer, isCut: false };
};

/**
 * Judges the whole answer of a language model: the text that may be shown, '' where there is none, cut
 * before it goes round in a circle; or a fault where it repeats what the model was told.
 */
export const judgeAnswer = (turns: readonly Turn[], reply: string): JudgedAnswer => {
  const answer = answerIn(turns, reply);
  return isEcho(turns, answer) ? { fault: 'an echo' } : judged(turns, answer);
};

/** Judges an answer that is still growing: one that begins with the question may go on. */
export const judgeAnswerSoFar = (turns: readonly Turn[], partial: string): JudgedAnswer => {
  const answer = answerIn(turns, withoutPartial(partial));
  return isEcho(turns, answer) ? NONE_YET : judged(turns, answer);
};
