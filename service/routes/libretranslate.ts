import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { SERVICE_LIMITS } from '../../src/api/contract.ts';
import { MINUTE_MS, realClock } from '../../src/async/clock.ts';
import { createCachedLook } from '../../src/async/lru.ts';
import { plainWords } from '../../src/rich-text/compose.ts';
import { plainText } from '../../src/rich-text/walk.ts';
import { rankLanguages } from '../../src/text/language/detect.ts';
import { LANGUAGES, PSEUDO_LOCALE } from '../../src/text/language/language-names.ts';
import { protect } from '../../src/text/protect/protect.ts';
import { splitText } from '../../src/text/split/split.ts';
import { LIBRE_CODES } from '../back-end/language-codes.ts';
import { checkLength, readBody, readForm, validate, type BodyLimit } from '../body.ts';
import type { EngineTranslationRequest } from '../engine.ts';
import type { Engines } from '../engine-loader.ts';
import { invalidRequest } from '../errors.ts';
import { parseJson } from '../json.ts';
import { readLanguage } from '../language.ts';
import type { OpenPath, Route, RouteContext } from '../route.ts';
import { htmlParts, withTags } from '../translation/html.ts';
import { findSources } from '../translation/legs.ts';
import { overLegs } from '../translation/over-legs.ts';
import { translateParts } from '../translation/pieces.ts';
import type { LanguagePair } from '../translation/plain-writing.ts';

/** Paths of the LibreTranslate API (docs.libretranslate.com, "API Usage"); its translation shares that of the contract. */
export const LIBRE_PATHS = {
  translate: '/translate',
  detect: '/detect',
  languages: '/languages',
  settings: '/frontend/settings',
  translateFile: '/translate_file',
} as const;

/** Texts of one request. */
const MOST_TEXTS = 100;
/** Longest part of a text that is translated at once, in code points. */
const LONGEST_PART = 4_000;
/** Candidates that a detection lists. */
const MOST_DETECTED = 5;
/** Largest body: some texts at their limit with four bytes a character. */
const BODY_LIMIT: BodyLimit = {
  bytes: 16 * SERVICE_LIMITS.translateTextCodePoints + 32 * 1_024,
  named: 'ErrTextTooLong',
};
/** Kinds of files that are translated, by the ends of their names. */
export const FILE_KINDS = ['.txt', '.srt', '.vtt', '.html', '.htm'] as const;
/** Largest body with a file. */
export const FILE_LIMIT: BodyLimit = { bytes: 512 * 1_024, named: 'ErrRequestTooLarge' };
/** Largest bodies by the paths whose clients may send their key as a field. */
const LIMITS_WITH_KEY: Readonly<Record<string, BodyLimit>> = {
  [LIBRE_PATHS.translate]: BODY_LIMIT,
  [LIBRE_PATHS.detect]: BODY_LIMIT,
  [LIBRE_PATHS.translateFile]: FILE_LIMIT,
};
/** Codes of that API, by those that we have. */
const FROM_CODES = new Map(Object.entries(LIBRE_CODES).map(([theirs, ours]) => [ours, theirs]));

/** The fields of a request, of a form or JSON. */
export type LibreFields = Readonly<Record<string, unknown>>;

/** Reads the fields of a request in JSON or a form. Throws a 400 for any other. */
export const readLibreFields = async (
  request: Request,
  signal: AbortSignal,
  limit = BODY_LIMIT,
): Promise<LibreFields> => {
  const type = request.headers.get('content-type') ?? '';
  if (/^multipart\/form-data\b/iu.test(type))
    return formFields(await readForm(request, limit, signal));
  const body = (await readBody(request, limit, signal)).toString('utf8');
  if (/^application\/x-www-form-urlencoded\b/iu.test(type))
    return formFields(new URLSearchParams(body));
  const parsed = parseJson(body, () =>
    invalidRequest('The request body is neither JSON nor a form.'),
  );
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw invalidRequest('The request body must be an object.');
  return parsed as LibreFields;
};

/** The fields of a form; one that stands there several times is a list. */
const formFields = (
  form: Pick<URLSearchParams | FormData, 'keys'> & { getAll(name: string): unknown[] },
): LibreFields =>
  Object.fromEntries(
    [...new Set(form.keys())].map((name) => {
      const all = form.getAll(name);
      return [name, all.length > 1 ? all : all[0]];
    }),
  );

const text = z.string();
const detectFields = z.object({ q: text });
export const translateFields = z.object({
  q: z.union([text, z.array(text).min(1).max(MOST_TEXTS)]),
  source: z.string().min(1).default('auto'),
  target: z.string().min(1),
  format: z.enum(['text', 'html']).default('text'),
  alternatives: z.coerce.number().int().min(0).default(0),
});

const PERCENT = 100;
const UNSURE_PERCENT = 50;
const codeOf = (language: string): string => FROM_CODES.get(language) ?? language;

interface Detected {
  /** Confidence from 0 to 100. */
  readonly confidence: number;
  readonly language: string;
}

/** The likely languages of a text, the likeliest first; English without confidence where there are no words. */
const detect = (q: string): readonly Detected[] => {
  const found = rankLanguages(q)
    .filter(({ language }) => LANGUAGES.includes(language))
    .slice(0, MOST_DETECTED)
    .map(({ language, confidence }) => ({
      confidence: Math.round(PERCENT * confidence),
      language: codeOf(language),
    }));
  return found.length > 0 ? found : [{ confidence: 0, language: 'en' }];
};

const languageOf = (field: string, code: string): string =>
  readLanguage(field, LIBRE_CODES[code.toLowerCase()] ?? code);

/**
 * Reads the languages of a request; that of the text is found by itself for `auto`, or is that of the texts that
 * come with it where it is too short to tell. Throws a 400 for unknown ones.
 */
export const readPair = (
  { source, target }: { readonly source: string; readonly target: string },
  q: string,
  all: readonly string[] = [q],
): LanguagePair & { readonly detected: Detected | undefined } => {
  const [own] = source.toLowerCase() === 'auto' ? detect(q) : [];
  const isUnsure = own !== undefined && own.confidence < UNSURE_PERCENT;
  const detected = isUnsure && all.length > 1 ? detect(all.join('\n'))[0] : own;
  return {
    from: languageOf('source', detected?.language ?? source),
    to: languageOf('target', target),
    detected,
  };
};

/** Translates a text in which tokens stand; itself where it is in that language already. */
const translated = async (
  asked: LanguagePair & Pick<EngineTranslationRequest, 'text' | 'tokens'>,
  context: RouteContext,
): Promise<string> => {
  const translation = await overLegs({ ...asked, keywords: [], context: '' }, context);
  return (await translation.whole()).content;
};

/** Translates a text of any length in parts, one after the other, with the white space between them. */
export const inParts = async (
  whole: string,
  translate: (part: string) => Promise<string>,
): Promise<string> => {
  const parts = splitText(whole, LONGEST_PART).map((part) => ({ text: part }));
  return (await Array.fromAsync(translateParts(parts, translate))).join('');
};

export const translateText = async (
  q: string,
  pair: LanguagePair,
  context: RouteContext,
): Promise<string> => {
  const kept = protect(plainWords(q));
  if (!kept.hasWords) return q;
  const tokens = kept.meanings(pair.from);
  return plainText(
    kept.restore(await translated({ ...pair, text: kept.text, tokens }, context)).tree,
  );
};

export const translateHtml = async (
  q: string,
  pair: LanguagePair,
  context: RouteContext,
): Promise<string> => {
  const written: string[] = [];
  for (const part of htmlParts(q)) {
    if (typeof part === 'string') written.push(part);
    else {
      const made = await inParts(part.text, (passage) =>
        translated({ ...pair, text: passage, tokens: part.meanings }, context),
      );
      written.push(withTags(made, part.tags));
    }
  }
  return written.join('');
};

/** Answers a request for translations, of one text or a list. */
export const answerLibre = async (
  fields: LibreFields,
  context: RouteContext,
): Promise<Response> => {
  const { q, format, alternatives, ...languages } = validate(translateFields, fields);
  const translate = format === 'html' ? translateHtml : translateText;
  const given = [q].flat();
  for (const each of given) checkLength('q', each, SERVICE_LIMITS.translateTextCodePoints);
  const texts: string[] = [];
  const detected: (Detected | undefined)[] = [];
  for (const each of given) {
    const { detected: found, ...pair } = readPair(languages, each, given);
    texts.push(await translate(each, pair, context));
    detected.push(found);
  }
  const isList = Array.isArray(q);
  return Response.json({
    translatedText: isList ? texts : texts[0],
    ...(detected[0] ? { detectedLanguage: isList ? detected : detected[0] } : {}),
    ...(alternatives > 0 ? { alternatives: isList ? texts.map(() => []) : [] } : {}),
  });
};

/** Route of the detection of a language. */
export const libreDetect: Route = {
  method: 'POST',
  path: LIBRE_PATHS.detect,
  summary: 'Language of a text, as LibreTranslate answers.',
  body: { 'application/json': detectFields, 'application/x-www-form-urlencoded': detectFields },
  access: 'translation',
  stage: 'translation',
  handle: async ({ request, signal }) => {
    const { q } = validate(detectFields, await readLibreFields(request, signal));
    checkLength('q', q, SERVICE_LIMITS.translateTextCodePoints);
    return Response.json(detect(q));
  },
};

const names = new Intl.DisplayNames(['en'], { type: 'language' });

const languagesOf = async (engines: Engines) => {
  const targets = new Map<string, string[]>();
  for (const to of LANGUAGES) {
    if (to === PSEUDO_LOCALE) continue;
    for (const from of await findSources(engines, to))
      targets.set(from, [...(targets.get(from) ?? []), codeOf(to)]);
    await setImmediate();
  }
  return LANGUAGES.flatMap((code) => {
    const into = targets.get(code);
    return into ? [{ code: codeOf(code), name: names.of(code) ?? code, targets: into }] : [];
  });
};

/** Creates the paths that everybody may read: the languages that can be translated, and the settings of a page. */
export const createLibreLists = (engines: Engines): readonly OpenPath[] => {
  const known = createCachedLook(async () => languagesOf(engines), MINUTE_MS, realClock);
  const languages: OpenPath = {
    method: 'GET',
    path: LIBRE_PATHS.languages,
    summary: 'Languages that can be translated, as LibreTranslate lists them.',
    answer: async () => Response.json(await known()),
  };
  const settings: OpenPath = {
    method: 'GET',
    path: LIBRE_PATHS.settings,
    summary: 'Settings for a page of LibreTranslate.',
    answer: () =>
      Response.json({
        apiKeys: true,
        charLimit: SERVICE_LIMITS.translateTextCodePoints,
        filesTranslation: true,
        frontendTimeout: 500,
        keyRequired: true,
        language: {
          source: { code: 'auto', name: 'Auto Detect' },
          target: { code: 'en', name: 'English' },
        },
        suggestions: false,
        supportedFilesFormat: FILE_KINDS,
      }),
  };
  return [languages, settings];
};

const keyField = z.looseObject({ api_key: z.string().min(1) });

/**
 * Copies a request of that API without a key in its header: its field `api_key`, if any, is that of the copy. Other
 * requests stay as they are.
 */
export const withKeyHeader = async (request: Request, path: string): Promise<Request> => {
  const limit = LIMITS_WITH_KEY[path];
  if (!limit || request.method !== 'POST' || request.headers.has('authorization')) return request;
  const signal = AbortSignal.timeout(MINUTE_MS);
  const body = new Uint8Array(await readBody(request, limit, signal));
  const headers = new Headers(request.headers);
  const copy = (): Request => new Request(request.url, { method: request.method, headers, body });
  const fields = await readLibreFields(copy(), signal, limit).catch(() => undefined);
  const { data } = keyField.safeParse(fields);
  if (data) headers.set('authorization', `Bearer ${data.api_key}`);
  return copy();
};
