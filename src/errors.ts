import { IntlMessageFormat } from 'intl-messageformat';
import english from '../locales/en.json' with { type: 'json' };
import type { Inline, RichText } from './rich-text/rich-text.ts';

/** The key of a sentence that people see, in `locales/`. */
export type MessageKey = keyof typeof english;

export const ERROR_CODES = [
  'bad-input',
  'not-found',
  'forbidden',
  'too-large',
  'unsupported',
  'rate-limited',
  'unavailable',
  /** The service has nothing for this: no engine, no voice, no language pair. */
  'missing',
  'timeout',
  'cancelled',
  'bad-reply',
  'config',
  'internal',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** One sentence of `locales/`, with the values for its placeholders. */
export interface Sentence {
  readonly key: MessageKey;
  readonly params?: SentenceParams;
}

/**
 * A value of a sentence: words (never markup), a number, a node or a tree, a language by its code, which is
 * named in the sentence's locale, or a list, which is written as there.
 */
export type SentenceValue =
  | string
  | number
  | Inline
  | RichText
  | { readonly language: string }
  | { readonly list: readonly (string | Inline)[] };

export const isLanguage = (value: SentenceValue): value is { readonly language: string } =>
  typeof value === 'object' && 'language' in value && !('kind' in value);

export const isList = (
  value: SentenceValue,
): value is { readonly list: readonly (string | Inline)[] } =>
  typeof value === 'object' && 'list' in value;

export type SentenceParams = Readonly<Record<string, SentenceValue>>;

export interface AppErrorOptions {
  /** The sentence that a person sees. Default: `errors.<code>`. */
  readonly sentence?: Sentence;
  /** The operator's remedy; moderators see it beside `sentence`. */
  readonly remedy?: Sentence;
  /** True when the same call may succeed later. Default false. */
  readonly retryable?: boolean;
  /** Time to wait before the next try, where the other side said so. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/**
 * The one error type of the project. `message` is for operators and logs: English, without text,
 * audio or keys of anybody. What people see is `sentence`, in their language.
 */
export class AppError extends Error {
  override readonly name: string = 'AppError';
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly sentence: Sentence;
  readonly remedy: Sentence | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs;
    this.sentence = options.sentence ?? { key: `errors.${code}` };
    this.remedy = options.remedy ?? (code === 'config' ? { key: 'remedies.log' } : undefined);
  }
}

const formats = new Map<MessageKey, IntlMessageFormat>();

/**
 * Says a sentence in English for operators. Values that are no numbers may be anybody's words: their
 * names stand in their place, `{name}`.
 */
const withoutWords = (key: MessageKey, params: SentenceParams): string => {
  const format =
    formats.get(key) ?? new IntlMessageFormat(english[key], 'en', undefined, { ignoreTag: true });
  formats.set(key, format);
  const values = Object.entries(params).map(([name, value]) => [
    name,
    typeof value === 'number' ? value : `{${name}}`,
  ]);
  return String(format.format(Object.fromEntries(values)));
};

/** An error whose sentence is shown to the asker, and logged without words of theirs. */
export const userError = (
  code: ErrorCode,
  key: MessageKey,
  params: SentenceParams = {},
  options: Omit<AppErrorOptions, 'sentence'> = {},
): AppError =>
  new AppError(code, withoutWords(key, params), { ...options, sentence: { key, params } });

/**
 * The reason of a failure for a note, whose readers cannot try again: the error's own sentence, or
 * what its code means, without advice.
 */
export const reasonSentence = ({
  code,
  sentence,
}: Pick<AppError, 'code' | 'sentence'>): Sentence =>
  sentence.key === `errors.${code}` ? { key: `reasons.${code}` } : sentence;

/** Makes an `AppError` of anything thrown: aborts become `cancelled`, unknown things `internal`. */
export const toAppError = (thrown: unknown): AppError => {
  if (thrown instanceof AppError) return thrown;
  if (thrown instanceof Error && thrown.name === 'AbortError')
    return new AppError('cancelled', 'the work was cancelled', { cause: thrown });
  if (thrown instanceof Error && thrown.name === 'TimeoutError')
    return new AppError('timeout', 'the work took too long', { cause: thrown, retryable: true });
  // Not its name, which anybody may have set.
  const detail = thrown instanceof Error ? thrown.constructor.name : typeof thrown;
  return new AppError('internal', `unexpected ${detail}`, { cause: thrown });
};

/** The code and message of an error, and the channel that it is about, as fields of a log line. */
export const faultFields = (
  thrown: unknown,
  at?: { readonly space: { readonly platform: string }; readonly id: string },
) => {
  const { code, message: reason } = toAppError(thrown);
  return { ...(at && { platform: at.space.platform, channel: at.id }), code, reason };
};

/** Resolves as `work` does; where it rejects with an error that is expected, resolves with `instead`. */
export const recover = async <Value, Instead = undefined>(
  work: Promise<Value>,
  isExpected: (thrown: unknown) => boolean,
  instead?: Instead,
): Promise<Value | Instead> => {
  try {
    return await work;
  } catch (thrown) {
    if (isExpected(thrown)) return instead as Instead;
    throw thrown;
  }
};
