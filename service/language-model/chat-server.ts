import type { AppError } from '../../src/errors.ts';
import { readBytes } from '../../src/http/read-bytes.ts';

/** Most bytes of a reply that is not streamed. */
const MAX_REPLY_BYTES = 8 * 1024 * 1024;
/** Longest wait for the next bytes of a stream, whose first words come long before its last. */
export const STREAM_SILENCE_MS = 60_000;

/** A successful reply whose body is unread. */
export interface ServerReply {
  readonly mediaType: string;
  readonly body: AsyncIterable<Uint8Array>;
  /** Resolves once the model has written all, which may be long before it is read. Default: with the end of `body`. */
  readonly written?: Promise<void>;
  /** Makes an `AppError` of an error that came within the body, with what it says. */
  readonly failedWithin: (error: unknown) => AppError;
}

/** A server with the OpenAI API: one elsewhere, or a language model in a process of ours. */
export interface ChatServer {
  /**
   * Sends a request. Resolves with a successful reply; rejects with `BackendError` or `AppError`
   * for all others, and with a `timeout` after so long a silence.
   */
  send(
    path: '/chat/completions',
    body: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    silenceMs: number,
  ): Promise<ServerReply>;
}

export interface ServerModels {
  readonly listed: Pick<ReadonlySet<string>, 'has'>;
  /** Tokens of prompt and reply together, of the models of which that is known; may be learnt later. */
  readonly contextTokens: ReadonlyMap<string, number>;
  /** Names that tell a model's family, where its own may not. */
  familyOf?(model: string): string;
}

/** Reads a reply as text; throws `bad-reply` for one that is too long. */
export const readReply = async (body: AsyncIterable<Uint8Array>): Promise<string> =>
  (await readBytes(body, MAX_REPLY_BYTES, 'The backend sent too long a reply.')).toString('utf8');
