import { retryAfterTextMs } from '../../src/http/retry-after.ts';

/** Longest text of a back end that goes into an error of the service. */
const MAX_CHARACTERS = 300;
/** Largest request whose texts are looked for in an error; the text is left out for a larger one. */
const MAX_REQUEST_CHARACTERS = 64 * 1024;
/** Length from which a run of a request's text counts as repeated. */
const ECHO_CHARACTERS = 8;
/** Shortest whole text that is looked for. */
const SHORTEST_TEXT_CHARACTERS = 3;

const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic)\s+[\w.~+/=:-]{4,}/gi, '$1 …'],
  [/\b(?:svck:|sk-|gsk_|hf_|xai-|AIza|ghp_)[\w.-]{4,}/g, '…'],
  // The end of a key whose beginning is starred.
  [/\*\w[\w.-]*/g, '*…'],
  [/(\/\/)[^\s/@]+@/g, '$1…@'],
  [
    /\b(api[_-]?key|key|token|secret|password|signature|sig)(["']?\s*[=:]\s*["']?)[^\s"'&,;]{4,}/gi,
    '$1$2…',
  ],
  // Long runs of random characters, whatever they are.
  [/(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{32,}/g, '…'],
];

/** Replaces keys, tokens and the credentials of addresses. */
export const maskSecrets = (text: string): string =>
  SECRETS.reduce((masked, [pattern, instead]) => masked.replace(pattern, instead), text);

/** Replaces what repeats the texts of a request: user text is neither logged nor sent to others. */
export const maskEchoes = (text: string, texts: readonly string[]): string => {
  let masked = text;
  for (const one of texts) {
    const whole = one.trim();
    if (whole.length >= SHORTEST_TEXT_CHARACTERS) masked = masked.replaceAll(whole, '…');
  }
  const known = texts.filter((one) => one.length >= ECHO_CHARACTERS);
  let shown = '';
  for (let at = 0; at < masked.length;) {
    const isEchoed = (length: number): boolean =>
      at + length <= masked.length &&
      known.some((one) => one.includes(masked.slice(at, at + length)));
    let length = ECHO_CHARACTERS;
    if (!isEchoed(length)) {
      shown += masked[at]!;
      at += 1;
      continue;
    }
    while (isEchoed(length + 1)) length += 1;
    shown += '…';
    at += length;
  }
  return shown;
};

/** Finds the sentence in an error's JSON, in any of the usual places. */
const sentenceIn = (json: unknown): string => {
  const { error, message, detail } = Object(json) as Readonly<Record<string, unknown>>;
  const found = [Object(error).message as unknown, error, message, detail];
  return found.find((one) => typeof one === 'string') ?? '';
};

const rawText = (body: Uint8Array, mediaType: string): string => {
  const text = Buffer.from(body).toString('utf8');
  if (/\bjson\b/.test(mediaType) || /^\s*\{/.test(text)) {
    try {
      return sentenceIn(JSON.parse(text));
    } catch {
      return '';
    }
  }
  return /html|^\s*</i.test(mediaType + text.slice(0, 100)) ? '' : text;
};

/**
 * Reads the text of a back end's error: a sentence without secrets and without text of the request,
 * which may be empty, and the time to wait, if the text names one.
 *
 * @param texts what the request contained of a user; undefined when it is too much to look for, or
 *   the text is for nobody: then there is none
 */
export const readErrorText = (
  body: Uint8Array,
  mediaType: string,
  texts: readonly string[] | undefined,
) => {
  const raw = rawText(body, mediaType)
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 4 * MAX_CHARACTERS);
  const sizes = texts?.reduce((sum, one) => sum + one.length, 0) ?? Infinity;
  const text = sizes > MAX_REQUEST_CHARACTERS ? '' : maskEchoes(maskSecrets(raw), texts ?? []);
  return { text: text.slice(0, MAX_CHARACTERS), retryAfterMs: retryAfterTextMs(raw) };
};

/** Keys of JSON whose values are words of a user. */
const USER_FIELDS = new Set(['content', 'input', 'text', 'q', 'context', 'prompt']);

/** Finds the words of a user in a request's JSON. */
export const userTexts = (json: unknown, found: string[] = [], name = ''): string[] => {
  if (typeof json === 'string') {
    if (USER_FIELDS.has(name)) found.push(json);
  } else if (Array.isArray(json)) for (const item of json) userTexts(item, found, name);
  else if (typeof json === 'object' && json !== null)
    for (const [key, value] of Object.entries(json)) userTexts(value, found, key);
  return found;
};
