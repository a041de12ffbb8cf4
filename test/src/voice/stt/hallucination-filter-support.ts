import { createHallucinationFilter } from '../../../../src/voice/stt/hallucination-filter.ts';
import type { HeardUtterance } from '../../../../src/voice/stt/invented-text.ts';

/** Three seconds of clear English, but for what is given. */
export const candidateOf = (line: Partial<HeardUtterance>): HeardUtterance => ({
  text: 'We meet at nine.',
  language: 'en',
  confidence: 0.9,
  speakerId: 'ann',
  voiceMs: 2_600,
  spanMs: 3_000,
  startMs: (line.endMs ?? 0) - (line.spanMs ?? 3_000),
  endMs: 0,
  ...line,
});

/** A filter of a recogniser whose confidence is on the common scale. */
export const createUsualFilter = () => {
  const filter = createHallucinationFilter();
  for (let line = 0; line < 5; line += 1)
    filter.judge(
      candidateOf({ speakerId: 'usual', confidence: 0.8, voiceMs: 3_000, endMs: -1e6 }),
      { languages: [], hotwords: [] },
      true,
    );
  filter.forget('usual');
  return filter;
};

export const HOTWORDS = ['Dragoman', 'Ann Lee', 'Ben', '山田さん'];
export const ENGLISH = { languages: ['en'], hotwords: HOTWORDS };
export const NEAR_SILENCE = { voiceMs: 220, spanMs: 900 };
export const SHORT = { voiceMs: 900, spanMs: 1_400 };
/** A word said quickly, with the moments before and after it. */
export const QUICK = { voiceMs: 160, spanMs: 460 };
/** The same, said at leisure. */
export const WORD = { voiceMs: 320, spanMs: 660 };
