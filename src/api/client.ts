import type { CallOptions, Caller } from './caller.ts';
import type { AppError } from '../errors.ts';
import { createChatApi, type ChatApi } from './chat.ts';
import { createRecognitionApi, type RecognitionApi } from './recognition.ts';
import {
  DEFAULT_RETRY,
  retrying,
  retryingStates,
  startDeadline,
  type Deadline,
  type RetryPolicy,
} from './retry.ts';
import { ServiceError } from './service-error.ts';
import { createSpeechApi, type SpeechApi } from './speech.ts';
import { createTransport } from './transport.ts';
import { createTranslationApi, type TranslationApi } from './translation.ts';

/**
 * Client for every HTTP path of the contract. All methods reject with an `AppError`, often a
 * `ServiceError`.
 */
export interface ServiceClient
  extends ChatApi, SpeechApi, RecognitionApi, TranslationApi, AsyncDisposable {}

export interface ClientOptions {
  /** Address of the service; a path in it is put before every path of the contract. */
  readonly baseUrl: string;
  /** The key, which is sent whole, prefix included (contract section 5). */
  readonly key: string;
  readonly retry?: Partial<RetryPolicy>;
}

const isNoAnswer = (error: AppError): boolean =>
  error.retryable && (error.code === 'rate-limited' || !(error instanceof ServiceError));

const start = ({ signal, deadlineMs }: CallOptions, defaultMs: number): Deadline =>
  startDeadline(signal, deadlineMs ?? defaultMs);

const until = async function* <T>(items: AsyncIterable<T>, end: Disposable) {
  using _ = end;
  yield* items;
};

export const createServiceClient = ({ baseUrl, key, retry }: ClientOptions): ServiceClient => {
  const policy = { ...DEFAULT_RETRY, ...retry };
  const policyFor = ({ hasFallback = false }: CallOptions): RetryPolicy =>
    hasFallback ? { ...policy, retries: isNoAnswer } : policy;
  const transport = createTransport(baseUrl, key);
  const caller: Caller = {
    transport,
    once: async (options, defaultMs, run) => {
      using deadline = start(options, defaultMs);
      return await retrying(policyFor(options), deadline, async () => run(deadline.signal));
    },
    opened: async (options, defaultMs, run) => {
      using started = new DisposableStack();
      const deadline = started.use(start(options, defaultMs));
      const items = await retrying(policyFor(options), deadline, async () => run(deadline.signal));
      return until(items, started.move());
    },
    async *states(options, defaultMs, run) {
      using deadline = start(options, defaultMs);
      return yield* retryingStates(policyFor(options), deadline, () => run(deadline.signal));
    },
  };
  return {
    ...createChatApi(caller),
    ...createSpeechApi(caller),
    ...createRecognitionApi(caller),
    ...createTranslationApi(caller),
    [Symbol.asyncDispose]: async () => transport[Symbol.asyncDispose](),
  };
};
