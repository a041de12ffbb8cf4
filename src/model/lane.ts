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
