import { type Space } from '../model/place.ts';

/**
 * Use of the service: code points translated, spoken, or asked and answered; sound heard;
 * messages served.
 */
export interface UsageAmounts {
  readonly characters: number;
  readonly audioMs: number;
  readonly messages: number;
}

/** The use of one day. `day` is `YYYY-MM-DD` in UTC. */
export interface UsageDay extends UsageAmounts {
  readonly day: string;
  /** The number of people it was used for; all forgotten people count as one. */
  readonly people: number;
}

/** The record of what was used, by day, space and member. */
export interface Usage {
  /** Adds to what a member used today. */
  record(space: Space, memberId: string, used: UsageAmounts): Promise<void>;
  /** The use of the whole space today. */
  today(space: Space): Promise<UsageAmounts>;
  /** The last days, oldest first, those without use included; who used it is kept for 90 days. */
  days(space: Space, count: number): Promise<readonly UsageDay[]>;
}
