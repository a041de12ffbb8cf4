import type { Person, Space } from './place.ts';

/** A person of another space whose messages are not copied into the channels of a space. */
export interface BlockedPerson {
  /** Stands for the person, and does not say who it is. */
  readonly key: string;
  /** The name that moderators saw, or the platform told; undefined where it is not known, or the person had their data deleted. */
  readonly name: string | undefined;
  /** True where the space's platform banned the person there: that ends with the ban. */
  readonly isBan: boolean;
}

/** A person as they are known in another space: their name with that of their server or workspace. */
export interface PersonElsewhere extends Pick<Person, 'platform' | 'id'> {
  readonly name: string;
}

/** The people of linked spaces who have an id. */
export interface FoundElsewhere {
  readonly people: readonly PersonElsewhere[];
  /** Names of the spaces that did not answer in time, or could not; of many, the first and the number of the others. */
  readonly silent: readonly string[];
}

/** The people of other spaces whose messages are not copied into the channels of a space. */
export interface Blocks {
  /** Lists those of a space, the newest first. */
  list(space: Space): Promise<readonly BlockedPerson[]>;
  /** Finds a person among them; undefined for one who is not. */
  of(space: Space, person: Pick<Person, 'platform' | 'id'>): Promise<BlockedPerson | undefined>;
  /** Finds within seconds who has an id in the spaces with which channels of this one are linked, once for each platform. */
  lookUp(space: Space, id: string): Promise<FoundElsewhere>;
  /** Rejects with `rate-limited` where a space has as many as there may be. */
  add(
    space: Space,
    person: Pick<Person, 'platform' | 'id'>,
    how: Pick<BlockedPerson, 'name' | 'isBan'>,
  ): Promise<void>;
  /** Ends it, whoever decided it. */
  remove(space: Space, key: BlockedPerson['key']): Promise<void>;
}
