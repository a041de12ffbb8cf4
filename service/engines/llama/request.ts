import { z } from 'zod';
import { validate } from '../../body.ts';
import type { LlamaCompletion, Sampling } from './protocol.ts';

/** Tokens of a reply whose request says nothing of them. */
const USUAL_TOKENS = 1_000;

/** Keywords of JSON Schema, one of which a part of a schema must have for the library to know it. */
const KINDS = ['type', 'enum', 'const', 'oneOf', '$ref'];
/** Keywords whose values hold further parts: one, a list, or one for each name. */
const PARTS = new Set(['items', 'additionalProperties']);
const LISTS = new Set(['oneOf', 'prefixItems']);
const NAMED = new Set(['properties', '$defs']);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const part = (value: unknown): unknown => (isObject(value) ? knownSchema(value) : value);

/** Writes a schema with the keywords that the library knows. Throws `RangeError` where it has others at heart. */
const knownSchema = (schema: Readonly<Record<string, unknown>>): object => {
  const { anyOf, ...rest } = schema;
  const known = anyOf === undefined ? rest : { ...rest, oneOf: anyOf };
  if (!KINDS.some((kind) => kind in known)) throw new RangeError('no such schema');
  return Object.fromEntries(
    Object.entries(known).map(([name, value]) => {
      if (PARTS.has(name)) return [name, part(value)];
      if (LISTS.has(name) && Array.isArray(value)) return [name, value.map(part)];
      if (NAMED.has(name) && isObject(value))
        return [
          name,
          Object.fromEntries(Object.entries(value).map(([key, one]) => [key, part(one)])),
        ];
      return [name, value];
    }),
  );
};

const TEXT_ALONE = 'the model reads text alone';
const content = z.union([
  z.string(),
  z
    .array(z.object({ type: z.literal('text', { error: TEXT_ALONE }), text: z.string() }))
    .transform((parts) => parts.map(({ text }) => text).join('\n')),
]);
const role = z
  .enum(['system', 'developer', 'user', 'assistant'])
  .transform((name) => (name === 'developer' ? 'system' : name));
const format = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }).transform(() => undefined),
  z.object({ type: z.literal('json_object') }).transform(() => 'json' as const),
  z
    .object({
      type: z.literal('json_schema'),
      json_schema: z.object({ schema: z.record(z.string(), z.unknown()) }),
    })
    .transform(({ json_schema: { schema } }, context): object => {
      try {
        return knownSchema(schema);
      } catch {
        const message = 'the schema has parts that the model cannot keep to';
        context.addIssue({ code: 'custom', message });
        return z.NEVER;
      }
    }),
]);
const share = z.number().min(0).max(1);
const penalty = z.number().min(-2).max(2).default(0);
const tokens = z.int().positive();
const stop = z.string().min(1);

/** The fields of a chat request that are used here. */
const chatRequest = z.object({
  messages: z
    .array(z.object({ role, content: content.nullish().transform((text) => text ?? '') }))
    .min(1),
  max_tokens: tokens.optional(),
  max_completion_tokens: tokens.optional(),
  temperature: z.number().min(0).max(2).default(0.7),
  top_p: share.default(0.95),
  top_k: z.int().nonnegative().default(40),
  min_p: share.default(0.05),
  seed: z.int().optional(),
  frequency_penalty: penalty,
  presence_penalty: penalty,
  repetition_penalty: z.number().positive().max(2).default(1),
  stop: z.union([z.array(stop).max(16), stop.transform((one) => [one])]).default([]),
  response_format: format.optional(),
  stream: z.boolean().optional(),
  stream_options: z.object({ include_usage: z.boolean().optional() }).optional(),
  n: z.literal(1, { error: 'the model gives one answer' }).optional(),
  tools: z.array(z.unknown()).max(0, 'the model calls no tools').optional(),
});

/** A chat request as the process of a model takes it, and how the answer goes back. */
export interface LlamaChat {
  readonly completion: LlamaCompletion;
  readonly isStreamed: boolean;
  readonly countsAtEnd: boolean;
}

/** Reads a chat request of the OpenAI API. Throws `ErrInvalidParameter` for what a model here cannot do. */
export const readChatRequest = (body: unknown): LlamaChat => {
  const asked = validate(chatRequest, body);
  const sampling: Sampling = {
    temperature: asked.temperature,
    topP: asked.top_p,
    topK: asked.top_k,
    minP: asked.min_p,
    repetition: asked.repetition_penalty,
    frequency: asked.frequency_penalty,
    presence: asked.presence_penalty,
    ...(asked.seed === undefined ? {} : { seed: asked.seed }),
  };
  return {
    completion: {
      kind: 'complete',
      messages: asked.messages,
      mostTokens: asked.max_completion_tokens ?? asked.max_tokens ?? USUAL_TOKENS,
      sampling,
      stop: asked.stop,
      format: asked.response_format,
    },
    isStreamed: asked.stream === true,
    countsAtEnd: asked.stream_options?.include_usage === true,
  };
};
