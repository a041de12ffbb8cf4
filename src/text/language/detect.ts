import { eld } from 'eld/small';
import { chatWordLanguage } from './chat-words.ts';
import { hanEvidence } from './han.ts';
import { HAN, KANA, scriptsOf, type ScriptUse } from './scripts.ts';
import { withoutSpans } from '../markup/spans.ts';

export interface Detection {
  /** BCP 47: `en`, `ja`, `zh`, `zh-Hant`. */
  readonly language: string;
  /** 0 to 1: about the share of chat lines of this confidence that are right. */
  readonly confidence: number;
}

/** As much of a text as says its language; the rest is not read. */
const SAMPLE_LENGTH = 1000;
/** Below this a guess is worth less than none. */
const LEAST_CONFIDENCE = 0.35;
const CHAT_WORD_CONFIDENCE = 0.7;
/** Fewer letters than this are never told with full confidence. */
const ENOUGH_LETTERS = 10;
/** Fitted to the beginnings of chat lines: see docs/decisions/002-language-detection.md. */
const HALF_SURE_EVIDENCE = 0.25;

/**
 * What a language's score counts for. Chat is mostly in few languages, and their short lines look
 * like those of their smaller neighbours: Turkish like Azerbaijani, Spanish like Catalan.
 */
const WEIGHTS = new Map<string, number>([
  ...'ar de en es fa fr hi it ms nl pl pt ru tr vi'.split(' ').map((l): [string, number] => [l, 1]),
  ...'az be bg ca et eu hr is lt lv mr sk sl sq sr tl ur'
    .split(' ')
    .map((l): [string, number] => [l, 0.8]),
]);
const OTHER_WEIGHT = 0.9;

/** `eld` knows Malay and Indonesian as one; most who write either write Indonesian. */
const RENAMED: Readonly<Record<string, string>> = { ms: 'id' };

/** The library's score is x / (x + 25); only x can be weighed. */
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
  // One kana may be the face of an emoticon.
  return { language, confidence: use.script === KANA && use.letters === 1 ? 0.4 : 0.95 };
};

/**
 * The language of a text, from the first thousand characters without addresses, mentions, emoji and
 * code. Undefined where it cannot be told: no letters, too few, or as likely another language.
 */
export const detectLanguage = (text: string): Detection | undefined => {
  const sample = withoutSpans(text.slice(0, SAMPLE_LENGTH));
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
