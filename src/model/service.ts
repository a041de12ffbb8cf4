import type { Channel, Space } from './place.ts';

/**
 * Lanes of requests to the service, the most urgent first: speech that people hear or say at this
 * moment, commands, auto-translate, and what was missed or takes long.
 */
export const LANES = ['live', 'interactive', 'ambient', 'batch'] as const;

export type Lane = (typeof LANES)[number];

/** The asker of a request to the service: requests are sent by lane, and in turn by space. */
export interface Asker {
  readonly lane: Lane;
  readonly space: Space;
}

/** The space of what is asked for nobody's space: probes, and what all spaces share. */
export const NO_SPACE: Space = { platform: '', id: '' };

/** The asker when work for a place is done in a lane. */
export const askerAt = (lane: Lane, place: Space | Channel): Asker => ({
  lane,
  space: 'space' in place ? place.space : place,
});

/** One row of the table of engines: those that work, and how to add the others. */
export interface EngineReport {
  readonly name: string;
  /** The kinds of work that it does. */
  readonly serves: readonly ('speech' | 'recognition' | 'translation' | 'chat')[];
  readonly ready: boolean;
  /** The features of a ready engine; otherwise the instruction that adds it. */
  readonly detail: string;
  /** True for one that is set up, and does not work: `detail` says why. */
  readonly fails?: boolean;
}

/**
 * The calls of the service in the last hour, of all spaces together; without lists, calls that nobody
 * waited for, and refusals of keys that spaces brought.
 */
export interface RecentCalls {
  readonly calls: number;
  readonly failed: number;
  /** Calls that were not sent: too many waited, or the service was not answering. */
  readonly unsent: number;
  /** Bound below which 95 % of the calls waited to be sent. */
  readonly waitedMs: number;
}

export interface ServiceStatus {
  readonly builtIn: boolean;
  readonly reachable: boolean;
  readonly engines: readonly EngineReport[];
  /** Undefined where there were no calls. */
  readonly recent?: RecentCalls | undefined;
}

/** One result of the doctor's checks. */
export interface Finding {
  /** The thing that was looked at, e.g. `Discord: token`. */
  readonly check: string;
  readonly ok: boolean;
  /** The finding, or the remedy. */
  readonly detail: string;
  /** True when its absence is no failure. */
  readonly isOptional?: boolean;
}

/** Why a space's own key is of no use: the service refuses it, or its account is empty; or it cannot be decrypted. */
export type KeyTrouble = 'refused' | 'no-credit' | 'unreadable';

/** The facts of a space's own key that may be told. */
export interface OwnKeyState {
  /** Name of the person who set it, as it was then; undefined where they had their data deleted. */
  readonly setBy: string | undefined;
  /** Time at which it was set, in ms since 1970. */
  readonly setMs: number;
  readonly trouble?: KeyTrouble;
}
