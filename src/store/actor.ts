import { AsyncLocalStorage } from 'node:async_hooks';
import type { Member, Space } from '../model/place.ts';
import type { WatchUndo } from '../model/watches.ts';

/** A person who uses a command or a control in a space. */
export interface Actor extends Pick<Member, 'id' | 'name'> {
  readonly space: Space;
  /** True where they set something back as it was. */
  readonly isUndo?: true;
  /** The undo of what they end of watches; it is stored with that. */
  readonly undo?: WatchUndo;
}

const actors = new AsyncLocalStorage<Actor>();

/** Does work in the name of a person: what it changes is noted as theirs. */
export const actAs = <T>(actor: Actor, work: () => Promise<T>): Promise<T> =>
  actors.run(actor, work);

/** Does work in the name of the same person that sets something back as it was, or that can be set back itself. */
export const actFurther = <T>(
  as: Pick<Actor, 'isUndo' | 'undo'>,
  work: () => Promise<T>,
): Promise<T> => {
  const actor = currentActor();
  return actor ? actAs({ ...actor, ...as }, work) : work();
};

/** The person in whose name the calling work is done; undefined for none. Ask before a write begins: it runs later. */
export const currentActor = (): Actor | undefined => actors.getStore();
