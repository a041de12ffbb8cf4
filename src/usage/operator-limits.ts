import { z } from 'zod';
import type { DailyLimits } from '../model/space.ts';

const limit = z.coerce
  .number({ error: 'must be a number' })
  .int('must be a whole number')
  .min(0, 'must be 0 or more')
  .optional();
const ofSpace = (what: string) =>
  limit.describe(`Most ${what} a day in each server or workspace. Default: no limit.`);
const ofPerson = (what: string) =>
  limit.describe(
    `Most ${what} a day for each person in each server or workspace. Default: no limit.`,
  );

/** The operator's variables for limits of a day. */
export const LIMIT_VARIABLES = {
  LIMIT_CHARACTERS_PER_DAY: ofSpace('characters'),
  LIMIT_AUDIO_MINUTES_PER_DAY: ofSpace('minutes of audio to recognise'),
  LIMIT_CHAT_TOKENS_PER_DAY: ofSpace('tokens of the language model'),
  LIMIT_CHARACTERS_PER_PERSON: ofPerson('characters'),
  LIMIT_AUDIO_MINUTES_PER_PERSON: ofPerson('minutes of audio'),
  LIMIT_CHAT_TOKENS_PER_PERSON: ofPerson('tokens of the language model'),
} as const;

export type LimitConfig = z.infer<z.ZodObject<typeof LIMIT_VARIABLES>>;

/** Limits of a day that the operator sets: of each space, and of each person in it. */
export interface OperatorLimits {
  readonly space: DailyLimits;
  readonly person: DailyLimits;
}

export const operatorLimits = (config: LimitConfig): OperatorLimits => ({
  space: {
    characters: config.LIMIT_CHARACTERS_PER_DAY,
    audioMinutes: config.LIMIT_AUDIO_MINUTES_PER_DAY,
    chatTokens: config.LIMIT_CHAT_TOKENS_PER_DAY,
  },
  person: {
    characters: config.LIMIT_CHARACTERS_PER_PERSON,
    audioMinutes: config.LIMIT_AUDIO_MINUTES_PER_PERSON,
    chatTokens: config.LIMIT_CHAT_TOKENS_PER_PERSON,
  },
});
