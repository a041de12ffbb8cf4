import type { Person, Space } from './place.ts';

/** A person of another space whose messages are not copied into the channels of a space. */
export interface BlockedPerson {
  readonly person: Pick<Person, 'platform' | 'id'>;
  /** The name that moderators saw; undefined where it is not known. */
  readonly name: string | undefined;
  /** True where the space's platform banned the person there: that ends with the ban. */
  readonly isBan: boolean;
}

/** The people of other spaces whose messages are not copied into the channels of a space. */
export interface Blocks {
  /** Lists those of a space, the newest first. */
  list(space: Space): Promise<readonly BlockedPerson[]>;
  /** Rejects with `rate-limited` where a space has as many as there may be. */
  add(space: Space, blocked: BlockedPerson): Promise<void>;
  /** Ends it, whoever decided it. */
  remove(space: Space, person: BlockedPerson['person']): Promise<void>;
}
