import { AppError } from '../../src/errors.ts';
import type { Builder, BuildNeeds, NewThing } from '../../src/ports/builder.ts';

/** A thing that was made. */
type Built = NewThing & { readonly id: string };

/** Makes channels and roles in memory; each thing gets the next number as its id. */
export interface FakeBuilder extends Builder {
  /** What is there, in the order in which it was made. */
  readonly built: Built[];
  /** What was made and removed again. */
  readonly removed: string[];
  /** What has to be made, as it was asked last. */
  needs: BuildNeeds | undefined;
  /** Ids of sources whose category is full. */
  apart: readonly string[];
  /** What a survey rejects with. */
  refusal: AppError | undefined;
  /** What `make` rejects with, by its calls from 1 on; `lost` where the thing is made all the same. */
  readonly faults: Map<number, AppError | 'lost'>;
  /** Roles that were given and taken: `+role member`. */
  readonly given: string[];
  /** Ids of roles that must not be given. */
  readonly unsafe: Set<string>;
  /** True where nothing tells whether a thing that is found is the bot's. */
  doubtful: boolean;
  /** What a person may not make themselves. */
  personLacks: AppError | undefined;
  /** Calls of `make`. */
  calls: number;
}

const FIRST_ID = 9_000;

export const createFakeBuilder = (): FakeBuilder => {
  const add = (thing: NewThing): string => {
    const id = String(FIRST_ID + fake.calls);
    fake.built.push({ ...thing, id });
    return id;
  };
  const fake: FakeBuilder = {
    built: [],
    removed: [],
    needs: undefined,
    apart: [],
    refusal: undefined,
    faults: new Map(),
    given: [],
    unsafe: new Set(),
    calls: 0,
    doubtful: false,
    personLacks: undefined,
    demand: async () => {
      if (fake.personLacks) throw fake.personLacks;
    },
    threads: true,
    nameOf: ({ name }) => name.trim().replaceAll(' ', '-'),
    survey: async (_, needs) => {
      fake.needs = needs;
      if (fake.refusal) throw fake.refusal;
      const names = needs.sources.map(({ id }) => [id, `name${id}`]);
      return { names: Object.fromEntries(names), apart: fake.apart };
    },
    make: async (_, thing) => {
      fake.calls += 1;
      const fault = fake.faults.get(fake.calls);
      if (fault === undefined) return add(thing);
      if (fault !== 'lost') throw fault;
      add(thing);
      throw new AppError('timeout', 'the answer was lost', { retryable: true });
    },
    find: async (_space, thing, _sinceMs, known) => {
      const found = fake.built.find(
        ({ id, kind, name }) => kind === thing.kind && name === thing.name && !known.includes(id),
      );
      return found && { id: found.id, isOurs: !fake.doubtful };
    },
    standing: async (_, things) =>
      things.filter(({ id }) => fake.built.some((built) => built.id === id)),
    remove: async (_, { id }) => {
      const at = fake.built.findIndex((built) => built.id === id);
      if (at < 0) return;
      fake.built.splice(at, 1);
      fake.removed.push(id);
    },
    roles: {
      isSafe: async (_, id) =>
        !fake.unsafe.has(id) &&
        fake.built.some((built) => built.kind === 'role' && built.id === id),
      set: async (_, memberId, roleId, isGiven) =>
        void fake.given.push(`${isGiven ? '+' : '-'}${roleId} ${memberId}`),
    },
  };
  return fake;
};
