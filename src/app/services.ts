import type { OnCall } from '../api/call-report.ts';
import { createAudit } from '../store/audit.ts';
import { createServiceClient, type ServiceClient } from '../api/client.ts';
import { createCallMetrics } from '../api/call-metrics.ts';
import { createRealtime, type Realtime, type RealtimeOptions } from '../api/realtime/index.ts';
import { type CoreConfig, operatorLimits, type LimitConfig } from './core-config.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../ops/metrics.ts';
import type { Store } from '../store/index.ts';
import { createOwnKeys, type OwnKeys } from '../store/secrets/own-keys.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { UnreadableKeyError } from '../api/keys.ts';
import { ServiceError } from '../api/service-error.ts';
import type { ServiceState } from '../command/services.ts';
import { toAppError, type AppError } from '../errors.ts';
import type { Space } from '../model/place.ts';
import type { Clock } from '../async/clock.ts';
import type { FallbackDecoder } from '../audio/codec/decode.ts';
import { createAssistant } from '../chat/assistant.ts';
import type { PersonalData } from '../ports/platform.ts';
import { createSpeaker } from '../speech/speaker.ts';
import { createTranscriber } from '../speech/transcriber.ts';
import { createPrivacy } from '../store/privacy/person-data.ts';
import { createMemberSettings, createSpaceSettings } from '../store/settings.ts';
import { createUsage } from '../store/usage.ts';
import {
  findLanguage,
  languageName,
  searchLanguages,
  type Languages,
} from '../text/language/languages.ts';
import { createGlossary } from '../translation/glossary.ts';
import type { LanguageHistory } from '../translation/language-history.ts';
import { createEngineTurns } from '../translation/engine-turns.ts';
import { createTranslator } from '../translation/translator.ts';
import { createLimits } from '../usage/limits.ts';

export interface ServiceConnectionDeps {
  /** Address of the service, and the operator's key for it. */
  readonly baseUrl: string;
  readonly key: string;
  /** True for the service of this process: no other one shares its rate. */
  readonly isBuiltIn: boolean;
  /** Tells whether the service recognises speech in a language, or any, as it comes. Default: nothing is known of that. */
  readonly followsSpeech?: RealtimeOptions['followsSpeech'];
  readonly config: Pick<CoreConfig, 'ENCRYPTION_KEY' | 'SPEECH_REALTIME'>;
  readonly store: Store;
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  readonly log: Log;
}

/** The ways to one service, with the keys that spaces brought for it and its calls, added up. */
export type ServiceConnection = ReturnType<typeof openServiceConnection>;

/** Opens the ways to a service, all of whose calls are measured and logged. Nothing is sent yet. */
export const openServiceConnection = (deps: ServiceConnectionDeps) => {
  const { baseUrl, key, isBuiltIn, config, store, metrics, tracing, log } = deps;
  const parts = new AsyncDisposableStack();
  const encryption = config.ENCRYPTION_KEY;
  const calls = createCallMetrics(metrics);
  const onCall: OnCall = (report) => {
    calls.onCall(report);
    log.debug(report, 'call of the service');
  };
  const ownKeys = createOwnKeys({ store, encryption, log });
  const findOwnKey = ownKeys.find;
  const states = isBuiltIn ? undefined : store.states;
  const sharing = states && { states, secret: encryption?.[0], service: baseUrl };
  const client = parts.use(
    createServiceClient({
      baseUrl,
      key,
      findOwnKey,
      sharing,
      onCall,
      metrics,
      tracing,
      tellsTrace: tracing.isOn || isBuiltIn,
    }),
  );
  const uses = config.SPEECH_REALTIME ?? [];
  const { followsSpeech } = deps;
  const requests = client;
  const realtime = parts.use(
    createRealtime({ baseUrl, key, findOwnKey, uses, followsSpeech, requests, log, onCall }),
  );
  return {
    client,
    realtime,
    ownKeys,
    calls,
    [Symbol.asyncDispose]: async () => parts.disposeAsync(),
  };
};

/** A service elsewhere tells nothing of its engines: it is one line of the table itself. */
const remoteReport = (ready: boolean, detail: string): ServiceState => ({
  builtIn: false,
  reachable: ready,
  engines: [
    {
      name: 'SPEECH_API_URL',
      serves: ['speech', 'recognition', 'translation', 'chat'],
      ready,
      detail,
    },
  ],
});

/** True for an error that is about the key, and no outage. */
const isRefusal = (error: AppError): boolean =>
  error instanceof ServiceError ? error.status < 500 : error instanceof UnreadableKeyError;

/** Asks a service elsewhere whether it answers a space. */
export const remoteStatus = async (
  client: ServiceClient,
  space: Space,
  signal: AbortSignal,
): Promise<ServiceState> => {
  try {
    const voices = await client.voices({
      lane: 'ambient',
      space,
      signal,
      hasFallback: true,
    });
    return remoteReport(true, `${voices.length} voices`);
  } catch (thrown) {
    const error = toAppError(thrown);
    const report = remoteReport(false, error.message);
    return isRefusal(error) ? { ...report, reachable: true, refusal: error } : report;
  }
};

export interface SharedServicesDeps {
  readonly client: ServiceClient;
  readonly realtime: Realtime | undefined;
  readonly store: Store;
  readonly ownKeys: Pick<OwnKeys, 'state'>;
  readonly languageHistory: LanguageHistory;
  /** The data about people that a platform keeps itself; undefined for none. */
  readonly personalDataOf: (platform: string) => PersonalData | undefined;
  readonly config: Pick<CoreConfig, 'SPEECH_CHAT_MODEL' | 'SPEECH_TRANSLATION_MODEL'> & LimitConfig;
  readonly fallbackDecoder: FallbackDecoder | undefined;
  readonly clock: Clock;
}

const modelOf = (model: string | undefined): { model?: string } => (model ? { model } : {});

/** Creates the shared services over the store and the service. */
export const createSharedServices = ({
  client,
  realtime,
  store,
  ownKeys,
  languageHistory,
  personalDataOf,
  config,
  fallbackDecoder,
  clock,
}: SharedServicesDeps) => {
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
  return {
    languages,
    glossary,
    settings: createMemberSettings(store),
    spaces,
    audit: createAudit(store),
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
    engineTurns: createEngineTurns(clock),
    transcriber: createTranscriber({ client, glossary, fallback: fallbackDecoder, clock }),
    speaker: createSpeaker({
      client: realtime?.speech ? { ...client, speak: realtime.speech.speak } : client,
    }),
    assistant: createAssistant({ client, ...modelOf(config.SPEECH_CHAT_MODEL) }),
  };
};
