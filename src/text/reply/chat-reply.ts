import { isBlank } from '../unicode.ts';
import { withoutTemplateSoFar, withoutThinkingSoFar } from './additions.ts';
import { foldedWords, loops, repeatsRun, withoutLoop } from './repetition.ts';

/** A turn of a conversation with a language model. */
interface Turn {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

type JudgedAnswer =
  | { readonly text: string; readonly isCut: boolean; readonly fault?: never }
  | { readonly fault: 'an echo'; readonly text?: never };

/** Words of a question from which its repetition is no answer. */
const FEWEST_WORDS = 4;

const isEcho = (turns: readonly Turn[], answer: string): boolean => {
  const question = foldedWords(turns.at(-1)?.content ?? '');
  return question.split(' ').length >= FEWEST_WORDS && question === foldedWords(answer);
};

/**
 * Judges the answer of a language model, whole or still growing: the text that may be shown, '' while
 * there is none, cut before it goes round in a circle; or a fault where it repeats what the model was told.
 */
export const judgeAnswer = (turns: readonly Turn[], reply: string): JudgedAnswer => {
  const answer = withoutTemplateSoFar(
    turns.map(({ content }) => content).join('\n'),
    withoutThinkingSoFar(reply),
  );
  if (isBlank(answer)) return { text: '', isCut: false };
  const told = turns.filter(({ role }) => role === 'system').map(({ content }) => content);
  const said = turns.filter(({ role }) => role !== 'system').map(({ content }) => content);
  if (isEcho(turns, answer) || repeatsRun(told, said.join('\n'), answer))
    return { fault: 'an echo' };
  return loops('', answer)
    ? { text: withoutLoop(answer), isCut: true }
    : { text: answer, isCut: false };
};
