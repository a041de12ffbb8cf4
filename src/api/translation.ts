import { randomUUID } from 'node:crypto';
import { AppError, type AppErrorOptions } from '../errors.ts';
import type { Formality } from '../model/rules.ts';
import { countCodePoints, isBlank } from '../text/unicode.ts';
import { meaningsIn, type TokenMeanings } from '../text/protect/meanings.ts';
import { findOccurrences } from '../text/protect/terms.ts';
import { splitText } from '../text/split/split.ts';
import type { Attempt, Call, CallOptions, Caller } from './caller.ts';
import { completion, EXTRA_FIELDS, SERVICE_LIMITS, PATHS, TOKENS_LENGTH } from './contract.ts';
import { growingText } from './replies.ts';
import { expectMediaType, readJsonReply, type HttpReply } from './transport.ts';

const DEADLINE_MS = 60_000;

/** The sentence for a reply that is no translation. */
export const NOT_TRANSLATED: AppErrorOptions = { sentence: { key: 'service.not-translated' } };

export interface TranslationInput {
  /** Text of any length: split at sentence ends where the contract's limit requires it. */
  readonly text: string;
  readonly sourceLang: string;
  readonly targetLang: string;
  /** Terms to keep, the most important first; those that the contract does not accept are left out. */
  readonly keywords?: readonly string[];
  /** Text before it; the newest part that fits the contract's limit is sent. */
  readonly context?: string;
  readonly model?: string;
  /** The form of address, for a service that understands it. */
  readonly formality?: Formality;
  /** Finds what the tokens in `text` stand for, for a service that understands it. */
  readonly tokens?: () => TokenMeanings;
  /** Takes the name of the model that translates, where the reply says it. */
  readonly onModel?: (model: string) => void;
}

export type TranslationApi = ReturnType<typeof createTranslationApi>;

/**
 * The keywords that the contract accepts, in their order: those that occur in the part, when these
 * are too many for all parts of a text.
 */
const fittingKeywords = (keywords: readonly string[], part: string): readonly string[] => {
  const fitting = [...new Set(keywords)].filter(
    (term) => term.trim() !== '' && Buffer.byteLength(term) <= SERVICE_LIMITS.keywordBytes,
  );
  if (fitting.length <= SERVICE_LIMITS.keywords) return fitting;
  const terms = fitting.map((term) => ({ term }));
  const present = new Set(findOccurrences(part, terms).map(({ term }) => term));
  return terms
    .filter((term) => present.has(term))
    .map(({ term }) => term)
    .slice(0, SERVICE_LIMITS.keywords);
};

const newestContext = (context: string): string => {
  const excess = countCodePoints(context) - SERVICE_LIMITS.contextCodePoints;
  return excess > 0 ? Array.from(context).slice(excess).join('') : context;
};

/** A part of the text; white space around it is kept here, because services trim it. */
interface Part {
  readonly before: string;
  readonly text: string;
  readonly after: string;
}

const partsOf = (text: string): Part[] =>
  splitText(text, SERVICE_LIMITS.translateTextCodePoints).map((piece) => {
    const core = piece.trim();
    const start = piece.indexOf(core);
    return { before: piece.slice(0, start), text: core, after: piece.slice(start + core.length) };
  });

/** Rejects a reply that leaves out a part of a text. */
const assertNotBlank = (part: string, translated: string): void => {
  if (!isBlank(part) && isBlank(translated))
    throw new AppError('bad-reply', 'the translation is blank');
};

/**
 * Makes a form, multipart/form-data (RFC 7578). `FormData` would turn each line break into two
 * characters (WHATWG, "constructing the entry list"), which changes the text and exceeds its
 * limits.
 */
const formOf = (
  fields: readonly (readonly [string, string])[],
): { readonly mediaType: string; readonly body: Buffer } => {
  const boundary = randomUUID();
  const parts = fields.map(
    ([name, value]) =>
      `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return {
    mediaType: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.from(`${parts.join('')}--${boundary}--\r\n`),
  };
};

const callOf = (text: string, options: CallOptions): Call => ({
  endpoint: 'translate',
  options,
  defaultMs: DEADLINE_MS,
  characters: countCodePoints(text),
});

/** The meanings of the tokens in a part; undefined where there are none, or too many. */
const tokensField = (tokens: TokenMeanings, part: string): string | undefined => {
  const field = JSON.stringify(Object.fromEntries(meaningsIn(part, tokens)));
  return field === '{}' || field.length > TOKENS_LENGTH ? undefined : field;
};

const ask = async (
  input: TranslationInput,
  text: string,
  stream: boolean,
  { send, understands }: Attempt,
): Promise<HttpReply> => {
  const fields: [string, string][] = [
    ['text', text],
    ['source_lang', input.sourceLang],
    ['target_lang', input.targetLang],
    ['stream', String(stream)],
    ...fittingKeywords(input.keywords ?? [], text).map((term): [string, string] => [
      'keywords',
      term,
    ]),
  ];
  if (input.context) fields.push(['context', newestContext(input.context)]);
  if (input.model) fields.push(['model', input.model]);
  if (input.tokens && understands(EXTRA_FIELDS.translateTokens)) {
    const tokens = tokensField(input.tokens(), text);
    if (tokens !== undefined) fields.push(['tokens', tokens]);
  }
  if (input.formality && understands(EXTRA_FIELDS.translateFormality))
    fields.push(['formality', input.formality]);
  const { mediaType, body } = formOf(fields);
  return send({
    method: 'POST',
    path: PATHS.translate,
    headers: { 'content-type': mediaType },
    body: () => body,
  });
};

const INCOMPLETE = new Set(['length', 'content_filter']);

/** Rejects half a translation. Streams of the contract name no reason. */
const assertComplete = (reason: string | null | undefined): void => {
  if (INCOMPLETE.has(reason ?? ''))
    throw new AppError('bad-reply', `the translation is incomplete: ${reason}`, NOT_TRANSLATED);
};

const streamPart = async function* (
  input: TranslationInput,
  text: string,
  attempt: Attempt,
): AsyncGenerator<string, string, void> {
  const reply = await ask(input, text, true, attempt);
  return yield* growingText(reply, {
    used: attempt.used,
    ended: assertComplete,
    ...(input.onModel ? { onModel: input.onModel } : {}),
  });
};

export const createTranslationApi = (caller: Caller) => {
  return {
    /** Sends POST /translate/, and gets each part in one reply. */
    async translate(input: TranslationInput, options: CallOptions): Promise<string> {
      let whole = '';
      for (const { before, text, after } of partsOf(input.text)) {
        const translated =
          text &&
          (await caller.once(callOf(text, options), async (attempt) => {
            const reply = await ask(input, text, false, attempt);
            expectMediaType(reply, /json$/);
            const { choices, usage, model } = await readJsonReply(reply, completion);
            attempt.used(usage ?? {});
            if (model !== '') input.onModel?.(model);
            assertComplete(choices[0]?.finish_reason);
            return choices[0]?.message.content ?? '';
          }));
        assertNotBlank(text, translated);
        whole += before + translated + after;
      }
      return whole;
    },

    /** Sends the same request for Server-Sent Events: yields the whole text so far and returns it. */
    async *translateStream(
      input: TranslationInput,
      options: CallOptions,
    ): AsyncGenerator<string, string, void> {
      let whole = '';
      for (const { before, text, after } of partsOf(input.text)) {
        whole += before;
        let translated = '';
        if (text)
          for await (const soFar of caller.states(callOf(text, options), (attempt) =>
            streamPart(input, text, attempt),
          )) {
            translated = soFar;
            yield whole + soFar;
          }
        assertNotBlank(text, translated);
        whole += translated + after;
      }
      return whole;
    },
  };
};
