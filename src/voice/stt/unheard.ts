import { createLru } from '../../async/lru.ts';
import { AppError, type ErrorCode } from '../../errors.ts';
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

/** Errors of the service about one file, which say nothing of the others. */
const OF_ONE_FILE: ReadonlySet<ErrorCode> = new Set(['bad-input', 'too-large', 'unsupported']);
const MOST_SPEAKERS = 100;

/** Distinguishes a refusal of one utterance, and of one person's speech, from one of everybody's. */
export const createRefusals = ({
  ofAll,
  ofOne,
}: {
  readonly ofAll: (error: AppError) => void;
  readonly ofOne: (speakerId: string) => void;
}) => {
  let inARow = 0;
  const bySpeaker = createLru<string, number>(MOST_SPEAKERS);
  return {
    /** Takes the failure of an utterance; returns false for one that is none of these. */
    takes: (speakerId: string, error: AppError): boolean => {
      if (!OF_ONE_FILE.has(error.code)) return false;
      inARow += 1;
      const ofSpeaker = (bySpeaker.get(speakerId) ?? 0) + 1;
      bySpeaker.set(speakerId, ofSpeaker);
      if (inARow >= SEVERAL) ofAll(error);
      else if (ofSpeaker % SEVERAL === 0) ofOne(speakerId);
      return true;
    },
    /** Notes that an utterance of a person was recognised. */
    answered: (speakerId: string): void => {
      inARow = 0;
      bySpeaker.delete(speakerId);
    },
    forget: (speakerId: string): void => {
      bySpeaker.delete(speakerId);
    },
  };
};
