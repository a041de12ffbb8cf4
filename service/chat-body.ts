import { z } from 'zod';
import { parseBody, validate } from './body.ts';
import { ContractError, invalidRequest } from './errors.ts';
import { JsonCursor, QUOTE } from './json.ts';

/** Fields of messages that are no words: the form of a message, and pictures and sound. */
const NO_WORDS = new Set([
  'role',
  'type',
  'image_url',
  'input_audio',
  'audio_url',
  'video_url',
  'file',
  'audio',
]);

const collect = (value: unknown, words: string[]): void => {
  if (typeof value === 'string') words.push(value);
  else if (Array.isArray(value)) for (const part of value) collect(part, words);
  else if (typeof value === 'object' && value !== null)
    for (const [name, part] of Object.entries(value)) if (!NO_WORDS.has(name)) collect(part, words);
};

/** Lists every string in a message, or in a part of one, but those that are no words. */
export const messageWords = (value: unknown): readonly string[] => {
  const words: string[] = [];
  collect(value, words);
  return words;
};

/** Paths of the long strings in a request that are no words: pictures, sound and files. */
const MEDIA_PATHS: readonly (readonly string[])[] = [
  ['image_url', 'url'],
  ['input_audio', 'data'],
  ['audio_url', 'url'],
  ['video_url', 'url'],
  ['file', 'file_data'],
].map((path) => ['messages', 'content', ...path]);

const MODEL = ['model'];

/** Strings over this, such as pictures, are passed on unread. */
const LONG_STRING_BYTES = 16 * 1024;
/** Most bytes without those strings: parsing more would delay other requests. */
const MAX_PARSED_BYTES = 2 * 1024 * 1024;

/** Fields that the service itself reads; the others are between the client and the model. */
export const chatBody = z.looseObject({
  model: z.string().optional(),
  messages: z.array(z.looseObject({ role: z.string() })).min(1),
  stream: z.boolean().nullish(),
});

type ChatFields = z.infer<typeof chatBody>;
export type ChatBody = Awaited<ReturnType<typeof readChatBody>>;

/** Tokens that an answer is expected to have at most where the request says nothing. */
const USUAL_TOKENS = 1_000;

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0;

/** Tokens that the answer may have, or is expected to have at most. */
const mostTokensOf = ({ max_completion_tokens: most, max_tokens: before }: ChatFields): number =>
  [most, before].find(isCount) ?? USUAL_TOKENS;

/** Fields that no model reads, or whose words are counted by themselves. */
const UNREAD_FIELDS = new Set(['model', 'messages', 'stream_options']);

/** Other fields may reach the model, too: tools and schemas as JSON, templates as text. */
const otherWords = (input: ChatFields): readonly string[] =>
  Object.entries(input)
    .filter(([name, value]) => !UNREAD_FIELDS.has(name) && value !== null)
    .filter(([, value]) => typeof value === 'string' || typeof value === 'object')
    .map(([, value]) => JSON.stringify(value));

/** Start of the escapes, such as `\u006d`, with which any letter of `model` can be written. */
const ESCAPED_LETTER = '\\u006';

/** A run of bytes in a body. */
interface Span {
  readonly start: number;
  end: number;
}

/** Copies a body without these spans. */
const without = (bytes: Buffer, spans: readonly Span[]): Buffer => {
  const edges = [0, ...spans.flatMap(({ start, end }) => [start, end]), bytes.length];
  const parts: Buffer[] = [];
  for (let at = 0; at < edges.length; at += 2) parts.push(bytes.subarray(edges[at], edges[at + 1]));
  return Buffer.concat(parts);
};

/**
 * Reads a chat request and keeps its bytes. Throws `ContractError` for an invalid one, and before
 * parsing for one with too much depth, too many values or too much text.
 */
export const readChatBody = async (body: AsyncIterable<Uint8Array>) => {
  const chunks: Uint8Array[] = [];
  const cursor = new JsonCursor();
  let size = 0;
  /** Positions of the values of `model` in the body, quotes included. */
  const models: Span[] = [];
  let inModel = false;
  /** Positions of the long strings, quotes excluded. */
  const longs: Span[] = [];
  let longBytes = 0;
  let longWordBytes = 0;
  let isMedia = false;
  let stringStart = 0;
  for await (const chunk of body) {
    for (let at = cursor.next(chunk, 0); at < chunk.length; at = cursor.next(chunk, at + 1)) {
      const awaitsModel = cursor.awaits(MODEL);
      const wasInString = cursor.inString;
      if (!wasInString && chunk[at] === QUOTE) {
        stringStart = size + at + 1;
        isMedia = MEDIA_PATHS.some((path) => cursor.awaits(path));
      }
      cursor.step(chunk[at]!);
      if (wasInString && !cursor.inString && size + at - stringStart > LONG_STRING_BYTES) {
        longs.push({ start: stringStart, end: size + at });
        longBytes += size + at - stringStart;
        if (!isMedia) longWordBytes += size + at - stringStart;
      }
      if (inModel && !cursor.inString) {
        models.at(-1)!.end = size + at + 1;
        inModel = false;
      } else if (awaitsModel && cursor.inString) {
        models.push({ start: size + at, end: size + at });
        inModel = true;
      }
    }
    cursor.assertSimple();
    size += chunk.length;
    chunks.push(chunk);
  }
  if (size - longBytes > MAX_PARSED_BYTES)
    throw new ContractError(
      'ErrRequestTooLarge',
      `The request body is over ${MAX_PARSED_BYTES} bytes, strings over ${LONG_STRING_BYTES} not counted.`,
    );
  const bytes = Buffer.concat(chunks);
  const isLarge = size > MAX_PARSED_BYTES;
  const parsed = isLarge ? without(bytes, longs) : bytes;
  const input = validate(chatBody, parseBody(parsed.toString('utf8')));
  return {
    model: input.model,
    /** Bytes of UTF-8 of all that a model reads, but for pictures, sound and files. */
    wordBytes: (): number =>
      Buffer.byteLength([...messageWords(input.messages), ...otherWords(input)].join('')) +
      (isLarge ? longWordBytes : 0),
    mostTokens: mostTokensOf(input),
    isStreamed: input.stream === true,
    /** The client's body, byte by byte, with this model. */
    withModel: (model: string): Uint8Array => {
      if (model === input.model) return bytes;
      const written = JSON.stringify(model);
      const [found, ...others] = models;
      const isNew = !found && input.model === undefined;
      // A repeated key, or perhaps one with escapes: rare, and not worth keeping the bytes.
      if (!isNew && (!found || others.length > 0 || bytes.includes(ESCAPED_LETTER))) {
        if (!isLarge) return Buffer.from(JSON.stringify({ ...input, model }));
        throw invalidRequest(
          'So large a request must name its model once, and have no escapes from u0060 to u006f.',
        );
      }
      const start = found?.start ?? bytes.indexOf('{') + 1;
      return Buffer.concat([
        bytes.subarray(0, start),
        Buffer.from(found ? written : `"model":${written},`),
        bytes.subarray(found?.end ?? start),
      ]);
    },
  };
};
