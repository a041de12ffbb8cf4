import { completion, completionChunk, type TokenUsage } from '../../../src/api/contract.ts';
import { AppError } from '../../../src/errors.ts';
import { readEvents } from '../../../src/http/event-stream.ts';
import type { TranslationEngine, TranslationPiece } from '../../engine.ts';
import { parseJson } from '../../json.ts';
import { readAll, type Upstream, type UpstreamReply } from './http.ts';
import type { Models } from './models.ts';
import { translationTurns } from './prompt.ts';

const notChat = (): AppError =>
  new AppError('bad-reply', 'The backend did not answer with a chat completion.');

const brokenOff = (cause: unknown): AppError =>
  new AppError('unavailable', 'The backend broke off.', { cause, retryable: true });

/** The error that stands in place of a reply, or of a part of it. */
const errorIn = (value: unknown): unknown => (Object(value) as { error?: unknown }).error;

/** Reads a whole reply: some servers send one although a stream was requested. */
const readWhole = async (
  { body, failedWithin }: UpstreamReply,
  asked: string,
): Promise<TranslationPiece> => {
  const reply = parseJson((await readAll(body)).toString('utf8'), notChat);
  const error = errorIn(reply);
  if (error) throw failedWithin(error);
  const parsed = completion.safeParse(reply);
  const text = parsed.data?.choices[0]?.message.content;
  if (!parsed.success || typeof text !== 'string') throw notChat();
  return {
    text,
    model: parsed.data.model || asked,
    ...(parsed.data.usage ? { usage: parsed.data.usage } : {}),
  };
};

export const createTranslation = (
  upstream: Upstream,
  model: string,
  models: Models,
): TranslationEngine => ({
  translates: (_from, to) => to.toLowerCase() !== 'en-xa',
  keepsKeywords: true,
  translate: async function* (request, signal) {
    const asked = request.model && models.listed.has(request.model) ? request.model : model;
    const reply = await upstream.send(
      '/chat/completions',
      {
        model: asked,
        messages: translationTurns(request),
        temperature: 0,
        stream: true,
        stream_options: { include_usage: true },
      },
      signal,
    );
    if (!reply.mediaType.includes('event-stream')) {
      yield await readWhole(reply, asked);
      return;
    }
    let reported = asked;
    let empty = true;
    let usage: TokenUsage | undefined;
    for await (const data of readEvents(reply.body, brokenOff)) {
      const event = parseJson(data, notChat);
      const error = errorIn(event);
      if (error) throw reply.failedWithin(error);
      const parsed = completionChunk.safeParse(event);
      if (!parsed.success) throw notChat();
      reported = parsed.data.model || reported;
      const text = parsed.data.choices?.[0]?.delta?.content ?? '';
      usage = parsed.data.usage ?? usage;
      empty &&= text === '';
      if (text !== '') yield { text, model: reported };
    }
    if (empty) throw new AppError('bad-reply', 'The backend sent an empty translation.');
    if (usage) yield { text: '', model: reported, usage };
  },
});
