import { realClock, type Clock } from '../async/clock.ts';
import type { OnCall } from './call-report.ts';
import { createChatApi, type ChatApi } from './chat.ts';
import { createCaller } from './create-caller.ts';
import { createMetrics, type Metrics } from '../ops/metrics.ts';
import { createServiceKeys, type FindOwnKey, type ServiceKeys, createServiceKey } from './keys.ts';
import { createRecognitionApi, type RecognitionApi } from './recognition.ts';
import type { RetryPolicy } from './retry.ts';
import type { PaceSharing } from './scheduler/shared-pace.ts';
import { createSpeechApi, type SpeechApi } from './speech.ts';
import { NO_TRACING, type Tracing } from '../telemetry/tracing.ts';
import { createTransport, type Transport } from './transport.ts';
import { createTranslationApi, type TranslationApi } from './translation.ts';
import { PATHS } from './contract.ts';
import { ServiceError } from './service-error.ts';

const CHECK_MS = 15_000;

/**
 * Asks the service once whether it knows a key. Rejects with a `ServiceError` where it does not, and
 * with an `AppError` where it does not say.
 */
export type KeyProbe = (key: string, signal: AbortSignal) => Promise<void>;

/** True for an error that a service gives to a key that it knows: without speech, or without any voices. */
const isKnown = (thrown: unknown): boolean =>
  thrown instanceof ServiceError && (thrown.status === 403 || thrown.status === 404);

export const createKeyProbe =
  (transport: Pick<Transport, 'send'>): KeyProbe =>
  async (key, signal) => {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(CHECK_MS)]);
    try {
      const request = { method: 'GET', path: PATHS.voices } as const;
      const reply = await transport.send(request, createServiceKey(key, { isOwn: true }), limited);
      await reply.body.dump();
    } catch (thrown) {
      if (!isKnown(thrown)) throw thrown;
    }
  };

/**
 * Client for every HTTP path of the contract. All methods reject with an `AppError`, often a
 * `ServiceError`.
 */
export interface ServiceClient
  extends ChatApi, SpeechApi, RecognitionApi, TranslationApi, AsyncDisposable {
  /** Resolves with the key of a space's calls: what the service gives to one key is not for another. */
  readonly serviceKeyOf: ServiceKeys['of'];
  readonly checkKey: KeyProbe;
}

export interface ClientOptions {
  /** Address of the service; a path in it is put before every path of the contract. */
  readonly baseUrl: string;
  /** The key, which is sent whole, prefix included (contract section 5). */
  readonly key: string;
  /** Finds the key that a space brought, for its calls. Default: none has. */
  readonly findOwnKey?: FindOwnKey | undefined;
  readonly retry?: Partial<RetryPolicy>;
  /** The clock by which requests wait for their turn. Default: real time. */
  readonly clock?: Clock;
  /** Shares the paces of keys with the other processes on a database. Default: they are this one's own. */
  readonly sharing?: PaceSharing | undefined;
  readonly onCall?: OnCall;
  /** Takes what its requests meet. Default: a new registry. */
  readonly metrics?: Metrics;
  /** Default: no spans are kept. */
  readonly tracing?: Tracing;
  /** True when requests tell the service of which trace they are. Default: while spans are kept. */
  readonly tellsTrace?: boolean;
}

export const createServiceClient = ({
  baseUrl,
  key,
  findOwnKey,
  retry = {},
  clock = realClock,
  sharing,
  onCall = () => {},
  metrics = createMetrics(),
  tracing = NO_TRACING,
  tellsTrace = tracing.isOn,
}: ClientOptions): ServiceClient => {
  const transport = createTransport(baseUrl);
  const keys = createServiceKeys(key, findOwnKey);
  const caller = createCaller({
    transport,
    keys,
    retry,
    clock,
    sharing,
    onCall,
    metrics,
    tracing,
    tellsTrace,
  });
  return {
    ...createChatApi(caller),
    ...createSpeechApi(caller),
    ...createRecognitionApi(caller),
    ...createTranslationApi(caller),
    serviceKeyOf: keys.of,
    checkKey: createKeyProbe(transport),
    [Symbol.asyncDispose]: async () => transport[Symbol.asyncDispose](),
  };
};
