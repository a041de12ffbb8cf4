import type { Json } from './json.ts';

/** An answer of the Web API that is no success: `{ok: false, error, …}`. */
export class SlackFault extends Error {
  readonly error: string;
  readonly body: Json;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    error: string,
    body: Json = {},
    status = 200,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(error);
    this.error = error;
    this.body = body;
    this.status = status;
    this.headers = headers;
  }
}

/** 429 with `Retry-After` (docs.slack.dev, "Rate limits"). */
export const rateLimited = (waitS: number): SlackFault =>
  new SlackFault('ratelimited', {}, 429, { 'retry-after': String(waitS) });

/** `invalid_blocks` and `invalid_arguments`, with Slack's list of what is wrong. */
export const invalid = (error: string, messages: readonly string[]): SlackFault =>
  new SlackFault(error, {
    errors: messages,
    response_metadata: { messages: messages.map((each) => `[ERROR] ${each}`) },
  });
