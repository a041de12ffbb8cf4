import { DiscordAPIError, HTTPError, RateLimitError, RESTJSONErrorCodes } from 'discord.js';
import { AppError, toAppError, type AppErrorOptions, type ErrorCode } from '../../src/errors.ts';

/** A refusal by Discord, with its JSON error code, if any (reference, "JSON Error Codes"). */
export class DiscordError extends AppError {
  readonly discordCode: number | undefined;
  readonly status: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: AppErrorOptions & {
      readonly discordCode?: number | undefined;
      readonly status?: number;
    } = {},
  ) {
    super(code, message, options);
    this.discordCode = options.discordCode;
    this.status = options.status;
  }
}

/** An answer that came from something between here and Discord. */
export class NotDiscordError extends Error {
  override readonly name = 'NotDiscordError';
}

/**
 * Wait after Discord refused an edit of a message older than an hour; the length of that limit is
 * undocumented.
 */
const OLD_EDITS_WAIT_MS = 60_000;

const KINDS: Readonly<Record<number, ErrorCode>> = {
  [RESTJSONErrorCodes.UnknownChannel]: 'not-found',
  [RESTJSONErrorCodes.UnknownGuild]: 'not-found',
  [RESTJSONErrorCodes.UnknownMessage]: 'not-found',
  [RESTJSONErrorCodes.UnknownWebhook]: 'not-found',
  [RESTJSONErrorCodes.UnknownUser]: 'not-found',
  [RESTJSONErrorCodes.UnknownInteraction]: 'not-found',
  [RESTJSONErrorCodes.InvalidWebhookToken]: 'not-found',
  [RESTJSONErrorCodes.MissingAccess]: 'forbidden',
  [RESTJSONErrorCodes.MissingPermissions]: 'forbidden',
  [RESTJSONErrorCodes.CannotSendMessagesToThisUser]: 'forbidden',
  [RESTJSONErrorCodes.InvalidActionOnArchivedThread]: 'forbidden',
  [RESTJSONErrorCodes.ThreadLocked]: 'forbidden',
  [RESTJSONErrorCodes.CannotReplyWithoutPermissionToReadMessageHistory]: 'forbidden',
  // The author of the message has blocked the bot: nothing else in the channel is refused.
  [RESTJSONErrorCodes.ReactionWasBlocked]: 'bad-input',
  [RESTJSONErrorCodes.MaximumNumberOfEditsToMessagesOlderThanOneHourReached]: 'rate-limited',
  [RESTJSONErrorCodes.MaximumActiveThreads]: 'unavailable',
  [RESTJSONErrorCodes.RequestEntityTooLarge]: 'too-large',
};

const kindOf = (status: number, discordCode: number | undefined): ErrorCode => {
  const known = KINDS[discordCode ?? 0];
  if (known) return known;
  // A token that was valid at the start: the work waits until there is a new one.
  if (status === 401) return 'unavailable';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'not-found';
  if (status === 413) return 'too-large';
  return status === 429 ? 'rate-limited' : 'bad-input';
};

const namesReference = (errors: unknown): boolean =>
  typeof errors === 'object' && errors !== null && 'message_reference' in errors;

const refusal = (thrown: DiscordAPIError, what: string): DiscordError => {
  const discordCode = typeof thrown.code === 'number' ? thrown.code : undefined;
  // The message that is replied to does not exist any more.
  const lostReference = 'errors' in thrown.rawError && namesReference(thrown.rawError.errors);
  const code = lostReference ? 'not-found' : kindOf(thrown.status, discordCode);
  const reason = 'message' in thrown.rawError ? thrown.rawError.message : thrown.rawError.error;
  return new DiscordError(code, `Discord refused ${what}: ${thrown.status} ${reason}`, {
    discordCode,
    status: thrown.status,
    ...(thrown.status === 401 && code === 'unavailable' ? { retryable: true } : {}),
    ...(code === 'rate-limited' ? { retryable: true, retryAfterMs: OLD_EDITS_WAIT_MS } : {}),
  });
};

/** The error for what passes by itself, so that another try may succeed. */
const passing = (code: ErrorCode, message: string): DiscordError =>
  new DiscordError(code, message, { retryable: true });

/**
 * Converts any error of a request to Discord to an `AppError`. Drops the original error: it
 * contains the request, and so text and tokens.
 *
 * @param what the request without tokens, e.g. `POST /channels/1/messages`
 */
export const fromDiscord = (thrown: unknown, what: string, signal?: AbortSignal): AppError => {
  if (thrown instanceof AppError) return thrown;
  if (signal?.aborted) return new AppError('cancelled', `${what} was cancelled`);
  if (thrown instanceof DiscordAPIError) return refusal(thrown, what);
  if (thrown instanceof HTTPError)
    return passing('unavailable', `Discord answered ${thrown.status} to ${what}`);
  if (thrown instanceof NotDiscordError)
    return passing('unavailable', `something other than Discord answered ${what}: check the proxy`);
  if (thrown instanceof RateLimitError)
    return new DiscordError('rate-limited', `Discord takes no ${what} for now`, {
      retryable: true,
      retryAfterMs: thrown.retryAfter,
    });
  // A request made while the library drops a token that was just refused.
  if (thrown instanceof Error && thrown.message.startsWith('Expected token to be set'))
    return passing('unavailable', `there is no token for ${what}`);
  const name = thrown instanceof Error ? thrown.name : typeof thrown;
  if (name === 'AbortError' || name === 'TimeoutError')
    return passing('timeout', `Discord took too long for ${what}`);
  const reason = (thrown as { readonly code?: unknown } | null)?.code;
  // Only network errors have a code; anything else is a bug here.
  if (typeof reason !== 'string' || reason.includes('INVALID')) return toAppError(thrown);
  return passing('unavailable', `Discord was not reached for ${what}: ${reason}`);
};

/** True when Discord refused with one of these codes. */
export const isRefusal = (thrown: unknown, ...codes: readonly number[]): boolean =>
  thrown instanceof DiscordError &&
  thrown.discordCode !== undefined &&
  codes.includes(thrown.discordCode);

/**
 * True when Discord refused the bot's token; refused tokens of webhooks and interactions have a
 * code.
 */
export const isTokenRefused = (thrown: unknown): boolean =>
  thrown instanceof DiscordError && thrown.status === 401 && !thrown.discordCode;

/** True when the message, its channel or the webhook that wrote it does not exist any more. */
export const isGone = (thrown: unknown): boolean =>
  isRefusal(
    thrown,
    RESTJSONErrorCodes.UnknownMessage,
    RESTJSONErrorCodes.UnknownChannel,
    RESTJSONErrorCodes.UnknownWebhook,
  );
