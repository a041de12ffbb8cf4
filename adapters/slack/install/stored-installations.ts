import { PLATFORM, spaceOf } from '../ids.ts';
import { isOrganisation, readStored, type StoredInstallation } from './stored.ts';
import { createKeyedMutex } from '../../../src/async/keyed-mutex.ts';
import { toAppError } from '../../../src/errors.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import type { Space } from '../../../src/model/place.ts';
import type { InstallationStore, StoredSecret } from '../../../src/ports/installations.ts';

type StoredSpace = NonNullable<ReturnType<typeof readStored>>;

/** The stored state of workspaces and organisations, by their ids. */
type Stored = Map<string, StoredSpace>;

/** The value that differs between an installation and the one that replaces it; a renewal keeps it. */
const identityOf = (stored: StoredSpace): string | number | undefined =>
  'organisation' in stored ? stored.organisation : stored.installedMs;

/** True unless the same installation is there as before. */
const isOther = (before: StoredSpace | undefined, after: StoredSpace | undefined): boolean =>
  !before || !after || identityOf(before) !== identityOf(after);

export interface StoredInstallationsDeps {
  readonly store: Pick<InstallationStore, 'of' | 'all' | 'watch'>;
  readonly log: Pick<Log, 'warn'>;
  /**
   * Takes the spaces whose installation came, went or was replaced since they were read, in whichever process;
   * with an organisation those that use its installation.
   */
  readonly changed: (spaces: readonly Space[]) => void;
}

/** Creates what is known in memory of the stored installations. */
export const createStoredInstallations = ({ store, log, changed }: StoredInstallationsDeps) => {
  let known: Stored = new Map();
  /** Never held during a write, because a write waits for the reads that it causes. */
  const reads = createKeyedMutex();

  /** Keeps what was known where it is encrypted with a key that this process does not have; throws otherwise. */
  const knownInstead = (space: Space, thrown: unknown): StoredSpace | undefined => {
    const { code, message: reason } = toAppError(thrown);
    if (code !== 'config') throw thrown;
    log.warn({ space: space.id, reason }, 'Slack: an installation cannot be read');
    return known.get(space.id);
  };

  const readChanged = ({ space, open }: StoredSecret): StoredSpace | undefined => {
    try {
      return readStored(space, open());
    } catch (thrown) {
      return knownInstead(space, thrown);
    }
  };

  const readAll = async (
    read: (secret: StoredSecret) => StoredSpace | undefined,
  ): Promise<Stored> => {
    const next: Stored = new Map();
    for (const secret of await store.all(PLATFORM)) {
      const found = read(secret);
      if (found) next.set(secret.space.id, found);
    }
    return next;
  };

  const tellChanged = (ids: Iterable<string>): void => {
    const spaces = [...ids].flatMap((id) => [spaceOf(id), ...workspacesOf(id)]);
    if (spaces.length > 0) changed(spaces);
  };

  const load = async (): Promise<void> => {
    using _ = await reads.take('');
    known = await readAll(({ space, open }) => readStored(space, open()));
  };

  const reload = async (): Promise<void> => {
    using _ = await reads.take('');
    const before = known;
    const next = await readAll(readChanged);
    known = next;
    const all = new Set([...before.keys(), ...next.keys()]);
    tellChanged([...all].filter((id) => isOther(before.get(id), next.get(id))));
  };

  /** Reads what is stored of a space anew. Rejects where the database cannot be read. */
  const refresh = async (space: Space): Promise<void> => {
    using _ = await reads.take('');
    const before = known.get(space.id);
    let found: StoredSpace | undefined;
    try {
      const written = await store.of(space);
      found = written === undefined ? undefined : readStored(space, written);
    } catch (thrown) {
      found = knownInstead(space, thrown);
    }
    if (found) known.set(space.id, found);
    else known.delete(space.id);
    if (isOther(before, found)) tellChanged([space.id]);
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

  /** The workspaces that use the installation of an organisation. */
  const workspacesOf = (organisationId: string): readonly Space[] =>
    all().filter((space) => organisationOf(space) === organisationId);

  return {
    /** Reads all of them. Rejects where the database cannot be read, or one cannot be decrypted. */
    load,
    /** Reads all of them anew, after changes may have been missed. */
    reload,
    /** Follows changes. Returns the function that ends this. */
    watch: () => store.watch(PLATFORM, async (space) => (space ? refresh(space) : reload())),
    refresh,
    /** A workspace's or organisation's own installation. */
    of: installationOf,
    /** The organisation whose installation a workspace uses; undefined where it uses its own. */
    organisationOf,
    workspacesOf,
    /** Every workspace that uses an installation. */
    workspaces: (): readonly Space[] =>
      all().filter((space) => {
        const organisation = organisationOf(space);
        if (organisation !== undefined) return installationOf(spaceOf(organisation)) !== undefined;
        return !isOrganisation(space) && installationOf(space) !== undefined;
      }),
  };
};
