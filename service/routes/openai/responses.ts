import { randomUUID } from 'node:crypto';
import { createParser } from 'eventsource-parser';
import { z } from 'zod';
import { parseBody, readBody, validate, type BodyLimit } from '../../body.ts';
import { readChatBody } from '../../chat-body.ts';
import { ContractError } from '../../errors.ts';
import { primed, streamReply } from '../../respond.ts';
import type { Route } from '../../route.ts';
import { completeChat } from '../chat.ts';
import { OPENAI_PATHS } from '../lists.ts';

/** Largest body: pictures are not taken here. */
const BODY_LIMIT: BodyLimit = { bytes: 2 * 1024 * 1024, named: 'ErrRequestTooLarge' };
/** Longest event of an engine's stream. */
const EVENT_CHARS = 1024 * 1024;

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

const choice = z.looseObject({ content: z.string().nullish() });
/** A chat's reply, or a chunk of its stream. */
const chatReply = z.looseObject({
  model: z.string().nullish(),
  choices: z
    .array(
      z.looseObject({
        message: choice.nullish(),
        delta: choice.nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .nullish(),
  usage: z.looseObject({ prompt_tokens: z.number(), completion_tokens: z.number() }).nullish(),
});

/** An answer as far as it is known. */
interface Answer {
  readonly text: string;
  readonly model: string;
  readonly isCut: boolean;
  readonly usage:
    | { readonly prompt_tokens: number; readonly completion_tokens: number }
    | undefined;
}

const NOTHING: Answer = { text: '', model: '', isCut: false, usage: undefined };

/** An answer with another chunk of it. Throws the contract's error where that is none. */
const grown = (answer: Answer, json: string): Answer => {
  const parsed = chatReply.safeParse(parseReply(json)).data;
  if (!parsed) throw badReply();
  const [first] = parsed.choices ?? [];
  return {
    text: answer.text + ((first?.delta ?? first?.message)?.content ?? ''),
    model: parsed.model ?? answer.model,
    isCut: answer.isCut || first?.finish_reason === 'length',
    usage: parsed.usage ?? answer.usage,
  };
};

const badReply = (): ContractError =>
  new ContractError('ErrBadReply', 'The backend sent a reply that is no chat.');

const parseReply = (json: string): unknown => {
  try {
    return JSON.parse(json);
  } catch {
    throw badReply();
  }
};

const newId = (prefix: string): string => `${prefix}_${randomUUID().replaceAll('-', '')}`;

const contentOf = (text: string) => ({ type: 'output_text', text, annotations: [] });

const usageOf = ({ usage }: Answer) =>
  usage && {
    input_tokens: usage.prompt_tokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: usage.completion_tokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: usage.prompt_tokens + usage.completion_tokens,
  };

/** Creates what writes one response in the shape of that API. */
const createResponse = (asked: Asked) => {
  const [id, itemId] = [newId('resp'), newId('msg')];
  const createdAt = Math.floor(Date.now() / 1_000);
  const message = (answer: Answer | undefined) => ({
    id: itemId,
    type: 'message',
    role: 'assistant',
    status: answer ? 'completed' : 'in_progress',
    content: answer ? [contentOf(answer.text)] : [],
  });
  /** @param answer undefined while it is not whole */
  const response = (answer?: Answer) => ({
    id,
    object: 'response',
    created_at: createdAt,
    status: answer ? (answer.isCut ? 'incomplete' : 'completed') : 'in_progress',
    error: null,
    incomplete_details: answer?.isCut ? { reason: 'max_output_tokens' } : null,
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

/** Yields the events of a streamed response; the first waits for the engine. */
async function* events(asked: Asked, body: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  await using chunks = body;
  const { itemId, message, response } = createResponse(asked);
  let number = 0;
  const event = (type: string, fields: object): Uint8Array => {
    const data = { type, sequence_number: number, ...fields };
    number += 1;
    return Buffer.from(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  const place = { item_id: itemId, output_index: 0, content_index: 0 };
  yield event('response.created', { response: response() });
  yield event('response.in_progress', { response: response() });
  yield event('response.output_item.added', { output_index: 0, item: message(undefined) });
  yield event('response.content_part.added', { ...place, part: contentOf('') });
  const decoder = new TextDecoder();
  const waiting: string[] = [];
  const parser = createParser({
    maxBufferSize: EVENT_CHARS,
    onEvent: ({ data }) => waiting.push(data),
  });
  let answer = NOTHING;
  for await (const bytes of chunks) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    for (const data of waiting.splice(0)) {
      if (data === '[DONE]') continue;
      const before = answer.text.length;
      answer = grown(answer, data);
      const delta = answer.text.slice(before);
      if (delta !== '')
        yield event('response.output_text.delta', { ...place, delta, logprobs: [] });
    }
  }
  const { text } = answer;
  yield event('response.output_text.done', { ...place, text, logprobs: [] });
  yield event('response.content_part.done', { ...place, part: contentOf(text) });
  yield event('response.output_item.done', { output_index: 0, item: message(answer) });
  const type = answer.isCut ? 'response.incomplete' : 'response.completed';
  yield event(type, { response: response(answer) });
}

/** Route of responses in the shape of the OpenAI API, for texts, over the engines of chat. Nothing is stored. */
export const responses: Route = {
  method: 'POST',
  path: OPENAI_PATHS.responses,
  access: 'chat',
  stage: 'llm',
  timeoutMs: 600_000,
  handle: async (context) => {
    const { request, log, signal, cutOff } = context;
    const body = parseBody((await readBody(request, BODY_LIMIT, signal)).toString('utf8'));
    const asked = validate(responsesRequest, body);
    const chat = Buffer.from(JSON.stringify(asChat(asked)));
    const input = await readChatBody(ReadableStream.from([chat]));
    const reply = await completeChat(input, context);
    if (asked.stream)
      return streamReply(
        await primed(events(asked, reply.body)),
        { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' },
        { log, signal, cutOff },
      );
    const whole = Buffer.concat(await Array.fromAsync(reply.body)).toString('utf8');
    return Response.json(createResponse(asked).response(grown(NOTHING, whole)));
  },
};
