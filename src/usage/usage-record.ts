import { type Space } from '../model/place.ts';

/**
 * Use of the service: code points that were translated, spoken, or part of questions and answers;
 * audio recognised; messages served.
 */
export interface UsageAmounts {
  readonly characters: number;
  readonly audioMs: number;
  readonly messages: number;
}

/** The use of one day. `day` is `YYYY-MM-DD` in UTC. */
export interface UsageDay extends UsageAmounts {
  readonly day: string;
  /** The number of people who used it; all erased people count as one. */
  readonly people: number;
}

/** The record of use, by day, space and member. */
export interface Usage {
  /** Adds to a member's use of today. */
  record(space: Space, memberId: string, used: UsageAmounts): Promise<void>;
  /** Resolves with the use of the whole space today. */
  today(space: Space): Promise<UsageAmounts>;
  /**
   * Resolves with the last days, oldest first, including those without use; members are recorded
   * for 90 days.
   */
  days(space: Space, count: number): Promise<readonly UsageDay[]>;
}
