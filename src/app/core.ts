import type { Command } from '../command/command.ts';
import type { CoreConfig, LimitConfig } from './core-config.ts';
import { createDispatcher } from '../command/dispatcher.ts';
import type { Texts } from '../i18n/texts.ts';
import type { LocalModels } from '../model/local-models.ts';
import type { Log } from '../telemetry/log.ts';
import type { Adapter, Core } from '../adapter.ts';
import { createActivity, createLines, createSharing } from './adapter-core.ts';
import { openPersonPrivacy, openSpaceRemoval } from './privacy.ts';
import { createSharedServices, remoteStatus, type ServiceConnection } from './services.ts';
import type { SpeechDetector } from '../audio/speech-detector/speech-detector.ts';
import { createRecogniserFactory } from '../voice/stt/realtime-recogniser.ts';
import type { FallbackDecoder } from '../audio/codec/decode.ts';
import { createPlatforms } from '../command/platforms.ts';
import { type ServiceStatus, NO_SPACE } from '../model/service.ts';
import type { Services } from '../command/services.ts';
import { usageChart } from '../command/usage-chart.ts';
import { realClock, waitUntil, type Clock } from '../async/clock.ts';
import type { RecogniserFactory } from '../ports/recogniser.ts';
import { measureLeases, createMetrics, type Metrics } from '../ops/metrics.ts';
import { createOpsPages, type OpsPagesDeps } from '../ops/pages.ts';
import { declareProcessMetrics } from '../ops/process-metrics.ts';
import { NO_TRACING, type Tracing } from '../telemetry/tracing.ts';
import { createReadiness } from '../ops/readiness.ts';
import { createRooms } from '../voice/rooms.ts';
import { createSetups } from '../autotranslate/setup/setups.ts';
import { createSetupStore } from '../store/setups.ts';
import { createSlotOwner } from '../cluster/slot-owner.ts';
import { transcriptFile } from '../speech/transcript.ts';
import type { Store } from '../store/index.ts';
import { createOpenRooms } from '../store/open-rooms.ts';
import { createOwnKeys, type OwnKeys, createSpaceKeys } from '../store/secrets/own-keys.ts';
import { createRoomConsents } from '../store/settings.ts';
import { createLanguageHistory } from '../translation/language-history.ts';
import { openAutoTranslate } from '../autotranslate/index.ts';

/** Longest wait for the service when somebody asks whether all is ready. */
const LOOK_MS = 10_000;

/** Longest time in which moderators are told of what was just given up, once the work has ended. */
const LAST_WORDS_MS = 2_000;

/** The service as the core uses it, with what came of the connection to it. */
export interface CoreService
  extends
    Pick<ServiceConnection, 'client'>,
    Partial<Pick<ServiceConnection, 'realtime' | 'calls'>> {
  /** The keys that spaces brought, as the client finds them. Default: those of the store. */
  readonly ownKeys?: OwnKeys | undefined;
  /** The service of this process. One elsewhere does not say what its engines are. */
  readonly builtIn?:
    | {
        readonly engines: () => Promise<ServiceStatus['engines']>;
        readonly translates: Services['translates'];
        readonly translators: Services['translators'];
        readonly models?: () => Promise<LocalModels>;
      }
    | undefined;
}

/** The state of the process, and who may read its metrics. */
export interface CoreProcess extends Partial<Pick<OpsPagesDeps, 'isStalled' | 'metricsToken'>> {
  /** False where other processes take the events of platforms. Default: true. */
  readonly receives?: boolean;
  /** True while the program starts. Default: never. */
  readonly isStarting?: () => boolean;
  /** Aborted once the program stops. */
  readonly draining?: AbortSignal;
}

export interface CoreDeps {
  readonly service: CoreService;
  readonly store: Store;
  readonly texts: Texts;
  /** Default: a new registry of metrics, and no spans are kept. */
  readonly telemetry: { readonly log: Log; readonly metrics?: Metrics; readonly tracing?: Tracing };
  readonly commands: readonly Command[];
  readonly config: Pick<
    CoreConfig,
    | 'SPEECH_CHAT_MODEL'
    | 'SPEECH_TRANSLATION_MODEL'
    | 'INBOX_DAYS'
    | 'COPY_DAYS'
    | 'ENCRYPTION_KEY'
    | 'OPERATORS'
  > &
    LimitConfig;
  /** Reads audio files that our own decoders refuse. */
  readonly fallbackDecoder?: FallbackDecoder | undefined;
  /** Default: it runs, and nobody may read the metrics. */
  readonly process?: CoreProcess;
  /** The clock of rooms. Default: real time. */
  readonly clock?: Clock;
  /** Keeps noises from the recognisers. Default: they get every sound. */
  readonly detectSpeech?: SpeechDetector | undefined;
  /** Makes the recognisers of voice rooms and dictations. Default: over the service. */
  readonly createRecogniser?: RecogniserFactory;
}

/** The core at work, and what `main.ts` joins the adapters to. */
export type RunningCore = Awaited<ReturnType<typeof openCore>>;

/** Opens the core over a store and the service; adapters are attached to it, and it is given its work, afterwards. */
export const openCore = async ({
  service: { client, realtime, calls, builtIn, ownKeys: givenKeys },
  store,
  texts,
  telemetry: { log, metrics = createMetrics(), tracing = NO_TRACING },
  commands,
  config,
  fallbackDecoder,
  process: { receives = true, ...ops } = {},
  clock = realClock,
  detectSpeech,
  createRecogniser = createRecogniserFactory({ client, realtime, clock, detectSpeech }),
}: CoreDeps) => {
  const ownKeys = givenKeys ?? createOwnKeys({ store, encryption: config.ENCRYPTION_KEY, log });
  const platforms = createPlatforms();
  const personalDataOf = (platform: string) => platforms.find(platform)?.personalData;
  const languageHistory = createLanguageHistory();
  const shared = createSharedServices({
    client,
    realtime,
    store,
    ownKeys,
    languageHistory,
    personalDataOf,
    config,
    fallbackDecoder,
    clock,
  });
  const leases = measureLeases(store.leases, metrics);
  const slots = createSlotOwner({ leases, log, clock });
  const autoTranslate = await openAutoTranslate({
    store,
    leases,
    slots,
    readyPlatforms: () =>
      Object.entries(platforms.ready()).flatMap(([name, isReady]) => (isReady ? [name] : [])),
    texts,
    services: { ...shared, serviceKeyOf: client.serviceKeyOf },
    telemetry: { log, metrics, tracing },
    days: { inbox: config.INBOX_DAYS, mirrors: config.COPY_DAYS },
  });
  const rooms = createRooms({
    createRecogniser,
    services: shared,
    consents: createRoomConsents(store),
    isWatched: (channel) => autoTranslate.listener.follows(channel),
    rows: createOpenRooms(store),
    leases,
    platformOf: platforms.find,
    texts,
    log,
    clock,
    now: Date.now,
    metrics,
  });

  store.signals.subscribe('space-settings', async (space) => rooms.choicesChanged(space));
  const privacy = openPersonPrivacy({
    signals: store.signals,
    stored: shared.privacy,
    autoTranslate,
    rooms,
    languageHistory,
    engineTurns: shared.engineTurns,
    personalDataOf,
  });

  const removal = await openSpaceRemoval({ store, autoTranslate, rooms, languageHistory });

  const services: Services = {
    ...shared,
    glossary: {
      ...shared.glossary,
      propose: async (channel, by, term) => {
        const proposal = await shared.glossary.propose(channel, by, term);
        if (proposal) autoTranslate.proposed(channel.space, proposal);
        return proposal;
      },
      decide: async (space, id, isAccepted) => {
        const decided = await shared.glossary.decide(space, id, isAccepted);
        if (decided && isAccepted) await autoTranslate.termAccepted(decided);
        return decided;
      },
    },
    privacy,
    transcriptFile,
    usageChart,
    watches: autoTranslate.watches,
    endedWatches: autoTranslate.endedWatches,
    setups: createSetups({
      ...shared,
      stored: createSetupStore(store, Date.now),
      builderOf: ({ platform }) => platforms.find(platform)?.builder,
      watches: autoTranslate.watches,
      now: Date.now,
      clock,
    }),
    post: async (to, content) => platforms.get(to.space.platform).post(to, content),
    people: async (space, idOrName) => {
      const { feed } = platforms.get(space.platform);
      const name = await feed?.personName?.(space, idOrName);
      if (name !== undefined) return [{ id: idOrName, name }];
      return (await feed?.peopleNamed?.(space, idOrName)) ?? [];
    },
    inbox: autoTranslate.inbox,
    blocks: autoTranslate.blocks,
    messages: autoTranslate.messages,
    rooms: rooms.rooms,
    spaceKeys: createSpaceKeys({ ownKeys, checkKey: client.checkKey }),
    status: async (signal, space) => ({
      ...(builtIn
        ? { builtIn: true, reachable: true, engines: await builtIn.engines() }
        : await remoteStatus(client, space, signal)),
      recent: calls?.recent(),
    }),
    storageFault: async () => store.findFault(),
    translates: async (to, from) => builtIn?.translates(to, from),
    translators: async (from, to) => builtIn?.translators(from, to) ?? [],
    modelsOf: autoTranslate.modelsOf,
  };

  declareProcessMetrics(metrics);
  const readiness = createReadiness({
    platforms: platforms.ready,
    reportedOnly: {
      service: async () => {
        const state = await services.status(AbortSignal.timeout(LOOK_MS), NO_SPACE);
        return state.reachable && !state.refusal;
      },
    },
    look: {
      // Without a query, nobody would notice that the database is away.
      storage: async () => (await store.findFault({ anew: true })) === undefined,
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
    optedOutOf: async (message) => autoTranslate.optedOutOf(message),
    operators: config.OPERATORS,
  });

  const { settled, ...activity } = createActivity({ dispatcher, removal, rooms, autoTranslate });
  const core: Core = {
    log,
    texts,
    services,
    ...(builtIn?.models ? { models: builtIn.models } : {}),
    receives,
    ready: platforms.ready,
    metrics,
    ops: createOpsPages({ isStalled: () => false, ...ops, metrics, readiness }),
    ...activity,
    ...createLines({
      services,
      createRecogniser,
      // Nobody asks for words on the page: where it may cost, no audio is sent twice for them.
      partials: builtIn !== undefined || realtime?.recognition !== undefined,
      clock,
      log,
    }),
    ...createSharing({ store, encryption: config.ENCRYPTION_KEY, leases, slots, log, clock }),
  };

  return {
    core,
    autoTranslate,
    /**
     * Ends the work before the program stops: rooms are told and left, slots given away, and what is under way is
     * finished within that time, or left.
     */
    drain: async (withinMs: number): Promise<void> => {
      const ended = Promise.all([rooms[Symbol.asyncDispose](), slots.drain(withinMs), settled()]);
      await waitUntil(clock, clock.nowMs() + withinMs, ended);
      await waitUntil(clock, clock.nowMs() + LAST_WORDS_MS, autoTranslate.drain());
    },
    /** Begins to work on what is stored; call it once the adapters are made. */
    startWork: (): void => {
      slots.start();
      autoTranslate.startRepeated();
    },
    /** Adds an adapter's platform, before the adapter starts. */
    attach: ({ platform, ready }: Pick<Adapter, 'platform' | 'ready'>): void => {
      platforms.add(platform, ready);
      autoTranslate.attach(platform);
    },
    [Symbol.asyncDispose]: async () => {
      await rooms[Symbol.asyncDispose]();
      await slots[Symbol.asyncDispose]();
      await autoTranslate[Symbol.asyncDispose]();
    },
  };
};
