import type { WithheldCounts } from './captions/missing-lines.ts';

/** Answers to whether a member is captioned in a room, or why not. */
export const HEARING_STATES = [
  'captioned',
  'not-here',
  'no-captions',
  'opted-out',
  'refused',
  'not-agreed',
  'not-told',
  'disconnected',
  'unreadable',
] as const;

export type HearingState = (typeof HEARING_STATES)[number];

export interface MemberHearing {
  readonly state: HearingState;
  /** Counts of the member's lines that captions did not show, since the bot joined. */
  readonly withheld: WithheldCounts;
}

/** Answers to whether a message of a channel that is read aloud was read, or why not. */
export const READING_STATES = [
  'read',
  'bot',
  'system',
  'command',
  'quiet-channel',
  'opted-out',
  'nothing-to-say',
  'failed',
] as const;

export type ReadingState = (typeof READING_STATES)[number];
