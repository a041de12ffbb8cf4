import { toAppError } from '../errors.ts';
import type { AdapterModule, Core, Finding } from '../platform.ts';
import type { Store } from '../store/index.ts';

const STATUS_MS = 10_000;

const examineDatabase = async (store: Store, url: string): Promise<Finding> => {
  const check = 'Database';
  try {
    await store.selectFrom('inbox').select('platform').limit(1).execute();
    return { check, ok: true, detail: url.replace(/\/\/[^@/]*@/, '//…@') };
  } catch (thrown) {
    return { check, ok: false, detail: toAppError(thrown).message };
  }
};

const examineService = async function* (core: Core): AsyncGenerator<Finding, void, void> {
  const { builtIn, reachable, engines } = await core.status(AbortSignal.timeout(STATUS_MS));
  const check = 'Service';
  if (!builtIn) {
    yield { check, ok: reachable, detail: engines[0]?.detail ?? 'no answer' };
    return;
  }
  const ready = engines.filter((engine) => engine.ready).flatMap(({ serves }) => serves);
  yield { check, ok: true, detail: `built in: ${[...new Set(ready)].join(', ')}` };
  for (const wanted of ['translation', 'recognition'] as const)
    if (!ready.includes(wanted))
      yield {
        check: `Service: ${wanted}`,
        ok: false,
        isOptional: true,
        detail: engines
          .filter(({ serves }) => serves.includes(wanted))
          .map(({ detail }) => detail)
          .join('; or '),
      };
};

export interface DoctorParts {
  readonly core: Core;
  readonly store: Store;
  readonly databaseUrl: string;
  readonly modules: readonly AdapterModule[];
  /** Each module's part of the configuration, by its name. */
  readonly config: Readonly<Record<string, unknown>>;
}

/** Looks at everything that people need to be served, one thing after the other. */
export const examine = async function* ({
  core,
  store,
  databaseUrl,
  modules,
  config,
}: DoctorParts): AsyncGenerator<Finding, void, void> {
  yield await examineDatabase(store, databaseUrl);
  yield* examineService(core);
  for (const { name, diagnose } of modules)
    if (diagnose) yield* diagnose(config[name] as never, core);
};

const CHECK_CHARS = 26;

export const isFailure = ({ ok, isOptional = false }: Finding): boolean => !ok && !isOptional;

/** A finding as a line of the table that the doctor prints. */
export const findingLine = (finding: Finding): string => {
  const { check, ok, detail } = finding;
  const sign = isFailure(finding) ? 'FAIL' : ok ? ' ok ' : ' -- ';
  return `${sign}  ${check.padEnd(CHECK_CHARS)} ${detail}`;
};
