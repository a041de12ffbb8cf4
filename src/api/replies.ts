/**
 * The parts of the service's replies that are used. Deployments leave out, rename and add fields:
 * only what is used is demanded, and everything else may be missing, null or of another kind. The
 * whole shapes are in `contract.ts`.
 */
import { z } from 'zod';
import { AppError } from '../errors.ts';
import type { Attempt } from './caller.ts';
import { readEvents } from '../http/event-stream.ts';
import { completion, completionChunk, timedWords } from './contract.ts';
import {
  expectMediaType,
  networkError,
  parseReply,
  readJsonReply,
  type HttpReply,
} from './transport.ts';

const words = z.string().catch('');

const listedModel = z.object({ id: z.string() });

/**
 * Ids of the models in the reply of `GET /openai/v1/models` of that public API; entries without one
 * are left out, unless no other is there.
 */
export const modelIds = z
  .object({ data: z.array(z.unknown()) })
  .transform(({ data }, { issues }) => {
    const ids = data.flatMap((entry) => listedModel.safeParse(entry).data?.id ?? []);
    if (ids.length === 0 && data.length > 0)
      issues.push({ code: 'custom', message: 'no entry has an id', input: data });
    return ids;
  });

// Recognition (contract sections 2.4, 2.5)

const share = z.number().min(0).max(1).optional().catch(undefined);

const recognised = {
  language: words,
  confidence: share,
  confidence_known: z.boolean().optional().catch(undefined),
  no_speech_prob: share,
};

/** Reads what a reply says of its certainty: shares from 0 to 1, undefined where they are not known. */
const withCertainty = <Reply extends z.infer<z.ZodObject<typeof recognised>>>({
  confidence,
  confidence_known: isKnown,
  no_speech_prob: noSpeech,
  ...reply
}: Reply): Omit<Reply, 'confidence' | 'confidence_known' | 'no_speech_prob'> & {
  readonly confidence: number | undefined;
  readonly noSpeech?: number | undefined;
} => ({
  ...reply,
  confidence: isKnown === false ? undefined : confidence,
  ...(noSpeech === undefined ? {} : { noSpeech }),
});

export const recognisedText = z
  .object({ text: z.string(), words: timedWords, ...recognised })
  .transform(withCertainty);
export type PlainTranscript = z.infer<typeof recognisedText>;

export const recognisedSegments = z
  .object({
    segments: z.array(
      z.object({
        start: z.number(),
        end: z.number(),
        text: z.string(),
        words: timedWords,
        speaker: z.int().positive().optional().catch(undefined),
      }),
    ),
    ...recognised,
  })
  .transform(withCertainty);
export type SegmentedTranscript = z.infer<typeof recognisedSegments>;

// Voices (contract sections 2.1, 4.3)

export const usableVoice = z.object({
  id: z.string(),
  description: words,
  /** Free text: `Japanese`, `Japanese and English`, or codes. */
  language: words,
  gender: words,
  /** Formats of the contract and others that a deployment may add. */
  formats: z.array(z.string()),
  sample_rates: z.array(z.int()).catch([]),
  streaming: z.boolean().catch(false),
});

/**
 * Reply with the voices, or the bare array; the entries are checked one by one, so that an invalid
 * one does not invalidate the others.
 */
export const voiceList = z.union([
  z.object({ voices: z.array(z.unknown()) }),
  z.array(z.unknown()).transform((voices) => ({ voices })),
]);

/** The longest text: a hundred times the longest text of a request. */
const LONGEST_TEXT_CHARS = 1_048_576;

/** Takes what a reply tells beside its words. */
export interface ReplyNotes {
  readonly used: Attempt['used'];
  /** Takes the reason for which a reply ended; undefined where the service names none. */
  readonly ended?: (reason: string | undefined) => void;
  /** Takes the name of the model, once, where the reply says it. */
  readonly onModel?: (model: string) => void;
}

/**
 * Joins the pieces of a streamed reply: yields the whole text so far and returns it. A reply in one
 * piece, as some servers send nevertheless, is a single state.
 */
export const growingText = async function* (
  reply: HttpReply,
  { used, ended, onModel }: ReplyNotes,
): AsyncGenerator<string, string, void> {
  if (expectMediaType(reply, /^text\/event-stream$|json$/) !== 'text/event-stream') {
    const { choices, usage, model } = await readJsonReply(reply, completion);
    used(usage ?? {});
    if (model !== '') onModel?.(model);
    const [choice] = choices;
    const whole = choice?.message.content ?? '';
    if (whole !== '') yield whole;
    ended?.(choice?.finish_reason ?? 'stop');
    return whole;
  }
  let text = '';
  let isNamed = false;
  let reason: string | undefined;
  let counted: Parameters<Attempt['used']>[0] = {};
  try {
    for await (const data of readEvents(reply.body, networkError)) {
      const { choices, usage, model } = parseReply(completionChunk, data, reply.sent);
      if (!isNamed && model !== '') {
        isNamed = true;
        onModel?.(model);
      }
      // Some servers send the sum so far with every chunk.
      counted = usage ?? counted;
      reason = choices?.[0]?.finish_reason ?? reason;
      const delta = choices?.[0]?.delta?.content;
      if (!delta) continue;
      text += delta;
      if (text.length > LONGEST_TEXT_CHARS)
        throw new AppError('bad-reply', 'the reply is too long');
      yield text;
    }
    ended?.(reason);
    return text;
  } finally {
    used(counted);
  }
};
