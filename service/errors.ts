import { errorObject, type ErrorObject } from '../src/api/contract.ts';
import { AppError, toAppError, type ErrorCode } from '../src/errors.ts';

/**
 * Errors of the service itself. Section 5 of the contract defines code 104 and its name; the
 * clients of a deployment know the names `ErrStreamingNotSupported` and `ErrBackendUnreachable`;
 * the contract leaves the other names and numbers open.
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
  ErrAccessDenied: { status: 403, code: 119, kind: 'forbidden' },
  ErrCreditUsedUp: { status: 429, code: 120, kind: 'forbidden' },
  ErrStorage: { status: 500, code: 122, kind: 'unavailable' },
  ErrBadReply: { status: 502, code: 121, kind: 'bad-reply' },
} as const satisfies Record<string, { status: number; code: number; kind: ErrorCode }>;

export type ErrorName = keyof typeof NAMED;

export interface ServiceErrorOptions {
  /** Stages in which the error arose (section 2.6 `context`). */
  readonly context?: readonly string[];
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** An error of the service itself. `message` is sent to the client and contains no user text. */
export class ContractError extends AppError {
  override readonly name: string = 'ServiceError';
  readonly named: ErrorName;
  readonly context: readonly string[];

  constructor(named: ErrorName, message: string, options: ServiceErrorOptions = {}) {
    const { kind } = NAMED[named];
    super(kind, message, {
      retryable: kind === 'rate-limited' || kind === 'unavailable' || kind === 'timeout',
      retryAfterMs: options.retryAfterMs,
      cause: options.cause,
    });
    this.named = named;
    this.context = options.context ?? [];
  }
}

/** The refusal of a request that is not as the contract has it. */
export const invalidRequest = (message: string): ContractError =>
  new ContractError('ErrInvalidRequest', message);

/** The refusal of a request with a field that is not as the contract has it. */
export const invalidParameter = (message: string): ContractError =>
  new ContractError('ErrInvalidParameter', message);

/** The refusal of a request beyond a rate, in the words that clients of a deployment read. */
export const tooManyRequests = (waitMs: number, reason = 'Too many requests.'): ContractError => {
  const retryAfterMs = Math.max(10, 10 * Math.ceil(waitMs / 10));
  const message = `${reason} Retry after ${retryAfterMs / 1_000}s`;
  return new ContractError('ErrRateLimited', message, { context: ['limit'], retryAfterMs });
};

/** An error reply of an engine's server. */
export class BackendError extends AppError {
  override readonly name: string = 'BackendError';
  readonly status: number;
  readonly mediaType: string;
  /** Private, so that it is never logged: it may repeat text of a client. */
  readonly #body: Uint8Array;

  constructor(
    message: string,
    reply: {
      status: number;
      mediaType: string;
      body: Uint8Array;
      retryAfterMs?: number | undefined;
    },
  ) {
    super(reply.status === 429 ? 'rate-limited' : 'unavailable', message, {
      retryable: reply.status === 429 || reply.status >= 500,
      retryAfterMs: reply.retryAfterMs,
    });
    this.status = reply.status;
    this.mediaType = reply.mediaType;
    this.#body = reply.body;
  }

  /** The reply's body, whose size its reader has limited. */
  get body(): Uint8Array {
    return this.#body;
  }
}

const OF_STATUS: Readonly<Record<number, ErrorName>> = {
  400: 'ErrInvalidRequest',
  413: 'ErrInvalidRequest',
  422: 'ErrInvalidRequest',
};
const OF_CODE: Readonly<Partial<Record<ErrorCode, ErrorName>>> = {
  'rate-limited': 'ErrRateLimited',
  unavailable: 'ErrBackendUnreachable',
  'bad-reply': 'ErrBackendFailed',
  'too-large': 'ErrRequestTooLarge',
};

/** Makes an error of the service of anything thrown; nothing unexpected is told to clients. */
export const contractError = (thrown: unknown): ContractError => {
  if (thrown instanceof ContractError) return thrown;
  const error = toAppError(thrown);
  const options = { cause: error, retryAfterMs: error.retryAfterMs };
  if (error.code === 'timeout' || error.code === 'cancelled')
    return new ContractError('ErrBackendTimeout', 'The engine took too long.', options);
  const named =
    error instanceof BackendError && error.code !== 'rate-limited'
      ? (OF_STATUS[error.status] ?? 'ErrBackendFailed')
      : OF_CODE[error.code];
  return named === undefined
    ? new ContractError('ErrInternal', 'Internal server error', options)
    : new ContractError(named, error.message, options);
};

const retryAfterHeader = ({ retryAfterMs }: AppError): Record<string, string> =>
  retryAfterMs === undefined
    ? {}
    : { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) };

/**
 * True when a backend's error may be forwarded. A refused API key concerns the operator, not the
 * client.
 */
const forwardable = ({ status, mediaType }: BackendError): boolean =>
  status >= 400 && status !== 401 && status !== 403 && /\bjson\b/.test(mediaType);

/** Creates the reply for any thrown error: sections 2.6 and 7. */
export const errorReply = (thrown: unknown, stage: string): Response => {
  // Section 7.2: a recogniser's own error goes on with its status and body.
  if (stage === 'asr' && thrown instanceof BackendError && forwardable(thrown))
    return new Response(thrown.body as Uint8Array<ArrayBuffer>, {
      status: thrown.status,
      headers: { 'content-type': thrown.mediaType, ...retryAfterHeader(thrown) },
    });
  const error = contractError(thrown);
  const { status, code } = NAMED[error.named];
  const body: ErrorObject = errorObject.parse({
    context: error.context.length > 0 ? [...error.context] : [stage],
    code,
    name: error.named,
    error: error.message,
  });
  return Response.json(body, {
    // Section 7.1 has only 500.
    status: status === 502 && stage === 'tts' ? 500 : status,
    headers: retryAfterHeader(error),
  });
};
