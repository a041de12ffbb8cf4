import english from '../../../locales/en.json' with { type: 'json' };
import { isLanguage, type ErrorCode, type Sentence } from '../../errors.ts';

/**
 * Writes a sentence as JSON. Null for one with values other than numbers and languages: they may be
 * anybody's words, which are not stored.
 */
export const writeSentence = ({ key, params = {} }: Sentence): string | null => {
  const hasWords = Object.values(params).some(
    (value) => typeof value !== 'number' && !isLanguage(value),
  );
  return hasWords ? null : JSON.stringify({ key, params });
};

/** Reads a stored sentence; in place of one that is missing or no longer exists, that of the code. */
export const readSentence = (stored: string | null, code: ErrorCode): Sentence => {
  const sentence = stored === null ? undefined : (JSON.parse(stored) as Sentence);
  return sentence && Object.hasOwn(english, sentence.key) ? sentence : { key: `reasons.${code}` };
};
