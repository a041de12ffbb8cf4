import { z } from 'zod';
import { randomUUID } from 'node:crypto';
import {
  translateChunk,
  SERVICE_LIMITS,
  PATHS,
  STREAM_END,
  tokenMeanings,
  TOKENS_LENGTH,
  translateRequest,
  type TranslateChunk,
  type TranslateReply,
  type TranslateRequest,
} from '../../src/api/contract.ts';
import { checkLength, validate, type BodyLimit } from '../body.ts';
import { EVENT_STREAM, eventOf, primed, streamReply } from '../respond.ts';
import type { TranslationPiece } from '../engine.ts';
import { parseJson } from '../json.ts';
import type { TokenMeanings } from '../../src/text/protect/meanings.ts';
import { ContractError, invalidParameter, invalidRequest } from '../errors.ts';
import {
  translateFields,
  answerLibre,
  readLibreFields,
  type LibreFields,
} from './libretranslate.ts';
import { overLegs, type WholeTranslation } from '../translation/over-legs.ts';
import { readLanguage } from '../language.ts';
import type { Route } from '../route.ts';
import { detectLanguage } from '../../src/text/language/detect.ts';

/** Largest body: every field at its limit with four bytes a character, and the JSON around them. */
const BODY_LIMIT: BodyLimit = {
  bytes:
    4 *
      (SERVICE_LIMITS.translateTextCodePoints + SERVICE_LIMITS.contextCodePoints + TOKENS_LENGTH) +
    SERVICE_LIMITS.keywords * SERVICE_LIMITS.keywordBytes +
    32 * 1024,
  named: 'ErrTextTooLong',
};

const checkLimits = ({ text, keywords = [], context = '' }: TranslateRequest): void => {
  checkLength('text', text, SERVICE_LIMITS.translateTextCodePoints);
  checkLength('context', context, SERVICE_LIMITS.contextCodePoints);
  if (keywords.length > SERVICE_LIMITS.keywords)
    throw invalidParameter(`keywords: more than ${SERVICE_LIMITS.keywords}`);
  if (keywords.some((term) => Buffer.byteLength(term) > SERVICE_LIMITS.keywordBytes))
    throw invalidParameter(`keywords: one is over ${SERVICE_LIMITS.keywordBytes} bytes`);
};

const readRequest = ({ keywords, ...fields }: LibreFields): TranslateRequest => {
  const input = validate(translateRequest, {
    ...fields,
    keywords: keywords === undefined ? undefined : [keywords].flat(),
  });
  checkLimits(input);
  return input;
};

const invalidTokens = (): ContractError =>
  invalidParameter('tokens: not an object of meanings in JSON');

const readTokens = (field: string): TokenMeanings => {
  const meanings = tokenMeanings.safeParse(parseJson(field, invalidTokens)).data;
  if (!meanings) throw invalidTokens();
  return new Map(Object.entries(meanings).map(([number, meaning]) => [Number(number), meaning]));
};

const newId = (): string => `trans_${randomUUID().replaceAll('-', '')}`;

const replyTo = (
  input: TranslateRequest,
  { content, model, usage }: WholeTranslation,
): TranslateReply => ({
  id: newId(),
  object: 'translation.completion',
  created: Math.floor(Date.now() / 1000),
  model,
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  transcription: input.text,
  source_lang: input.source_lang,
  target_lang: input.target_lang,
  usage,
});

/**
 * Yields the events of section 6. The first waits for the engine, because an error before it can
 * still have a status.
 *
 * @param before names of the models before the last
 */
async function* events(
  input: TranslateRequest,
  engine: AsyncGenerator<TranslationPiece>,
  before: string,
): AsyncGenerator<Uint8Array> {
  // Closed with this generator, even before its first piece was taken: it holds a permit.
  await using pieces = await primed(engine);
  const id = newId();
  const event = (chunk: Partial<TranslateChunk>, content: string): Uint8Array =>
    eventOf({
      id,
      object: 'translation.completion.chunk',
      choices: [{ delta: { content }, index: 0 }],
      ...chunk,
    });
  yield event(
    { transcription: input.text, source_lang: input.source_lang, target_lang: input.target_lang },
    '',
  );
  let isFirst = true;
  for await (const { text, usage, model } of pieces) {
    const named = isFirst ? { model: `${before}${model}` } : {};
    yield event({ ...named, ...(usage ? { usage } : {}) }, text);
    isFirst = false;
  }
  yield Buffer.from(`data: ${STREAM_END}\n\n`);
}

/** The language of a text, which `auto` leaves to us. Throws a 400 where it is unknown or uncertain. */
const readSource = ({ source_lang, text }: TranslateRequest): string => {
  if (source_lang.toLowerCase() !== 'auto') return readLanguage('source_lang', source_lang);
  const found = detectLanguage(text)?.language;
  if (found === undefined)
    throw invalidParameter('source_lang: the language of this text is not certain; name it');
  return found;
};

/** Route of contract section 4.4. */
export const translate: Route = {
  method: 'POST',
  path: PATHS.translate,
  summary: 'Translation of a text, also in the form of LibreTranslate (`q`, `source`, `target`).',
  body: {
    'multipart/form-data': z.union([translateRequest, translateFields]),
    'application/json': translateFields,
    'application/x-www-form-urlencoded': translateFields,
  },
  reply: { 'application/json': undefined, 'text/event-stream': translateChunk },
  access: 'translation',
  stage: 'translation',
  timeoutMs: 180_000,
  handle: async (context) => {
    const { request, signal } = context;
    const isForm = /^multipart\/form-data\b/iu.test(request.headers.get('content-type') ?? '');
    const fields = await readLibreFields(request, signal, BODY_LIMIT);
    if ('q' in fields && !(isForm && 'text' in fields)) return answerLibre(fields, context);
    if (!isForm) throw invalidRequest('The request body must be multipart/form-data.');
    const input = readRequest(fields);
    const asked = {
      text: input.text,
      tokens: readTokens(input.tokens ?? '{}'),
      from: readSource(input),
      to: readLanguage('target_lang', input.target_lang),
      keywords: input.keywords ?? [],
      context: input.context ?? '',
      model: input.model,
      formality: input.formality,
    };
    const translation = await overLegs(asked, context);
    if (input.stream !== 'true') return Response.json(replyTo(input, await translation.whole()));
    const pieces = await translation.stream();
    const body = await primed(events(input, pieces, translation.before));
    return streamReply(body, EVENT_STREAM, context);
  },
};
