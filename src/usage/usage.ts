import { type Space } from '../model/place.ts';
/**
 * What was used of the service: code points translated, spoken, or asked and answered; sound heard;
 * messages served.
 */
export interface Used {
  readonly characters: number;
  readonly audioMs: number;
  readonly messages: number;
}

/** What one day used. `day` is `YYYY-MM-DD` in UTC. */
export interface UsageDay extends Used {
  readonly day: string;
  /** For how many people it was used; all forgotten people count as one. */
  readonly people: number;
}

export interface Usage {
  /** Adds to what a member used today. */
  record(space: Space, memberId: string, used: Used): Promise<void>;
  /** What the whole space used today. */
  today(space: Space): Promise<Used>;
  /** The last days, oldest first, those without use included; who used it is kept for 90 days. */
  days(space: Space, count: number): Promise<readonly UsageDay[]>;
}
