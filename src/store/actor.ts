import { AsyncLocalStorage } from 'node:async_hooks';
import type { Member, Space } from '../model/place.ts';

/** A person who uses a command or a control in a space. */
export interface Actor extends Pick<Member, 'id' | 'name'> {
  readonly space: Space;
}

const actors = new AsyncLocalStorage<Actor>();

/** Does work in the name of a person: what it changes is noted as theirs. */
export const actAs = <T>(actor: Actor, work: () => Promise<T>): Promise<T> =>
  actors.run(actor, work);

/** The person in whose name the calling work is done; undefined for none. Ask before a write begins: it runs later. */
export const currentActor = (): Actor | undefined => actors.getStore();
