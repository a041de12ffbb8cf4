import { AppError } from '../../errors.ts';
import type { Utterance } from '../../ports/recogniser.ts';
import { THRESHOLDS, type Refusal } from './invented-text.ts';

type Times = Pick<Utterance, 'startMs' | 'endMs'>;

/** Lines of clear speech in a row without a word after which the recogniser counts as broken. */
const SEVERAL = 3;

const noWords = (): AppError =>
  new AppError('bad-reply', 'the recogniser finds no words in clear speech', { retryable: true });

/** True for clear speech to which a recogniser answers with nothing, or with what nobody can have said. */
const isUnheard = (
  { voiceMs, spanMs }: Pick<Utterance, 'voiceMs' | 'spanMs'>,
  text: string,
  refusal: Refusal | undefined,
): boolean =>
  (text.trim() === '' || refusal === 'too-fast') &&
  voiceMs >= THRESHOLDS.shortMs &&
  voiceMs >= spanMs * THRESHOLDS.faintShare;

/** Notices that a recogniser finds no words in clear speech, several times in a row. */
export const createUnheard = ({
  lose,
  delayed,
}: {
  readonly lose: (utterance: Times) => void;
  readonly delayed: (error: AppError) => void;
}) => {
  let waiting: Times[] = [];
  let isBroken = false;
  return {
    /** Takes a final answer; returns false for one that is none of these. */
    takes: (
      utterance: Pick<Utterance, 'voiceMs' | 'spanMs'> & Times,
      text: string,
      refusal: Refusal | undefined,
    ): boolean => {
      if (!isUnheard(utterance, text, refusal)) {
        // Noise tells nothing of the recogniser.
        if (!refusal) {
          waiting = [];
          isBroken = false;
        }
        return false;
      }
      waiting.push(utterance);
      isBroken ||= waiting.length >= SEVERAL;
      if (!isBroken) return true;
      for (const each of waiting.splice(0)) lose(each);
      delayed(noWords());
      return true;
    },
  };
};
