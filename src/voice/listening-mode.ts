import type { ConsentRule } from '../model/space-choices.ts';

/**
 * What people in a room are heard for: `captions`, which everybody sees; `name`, to know when somebody
 * calls us and asks something; `voices`, to let them go before ours: then nothing is written down.
 */
export type ListeningPurpose = 'captions' | 'name' | 'voices';

/** How a room listens. */
export interface ListeningMode {
  readonly purpose: ListeningPurpose;
  readonly rule: ConsentRule;
  /** Whether something is told of what is still being said. */
  readonly partials: boolean;
  /** After so long without voice a line ends; as usual when left out. */
  readonly pauseMs?: number;
}
