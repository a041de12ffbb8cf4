import { AppError, type AppErrorOptions, type ErrorCode, type Sentence } from '../errors.ts';
import { series } from '../rich-text/compose.ts';
import { quotedWords, quotedInstruction } from '../text/quoted-words.ts';
import type { ErrorObject } from './contract.ts';
import { z } from 'zod';
import { parseMissingEngine, type MissingEngine } from '../http/missing-engine.ts';
import { hidePrivate } from '../http/secrets.ts';
import { retryAfterTextMs } from '../http/retry-after.ts';
import { saysTooLong } from '../http/too-long.ts';

/** The key that was sent, as far as errors have to know it; see `ServiceKey`. */
export interface SentKey {
  readonly isOwn: boolean;
  readonly hide: (text: string) => string;
}

interface ServiceErrorOptions extends AppErrorOptions {
  readonly isOfOwnKey?: boolean;
  readonly isOutOfCredit?: boolean;
}

/** A reply of the service other than a success. */
export class ServiceError extends AppError {
  override readonly name = 'ServiceError';
  readonly status: number;
  /** The contract's error object (section 2.6), whole; undefined when a backend sent something else. */
  readonly body: ErrorObject | undefined;
  /** True when the key was a space's own. */
  readonly isOfOwnKey: boolean;
  /** True when the account of the key has no credit left, with whichever status the service says so. */
  readonly isOutOfCredit: boolean;

  constructor(
    status: number,
    body: ErrorObject | undefined,
    code: ErrorCode,
    { isOfOwnKey = false, isOutOfCredit = false, ...options }: ServiceErrorOptions,
  ) {
    super(code, `the service answered ${status}${body ? ` ${body.name}` : ''}`, options);
    this.status = status;
    this.body = body;
    this.isOfOwnKey = isOfOwnKey;
    this.isOutOfCredit = isOutOfCredit;
  }
}

/**
 * True when the service refuses the key or finds no credit on its account: it then refuses every
 * request, until whoever set the key changes that.
 */
export const isKeyRefused = (error: AppError): boolean =>
  error instanceof ServiceError && (error.status === 401 || error.isOutOfCredit);

/** True when the service refuses a request because of too many: it takes it later. */
export const isRefusedForNow = (error: AppError): boolean =>
  error instanceof ServiceError && error.status === 429 && !error.isOutOfCredit;

/**
 * True for an error that only says that too much is asked of the service at the moment: whoever can
 * wait asks again after `retryAfterMs`, and counts it as no failure.
 */
export const isBusy = (error: AppError): boolean =>
  error.code === 'rate-limited' && error.retryable;

/** An error as the contract writes it (section 2.6), whatever is missing of it. */
const contractError = z
  .object({
    context: z.array(z.string()).catch([]),
    code: z.int().catch(0),
    name: z.string().catch(''),
    error: z.string(),
  })
  // Some servers send an empty one with every success.
  .refine(({ error, name }) => error !== '' || name !== '');

const facts = {
  message: z.string().catch(''),
  type: z.string().catch(''),
  code: z.union([z.string(), z.number()]).catch(''),
};

/** An error as servers of the chat's public API write it: within `error`, or bare as vLLM does. */
const publicError = z
  .union([
    z.object({ error: z.object(facts) }).transform(({ error }) => error),
    z.object({ object: z.literal('error'), ...facts }),
  ])
  .refine(({ message, type, code }) => Boolean(message || type || code));

interface ParsedError {
  readonly body: ErrorObject | undefined;
  readonly message: string;
}

const NOTHING_HIDDEN: SentKey['hide'] = (text) => text;

/** True where either form could be: what is read of every event of a stream has neither. */
const canBeError = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  ('error' in value || ('object' in value && value.object === 'error'));

const readError = (value: unknown, hide = NOTHING_HIDDEN): ParsedError | undefined => {
  if (!canBeError(value)) return undefined;
  const parsed = contractError.safeParse(value).data;
  if (parsed) {
    const body = {
      ...parsed,
      context: parsed.context.map(hide),
      name: hide(parsed.name),
      error: hide(parsed.error),
    };
    return { body, message: body.error };
  }
  const message = publicError.safeParse(value).data?.message;
  return message === undefined ? undefined : { body: undefined, message: hide(message) };
};

const parseError = (text: string, hide: SentKey['hide']): ParsedError => {
  try {
    return readError(JSON.parse(text), hide) ?? { body: undefined, message: '' };
  } catch {
    return { body: undefined, message: '' };
  }
};

/** Statuses of errors without one, by their names: the asker's fault, the key's, too many requests. */
const STATUSES = [
  [/rate.?limit|too.?many/i, 429],
  [/auth/i, 401],
  [/quota|credit|balance/i, 402],
  [/invalid|unsupported|too.?long|too.?large/i, 400],
] as const;
const SERVER_FAULT = 500;

/**
 * The status that an error stands for which came in place of a reply; undefined where the value is
 * no error. One that names no cause is the server's fault.
 */
export const errorWithin = (value: unknown): { readonly status: number } | undefined => {
  if (!readError(value)) return undefined;
  const { type = '', code = '' } = publicError.safeParse(value).data ?? {};
  const stated = Number(code);
  if (stated >= 400 && stated < 600) return { status: stated };
  const name = `${contractError.safeParse(value).data?.name ?? ''} ${type} ${code}`;
  return { status: STATUSES.find(([names]) => names.test(name))?.[1] ?? SERVER_FAULT };
};

interface Kind {
  readonly code: ErrorCode;
  readonly key: Sentence['key'];
  readonly remedy?: Sentence;
  readonly retryable: boolean;
}

const check = (name: string): Sentence => ({ key: 'remedies.check', params: { name } });
const CHECK_KEY = check('SPEECH_API_KEY');

/** The kinds of refusal that a space's moderators can mend, as the key is their own. */
const OWN: Readonly<Record<number, Pick<Kind, 'key' | 'remedy'>>> = {
  401: { key: 'service.bad-own-key', remedy: { key: 'remedies.own-key' } },
  402: { key: 'service.no-own-credit', remedy: { key: 'remedies.own-top-up' } },
  403: { key: 'service.no-access', remedy: { key: 'remedies.own-key' } },
};

const kindOf = (status: number): Kind => {
  if (status === 401)
    return { code: 'config', key: 'service.bad-key', remedy: CHECK_KEY, retryable: false };
  if (status === 403)
    return { code: 'forbidden', key: 'service.no-access', remedy: CHECK_KEY, retryable: false };
  if (status < 400) {
    const remedy = check('SPEECH_API_URL');
    return { code: 'config', key: 'service.moved', remedy, retryable: false };
  }
  if (status === 402) {
    const remedy: Sentence = { key: 'remedies.top-up' };
    return { code: 'forbidden', key: 'service.no-credit', remedy, retryable: false };
  }
  if (status === 408 || status === 425)
    return { code: 'unavailable', key: 'errors.unavailable', retryable: true };
  if (status === 404) return { code: 'missing', key: 'errors.missing', retryable: false };
  if (status === 413) return { code: 'too-large', key: 'errors.too-large', retryable: false };
  if (status === 429) return { code: 'rate-limited', key: 'errors.rate-limited', retryable: true };
  if (status >= 500) return { code: 'unavailable', key: 'errors.unavailable', retryable: true };
  return { code: 'bad-input', key: 'service.refused', retryable: false };
};

/** Statuses with which servers refuse a text that is too long, among others. */
const TOO_LONG: ReadonlySet<number> = new Set([400, 413, 422]);

/** The meaning of an error that its name or its words tell better than its status. */
const saidKind = (status: number, { body, message }: ParsedError): Kind | undefined => {
  if (body?.name === 'ErrBadReply')
    return { code: 'bad-reply', key: 'service.not-translated', retryable: false };
  return TOO_LONG.has(status) && saysTooLong(message)
    ? { code: 'too-large', key: 'service.too-long', retryable: false }
    : undefined;
};

interface Explanation {
  readonly sentence: Sentence;
  readonly remedy?: Sentence;
}

const explainMissingEngine = (missing: MissingEngine): Explanation => {
  const sentence: Sentence =
    missing.ability === 'translation'
      ? {
          key: 'service.no-translation',
          params: { from: { language: missing.from }, to: { language: missing.to } },
        }
      : missing.ability === 'recognition' && missing.language !== undefined
        ? { key: 'service.no-recognition-of', params: { language: { language: missing.language } } }
        : { key: `service.no-${missing.ability}` };
  const count = missing.remedies.length;
  if (count === 0) return { sentence };
  const remedies = series(missing.remedies.map(quotedInstruction), ', ');
  return { sentence, remedy: { key: 'remedies.add-engine', params: { count, remedies } } };
};

/**
 * Explains an error by a sentence of ours. The words of the service, its addresses and accounts hidden, go with it as
 * `detail`, for those who look after faults.
 */
const explain = ({ key, remedy }: Kind, message: string): Explanation => {
  const detail = hidePrivate(quotedWords(message));
  if (key !== 'errors.missing')
    return { sentence: { key, params: { detail } }, ...(remedy ? { remedy } : {}) };
  const missing = parseMissingEngine(message);
  if (missing) return explainMissingEngine(missing);
  return {
    sentence: { key },
    ...(detail ? { remedy: { key: 'remedies.detail', params: { detail } } } : {}),
  };
};

/**
 * The wait of a refusal. A header may hold whole seconds alone: then the text's fractions of the
 * same wait are what counts.
 */
const finerWaitMs = (header: number | undefined, text: number | undefined): number | undefined => {
  if (header === undefined || text === undefined) return header ?? text;
  const isFiner = header % 1_000 === 0 && text % 1_000 !== 0;
  return isFiner && Math.abs(header - text) <= 1_000 ? text : header;
};

const TOO_MANY = 429;
const NO_CREDIT = 402;
/** Words of a 429 for an account without credit (contract section 8), which no wait ends. */
const SPENT = /credit|insufficient[_ ](?:quota|balance|funds)/i;

/** Creates the error for a status: its meaning for the caller, and whether to retry (section 7). */
export const serviceError = (
  status: number,
  retryAfterHeader: number | undefined,
  text: string,
  { isOwn, hide }: SentKey,
): ServiceError => {
  const parsed = parseError(text, hide);
  const { body, message } = parsed;
  const retryAfterText = kindOf(status).retryable ? retryAfterTextMs(message || text) : undefined;
  const retryAfterMs = finerWaitMs(retryAfterHeader, retryAfterText);
  const isSpent = retryAfterMs === undefined && SPENT.test(`${body?.name} ${message}`);
  const meant = status === TOO_MANY && isSpent ? NO_CREDIT : status;
  const kind = { ...(saidKind(status, parsed) ?? kindOf(meant)), ...(isOwn ? OWN[meant] : {}) };
  const { code, retryable } = kind;
  return new ServiceError(status, body, code, {
    retryable,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...explain(kind, message),
    isOfOwnKey: isOwn,
    isOutOfCredit: meant === NO_CREDIT,
  });
};
