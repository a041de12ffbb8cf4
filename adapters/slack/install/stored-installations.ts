import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import type { Installed, InstallationsListener } from './installations.ts';
import { spaceOf, PLATFORM } from '../ids.ts';
import { AppError, toAppError } from '../../../src/errors.ts';
import type { Space } from '../../../src/model/place.ts';
import { createKeyedMutex } from '../../../src/async/locks.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import type { InstallationStore, StoredSecret } from '../../../src/ports/store.ts';

/** The stored form of a workspace, or of an organisation that installed the app as a whole. */
const storedForm = z.looseObject({
  installation: z.looseObject({
    appId: z.string().optional(),
    bot: z
      .looseObject({
        token: z.string(),
        id: z.string(),
        userId: z.string(),
        scopes: z.array(z.string()),
        /** Makes the next token, once; undefined for a token without an end. */
        refreshToken: z.string().optional(),
        /** End of the token, s since 1970. */
        expiresAt: z.number().optional(),
      })
      .optional(),
  }),
  url: z.string().optional(),
  botName: z.string().optional(),
  /** Time of the installation, ms since 1970, by which a later one is known. */
  installedMs: z.number().optional(),
});

/** A token with what renews it. */
export type StoredBot = Pick<
  NonNullable<z.infer<typeof storedForm>['installation']['bot']>,
  'token' | 'refreshToken' | 'expiresAt'
>;

/** Reads the token of a stored installation; undefined for anything else. */
export const readBot = (written: string): StoredBot | undefined =>
  storedForm.safeParse(JSON.parse(written)).data?.installation.bot;

/** Gives a stored installation another token. */
export const withBot = (written: string, bot: StoredBot): string => {
  const json = storedForm.parse(JSON.parse(written));
  const { installation } = json;
  return JSON.stringify({
    ...json,
    installation: { ...installation, bot: { ...installation.bot, ...bot } },
  });
};

/** The stored form of a workspace that uses its organisation's installation. */
const pointer = z.object({ organisation: z.string() });

/** True for the id of an organisation ("Enterprise Grid"). */
export const isOrganisation = ({ id }: Space): boolean => id.startsWith('E');

/** The space of an installation: the workspace, or the organisation that has it as a whole. */
export const ownerOf = (query: {
  readonly isEnterpriseInstall?: boolean | undefined;
  readonly enterpriseId?: string | undefined;
  readonly teamId?: string | undefined;
}): Space => {
  const id = query.isEnterpriseInstall ? query.enterpriseId : query.teamId;
  if (id === undefined) throw new AppError('bad-input', 'Slack named no workspace');
  return spaceOf(id);
};

export interface StoredInstallation {
  readonly installed: Installed;
  readonly token: string;
  readonly installedMs: number | undefined;
}

/** Reads what is stored of a space; undefined for an installation without a bot. */
export const readStored = (
  space: Space,
  written: string,
): StoredInstallation | z.infer<typeof pointer> | undefined => {
  const json: unknown = JSON.parse(written);
  const pointed = pointer.safeParse(json).data;
  if (pointed) return pointed;
  const { installation, url, botName, installedMs } = storedForm.parse(json);
  const { bot, appId } = installation;
  if (!bot || appId === undefined) return undefined;
  return {
    token: bot.token,
    installedMs,
    installed: {
      space,
      appId,
      botId: bot.id,
      botUserId: bot.userId,
      botName: botName ?? 'dragoman',
      scopes: new Set(bot.scopes),
      url: url ?? 'https://slack.com/',
    },
  };
};

type StoredSpace = NonNullable<ReturnType<typeof readStored>>;

/** Installations that are decrypted and checked without a break: 5 ms. */
const READ_AT_ONCE = 40;

/** The stored state of workspaces and organisations, by their ids. */
type Stored = Map<string, StoredSpace>;

/** The value that differs between an installation and the one that replaces it; a renewal keeps it. */
const identityOf = (stored: StoredSpace): string | number | undefined =>
  'organisation' in stored ? stored.organisation : stored.installedMs;

/** True unless the same installation is there as before. */
const isOther = (before: StoredSpace | undefined, after: StoredSpace | undefined): boolean =>
  !before || !after || identityOf(before) !== identityOf(after);

/** Creates what is known in memory of the stored installations. */
export const createStoredInstallations = (
  store: Pick<InstallationStore, 'of' | 'all' | 'watch'>,
  log: Pick<Log, 'warn'>,
) => {
  let known: Stored = new Map();
  let changed: InstallationsListener['changed'] | undefined;
  /** Never held during a write, because a write waits for the reads that it causes. */
  const reads = createKeyedMutex();

  const installationOf = ({ id }: Space): StoredInstallation | undefined => {
    const found = known.get(id);
    return found && 'installed' in found ? found : undefined;
  };

  const organisationOf = ({ id }: Space): string | undefined => {
    const found = known.get(id);
    return found && 'organisation' in found ? found.organisation : undefined;
  };

  const allSpaces = (): readonly Space[] => [...known.keys()].map(spaceOf);

  /** The workspaces that use the installation of an organisation. */
  const workspacesOf = (organisationId: string): readonly Space[] =>
    allSpaces().filter((space) => organisationOf(space) === organisationId);

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
    for (const [at, secret] of (await store.all(PLATFORM)).entries()) {
      if (at % READ_AT_ONCE === READ_AT_ONCE - 1) await setImmediate();
      const found = read(secret);
      if (found) next.set(secret.space.id, found);
    }
    return next;
  };

  const tellChanged = (ids: Iterable<string>): void => {
    const spaces = [...ids].flatMap((id) => [spaceOf(id), ...workspacesOf(id)]);
    if (spaces.length > 0) changed?.(spaces);
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

  return {
    /** Reads all of them. Rejects where the database cannot be read, or one cannot be decrypted. */
    load,
    /** Reads all of them anew, after changes may have been missed. */
    reload,
    /** Follows changes. Returns the function that ends this. */
    watch: (listener: InstallationsListener['changed']) => {
      changed = listener;
      return store.watch(PLATFORM, async (space) => (space ? refresh(space) : reload()));
    },
    refresh,
    /** A workspace's or organisation's own installation. */
    of: installationOf,
    /** The organisation whose installation a workspace uses; undefined where it uses its own. */
    organisationOf,
    workspacesOf,
    /** Every workspace that uses an installation. */
    workspaces: (): readonly Space[] =>
      allSpaces().filter((space) => {
        const organisation = organisationOf(space);
        if (organisation !== undefined) return installationOf(spaceOf(organisation)) !== undefined;
        return !isOrganisation(space) && installationOf(space) !== undefined;
      }),
  };
};
