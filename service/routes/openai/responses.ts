import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { readJson, type BodyLimit } from '../../body.ts';
import { readChatBody } from '../../chat-body.ts';
import { type ChatAnswer, answersIn, NO_ANSWER, notChat } from '../../language-model/completion.ts';
import { EVENT_STREAM, eventOf, primed, streamReply } from '../../respond.ts';
import type { Route } from '../../route.ts';
import { type ChatReply, completeChat } from '../chat.ts';
import { OPENAI_PATHS } from '../lists.ts';

/** Largest body: pictures are not taken here. */
const BODY_LIMIT: BodyLimit = { bytes: 2 * 1024 * 1024, named: 'ErrRequestTooLarge' };

const part = z.object({
  type: z.enum(['input_text', 'output_text', 'text'], { error: 'only text is supported here' }),
  text: z.string(),
});
const item = z.object({
  type: z.literal('message', { error: 'only messages are supported here' }).default('message'),
  role: z.enum(['user', 'assistant', 'system', 'developer']),
  content: z.union([z.string(), z.array(part)]),
});
const none = { error: 'not supported here' };
const responsesRequest = z.object({
  model: z.string().optional(),
  input: z.union([z.string().min(1), z.array(item).min(1)]),
  instructions: z.string().optional(),
  max_output_tokens: z.number().int().positive().optional(),
  temperature: z.number().optional(),
  top_p: z.number().optional(),
  stream: z.boolean().default(false),
  text: z.object({ format: z.looseObject({ type: z.string() }).optional() }).optional(),
  previous_response_id: z.never(none).optional(),
  conversation: z.never(none).optional(),
  tools: z.array(z.never(none)).optional(),
  background: z.literal(false, none).optional(),
});
type Asked = z.infer<typeof responsesRequest>;

/** The shape of a JSON answer as the chat of that API has it. */
const formatOf = ({ text }: Asked): object => {
  const format = text?.format;
  if (!format || format.type === 'text') return {};
  const { type, ...schema } = format;
  const isSchema = type === 'json_schema';
  return { response_format: isSchema ? { type, json_schema: schema } : { type } };
};

/** The request as a chat of that API. */
const asChat = (asked: Asked): object => {
  const { model, input, instructions, max_output_tokens: most, temperature, top_p } = asked;
  const items = typeof input === 'string' ? [{ role: 'user' as const, content: input }] : input;
  const messages = items.map(({ role, content }) => ({
    role: role === 'developer' ? 'system' : role,
    content: typeof content === 'string' ? content : content.map(({ text }) => text).join(''),
  }));
  return {
    model,
    messages:
      instructions === undefined
        ? messages
        : [{ role: 'system', content: instructions }, ...messages],
    max_tokens: most,
    temperature,
    top_p,
    ...formatOf(asked),
    ...(asked.stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  };
};

const newId = (prefix: string): string => `${prefix}_${randomUUID().replaceAll('-', '')}`;

const contentOf = (text: string) => ({ type: 'output_text', text, annotations: [] });

const isCut = ({ finish }: ChatAnswer): boolean => finish === 'length';

const usageOf = ({ usage }: ChatAnswer) =>
  usage && {
    input_tokens: usage.prompt_tokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: usage.completion_tokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: usage.total_tokens,
  };

/** Creates what writes one response in the shape of that API. */
const createResponse = (asked: Asked) => {
  const [id, itemId] = [newId('resp'), newId('msg')];
  const createdAt = Math.floor(Date.now() / 1_000);
  const message = (answer: ChatAnswer | undefined) => ({
    id: itemId,
    type: 'message',
    role: 'assistant',
    status: answer ? 'completed' : 'in_progress',
    content: answer ? [contentOf(answer.text)] : [],
  });
  /** @param answer undefined while it is not whole */
  const response = (answer?: ChatAnswer) => ({
    id,
    object: 'response',
    created_at: createdAt,
    status: answer ? (isCut(answer) ? 'incomplete' : 'completed') : 'in_progress',
    error: null,
    incomplete_details: answer && isCut(answer) ? { reason: 'max_output_tokens' } : null,
    instructions: asked.instructions ?? null,
    max_output_tokens: asked.max_output_tokens ?? null,
    model: answer?.model || (asked.model ?? ''),
    output: answer ? [message(answer)] : [],
    parallel_tool_calls: false,
    previous_response_id: null,
    store: false,
    temperature: asked.temperature ?? null,
    text: asked.text ?? { format: { type: 'text' } },
    tool_choice: 'none',
    tools: [],
    top_p: asked.top_p ?? null,
    usage: (answer && usageOf(answer)) ?? null,
  });
  return { itemId, message, response };
};

/** Yields the events of a streamed response. */
async function* events(asked: Asked, reply: ChatReply): AsyncGenerator<Uint8Array> {
  await using _ = reply.body;
  const { itemId, message, response } = createResponse(asked);
  let number = 0;
  const event = (type: string, fields: object): Uint8Array => {
    const data = { type, sequence_number: number, ...fields };
    number += 1;
    return eventOf(data, type);
  };
  const place = { item_id: itemId, output_index: 0, content_index: 0 };
  yield event('response.created', { response: response() });
  yield event('response.in_progress', { response: response() });
  yield event('response.output_item.added', { output_index: 0, item: message(undefined) });
  yield event('response.content_part.added', { ...place, part: contentOf('') });
  let answer = NO_ANSWER;
  for await (const more of answersIn({ ...reply, failedWithin: notChat })) {
    const delta = more.text.slice(answer.text.length);
    if (delta !== '') yield event('response.output_text.delta', { ...place, delta, logprobs: [] });
    answer = more;
  }
  const { text } = answer;
  yield event('response.output_text.done', { ...place, text, logprobs: [] });
  yield event('response.content_part.done', { ...place, part: contentOf(text) });
  yield event('response.output_item.done', { output_index: 0, item: message(answer) });
  const type = isCut(answer) ? 'response.incomplete' : 'response.completed';
  yield event(type, { response: response(answer) });
}

/** Route of responses in the shape of the OpenAI API, for texts, over the engines of chat. Nothing is stored. */
export const responses: Route = {
  method: 'POST',
  path: OPENAI_PATHS.responses,
  summary: 'Responses of the OpenAI API, for texts.',
  body: { 'application/json': responsesRequest },
  reply: { 'application/json': undefined, 'text/event-stream': undefined },
  access: 'chat',
  stage: 'llm',
  timeoutMs: 600_000,
  handle: async (context) => {
    const asked = await readJson(responsesRequest, context, BODY_LIMIT);
    const chat = Buffer.from(JSON.stringify(asChat(asked)));
    const input = await readChatBody(ReadableStream.from([chat]));
    const reply = await completeChat(input, context);
    if (asked.stream) return streamReply(await primed(events(asked, reply)), EVENT_STREAM, context);
    const answers = await Array.fromAsync(answersIn({ ...reply, failedWithin: notChat }));
    const answer = answers.at(-1);
    if (!answer) throw notChat();
    return Response.json(createResponse(asked).response(answer));
  },
};
