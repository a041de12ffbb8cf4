import { eld } from 'eld/small';
import { chatWordLanguage } from './chat-words.ts';
import { hanEvidence } from './han.ts';
import { HAN, KANA, scriptsOf, type ScriptUse } from './scripts.ts';
import { withoutPlainSpans } from '../plain-spans.ts';

export interface Detection {
  /** Language code in BCP 47: `en`, `ja`, `zh`, `zh-Hant`. */
  readonly language: string;
  /** Confidence from 0 to 1: about the share of chat lines of this confidence that are right. */
  readonly confidence: number;
}

/** UTF-16 units that are read: enough to tell a text's language. */
const SAMPLE_LENGTH = 1000;
/** Least confidence of a useful guess. */
const LEAST_CONFIDENCE = 0.35;
const CHAT_WORD_CONFIDENCE = 0.7;
/** Fewest letters that can give full confidence. */
const ENOUGH_LETTERS = 10;
/** Fitted to the beginnings of chat lines: see docs/decisions/002-language-detection.md. */
const HALF_SURE_EVIDENCE = 0.25;

/**
 * Weight of a language's score. Chat is mostly in few languages, and their short lines look like
 * those of their smaller neighbours: Turkish like Azerbaijani, Spanish like Catalan.
 */
const WEIGHTS = new Map<string, number>([
  ...'ar de en es fa fr hi it ms nl pl pt ru tr vi'.split(' ').map((l): [string, number] => [l, 1]),
  ...'az be bg ca et eu hr is lt lv mr sk sl sq sr tl ur'
    .split(' ')
    .map((l): [string, number] => [l, 0.8]),
]);
const OTHER_WEIGHT = 0.9;

/**
 * Languages that `eld` does not tell apart: most people who write Malay or Indonesian write
 * Indonesian.
 */
const RENAMED: Readonly<Record<string, string>> = { ms: 'id' };

/** Inverts the library's scale, x / (x + 25): only x can be weighted. */
const unscaled = (score: number): number => (25 * score) / (1 - score);

const byStatistics = (text: string, { script, letters }: ScriptUse): Detection | undefined => {
  const scores = eld.detect(text).getScores();
  const [best, second] = script.languages
    .map((language) => ({
      language,
      score: unscaled(scores[language] ?? 0) * (WEIGHTS.get(language) ?? OTHER_WEIGHT),
    }))
    .toSorted((a, b) => b.score - a.score);
  if (!best || best.score === 0) return undefined;
  const evidence = ((best.score - (second?.score ?? 0)) / best.score) * letters;
  const certainty = evidence / (evidence + HALF_SURE_EVIDENCE);
  return {
    language: RENAMED[best.language] ?? best.language,
    confidence: certainty * Math.min(1, letters / ENOUGH_LETTERS),
  };
};

/** Chinese characters alone: Chinese in one of two ways of writing, or Japanese without kana. */
const byHan = (text: string, letters: number): Detection => {
  const { simplified, traditional, japanese } = hanEvidence(text);
  if (japanese > simplified) return { language: 'ja', confidence: 0.85 };
  return {
    language: traditional > simplified ? 'zh-Hant' : 'zh',
    confidence: simplified > 0 ? 0.95 : Math.min(0.9, 0.2 + letters * 0.15),
  };
};

const byScript = (text: string, use: ScriptUse): Detection | undefined => {
  if (use.script === HAN) return byHan(text, use.letters);
  const [language = '', ...others] = use.script.languages;
  if (others.length > 0) return byStatistics(text, use);
  // A single kana may be part of an emoticon.
  return { language, confidence: use.script === KANA && use.letters === 1 ? 0.4 : 0.95 };
};

/**
 * Detects a plain text's language from the first thousand characters without addresses, `@names` and
 * emoji. Undefined where it is uncertain: no letters, too few, or another language as likely.
 */
export const detectLanguage = (text: string): Detection | undefined => {
  const sample = withoutPlainSpans(text.slice(0, SAMPLE_LENGTH));
  const [use] = scriptsOf(sample);
  if (!use) return undefined;
  const found = byScript(sample, use);
  const confidence = (found?.confidence ?? 0) * Math.min(1, use.share + 0.3);
  if (confidence < CHAT_WORD_CONFIDENCE) {
    const language = chatWordLanguage(sample);
    if (language) return { language, confidence: CHAT_WORD_CONFIDENCE };
  }
  return found && confidence >= LEAST_CONFIDENCE
    ? { language: found.language, confidence }
    : undefined;
};
