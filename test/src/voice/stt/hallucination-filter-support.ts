import type { HeardUtterance } from '../../../../src/voice/stt/hallucination-filter.ts';

/** Three seconds of clear English, but for what is given. */
export const candidateOf = (line: Partial<HeardUtterance>): HeardUtterance => ({
  text: 'We meet at nine.',
  language: 'en',
  confidence: 0.9,
  speakerId: 'ann',
  voiceMs: 2_600,
  spanMs: 3_000,
  endMs: 0,
  ...line,
});

export const HOTWORDS = ['Dragoman', 'Ann Lee', 'Ben', '山田さん'];
export const ENGLISH = { languages: ['en'], hotwords: HOTWORDS };
export const FAINT = { voiceMs: 220, spanMs: 900 };
export const SHORT = { voiceMs: 900, spanMs: 1_400 };
/** A word said quickly, with the moments before and after it. */
export const QUICK = { voiceMs: 260, spanMs: 560 };
/** The same, said at leisure. */
export const WORD = { voiceMs: 320, spanMs: 660 };
