import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { isBlank } from '../../../src/text/unicode.ts';
import { readJson, type BodyLimit } from '../../body.ts';
import type { TextVector } from '../../engine.ts';
import { engineNamesOf, type Offer } from '../../engine-loader.ts';
import { ContractError } from '../../errors.ts';
import { asFull, watched, withFailOver } from '../../fail-over.ts';
import type { AdmittedRequest } from '../../request-limiter.ts';
import { holding, primed, streamReply } from '../../respond.ts';
import type { Route } from '../../route.ts';
import { OPENAI_PATHS } from '../lists.ts';

const BODY_LIMIT: BodyLimit = { bytes: 2 * 1024 * 1024, named: 'ErrRequestTooLarge' };
/** Most texts of a request, as in that API. */
const MOST_TEXTS = 2_048;
/** Bytes of UTF-8 that count as a token before the engine has counted: English has about four. */
const BYTES_PER_TOKEN = 4;
/** Longest time to the first vector, and from each to the next. */
const TIMEOUT_MS = 120_000;

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

/** Writes a reply as its vectors come, of which it holds one. */
async function* reply(
  vectors: AsyncIterable<TextVector>,
  form: 'float' | 'base64',
): AsyncGenerator<Uint8Array> {
  let usedModel = '';
  let tokens = 0;
  let index = 0;
  for await (const { vector, model, tokens: read } of vectors) {
    usedModel = model;
    tokens += read;
    const embedding = form === 'base64' ? inBase64(vector) : vector;
    const item = JSON.stringify({ object: 'embedding', index, embedding });
    yield Buffer.from(`${index === 0 ? '{"object":"list","data":[' : ','}${item}`);
    index += 1;
    // Others get their turn, where the next one has come already.
    await setImmediate();
  }
  const usage = JSON.stringify({ prompt_tokens: tokens, total_tokens: tokens });
  yield Buffer.from(`],"model":${JSON.stringify(usedModel)},"usage":${usage}}`);
}

const noVectors = (): ContractError =>
  new ContractError('ErrServiceNotRegistered', 'No engine here makes vectors of texts.');

/** Route of vectors of texts in the shape of the OpenAI API, over the engines of chat. */
export const embeddings: Route = {
  method: 'POST',
  path: OPENAI_PATHS.embeddings,
  summary: 'Vectors of texts, in the form of the OpenAI API.',
  body: { 'application/json': embeddingsRequest },
  access: 'chat',
  stage: 'llm',
  timeoutMs: TIMEOUT_MS,
  handle: async (context) => {
    const { engines, account, log, signal, allowMs } = context;
    const asked = await readJson(embeddingsRequest, context, BODY_LIMIT);
    const { model, input: texts, encoding_format: form } = asked;
    const offers = (await engines.offers('chat')).filter(({ engine }) => 'embed' in engine);
    if (offers.length === 0) throw noVectors();
    const amount = Math.ceil(Buffer.byteLength(texts.join('')) / BYTES_PER_TOKEN);
    account.reserve({ ability: 'chat', amount }, engineNamesOf(offers));
    async function* make(
      offer: Offer<'chat'>,
      admitted: AdmittedRequest,
      wanted: AbortSignal,
    ): AsyncGenerator<TextVector, void, void> {
      const turn = (): Promise<Disposable> => admitted.turn(wanted).catch(asFull);
      for await (const one of offer.engine.embed?.({ texts, model }, wanted, turn) ?? []) {
        account.charge({ ability: 'chat', engine: offer.name, amount: one.tokens });
        allowMs(TIMEOUT_MS);
        yield one;
      }
    }
    const made = await withFailOver(
      offers,
      async (offer, wanted) => {
        const admitted = offer.limiter.admit(account.name);
        const vectors = watched(offer, make(offer, admitted, wanted), wanted);
        return primed(holding(admitted, vectors));
      },
      { ability: 'chat', log, signal, isPatient: true },
    );
    const headers = { 'content-type': 'application/json' };
    return streamReply(reply(made, form), headers, context);
  },
};
