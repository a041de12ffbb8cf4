import { z } from 'zod';
import { isBlank } from '../../../src/text/unicode.ts';
import { readJson, type BodyLimit } from '../../body.ts';
import { engineNamesOf } from '../../engine-loader.ts';
import { ContractError } from '../../errors.ts';
import { asFull, withFailOver } from '../../fail-over.ts';
import type { Route } from '../../route.ts';
import { OPENAI_PATHS } from '../lists.ts';

const BODY_LIMIT: BodyLimit = { bytes: 2 * 1024 * 1024, named: 'ErrRequestTooLarge' };
/** Most texts of a request, as in that API. */
const MOST_TEXTS = 2_048;
/** Bytes of UTF-8 that count as a token before the engine has counted: English has about four. */
const BYTES_PER_TOKEN = 4;
/** Texts of one call of an engine, and their bytes: it is short, for others wait for their turn meanwhile. */
const MOST_OF_CALL = { texts: 64, bytes: 8 * 1024 };

const text = z.string().refine((one) => !isBlank(one), { error: 'is blank' });

const embeddingsRequest = z.object({
  model: z.string().optional(),
  input: z
    .union([text, z.array(text).min(1).max(MOST_TEXTS)], {
      error: `send texts, at most ${MOST_TEXTS}: numbers are tokens of another vocabulary, which no model here can read`,
    })
    .transform((input) => [input].flat()),
  encoding_format: z.enum(['float', 'base64']).default('float'),
  dimensions: z
    .never({ error: 'not supported here: a vector is as long as the model makes it' })
    .optional(),
});

/** A vector as 32-bit numbers, the least byte first as in memory. */
const inBase64 = (vector: readonly number[]): string =>
  Buffer.from(Float32Array.from(vector).buffer).toString('base64');

const byteLengthOf = (texts: readonly string[]): number =>
  texts.reduce((sum, one) => sum + Buffer.byteLength(one), 0);

/** The texts of each call. */
const callsOf = (texts: readonly string[]): readonly (readonly string[])[] => {
  const calls: string[][] = [];
  for (const one of texts) {
    const last = calls.at(-1);
    const isFull =
      !last ||
      last.length === MOST_OF_CALL.texts ||
      byteLengthOf([...last, one]) > MOST_OF_CALL.bytes;
    if (isFull) calls.push([one]);
    else last.push(one);
  }
  return calls;
};

const noVectors = (): ContractError =>
  new ContractError('ErrServiceNotRegistered', 'No engine here makes vectors of texts.');

/** Route of vectors of texts in the shape of the OpenAI API, over the engines of chat. */
export const embeddings: Route = {
  method: 'POST',
  path: OPENAI_PATHS.embeddings,
  summary: 'Vectors of texts, in the form of the OpenAI API.',
  body: { 'application/json': embeddingsRequest },
  reply: { 'application/json': undefined },
  access: 'chat',
  stage: 'llm',
  timeoutMs: 120_000,
  handle: async (context) => {
    const { engines, account, log, signal } = context;
    const asked = await readJson(embeddingsRequest, context, BODY_LIMIT);
    const { model: wished, input: texts, encoding_format: form } = asked;
    const offers = (await engines.offers('chat')).filter(({ engine }) => 'embed' in engine);
    if (offers.length === 0) throw noVectors();
    const amount = Math.ceil(byteLengthOf(texts) / BYTES_PER_TOKEN);
    account.reserve({ ability: 'chat', amount }, engineNamesOf(offers));
    const made = await withFailOver(
      offers,
      async ({ name, engine, limiter }, either) => {
        using admitted = limiter.admit(account.name);
        const own = new AbortController();
        const wanted = AbortSignal.any([either, own.signal]);
        const make = async (part: readonly string[]) => {
          using _ = await admitted.turn(wanted).catch(asFull);
          if (!engine.embed) throw noVectors();
          const vectors = await engine.embed({ texts: part, model: wished }, wanted);
          account.charge({ ability: 'chat', engine: name, amount: vectors.tokens });
          return vectors;
        };
        try {
          return await Promise.all(callsOf(texts).map(make));
        } finally {
          // What one call rejects with, ends the others.
          own.abort();
        }
      },
      { ability: 'chat', log, signal, isPatient: true },
    );
    const tokens = made.reduce((sum, part) => sum + part.tokens, 0);
    return Response.json({
      object: 'list',
      model: made[0]?.model,
      data: made
        .flatMap(({ vectors }) => vectors)
        .map((vector, index) => ({
          object: 'embedding',
          index,
          embedding: form === 'base64' ? inBase64(vector) : vector,
        })),
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    });
  },
};
