import type { ServiceClient } from './api/client.ts';
import { recentCalls, type CallMetrics } from './api/metrics/call-metrics.ts';
import type { Realtime } from './api/realtime/index.ts';
import { createAssistant } from './chat/assistant.ts';
import type { Command } from './command/command.ts';
import type { CoreConfig } from './core-config.ts';
import { createOpenDeliveries } from './deliveries.ts';
import { createDispatcher } from './command/dispatcher.ts';
import type { Texts } from './i18n.ts';
import type { Log } from './log.ts';
import type { Adapter, Core } from './adapter.ts';
import type { Person } from './model/member.ts';
import type { FallbackDecoder } from './audio/codec/decode.ts';
import { remoteStatus } from './remote-status.ts';
import { openSpaceRemoval } from './space-removal.ts';
import { createPlatforms } from './running-platforms.ts';
import type { ServiceStatus } from './model/service-status.ts';
import type { Services } from './command/services.ts';
import { usageChart } from './usage/chart.ts';
import { createLimits } from './usage/limits.ts';
import { operatorLimits, type LimitConfig } from './usage/operator-limits.ts';
import { translateMeteredLine } from './usage/metered-line.ts';
import { realClock, waitUntil, type Clock } from './async/clock.ts';
import { createRunning } from './async/running.ts';
import type { RecogniserFactory } from './ports/recogniser.ts';
import { createLeaseMetrics, measureLeases } from './ops/lease-metrics.ts';
import { createMetrics, type Metrics } from './ops/metrics.ts';
import { createOpsPages, type OpsPagesDeps } from './ops/pages.ts';
import { declareProcessMetrics } from './ops/process-metrics.ts';
import { NO_TRACING, type Tracing } from './tracing/tracing.ts';
import { createReadiness } from './ops/readiness.ts';
import { NO_SPACE } from './model/lane.ts';
import { createDictationOpener } from './voice/dictation.ts';
import { createRooms } from './voice/rooms.ts';
import { createBatchRecogniser } from './voice/stt/batch-recogniser.ts';
import { createRealtimeRecogniser } from './voice/stt/realtime-recogniser.ts';
import { createSlotOwner } from './slot-owner.ts';
import { createSpeaker } from './speech/speaker.ts';
import { transcriptFile } from './speech/subtitles.ts';
import { createTranscriber } from './speech/transcriber.ts';
import type { Store } from './store/index.ts';
import { createAgreements } from './store/agreements.ts';
import { createDeliveryStore } from './store/deliveries.ts';
import { createOpenRooms } from './store/open-rooms.ts';
import { cipherOf } from './store/encryption.ts';
import { createOwnKeys, type OwnKeys } from './store/own-keys.ts';
import { createSpaceKeys } from './space-keys.ts';
import { createInstallationStore } from './store/installations.ts';
import { createMemberSettings, createSpaceSettings, createRoomConsents } from './store/settings.ts';
import { createPrivacy } from './store/privacy.ts';
import { createUsage } from './store/usage.ts';
import {
  findLanguage,
  languageName,
  searchLanguages,
  type Languages,
} from './text/language/languages.ts';
import { createGlossary } from './translation/glossary.ts';
import { createLanguageHistory } from './translation/language-history.ts';
import { createTranslator } from './translation/translator.ts';
import { openAutoTranslate, type AutoTranslate } from './autotranslate/index.ts';

/** Longest wait for the service when somebody asks whether all is ready. */
const LOOK_MS = 10_000;

export interface CoreDeps {
  readonly client: ServiceClient;
  readonly store: Store;
  readonly texts: Texts;
  readonly log: Log;
  readonly commands: readonly Command[];
  readonly config: Pick<
    CoreConfig,
    'SPEECH_CHAT_MODEL' | 'SPEECH_TRANSLATION_MODEL' | 'INBOX_DAYS' | 'COPY_DAYS' | 'ENCRYPTION_KEY'
  > &
    LimitConfig;
  /** Built in: what its engines say. Otherwise undefined, and the service is asked for its voices. */
  readonly engines: (() => Promise<ServiceStatus['engines']>) | undefined;
  /** Built in: whether any engine translates into a language. A service elsewhere does not say. */
  readonly translates?: Services['translates'] | undefined;
  /** Reads audio files that our own decoders refuse. */
  readonly fallbackDecoder?: FallbackDecoder | undefined;
  /** The calls of the service, added up. */
  readonly calls?: CallMetrics | undefined;
  /** Takes what is measured. Default: a new registry. */
  readonly metrics?: Metrics;
  /** Default: no spans are kept. */
  readonly tracing?: Tracing;
  /** The state of the process, and who may read the metrics. Default: it runs, and nobody. */
  readonly ops?: Partial<Pick<OpsPagesDeps, 'isStalled' | 'metricsToken'>> & {
    /** True while the program starts. Default: never. */
    readonly isStarting?: () => boolean;
    /** Aborted once the program stops. */
    readonly draining?: AbortSignal;
  };
  /** The keys that spaces brought, as the client finds them. Default: those of the store. */
  readonly ownKeys?: OwnKeys | undefined;
  /** False where other processes take the events of platforms. Default: true. */
  readonly receives?: boolean;
  /** The clock of rooms. Default: real time. */
  readonly clock?: Clock;
  /** The WebSocket paths that are to be used. Default: none. */
  readonly realtime?: Realtime | undefined;
  /** Makes the recognisers of voice rooms and dictations. Default: over the service. */
  readonly createRecogniser?: RecogniserFactory;
}

/** The core at work, and what `main.ts` joins the adapters to. */
export interface RunningCore extends AsyncDisposable {
  readonly core: Core;
  readonly autoTranslate: Pick<AutoTranslate, 'idle'>;
  /** Begins to work on what is stored; call it once the adapters are made. */
  readonly startWork: () => void;
  /**
   * Ends the work before the program stops: rooms are told and left, slots given away, and what is under way is
   * finished within that time, or left.
   */
  readonly drain: (withinMs: number) => Promise<void>;
  /** Adds an adapter's platform, before the adapter starts. */
  readonly attach: (adapter: Pick<Adapter, 'platform' | 'ready'>) => void;
}

const recogniserFactory =
  (client: ServiceClient, realtime: Realtime | undefined, clock: Clock): RecogniserFactory =>
  ({ partials, space }) => {
    const batch = createBatchRecogniser(client, {
      space,
      ...(partials ? {} : { partialEveryMs: 0 }),
    });
    const recognition = partials ? realtime?.recognition : undefined;
    return recognition ? createRealtimeRecogniser({ recognition, space, batch, clock }) : batch;
  };

const modelOf = (model: string | undefined): { model?: string } => (model ? { model } : {});

export const openCore = async ({
  client,
  store,
  texts,
  log,
  commands,
  config,
  engines,
  translates = async () => undefined,
  fallbackDecoder,
  calls,
  metrics = createMetrics(),
  tracing = NO_TRACING,
  ops = {},
  receives = true,
  clock = realClock,
  realtime,
  ownKeys = createOwnKeys({ store, encryption: config.ENCRYPTION_KEY, log }),
  createRecogniser = recogniserFactory(client, realtime, clock),
}: CoreDeps): Promise<RunningCore> => {
  const platforms = createPlatforms();
  const personalDataOf = (platform: string) => platforms.find(platform)?.personalData;
  const languageHistory = createLanguageHistory();
  const languages: Languages = {
    find: findLanguage,
    name: languageName,
    search: searchLanguages,
    detect: languageHistory.detect,
    rank: languageHistory.rank,
  };
  const glossary = createGlossary(store, languages);
  const spaces = createSpaceSettings(store);
  const usage = createUsage(store);
  const base = {
    languages,
    glossary,
    settings: createMemberSettings(store),
    spaces,
    usage,
    limits: createLimits({
      spaces,
      usage,
      operator: operatorLimits(config),
      ownsKey: async (space) => (await ownKeys.state(space)) !== undefined,
    }),
    privacy: createPrivacy(store, Date.now, personalDataOf),
    translator: createTranslator({
      client,
      glossary,
      languages,
      ...modelOf(config.SPEECH_TRANSLATION_MODEL),
    }),
    transcriber: createTranscriber({ client, glossary, fallback: fallbackDecoder, clock }),
    speaker: createSpeaker({
      client: realtime?.speech ? { ...client, speak: realtime.speech.speak } : client,
    }),
    assistant: createAssistant({ client, ...modelOf(config.SPEECH_CHAT_MODEL) }),
  };
  const leases = measureLeases(store.leases, createLeaseMetrics(metrics, store.leases.renewalMs));
  const slots = createSlotOwner({ leases, log, clock });
  const autoTranslate = await openAutoTranslate({
    store,
    leases,
    slots,
    readyPlatforms: () =>
      Object.entries(platforms.ready()).flatMap(([name, isReady]) => (isReady ? [name] : [])),
    serviceKeyOf: client.serviceKeyOf,
    log,
    texts,
    services: base,
    inboxDays: config.INBOX_DAYS,
    mirrorDays: config.COPY_DAYS,
    metrics,
    tracing,
  });
  const rooms = createRooms({
    createRecogniser,
    services: base,
    consents: createRoomConsents(store),
    rows: createOpenRooms(store),
    leases,
    platformOf: platforms.find,
    texts,
    log,
    clock,
    now: Date.now,
    metrics,
  });

  const cipher = cipherOf(config.ENCRYPTION_KEY);
  store.signals.subscribe('space-settings', async (space) => rooms.choicesChanged(space));
  const applyOptOut = (member: Person): void => {
    rooms.forget(member);
    personalDataOf(member.platform)?.optedOut(member.id);
  };
  /** Drops everybody's words in memory that can be done without: it is not known who opted out or is to be forgotten. */
  const forgetMissed = async (): Promise<void> => {
    languageHistory.forgetAll();
    autoTranslate.forgetAll();
    await rooms.lookAgain();
  };
  store.signals.subscribe('opt-out', async (changed) => {
    if (!changed) return forgetMissed();
    const { optedOut, ...member } = changed;
    if (!optedOut) return rooms.optedIn(member);
    // A wish to be heard may have been under way meanwhile.
    applyOptOut(member);
    languageHistory.forget(member);
    return autoTranslate.forget(member);
  });
  store.signals.subscribe('forgotten', async (member) => {
    if (!member) return forgetMissed();
    rooms.forget(member);
    languageHistory.forget(member);
    await autoTranslate.forget(member);
    await personalDataOf(member.platform)?.forget(member.id);
  });

  const removal = await openSpaceRemoval({ store, autoTranslate, rooms, languageHistory });

  const services: Services = {
    ...base,
    privacy: {
      ...base.privacy,
      setOptedOut: async (member, optedOut) => {
        // It holds at once, stored or not.
        if (optedOut) applyOptOut(member);
        await base.privacy.setOptedOut(member, optedOut);
      },
      forget: async (member) => {
        rooms.forget(member);
        await base.privacy.forget(member);
      },
    },
    transcriptFile,
    usageChart,
    watches: autoTranslate.watches,
    inbox: autoTranslate.inbox,
    rooms: rooms.rooms,
    spaceKeys: createSpaceKeys({ ownKeys, checkKey: client.checkKey }),
    status: async (signal, space) => ({
      ...(engines
        ? { builtIn: true, reachable: true, engines: await engines() }
        : await remoteStatus(client, space, signal)),
      recent: calls && recentCalls(calls.snapshot()),
    }),
    storageFault: async () => store.findFault(),
    translates,
  };

  declareProcessMetrics(metrics);
  const readiness = createReadiness({
    platforms: platforms.ready,
    told: {
      service: async () => {
        const state = await services.status(AbortSignal.timeout(LOOK_MS), NO_SPACE);
        return state.reachable && !state.refusal;
      },
    },
    look: {
      storage: async () => (await store.findFault()) === undefined,
    },
    isStarting: ops.isStarting ?? (() => false),
    draining: ops.draining,
    clock: realClock,
    metrics,
  });

  const dispatcher = createDispatcher({
    commands,
    texts,
    log,
    platforms,
    services,
    authorsOf: async (message) => autoTranslate.authorsOf(message),
  });

  const served = createRunning();
  return {
    autoTranslate,
    drain: async (withinMs) => {
      const ended = Promise.all([
        rooms[Symbol.asyncDispose](),
        slots.drain(withinMs),
        served.settled(),
      ]);
      await waitUntil(clock, clock.nowMs() + withinMs, ended);
    },
    startWork: () => {
      slots.start();
      autoTranslate.startRetention();
    },
    attach: ({ platform, ready }) => {
      platforms.add(platform, ready);
      autoTranslate.attach(platform);
    },
    core: {
      log,
      texts,
      services,
      ...dispatcher,
      receives,
      dispatch: (invocation) =>
        served.add(async () => {
          await removal.settled(invocation.channel.space);
          await dispatcher.dispatch(invocation);
        }),
      press: (invocation) =>
        served.add(async () => {
          await removal.settled(invocation.channel.space);
          await dispatcher.press(invocation);
        }),
      feedListener: {
        ...autoTranslate.listener,
        accessChanged: async (space) => {
          rooms.accessChanged(space);
          await autoTranslate.listener.accessChanged(space);
        },
        spaceJoined: removal.joined,
        spaceLeft: removal.left,
      },
      rooms: rooms.watcher,
      ...(cipher ? { installations: createInstallationStore(store, cipher) } : {}),
      translateLine: ({ text, ...line }, targets, signal) => {
        const { space } = line.ref.channel;
        const metered = {
          lane: 'interactive',
          space,
          memberId: line.author.id,
          text,
          line,
        } as const;
        return translateMeteredLine(services, metered, targets, signal);
      },
      openDictation: createDictationOpener({
        services: base,
        createRecogniser,
        // Nobody asks for words on the page: where it may cost, no audio is sent twice for them.
        partials: engines !== undefined || realtime?.recognition !== undefined,
        clock,
        log,
      }),
      openDeliveries: createOpenDeliveries({
        storeOf: (platform) => createDeliveryStore(store, platform, Date.now),
        slots,
        log,
        clock,
      }),
      processes: {
        isAlone: store.engine === 'sqlite',
        leases,
        quota: store.quota,
        agreements: createAgreements(store),
      },
      ready: platforms.ready,
      metrics,
      ops: createOpsPages({ isStalled: () => false, ...ops, metrics, readiness }),
    },
    [Symbol.asyncDispose]: async () => {
      await rooms[Symbol.asyncDispose]();
      await slots[Symbol.asyncDispose]();
      await autoTranslate[Symbol.asyncDispose]();
    },
  };
};
