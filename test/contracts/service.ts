import type { Contract } from './contract.ts';
import { ACCESS_RULES, ERROR_ROWS, PATH_ROWS } from './service/access.ts';
import { LIMIT_ROWS } from './service/limits.ts';
import {
  RECOGNITION_ERROR_ROWS,
  RECOGNITION_ROWS,
  RECOGNITION_RULES,
  RESULT_ROWS,
} from './service/recognition.ts';
import { SEGMENT_ROWS } from './service/segments.ts';
import { SPEECH_ERROR_ROWS, SPEECH_ROWS, SPEECH_RULES } from './service/speech.ts';
import type { ServiceSubject } from './service/target.ts';
import {
  CHUNK_ROWS,
  COMPLETION_ROWS,
  TRANSLATION_ROWS,
  TRANSLATION_RULES,
} from './service/translation.ts';
import { VOICE_ROWS, VOICE_RULES } from './service/voices.ts';

/** Rows of the conformance suite: one check for each row of the contract’s tables, by section and field. */
export const SERVICE_ROWS: Contract<ServiceSubject> = {
  ...VOICE_ROWS,
  ...COMPLETION_ROWS,
  ...CHUNK_ROWS,
  ...RESULT_ROWS,
  ...ERROR_ROWS,
  ...PATH_ROWS,
  ...SPEECH_ROWS,
  ...TRANSLATION_ROWS,
  ...RECOGNITION_ROWS,
  ...SEGMENT_ROWS,
  ...SPEECH_ERROR_ROWS,
  ...RECOGNITION_ERROR_ROWS,
  ...LIMIT_ROWS,
};

/** One check for each rule that the contract states outside its tables. */
export const SERVICE_RULES: Contract<ServiceSubject> = {
  ...VOICE_RULES,
  ...SPEECH_RULES,
  ...TRANSLATION_RULES,
  ...RECOGNITION_RULES,
  ...ACCESS_RULES,
};
