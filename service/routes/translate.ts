import { randomUUID } from 'node:crypto';
import {
  LIMITS,
  PATHS,
  STREAM_END,
  translateRequest,
  type TranslateChunk,
  type TranslateReply,
  type TranslateRequest,
  type Usage,
} from '../../src/api/contract.ts';
import { readBytes, validate, type BodyLimit } from '../body.ts';
import type { TranslationPiece } from '../engine.ts';
import { ServiceError } from '../errors.ts';
import { translateKeeping } from '../keywords.ts';
import { readLanguage } from '../language.ts';
import { holding, primed, streamReply } from '../respond.ts';
import type { Route } from '../route.ts';
import { countCodePoints } from '../../src/text/unicode.ts';

/** Every field at its limit, four bytes a character, and the form around them. */
const BODY_LIMIT: BodyLimit = {
  bytes:
    4 * (LIMITS.translateTextCodePoints + LIMITS.contextCodePoints) +
    LIMITS.keywords * LIMITS.keywordBytes +
    32 * 1024,
  named: 'ErrTextTooLong',
};

/** For engines that do not count. */
const NO_USAGE: Usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

const readForm = async (request: Request, signal: AbortSignal): Promise<FormData> => {
  const type = request.headers.get('content-type') ?? '';
  if (!/^multipart\/form-data\b/i.test(type))
    throw new ServiceError('ErrInvalidRequest', 'The request body must be multipart/form-data.');
  const bytes = await readBytes(request, BODY_LIMIT, signal);
  try {
    return await new Response(bytes as Uint8Array<ArrayBuffer>, {
      headers: { 'content-type': type },
    }).formData();
  } catch {
    throw new ServiceError('ErrInvalidRequest', 'The request body is not a whole form.');
  }
};

const checkLimits = ({ text, keywords = [], context = '' }: TranslateRequest): void => {
  if (countCodePoints(text) > LIMITS.translateTextCodePoints)
    throw new ServiceError(
      'ErrTextTooLong',
      `text is over ${LIMITS.translateTextCodePoints} code points.`,
    );
  if (countCodePoints(context) > LIMITS.contextCodePoints)
    throw new ServiceError(
      'ErrTextTooLong',
      `context is over ${LIMITS.contextCodePoints} code points.`,
    );
  if (keywords.length > LIMITS.keywords)
    throw new ServiceError('ErrInvalidParameter', `keywords: more than ${LIMITS.keywords}`);
  if (keywords.some((term) => Buffer.byteLength(term) > LIMITS.keywordBytes))
    throw new ServiceError(
      'ErrInvalidParameter',
      `keywords: one is over ${LIMITS.keywordBytes} bytes`,
    );
};

const readRequest = async (request: Request, signal: AbortSignal): Promise<TranslateRequest> => {
  const form = await readForm(request, signal);
  const one = (name: string): unknown => form.get(name) ?? undefined;
  const wish = validate(translateRequest, {
    text: one('text'),
    source_lang: one('source_lang'),
    target_lang: one('target_lang'),
    stream: one('stream'),
    keywords: form.has('keywords') ? form.getAll('keywords') : undefined,
    context: one('context'),
    model: one('model'),
  });
  checkLimits(wish);
  return wish;
};

const newId = (): string => `trans_${randomUUID().replaceAll('-', '')}`;

const wholeReply = async (
  wish: TranslateRequest,
  pieces: AsyncIterable<TranslationPiece>,
): Promise<TranslateReply> => {
  let content = '';
  let model = '';
  let usage = NO_USAGE;
  for await (const piece of pieces) {
    content += piece.text;
    ({ model } = piece);
    usage = piece.usage ?? usage;
  }
  return {
    id: newId(),
    object: 'translation.completion',
    created: Math.floor(Date.now() / 1000),
    model,
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    transcription: wish.text,
    source_lang: wish.source_lang,
    target_lang: wish.target_lang,
    usage,
  };
};

/** Section 6. Nothing is sent before the engine has begun: until then an error has a status. */
async function* events(
  wish: TranslateRequest,
  engine: AsyncGenerator<TranslationPiece>,
): AsyncGenerator<Uint8Array> {
  // Ended with this, even before its first piece was taken: it holds a permit.
  await using pieces = await primed(engine);
  const id = newId();
  const event = (chunk: Partial<TranslateChunk>, content: string): Uint8Array =>
    Buffer.from(
      `data: ${JSON.stringify({
        id,
        object: 'translation.completion.chunk',
        choices: [{ delta: { content }, index: 0 }],
        ...chunk,
      })}\n\n`,
    );
  yield event(
    { transcription: wish.text, source_lang: wish.source_lang, target_lang: wish.target_lang },
    '',
  );
  for await (const { text, usage } of pieces) yield event(usage ? { usage } : {}, text);
  yield Buffer.from(`data: ${STREAM_END}\n\n`);
}

/** Contract section 4.4. */
export const translate: Route = {
  method: 'POST',
  path: PATHS.translate,
  stage: 'translation',
  timeoutMs: 180_000,
  handle: async ({ request, engines, log, signal, cutOff }) => {
    const wish = await readRequest(request, signal);
    const from = readLanguage('source_lang', wish.source_lang);
    const to = readLanguage('target_lang', wish.target_lang);
    const offers = await engines.having('translation');
    const offer = offers.find(({ part }) => part.translates(from, to));
    if (!offer) throw engines.missing({ ability: 'translation', from, to });
    const permit = await offer.limiter.acquire(signal);
    const pieces = holding(
      permit,
      translateKeeping(
        offer.part,
        {
          text: wish.text,
          from,
          to,
          keywords: wish.keywords ?? [],
          context: wish.context ?? '',
          model: wish.model,
        },
        signal,
      ),
    );
    if (wish.stream === 'true')
      return streamReply(
        await primed(events(wish, pieces)),
        { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' },
        { log, signal, cutOff },
      );
    return Response.json(await wholeReply(wish, pieces));
  },
};
