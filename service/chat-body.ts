import { z } from 'zod';
import { parseBody, validate } from './body.ts';
import { ContractError } from './errors.ts';
import { JsonCursor } from './json.ts';

/** Deepest nesting: conversations and tools are flat, and deeper JSON only costs time. */
const MAX_DEPTH = 64;
/** Most values, some 5,000 messages: keeps parsing and validation under 10 ms. */
const MAX_VALUES = 20_000;

/** Fields that the service itself reads; the others are between the client and the model. */
const chatBody = z.looseObject({
  model: z.string().optional(),
  messages: z.array(z.looseObject({ role: z.string() })).min(1),
  stream: z.boolean().nullish(),
});

export interface ChatBody {
  /** The model that the client requested. */
  readonly model: string | undefined;
  /** The client's body, byte by byte, with this model. */
  withModel(model: string): Uint8Array;
}

/** Start of the escapes, such as `\u006d`, with which any letter of `model` can be written. */
const ESCAPED_LETTER = '\\u006';

/**
 * Reads a chat request and keeps its bytes. Throws `ContractError` for an invalid one, and before
 * parsing for one with too much depth or too many values.
 */
export const readChatBody = async (body: AsyncIterable<Uint8Array>): Promise<ChatBody> => {
  const chunks: Uint8Array[] = [];
  const cursor = new JsonCursor();
  let size = 0;
  /** Positions of the values of `model` in the body, quotes included. */
  const models: { readonly start: number; end: number }[] = [];
  let inModel = false;
  for await (const chunk of body) {
    for (let at = 0; at < chunk.length; at += 1) {
      const awaitsModel = cursor.awaited === 'model';
      cursor.step(chunk[at]!);
      if (inModel && !cursor.inString) {
        models.at(-1)!.end = size + at + 1;
        inModel = false;
      } else if (awaitsModel && cursor.inString) {
        models.push({ start: size + at, end: size + at });
        inModel = true;
      }
    }
    if (cursor.deepest > MAX_DEPTH || cursor.values > MAX_VALUES)
      throw new ContractError(
        'ErrInvalidRequest',
        'The request body is too deep or has too many parts.',
      );
    size += chunk.length;
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  const input = validate(chatBody, parseBody(bytes.toString('utf8')));
  return {
    model: input.model,
    withModel: (model) => {
      if (model === input.model) return bytes;
      const written = JSON.stringify(model);
      const [found, ...others] = models;
      if (!found && input.model === undefined) {
        const start = bytes.indexOf('{') + 1;
        return Buffer.concat([
          bytes.subarray(0, start),
          Buffer.from(`"model":${written},`),
          bytes.subarray(start),
        ]);
      }
      // A repeated key, or perhaps one with escapes: rare, and not worth keeping the bytes.
      if (!found || others.length > 0 || bytes.includes(ESCAPED_LETTER))
        return Buffer.from(JSON.stringify({ ...input, model }));
      return Buffer.concat([
        bytes.subarray(0, found.start),
        Buffer.from(written),
        bytes.subarray(found.end),
      ]);
    },
  };
};
