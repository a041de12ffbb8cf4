import { completion, completionChunk, type TokenUsage } from '../../../src/api/contract.ts';
import { AppError } from '../../../src/errors.ts';
import { readEvents } from '../../../src/http/event-stream.ts';
import type { TranslationEngine, TranslationPiece } from '../../engine.ts';
import { parseJson } from '../../json.ts';
import { readAll, type Body, type Upstream } from './http.ts';
import type { Models } from './models.ts';
import { translationTurns } from './prompt.ts';

const notChat = (): AppError =>
  new AppError('bad-reply', 'The backend did not answer with a chat completion.');

const brokenOff = (cause: unknown): AppError =>
  new AppError('unavailable', 'The backend broke off.', { cause, retryable: true });

/** Reads a whole reply: some servers send one although a stream was requested. */
const readWhole = async (body: Body, asked: string): Promise<TranslationPiece> => {
  const parsed = completion.safeParse(parseJson((await readAll(body)).toString('utf8'), notChat));
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
    const { mediaType, body, failedWithin } = await upstream.send(
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
    if (!mediaType.includes('event-stream')) {
      yield await readWhole(body, asked);
      return;
    }
    let reported = asked;
    let empty = true;
    let usage: TokenUsage | undefined;
    for await (const data of readEvents(body, brokenOff)) {
      const event = parseJson(data, notChat) as { error?: unknown };
      if (event.error) throw failedWithin(event.error);
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
