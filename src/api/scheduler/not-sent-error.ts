import { AppError } from '../../errors.ts';

/**
 * The error of a request that was not sent: too many wait before it (`rate-limited`), or the service
 * does not answer (`unavailable`). The asker may try again after `retryAfterMs`.
 */
export class NotSentError extends AppError {
  override readonly name = 'NotSentError';

  constructor(
    code: 'rate-limited' | 'unavailable',
    message: string,
    { retryAfterMs, cause }: { readonly retryAfterMs: number; readonly cause?: unknown },
  ) {
    super(code, message, { retryable: true, retryAfterMs, cause });
  }
}
