import { AppError, type AppErrorOptions, type ErrorCode, type Sentence } from '../errors.ts';
import { plainLine, inCode } from '../text/markup/plain-line.ts';
import { errorObject, type ErrorObject } from './contract.ts';
import { readEngineLack } from '../http/engine-lack.ts';
import { waitInText } from '../http/retry-after.ts';

/** An answer of the service that is not a success. */
export class ServiceError extends AppError {
  override readonly name = 'ServiceError';
  readonly status: number;
  /** The contract's error object (section 2.6), whole; undefined where a backend sent another. */
  readonly body: ErrorObject | undefined;

  constructor(
    status: number,
    body: ErrorObject | undefined,
    code: ErrorCode,
    options: AppErrorOptions,
  ) {
    super(code, `the service answered ${status}${body ? ` ${body.name}` : ''}`, options);
    this.status = status;
    this.body = body;
  }
}

const parseBody = (text: string): ErrorObject | undefined => {
  try {
    return errorObject.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
};

const kindOf = (status: number): { code: ErrorCode; key: Sentence['key']; retryable: boolean } => {
  if (status === 401) return { code: 'config', key: 'service.bad-key', retryable: false };
  if (status === 403) return { code: 'forbidden', key: 'service.no-access', retryable: false };
  if (status < 400) return { code: 'config', key: 'service.moved', retryable: false };
  if (status === 402) return { code: 'forbidden', key: 'service.no-credit', retryable: false };
  if (status === 408 || status === 425)
    return { code: 'unavailable', key: 'errors.unavailable', retryable: true };
  if (status === 404) return { code: 'missing', key: 'service.missing', retryable: false };
  if (status === 413) return { code: 'too-large', key: 'errors.too-large', retryable: false };
  if (status === 429) return { code: 'rate-limited', key: 'errors.rate-limited', retryable: true };
  if (status >= 500) return { code: 'unavailable', key: 'errors.unavailable', retryable: true };
  return { code: 'bad-input', key: 'service.refused', retryable: false };
};

/** It is copied whole. */
const LONGEST_REMEDY_CHARS = 300;

/** What our own service lacks is said in people's language, what another says is quoted. */
const sentenceOf = (key: Sentence['key'], said: string): Sentence => {
  const lack = key === 'service.missing' ? readEngineLack(said) : undefined;
  if (!lack) return { key, params: { detail: plainLine(said) } };
  const { remedies } = lack;
  const adding = {
    count: remedies.length,
    remedies: remedies.map((remedy) => inCode(remedy, LONGEST_REMEDY_CHARS)).join(', '),
  };
  return lack.ability === 'translation'
    ? {
        key: 'service.no-translation',
        params: { ...adding, from: { language: lack.from }, to: { language: lack.to } },
      }
    : { key: `service.no-${lack.ability}`, params: adding };
};

/** Contract section 7: what a status means for the caller, and whether to try again. */
export const serviceError = (
  status: number,
  retryAfterHeader: number | undefined,
  text: string,
): ServiceError => {
  const body = parseBody(text);
  const { code, key, retryable } = kindOf(status);
  const retryAfterMs =
    retryAfterHeader ?? (retryable ? waitInText(body?.error ?? text) : undefined);
  return new ServiceError(status, body, code, {
    retryable,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    sentence: sentenceOf(key, body?.error ?? ''),
  });
};
