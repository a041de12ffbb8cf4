import {
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
} from '@slack/web-api';
import {
  AppError,
  recover,
  toAppError,
  type AppErrorOptions,
  type ErrorCode,
  type MessageKey,
} from '../../src/errors.ts';

/** A refusal by Slack, with the name of its error ("errors" of each method). */
export class SlackError extends AppError {
  readonly slackError: string | undefined;
  /** The scope that is missing. */
  readonly needed: string | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: AppErrorOptions & { readonly slackError?: string; readonly needed?: string } = {},
  ) {
    super(code, message, options);
    this.slackError = options.slackError;
    this.needed = options.needed;
  }
}

/** Errors by which the token of a workspace is known to be of no use any more. */
const TOKEN_ENDED: ReadonlySet<string> = new Set([
  'account_inactive',
  'invalid_auth',
  'not_authed',
  'org_login_required',
  'token_expired',
  'token_revoked',
]);

const KINDS: Readonly<Record<string, ErrorCode>> = {
  channel_not_found: 'not-found',
  file_deleted: 'not-found',
  file_not_found: 'not-found',
  message_not_found: 'not-found',
  thread_not_found: 'not-found',
  user_not_found: 'not-found',
  users_not_found: 'not-found',
  cant_delete_message: 'forbidden',
  cant_update_message: 'forbidden',
  edit_window_closed: 'forbidden',
  ekm_access_denied: 'forbidden',
  is_archived: 'forbidden',
  missing_scope: 'forbidden',
  not_in_channel: 'forbidden',
  restricted_action: 'forbidden',
  restricted_action_non_threadable_channel: 'forbidden',
  restricted_action_read_only_channel: 'forbidden',
  restricted_action_thread_locked: 'forbidden',
  restricted_action_thread_only_channel: 'forbidden',
  user_not_in_channel: 'forbidden',
  file_type_not_allowed: 'forbidden',
  file_uploads_disabled: 'forbidden',
  file_uploads_except_images_disabled: 'forbidden',
  file_upload_size_restricted: 'too-large',
  msg_blocks_too_long: 'too-large',
  msg_too_long: 'too-large',
  fatal_error: 'unavailable',
  internal_error: 'unavailable',
  request_timeout: 'unavailable',
  service_unavailable: 'unavailable',
  team_added_to_org: 'unavailable',
  ratelimited: 'rate-limited',
  rate_limited: 'rate-limited',
  message_limit_exceeded: 'rate-limited',
};

/** Sentences for people about refusals that say more than their kind. */
const SENTENCES: Readonly<Record<string, MessageKey>> = {
  channel_not_found: 'slack.not-in-channel',
  not_in_channel: 'slack.not-in-channel',
  file_type_not_allowed: 'slack.file-type',
  file_uploads_disabled: 'slack.uploads-off',
  file_uploads_except_images_disabled: 'slack.file-type',
};

/** Wait after a rate limit that Slack did not time. */
const UNTIMED_WAIT_MS = 30_000;

const refusal = (
  error: string,
  what: string,
  needed: string | undefined,
  speed: number,
): SlackError => {
  // The work waits until the app is installed again, or its token renewed.
  const code = TOKEN_ENDED.has(error) ? 'unavailable' : (KINDS[error] ?? 'bad-input');
  const key = SENTENCES[error];
  const scope = needed === undefined ? '' : `, which needs the scope ${needed}`;
  return new SlackError(code, `Slack refused ${what}${scope}: ${error}`, {
    slackError: error,
    ...(needed === undefined ? {} : { needed }),
    ...(key === undefined ? {} : { sentence: { key } }),
    ...(code === 'unavailable' ? { retryable: true } : {}),
    ...(code === 'rate-limited' ? { retryable: true, retryAfterMs: UNTIMED_WAIT_MS / speed } : {}),
  });
};

/** The error for what passes by itself, so that another try may succeed. */
const passing = (code: ErrorCode, message: string): SlackError =>
  new SlackError(code, message, { retryable: true });

/**
 * Converts any error of a call of Slack's Web API to an `AppError`. Drops the original error: it may
 * contain text and tokens.
 *
 * @param what the method, e.g. `chat.postMessage`
 * @param speed waits that Slack asks for are so many times shorter
 */
export const fromSlack = (thrown: unknown, what: string, speed = 1): AppError => {
  if (thrown instanceof AppError) return thrown;
  if (thrown instanceof WebAPIPlatformError) {
    const { error, needed } = thrown.data as { readonly error: string; readonly needed?: unknown };
    return /^\w{1,64}$/.test(error)
      ? refusal(error, what, typeof needed === 'string' ? needed : undefined, speed)
      : passing('unavailable', `something other than Slack answered ${what}`);
  }
  if (thrown instanceof WebAPIRateLimitedError)
    return new SlackError('rate-limited', `Slack takes no ${what} for now`, {
      slackError: 'ratelimited',
      retryable: true,
      retryAfterMs: (thrown.retryAfter * 1_000) / speed,
    });
  if (thrown instanceof WebAPIHTTPError)
    return passing('unavailable', `Slack answered ${thrown.statusCode} to ${what}`);
  if (thrown instanceof WebAPIRequestError) {
    const { name } = thrown.original;
    return name === 'TimeoutError'
      ? passing('timeout', `Slack took too long for ${what}`)
      : passing('unavailable', `Slack was not reached for ${what}`);
  }
  return toAppError(thrown);
};

/** True when Slack refused with one of these errors. */
export const isRefusal = (thrown: unknown, ...errors: readonly string[]): boolean =>
  thrown instanceof SlackError &&
  thrown.slackError !== undefined &&
  errors.includes(thrown.slackError);

/** Resolves as a call does; with undefined where Slack refuses it with one of these errors. */
export const refusedAs = async <Answer>(
  call: Promise<Answer>,
  ...errors: readonly string[]
): Promise<Answer | undefined> => recover(call, (thrown) => isRefusal(thrown, ...errors));

/** True when the token of a workspace is of no use any more. */
export const isTokenEnded = (thrown: unknown): boolean =>
  thrown instanceof SlackError && TOKEN_ENDED.has(thrown.slackError ?? '');

/** True when the message or its channel does not exist any more. */
export const isGone = (thrown: unknown): boolean =>
  isRefusal(thrown, 'message_not_found', 'channel_not_found');

/** True when the app may not read a channel's history, though it may post there. */
export const isUnreadable = (thrown: unknown): boolean => isRefusal(thrown, 'missing_scope');
