import { isBlank } from '../unicode.ts';
import {
  withoutTemplate,
  withoutTemplateSoFar,
  withoutThinking,
  withoutThinkingSoFar,
} from './additions.ts';
import { foldedWords, loops, repeatsRun, withoutLoop } from './repetition.ts';

/** A turn of a conversation with a language model. */
interface Turn {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

type JudgedAnswer =
  | { readonly text: string; readonly isCut: boolean; readonly fault?: never }
  | { readonly fault: 'an echo'; readonly text?: never };

const NONE_YET: JudgedAnswer = { text: '', isCut: false };

/** Words of a question from which its repetition is no answer. */
const FEWEST_WORDS = 4;

const isEcho = (turns: readonly Turn[], answer: string): boolean => {
  const question = foldedWords(turns.at(-1)?.content ?? '');
  return question.split(' ').length >= FEWEST_WORDS && question === foldedWords(answer);
};

const allOf = (turns: readonly Turn[]): string => turns.map(({ content }) => content).join('\n');

const judged = (turns: readonly Turn[], answer: string): JudgedAnswer => {
  if (isBlank(answer)) return NONE_YET;
  const told = turns.filter(({ role }) => role === 'system').map(({ content }) => content);
  const said = turns.filter(({ role }) => role !== 'system');
  if (repeatsRun(told, allOf(said), answer)) return { fault: 'an echo' };
  return loops('', answer)
    ? { text: withoutLoop(answer), isCut: true }
    : { text: answer, isCut: false };
};

/**
 * Judges the whole answer of a language model: the text that may be shown, '' where there is none, cut
 * before it goes round in a circle; or a fault where it repeats what the model was told.
 */
export const judgeAnswer = (turns: readonly Turn[], reply: string): JudgedAnswer => {
  const answer = withoutTemplate(allOf(turns), withoutThinking(reply) ?? '');
  return isEcho(turns, answer) ? { fault: 'an echo' } : judged(turns, answer);
};

/** Judges an answer that is still growing: one that begins with the question may go on. */
export const judgeAnswerSoFar = (turns: readonly Turn[], partial: string): JudgedAnswer => {
  const answer = withoutTemplateSoFar(allOf(turns), withoutThinkingSoFar(partial));
  return isEcho(turns, answer) ? NONE_YET : judged(turns, answer);
};
