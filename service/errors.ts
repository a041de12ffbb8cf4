import { errorObject, type ErrorObject } from '../src/api/contract.ts';
import { AppError, toAppError, type ErrorCode } from '../src/errors.ts';

/**
 * Every error that the service itself answers with. Code 104 and its name are section 5 of the
 * contract, `ErrStreamingNotSupported` and `ErrBackendUnreachable` are names that clients of a
 * deployment have met; the contract leaves the other names and numbers open.
 */
const NAMED = {
  ErrInvalidRequest: { status: 400, code: 100, kind: 'bad-input' },
  ErrInvalidParameter: { status: 400, code: 101, kind: 'bad-input' },
  ErrUnsupportedFormat: { status: 400, code: 102, kind: 'unsupported' },
  ErrUnsupportedSampleRate: { status: 400, code: 103, kind: 'unsupported' },
  ErrAuthenticationFailed: { status: 401, code: 104, kind: 'forbidden' },
  ErrStreamingNotSupported: { status: 400, code: 105, kind: 'unsupported' },
  ErrTextTooLong: { status: 400, code: 106, kind: 'too-large' },
  ErrInvalidAudio: { status: 400, code: 107, kind: 'bad-input' },
  ErrVoiceNotFound: { status: 400, code: 108, kind: 'not-found' },
  ErrUnsupportedEndpoint: { status: 404, code: 109, kind: 'not-found' },
  ErrServiceNotRegistered: { status: 404, code: 110, kind: 'unsupported' },
  ErrMethodNotAllowed: { status: 405, code: 111, kind: 'unsupported' },
  ErrRequestTooLarge: { status: 400, code: 112, kind: 'too-large' },
  ErrRateLimited: { status: 429, code: 113, kind: 'rate-limited' },
  ErrInternal: { status: 500, code: 114, kind: 'internal' },
  ErrBackendUnreachable: { status: 502, code: 115, kind: 'unavailable' },
  ErrBackendFailed: { status: 502, code: 116, kind: 'bad-reply' },
  ErrBackendTimeout: { status: 502, code: 117, kind: 'timeout' },
  ErrAudioTooLarge: { status: 400, code: 118, kind: 'too-large' },
} as const satisfies Record<string, { status: number; code: number; kind: ErrorCode }>;

export type ErrorName = keyof typeof NAMED;

export interface ServiceErrorOptions {
  /** Section 2.6 `context`: the stages in which it arose. */
  readonly context?: readonly string[];
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** An error of the service's own. `message` is what the client reads: without text of anybody. */
export class ContractError extends AppError {
  override readonly name: string = 'ServiceError';
  readonly named: ErrorName;
  readonly context: readonly string[];

  constructor(named: ErrorName, message: string, options: ServiceErrorOptions = {}) {
    const { kind } = NAMED[named];
    super(kind, message, {
      retryable: kind === 'rate-limited' || kind === 'unavailable' || kind === 'timeout',
      ...(options.retryAfterMs === undefined ? {} : { retryAfterMs: options.retryAfterMs }),
      cause: options.cause,
    });
    this.named = named;
    this.context = options.context ?? [];
  }
}

/** An engine behind the service answered with an error of its own. */
export class BackendError extends AppError {
  override readonly name: string = 'BackendError';
  readonly status: number;
  readonly mediaType: string;
  /** Private, so that it is never logged: it may repeat what a client sent. */
  readonly #body: Uint8Array;

  constructor(
    message: string,
    reply: { status: number; mediaType: string; body: Uint8Array; retryAfterMs?: number },
  ) {
    super(reply.status === 429 ? 'rate-limited' : 'unavailable', message, {
      retryable: reply.status === 429 || reply.status >= 500,
      ...(reply.retryAfterMs === undefined ? {} : { retryAfterMs: reply.retryAfterMs }),
    });
    this.status = reply.status;
    this.mediaType = reply.mediaType;
    this.#body = reply.body;
  }

  /** Bounded by who read it. */
  get body(): Uint8Array {
    return this.#body;
  }
}

/** Section 7's rules for a route's failures behind the service. */
export interface FailureRules {
  /** Section 7.2: a backend's own error is forwarded with its status and body. */
  readonly forwards?: boolean;
  /** The status of an unreachable backend: 502, but section 7.1 knows only 500. */
  readonly unreachable?: 500 | 502;
}

const own = (thrown: unknown): ContractError => {
  if (thrown instanceof ContractError) return thrown;
  const error = toAppError(thrown);
  const { retryAfterMs } = error;
  const options = { cause: error, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  if (error.code === 'timeout' || error.code === 'cancelled')
    return new ContractError('ErrBackendTimeout', 'The engine took too long.', options);
  if (error.code === 'rate-limited')
    return new ContractError('ErrRateLimited', error.message, options);
  if (error instanceof BackendError)
    return error.status === 400 || error.status === 413 || error.status === 422
      ? new ContractError('ErrInvalidRequest', error.message, options)
      : new ContractError('ErrBackendFailed', error.message, options);
  if (error.code === 'unavailable')
    return new ContractError('ErrBackendUnreachable', error.message, options);
  if (error.code === 'bad-reply')
    return new ContractError('ErrBackendFailed', error.message, options);
  return new ContractError('ErrInternal', 'Internal server error', options);
};

const retryAfterSeconds = (waitMs: number): string => String(Math.max(1, Math.ceil(waitMs / 1000)));

/** A key that the engine refuses is the operator's, not the client's: never forwarded. */
const forwardable = ({ status, mediaType }: BackendError): boolean =>
  status >= 400 && status !== 401 && status !== 403 && /\bjson\b/.test(mediaType);

/** The reply for anything thrown: sections 2.6 and 7. */
export const errorReply = (thrown: unknown, stage: string, rules: FailureRules = {}): Response => {
  if (rules.forwards && thrown instanceof BackendError && forwardable(thrown))
    return new Response(thrown.body as Uint8Array<ArrayBuffer>, {
      status: thrown.status,
      headers: {
        'content-type': thrown.mediaType,
        ...(thrown.retryAfterMs === undefined
          ? {}
          : { 'retry-after': retryAfterSeconds(thrown.retryAfterMs) }),
      },
    });
  const error = own(thrown);
  const { status, code } = NAMED[error.named];
  const body: ErrorObject = errorObject.parse({
    context: error.context.length > 0 ? [...error.context] : [stage],
    code,
    name: error.named,
    error: error.message,
  });
  return Response.json(body, {
    status: status === 502 ? (rules.unreachable ?? 502) : status,
    headers:
      error.retryAfterMs === undefined
        ? {}
        : { 'retry-after': retryAfterSeconds(error.retryAfterMs) },
  });
};
