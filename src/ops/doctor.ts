import { AppError, toAppError } from '../errors.ts';
import type { AdapterModule, Core } from '../adapter.ts';
import { NO_SPACE, type EngineReport, type Finding } from '../model/service.ts';
import type { Store } from '../store/index.ts';
import type { OwnKeys } from '../store/secrets/own-keys.ts';

const STATUS_MS = 10_000;

const examineDatabase = async (store: Store, url: string): Promise<Finding> => {
  const check = 'Database';
  try {
    const fault = await store.findFault({ anew: true });
    if (fault) throw fault;
    return { check, ok: true, detail: url };
  } catch (thrown) {
    return { check, ok: false, detail: toAppError(thrown).message };
  }
};

/** The one command that adds what most people need. */
const SETUP = /^(?:npm run|dragoman) setup$/;

/** Examines one ability of the engines; none is required, all can be added. */
const examineAbility = (
  ability: EngineReport['serves'][number],
  engines: readonly EngineReport[],
): Finding => {
  const able = engines.filter(({ serves }) => serves.includes(ability));
  const ready = able.filter((engine) => engine.ready);
  const check = `Service: ${ability}`;
  if (ready.length > 0) {
    const named = ready.map(({ name, serves, detail }) =>
      serves.length === 1 ? `${name} (${detail})` : name,
    );
    return { check, ok: true, detail: named.join(', ') };
  }
  const remedies = able.map(({ detail }) => detail);
  const setup = remedies.find((remedy) => SETUP.test(remedy));
  return { check, ok: false, isOptional: true, detail: setup ?? remedies.join('; or ') };
};

/** A line about what an engine keeps up with. */
interface Measured {
  readonly name: string;
  readonly detail: string;
}

const ENGINES = 'engines';
/** Longest time of all measurements. */
const MEASURING_MS = 300_000;

const measureEngines = async function* (
  measure: DoctorDeps['measure'],
): AsyncGenerator<Finding, void, void> {
  try {
    for await (const { name, detail } of measure?.(AbortSignal.timeout(MEASURING_MS)) ?? [])
      yield { check: `Measured: ${name}`, ok: true, detail };
  } catch (thrown) {
    yield { check: 'Measured', ok: false, detail: toAppError(thrown).message };
  }
};

const examineService = async function* (core: Core): AsyncGenerator<Finding, void, void> {
  const { builtIn, reachable, refusal, engines } = await core.services.status(
    AbortSignal.timeout(STATUS_MS),
    NO_SPACE,
  );
  const check = 'Service';
  if (!builtIn) {
    const detail = engines[0]?.detail ?? 'no answer';
    yield { check, ok: reachable && !refusal, detail: `SPEECH_API_URL: ${detail}` };
    return;
  }
  yield { check, ok: true, detail: 'built in' };
  for (const ability of ['translation', 'recognition', 'speech', 'chat'] as const)
    yield examineAbility(ability, engines);
  for (const { name, fails, detail } of engines)
    if (fails) yield { check: `Service: ${name}`, ok: false, detail };
};

/** Examines the keys that spaces brought, where any did. */
const examineOwnKeys = async function* (
  ownKeys: DoctorDeps['ownKeys'],
): AsyncGenerator<Finding, void, void> {
  const { stored, unreadable } = (await ownKeys?.count()) ?? { stored: 0, unreadable: 0 };
  if (stored === 0) return;
  const check = 'API keys of spaces';
  const remedy = `${unreadable} of ${stored} cannot be decrypted: set ENCRYPTION_KEY to what it was, or add that behind a comma`;
  yield { check, ok: unreadable === 0, detail: unreadable === 0 ? `${stored} stored` : remedy };
};

/** Examines ffmpeg, which reads audio files that no other decoder here reads. */
const examineFfmpeg = (
  version: string | undefined,
  advise: (advice: string) => string,
): Finding => ({
  check: 'Audio: ffmpeg',
  ok: version !== undefined,
  isOptional: true,
  detail:
    version ??
    advise('for Apple Lossless, MKV, MOV, WMA, AMR and others: apt-get install -y ffmpeg'),
});

export interface DoctorDeps {
  /** The keys that spaces brought. Default: none did. */
  readonly ownKeys?: Pick<OwnKeys, 'count'>;
  readonly core: Core;
  readonly store: Store;
  readonly databaseUrl: string;
  readonly ffmpegVersion: string | undefined;
  /** Rewrites advice for where the program runs. Default: a machine with packages of Debian. */
  readonly advise?: (advice: string) => string;
  readonly modules: readonly AdapterModule[];
  /** Configuration of each module, by the module's name. */
  readonly config: Readonly<Record<string, unknown>>;
  /** True when people are named who run Dragoman. */
  readonly hasOperators: boolean;
  /** The name of the one module to look at, or `engines`, which are measured. Default: everything is looked at. */
  readonly only?: string | undefined;
  /** Measures what the engines keep up with; undefined for a service elsewhere. */
  readonly measure?: ((signal: AbortSignal) => AsyncIterable<Measured>) | undefined;
}

const NO_OPERATORS: Finding = {
  check: 'Operators',
  ok: false,
  isOptional: true,
  detail:
    'set OPERATORS to your ID, such as discord:ID or slack:ID: nobody sees in chat what concerns who runs this',
};

/** Examines everything that the bot needs to work, one thing after the other. */
export const examine = async function* ({
  core,
  store,
  ownKeys,
  databaseUrl,
  ffmpegVersion,
  advise = (advice) => advice,
  modules,
  config,
  hasOperators,
  only,
  measure,
}: DoctorDeps): AsyncGenerator<Finding, void, void> {
  const names = modules.map(({ name }) => name);
  if (only === ENGINES) {
    yield* examineService(core);
    return yield* measureEngines(measure);
  }
  if (only !== undefined && !names.includes(only))
    throw new AppError('bad-input', `"${only}" is no platform; there are ${names.join(', ')}`);
  if (only === undefined) {
    yield await examineDatabase(store, databaseUrl);
    yield* examineService(core);
    yield* examineOwnKeys(ownKeys);
    yield examineFfmpeg(ffmpegVersion, advise);
  }
  let isUsed = false;
  for (const { name, diagnose } of modules)
    if (diagnose && (only ?? name) === name)
      for await (const found of diagnose(config[name] as never, core, name === only)) {
        isUsed ||= found.ok;
        yield { ...found, detail: advise(found.detail) };
      }
  if (isUsed && !hasOperators) yield NO_OPERATORS;
};

const CHECK_CHARS = 26;

export const isFailure = ({ ok, isOptional = false }: Finding): boolean => !ok && !isOptional;

/** Sums up all findings in one line. */
export const verdict = (findings: readonly Finding[]): string => {
  const failures = findings.filter(isFailure).length;
  const optional = findings.some(({ ok, isOptional }) => !ok && isOptional);
  const rest = optional ? ' What "--" marks is optional.' : '';
  if (failures === 0) return `Nothing is wrong.${rest}`;
  return `${failures === 1 ? 'One thing needs' : `${failures} things need`} mending: see FAIL.${rest}`;
};

/** Formats a finding as a line of the table that the doctor prints. */
export const findingLine = (finding: Finding): string => {
  const { check, ok, detail } = finding;
  const sign = isFailure(finding) ? 'FAIL' : ok ? ' ok ' : ' -- ';
  return `${sign}  ${check.padEnd(CHECK_CHARS)} ${detail}`;
};
