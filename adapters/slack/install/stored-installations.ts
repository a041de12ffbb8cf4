import { PLATFORM, spaceOf } from '../ids.ts';
import { isOrganisation, readStored, type StoredInstallation } from './stored.ts';
import { createKeyedMutex } from '../../../src/async/keyed-mutex.ts';
import { toAppError } from '../../../src/errors.ts';
import type { Log } from '../../../src/log.ts';
import type { Space } from '../../../src/model/place.ts';
import type { InstallationStore } from '../../../src/ports/installations.ts';

/** Stored data of workspaces and organisations, by their ids. */
type Stored = Map<string, NonNullable<ReturnType<typeof readStored>>>;

/** Creates what is known in memory of the stored installations. */
export const createStoredInstallations = (store: InstallationStore, log: Pick<Log, 'warn'>) => {
  let known: Stored = new Map();
  /** Never held during a write, because a write waits for the reads that it causes. */
  const reads = createKeyedMutex();

  const read = async (into: Stored, space: Space): Promise<void> => {
    const written = await store.of(space);
    const found = written === undefined ? undefined : readStored(space, written);
    if (found) into.set(space.id, found);
    else into.delete(space.id);
  };

  /** Reads a change; what was known stays where it was encrypted with a key that this process does not have. */
  const readChanged = async (into: Stored, space: Space): Promise<void> => {
    try {
      await read(into, space);
    } catch (thrown) {
      const { code, message: reason } = toAppError(thrown);
      if (code !== 'config') throw thrown;
      log.warn({ space: space.id, reason }, 'Slack: an installation cannot be read');
      const before = known.get(space.id);
      if (before) into.set(space.id, before);
    }
  };

  const loadBy = async (readOne: typeof read): Promise<void> => {
    using _ = await reads.take('');
    const next: Stored = new Map();
    for (const space of await store.list(PLATFORM)) await readOne(next, space);
    known = next;
  };

  /** Reads what is stored of a space anew. Rejects where the database cannot be read. */
  const refresh = async (space: Space): Promise<void> => {
    using _ = await reads.take('');
    await readChanged(known, space);
  };

  const installationOf = ({ id }: Space): StoredInstallation | undefined => {
    const found = known.get(id);
    return found && 'installed' in found ? found : undefined;
  };

  const organisationOf = ({ id }: Space): string | undefined => {
    const found = known.get(id);
    return found && 'organisation' in found ? found.organisation : undefined;
  };

  const all = (): readonly Space[] => [...known.keys()].map(spaceOf);

  return {
    /** Reads all of them. Rejects where the database cannot be read, or one cannot be decrypted. */
    load: async () => loadBy(read),
    /** Follows changes. Returns the function that ends this. */
    watch: () =>
      store.watch(PLATFORM, async (space) => (space ? refresh(space) : loadBy(readChanged))),
    refresh,
    /** A workspace's or organisation's own installation. */
    of: installationOf,
    /** The organisation whose installation a workspace uses; undefined where it uses its own. */
    organisationOf,
    /** The workspaces that use the installation of an organisation. */
    workspacesOf: (organisationId: string): readonly Space[] =>
      all().filter((space) => organisationOf(space) === organisationId),
    /** Every workspace that uses an installation. */
    workspaces: (): readonly Space[] =>
      all().filter((space) => {
        const organisation = organisationOf(space);
        if (organisation !== undefined) return installationOf(spaceOf(organisation)) !== undefined;
        return !isOrganisation(space) && installationOf(space) !== undefined;
      }),
  };
};
