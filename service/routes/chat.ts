import { PATHS } from '../../src/api/contract.ts';
import { readChunks, type BodyLimit } from '../body.ts';
import { metered, holding, primed, streamReply } from '../respond.ts';
import { type ChatBody, chatBody, readChatBody, messageWords } from '../chat-body.ts';
import { engineNamesOf } from '../engine-loader.ts';
import { ContractError } from '../errors.ts';
import { asFull, watched, withFailOver } from '../fail-over.ts';
import type { Route, RouteContext } from '../route.ts';
import type { UploadLimiter } from '../uploads.ts';
import { createParser } from 'eventsource-parser';
import { z } from 'zod';

/** Bytes of UTF-8 that count as one token where the back end does not count: English has about four. */
const BYTES_PER_TOKEN = 4;
/** Most bytes of a reply, or of one event of a stream, that are read for its counts. */
const MOST_READ_BYTES = 256 * 1_024;
/** Bytes at the end of a longer one in which the back end's count is looked for. */
const TAIL_BYTES = 4 * 1_024;
/** The count as it stands in a reply; in a text of it the quotes would be escaped. */
const COUNT = /"total_tokens"\s*:\s*(\d{1,9})\b/g;

/** The parts of a chat's reply, or of a chunk of it, that are read. */
const chatPart = z.looseObject({
  usage: z
    .looseObject({ total_tokens: z.number().positive().max(1e9) })
    .nullish()
    .catch(undefined),
  choices: z
    .array(z.looseObject({ delta: z.unknown().optional(), message: z.unknown().optional() }))
    .nullish()
    .catch(undefined),
});

/** Counts the tokens of a chat's reply while that passes. */
type ChatUsage = ReturnType<typeof createChatUsage>;

/**
 * Creates the count of one reply.
 *
 * @param questionBytes bytes of the question's words, to guess
 */
export const createChatUsage = (mediaType: string, questionBytes: number) => {
  let counted: number | undefined;
  let answerBytes = 0;
  /** True for what is too long to read. */
  let isUnread = false;
  let tail: Buffer = Buffer.alloc(0);
  /** Bytes since the last whole event. */
  let pendingBytes = 0;
  let chunkBytes = 0;

  const read = (json: string): void => {
    try {
      const { usage, choices } = chatPart.parse(JSON.parse(json));
      counted = usage?.total_tokens ?? counted;
      for (const { delta, message } of choices ?? [])
        // Some back ends give the reasoning twice, under two names.
        for (const words of new Set(messageWords(delta ?? message)))
          answerBytes += Buffer.byteLength(words);
    } catch {
      // Whatever a back end sends is passed on.
    }
  };

  const decoder = new TextDecoder();
  const events = createParser({
    maxBufferSize: MOST_READ_BYTES,
    onEvent: ({ data }) => {
      read(data);
      pendingBytes = chunkBytes;
    },
    onError: ({ type }) => {
      if (type !== 'max-buffer-size-exceeded') return;
      isUnread = true;
      answerBytes += pendingBytes;
    },
  });
  const isStream = mediaType.includes('event-stream');
  // A whole reply is read as one event, whose lines are one.
  if (!isStream) events.feed('data: ');

  return {
    push: (bytes: Uint8Array): void => {
      tail = Buffer.concat([tail, bytes.subarray(-TAIL_BYTES)]).subarray(-TAIL_BYTES);
      // The parser throws once an event was too long for it.
      if (isUnread) {
        answerBytes += bytes.length;
        return;
      }
      chunkBytes = bytes.length;
      pendingBytes += chunkBytes;
      const text = decoder.decode(bytes, { stream: true });
      events.feed(isStream ? text : text.replaceAll(/[\r\n]/g, ' '));
    },
    /** Tokens of question and answer: as the back end counted them, otherwise a guess. */
    tokens: (): number => {
      if (isUnread)
        counted = Number([...tail.toString('utf8').matchAll(COUNT)].at(-1)?.[1]) || counted;
      else if (!isStream) events.feed('\n\n');
      return counted ?? Math.ceil((questionBytes + answerBytes) / BYTES_PER_TOKEN);
    },
  };
};

/** Largest body: a long conversation with some 6 MB of pictures. */
const BODY_LIMIT: BodyLimit = { bytes: 8 * 1024 * 1024, named: 'ErrRequestTooLarge' };

/** Bytes of a question from which a reply without a byte means that it is too long for the model. */
const LONG_BYTES = 1_000;

const noAnswer = (questionBytes: number): ContractError =>
  questionBytes < LONG_BYTES
    ? new ContractError('ErrBackendFailed', 'The backend sent an empty reply.')
    : new ContractError('ErrTextTooLong', 'The conversation is too long for the model.');

/** A reply of the engine as it comes; it is to be read or ended. */
export interface ChatReply {
  readonly mediaType: string;
  readonly body: AsyncGenerator<Uint8Array>;
}

/** Asks the first engine that answers; the key pays for it. Rejects with the contract's errors. */
export const completeChat = async (
  input: ChatBody,
  { engines, account, log, signal }: Pick<RouteContext, 'engines' | 'account' | 'log' | 'signal'>,
): Promise<ChatReply> => {
  const offers = await engines.offers('chat');
  if (offers.length === 0) throw engines.missing({ ability: 'chat' });
  if (account.isMetered) {
    const amount = Math.ceil(input.wordBytes() / BYTES_PER_TOKEN) + input.mostTokens;
    account.reserve({ ability: 'chat', amount }, engineNamesOf(offers));
  }
  let mediaType = 'application/json';
  const body = await withFailOver(
    offers,
    async (offer, either) => {
      const permit = await offer.limiter.acquire(either, account.name).catch(asFull);
      let usage: ChatUsage | undefined;
      const answer = (async function* () {
        const answered = await offer.engine.complete(input, either);
        ({ mediaType } = answered);
        void answered.written?.then(() => permit[Symbol.dispose]());
        if (account.isMetered) usage = createChatUsage(mediaType, input.wordBytes());
        let isEmpty = true;
        for await (const bytes of answered.body) {
          isEmpty = false;
          usage?.push(bytes);
          yield bytes;
        }
        if (isEmpty) throw noAnswer(input.wordBytes());
      })();
      const charge = (): void =>
        account.charge({ ability: 'chat', engine: offer.name, amount: usage?.tokens() ?? 0 });
      return primed(holding(permit, metered(watched(offer, answer, signal), charge, signal)));
    },
    { ability: 'chat', log, signal },
  );
  return { mediaType, body };
};

/** Creates the route of contract section 4.1: OpenAI-compatible, forwarded unchanged. */
export const createChatRoute = (uploads: UploadLimiter): Route => ({
  method: 'POST',
  path: PATHS.chat,
  summary: 'Chat completions of the OpenAI API.',
  body: { 'application/json': chatBody },
  reply: { 'application/json': undefined, 'text/event-stream': undefined },
  access: 'chat',
  stage: 'llm',
  timeoutMs: 600_000,
  handle: async (context) => {
    const { request, account, signal } = context;
    using upload = uploads.open(account.name);
    const input = await upload.receive(readChunks(request, BODY_LIMIT, signal), readChatBody);
    const { mediaType, body } = await completeChat(input, context);
    const headers = { 'content-type': mediaType, 'cache-control': 'no-cache' };
    return streamReply(body, headers, context);
  },
});
