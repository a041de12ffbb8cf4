import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { realClock } from './src/async/clock.ts';
import { loadSpeechWeights } from './src/voice/stt/speech-weights.ts';
import { createSpeechDetector } from './src/audio/speech-detector/speech-detector.ts';
import { type Command, commandFault } from './src/command/command.ts';
import { parseConfig, readEnvFile, strayNames } from './src/config.ts';
import { openCore, type RunningCore } from './src/app/core.ts';
import { coreSection, type CoreConfig } from './src/app/core-config.ts';
import { discover, createRunningAdapters, type RunningAdapters } from './src/app/modules.ts';
import { loadTexts } from './src/i18n/texts.ts';
import { createLog, type Log } from './src/telemetry/log.ts';
import { startOpsServer } from './src/ops/server.ts';
import { measureEventLoop, startHeartbeat } from './src/ops/process-metrics.ts';
import { createMetrics } from './src/ops/metrics.ts';
import { createOpsPages, opsSection, type OpsPages } from './src/ops/pages.ts';
import { examine, findingLine, isFailure, verdict } from './src/ops/doctor.ts';
import { adapterFault, type AdapterModule } from './src/adapter.ts';
import type { Finding } from './src/model/service.ts';
import { explainLink } from './src/ops/why.ts';
import { runProgram, imageAdvice, imageCommands } from './src/process/program.ts';
import { openServiceConnection } from './src/app/services.ts';
import { findFfmpeg } from './src/speech/ffmpeg.ts';
import { isServiceAlone } from './src/cluster/roles.ts';
import { cipherOf, resealSecrets } from './src/store/secrets/encryption.ts';
import { openStore, type Store } from './src/store/index.ts';
import { makeTables } from './src/text/tables.ts';
import { tracingSection, openTracing } from './src/telemetry/open-telemetry.ts';
import type { Tracing } from './src/telemetry/tracing.ts';
import { engineSection, serverSection, type EngineConfig } from './service/config.ts';
import { startService, type Service } from './service/index.ts';
import { makeKey } from './service/keys/access.ts';
import { declareEngineMetrics, engineTable } from './service/engine-report.ts';

const HERE = import.meta.dirname;
/** Longest wait for the parts to end, after the work was finished or left. */
const STOP_MS = 10_000;
/** Time after which what the database has not answered is left, so that the other parts can end; an adapter takes up to 3 s itself. */
const ABANDON_MS = 5_000;

const SECOND_MS = 1_000;

/** Finds the service: the configured one, or the built-in one, started here. */
const findService = async (
  config: CoreConfig,
  engines: EngineConfig,
  log: Log,
  tracing: Tracing,
): Promise<{ baseUrl: string; key: string; builtIn?: Service }> => {
  if (config.SPEECH_API_URL)
    return { baseUrl: config.SPEECH_API_URL, key: config.SPEECH_API_KEY ?? '' };
  const key = makeKey();
  const builtIn = await startService({
    host: '127.0.0.1',
    port: 0,
    keys: [key],
    engines,
    log,
    tracing,
  });
  return { baseUrl: builtIn.url, key, builtIn };
};

/** Prints each finding of the doctor as it arrives, then the overall result, which is the exit status too. */
const runDoctor = async (deps: Parameters<typeof examine>[0]): Promise<void> => {
  const found: Finding[] = [];
  for await (const finding of examine(deps)) {
    console.log(findingLine(finding));
    found.push(finding);
  }
  console.log(`\n${verdict(found)}`);
  process.exitCode = found.some(isFailure) ? 1 : 0;
};

runProgram(process.env, async (stopped) => {
  const [commands, adapterModules] = await Promise.all([
    discover<Command>(join(HERE, 'commands'), commandFault),
    discover<AdapterModule>(join(HERE, 'adapters'), adapterFault),
  ]);
  const adapterSections = Object.fromEntries(
    adapterModules.map((module) => [module.name, module.config]),
  );
  const sections = {
    ...adapterSections,
    core: coreSection,
    ops: opsSection,
    tracing: tracingSection,
    engines: engineSection,
  };
  const file = readEnvFile('.env');
  const config = parseConfig({ ...file, ...process.env }, sections);
  const log = createLog(config.core.LOG_LEVEL);
  const stray = strayNames(file, [...Object.values(sections), serverSection]);
  if (stray.length > 0) log.warn({ names: stray }, '.env has unknown variables');
  const { ROLES, DRAIN_S, SPEECH_API_URL, SPEECH_API_KEY } = config.core;
  const isAlone = isServiceAlone(ROLES);
  if (SPEECH_API_KEY && !SPEECH_API_URL && !isAlone)
    log.warn('SPEECH_API_KEY is not used: without SPEECH_API_URL the built-in service is');
  const texts = loadTexts(
    join(HERE, 'locales'),
    config.engines.DRAGOMAN_IMAGE ? imageCommands : undefined,
  );

  await using parts = new AsyncDisposableStack();
  const tracing = parts.use(await openTracing(config.tracing, log));
  const isGuest = process.argv[2] === 'doctor';
  if (isAlone) {
    const { serve } = await import('./service/serve.ts');
    const { server } = parseConfig({ ...file, ...process.env }, { server: serverSection });
    const drainMs = DRAIN_S * SECOND_MS;
    // Awaited here, for the parts end when this function does.
    await serve({ ...config, server, log, tracing, drainMs }, stopped);
    return;
  }
  const metrics = createMetrics();
  const { isStalled } = parts.use(startHeartbeat(realClock));
  const draining = new AbortController();
  void stopped.then(() => draining.abort());
  const { METRICS_TOKEN: metricsToken, OPS_HOST, OPS_PORT } = config.ops;
  let isStarting = true;
  let pages = createOpsPages({
    metrics,
    metricsToken,
    isStalled,
    // Until the database is open.
    readiness: async () => ({
      ready: false,
      starting: isStarting,
      draining: draining.signal.aborted,
      parts: { storage: false },
    }),
  });
  if (OPS_PORT !== undefined && !isGuest) {
    const served: OpsPages = { reply: async (...request) => pages.reply(...request) };
    const options = { host: OPS_HOST, port: OPS_PORT, pages: served, log };
    const server = parts.use(await startOpsServer(options));
    console.log(`Dragoman’s health and metrics: ${server.url}`);
  }
  const work: { store?: Store; core?: RunningCore; adapters?: RunningAdapters } = {};
  const begin = async (): Promise<void> => {
    const { DATABASE_URL, DATABASE_CONNECTIONS: connections } = config.core;
    const waiting = isGuest ? undefined : draining.signal;
    const opened = await openStore(DATABASE_URL, { log, connections, isGuest, waiting });
    const store = parts.adopt(opened, async (open) => open.destroy());
    if (isGuest && process.argv[3] === 'why') {
      const { INBOX_DAYS: inboxDays } = config.core;
      const asked = { store, texts, modules: adapterModules, inboxDays, now: Date.now };
      for (const line of await explainLink(process.argv[4] ?? '', asked)) console.log(line);
      return;
    }
    const { builtIn, ...service } = await findService(config.core, config.engines, log, tracing);
    if (builtIn) {
      parts.defer(async () => builtIn.close());
      declareEngineMetrics(metrics, builtIn.engines);
    }
    const connection = parts.use(
      openServiceConnection({
        ...service,
        isBuiltIn: builtIn !== undefined,
        followsSpeech: builtIn?.followsSpeech,
        config: config.core,
        store,
        metrics,
        tracing,
        log,
      }),
    );
    const { ownKeys } = connection;
    const ffmpeg = findFfmpeg({ path: process.env.PATH ?? '' });
    const running = parts.use(
      await openCore({
        service: { ...connection, builtIn },
        store,
        texts,
        telemetry: { log, metrics, tracing },
        commands,
        config: config.core,
        fallbackDecoder: ffmpeg?.decode,
        detectSpeech:
          config.core.SPEECH_DETECTOR === 'on'
            ? createSpeechDetector(async () => loadSpeechWeights(log))
            : undefined,
        process: {
          receives: ROLES.has('gateway'),
          metricsToken,
          isStalled,
          isStarting: () => isStarting,
          draining: draining.signal,
        },
      }),
    );
    const { core, attach } = running;
    if (isGuest) {
      await runDoctor({
        core,
        store,
        ownKeys,
        databaseUrl: DATABASE_URL,
        ffmpegVersion: await ffmpeg?.version(),
        ...(config.engines.DRAGOMAN_IMAGE ? { advise: imageAdvice } : {}),
        hasOperators: config.core.OPERATORS.size > 0,
        only: process.argv[3],
        measure: builtIn?.measure,
        modules: adapterModules,
        config,
      });
      return;
    }

    parts.use(measureEventLoop(metrics, realClock));
    pages = core.ops;
    const cipher = cipherOf(config.core.ENCRYPTION_KEY);
    if (cipher) await resealSecrets(store, cipher, log);

    const adapters = parts.use(
      createRunningAdapters({
        modules: adapterModules,
        config,
        roles: ROLES,
        core,
        attach,
        stopping: draining.signal,
        started: (name, where) => console.log(`Dragoman on ${name}: ${where}`),
      }),
    );
    work.store = store;
    work.core = running;
    work.adapters = adapters;
    await adapters.open();
    await makeTables();
    if (ROLES.has('worker')) running.startWork();
    await adapters.start();
    isStarting = false;
    if (builtIn && !parts.disposed)
      console.log(engineTable(await builtIn.engines(), config.engines));
  };
  // What hangs at the start does not delay the stop: what comes of it later ends with the process.
  await Promise.race([begin(), stopped]);
  if (!isGuest) {
    await stopped;
    work.adapters?.drain();
    await work.core?.drain(DRAIN_S * SECOND_MS);
  }
  let isAbandoned = false;
  const abandon = async (): Promise<void> => {
    await delay(ABANDON_MS, undefined, { ref: false });
    isAbandoned = work.store?.abandon !== undefined;
    work.store?.abandon?.();
  };
  void abandon();
  const ended = parts.disposeAsync().catch((err: unknown) => {
    if (!isAbandoned) throw err;
    log.warn({ err }, 'the database did not answer in time for the end of all parts');
  });
  await Promise.race([ended, delay(STOP_MS, undefined, { ref: false })]);
});
