/** Limits of one day; an omitted one is none. */
export interface DailyLimits {
  /** Code points that are translated, spoken, or part of questions and answers. */
  readonly characters?: number | undefined;
  readonly audioMinutes?: number | undefined;
  /** Tokens of questions to the language model and its answers. */
  readonly chatTokens?: number | undefined;
}

/** The use that a limit is about. */
export type LimitedUse = keyof DailyLimits;

export const LIMITED_USES = ['characters', 'audioMinutes', 'chatTokens'] as const;

/** The limits that apply in a space. */
export interface SpaceLimits {
  /** Limits of the whole space, set by the operator. */
  readonly operator: DailyLimits;
  /** Limits of each person in the space, set by the operator. */
  readonly person: DailyLimits;
  /** Limits of the whole space: of each pair, set by operator and moderators, the lower one. */
  readonly space: DailyLimits;
}
