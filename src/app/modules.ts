import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AppError } from '../errors.ts';
import type { Adapter, AdapterModule, Core } from '../adapter.ts';
import type { RunningCore } from './core.ts';
import type { Role } from '../cluster/roles.ts';

const nameOf = (path: string): string =>
  basename(path) === 'index.ts' ? basename(join(path, '..')) : basename(path, '.ts');

/**
 * Imports the default export of each `*.ts` file, or of each folder's `index.ts`, of `folder`, in
 * the order of their names. A folder without `index.ts` is passed over. The one file that is wrong is
 * named in the `AppError` (`config`).
 *
 * @param fault tells what is wrong with a default export, given the file's or folder's name
 */
export const discover = async <T>(
  folder: string,
  fault: (value: unknown, name: string) => string | undefined,
): Promise<readonly T[]> => {
  const entries = await readdir(folder, { withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isDirectory() || entry.name.endsWith('.ts'))
    .map(({ parentPath, name }) =>
      name.endsWith('.ts') ? join(parentPath, name) : join(parentPath, name, 'index.ts'),
    )
    .filter((path) => existsSync(path))
    .toSorted();
  const found: T[] = [];
  for (const path of paths) {
    const file = relative(join(folder, '..'), path);
    let value: unknown;
    try {
      ({ default: value } = (await import(pathToFileURL(path).href)) as { default?: unknown });
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message.split('\n', 1)[0] : 'unknown';
      throw new AppError('config', `${file} cannot be loaded: ${reason}`, { cause });
    }
    const wrong = fault(value, nameOf(path));
    if (wrong !== undefined) throw new AppError('config', `${file}: ${wrong}`);
    found.push(value as T);
  }
  return found;
};

export interface RunningAdaptersDeps {
  readonly modules: readonly Pick<AdapterModule, 'name' | 'create'>[];
  /** The values of each adapter's variables, by its name. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly roles: ReadonlySet<Role>;
  readonly core: Core;
  /** Adds an adapter's platform to the core. */
  readonly attach: RunningCore['attach'];
  /** Aborted once the program stops: nothing is made or attached any more. */
  readonly stopping: AbortSignal;
  /** Called with where people find each platform, once it was started. */
  readonly started: (name: string, where: string) => void;
}

/** True where a process with these roles needs an adapter: the page is one role, chat platforms are two. */
const isServed = (adapter: string, roles: ReadonlySet<Role>): boolean =>
  adapter === 'web' ? roles.has('web') : roles.has('gateway') || roles.has('worker');

export type RunningAdapters = ReturnType<typeof createRunningAdapters>;

/**
 * Creates the adapters' life in a process; nothing is made before `open`. Disposing of it disposes of each adapter, in
 * reverse order.
 */
export const createRunningAdapters = (deps: RunningAdaptersDeps) => {
  const { modules, config, roles, core, attach, stopping, started } = deps;
  const parts = new AsyncDisposableStack();
  const made: { readonly name: string; readonly adapter: Adapter }[] = [];
  return {
    /** Makes the adapters that are on and that the roles need, and attaches each to the core. */
    open: async (): Promise<void> => {
      for (const module of modules) {
        const { name } = module;
        if (!isServed(name, roles)) continue;
        const adapter = await module.create(config[name] as never, core);
        if (!adapter) continue;
        parts.use(adapter);
        stopping.throwIfAborted();
        attach(adapter);
        made.push({ name, adapter });
      }
      stopping.throwIfAborted();
    },
    /** Starts all at once, so that a slow one delays no other. */
    start: async (): Promise<void> => {
      const start = async ({ name, adapter }: (typeof made)[number]): Promise<void> => {
        const { where } = await adapter.start();
        if (!parts.disposed) started(name, where);
      };
      await Promise.all(made.map(start));
    },
    /** Has each take over no more work of other processes; those that were made so far are enough. */
    drain: (): void => {
      for (const { adapter } of made) adapter.drain?.();
    },
    [Symbol.asyncDispose]: async () => parts.disposeAsync(),
  };
};
