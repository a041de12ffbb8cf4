import { codeSpans } from './code-spans.ts';
import { CONTROL_TOKEN } from './control-tokens.ts';
import { TOKEN_CLOSE, TOKEN_OPEN } from './protect/read-tokens.ts';

/** A part of plain text that is not language. `start` and `end` are UTF-16 offsets. */
export interface PlainSpan {
  readonly start: number;
  readonly end: number;
  readonly kind: 'url' | 'email' | 'name' | 'emoji' | 'shortcode' | 'bracket' | 'code' | 'control';
}

/** An emoji: a ZWJ sequence, flag, keycap or one with a skin tone. */
const EMOJI =
  String.raw`\p{RI}{1,2}|[0-9#*]\uFE0F?\u20E3|` +
  String.raw`\p{Extended_Pictographic}(?:\uFE0F|\p{EMod})?(?:[\u{E0020}-\u{E007F}]{1,16})?` +
  String.raw`(?:\u200D\p{Extended_Pictographic}(?:\uFE0F|\p{EMod})?)*`;
/** A shortcode holds a letter or a sign, so that the middle of `10:30:45` is not one. */
const SHORTCODE = String.raw`:(?:[+-]1|\w*[a-zA-Z][\w+-]*)(?:::skin-tone-[2-6])?:`;
const CUSTOM_EMOJI = String.raw`<a?:\w{1,64}:\d{1,20}>`;
const MAX_SHORTCODE = 80;

const emoji = new RegExp(EMOJI, 'uy');
const shortcode = new RegExp(SHORTCODE, 'y');
const controlToken = new RegExp(CONTROL_TOKEN, 'uy');
const anyEmoji = new RegExp(`${CUSTOM_EMOJI}|${SHORTCODE}|${EMOJI}`, 'gu');

// An underscore after a name is the marker that closes underlined text.
const name =
  /@(?:everyone|here)(?![A-Za-z0-9])|@[A-Za-z]\w{0,30}[A-Za-z0-9](?![A-Za-z0-9@]|_+[A-Za-z0-9@]|:\/\/)/y;
const mailDomain = /@[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9]|:\/\/)/y;
const mailName = /[A-Za-z0-9._%+-]/;
const MAX_MAIL_NAME = 64;

// East Asian brackets, markers that no address contains and the placeholder of a node end an
// address; letters of any script may be part of it.
const address =
  /(?:(?!\*\*|~~)[^\s<>"`|\u200B\uFFFC\u3000-\u3002\u3008-\u3011\u3014-\u301B\uFF01-\uFF0F\uFF1A-\uFF1F⟦⟧])+/y;
const TRAILING = new Set(".,;:!?'*_~]}…’”");

/** The placeholder of a node, which may be the value of an attribute. */
const OBJECT = '\uFFFC';
const VALUE = String.raw`"[^"<>⟦⟧\n]{0,500}"|'[^'<>⟦⟧\n]{0,500}'|[^\s"'<>=⟦⟧]{1,200}`;
const ATTRIBUTE = String.raw`\s+[\w:@.-]{1,60}(?:\s?=\s?(?:${VALUE}))?`;
/** Tags with attributes, tags that close, and those of HTML: other words in angle brackets may be language. */
const TAG =
  String.raw`<(?:/[a-z][\w:-]{0,30}|[a-z][\w:-]{0,30}(?:(?=[^<>]*=)(?:=(?:${VALUE}))?(?:${ATTRIBUTE}){0,20}\s?/?|\s?/)` +
  String.raw`|a|[biusp]|br|hr|em|strong|span|div|[uo]l|li|h[1-6]|code|pre|kbd|su[bp]|small|mark|del|ins|t[rdh]|table)>`;
const TEMPLATE = String.raw`\{\{\s[^{}\n⟦⟧\uFFFC]{1,80}\s\}\}`;
const tag = new RegExp(TAG, 'iy');
const template = new RegExp(TEMPLATE, 'y');

/** The end of a sticky pattern's match at `at`, or -1. */
const endOf = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
};

/**
 * The length of an address without what belongs to the sentence: punctuation at its end, and a
 * bracket that the address did not open. 0 where nothing is left after the scheme.
 */
export const addressLength = (
  body: string,
  schemeLength: number,
  trailing: ReadonlySet<string>,
): number => {
  let surplus = 0;
  for (const char of body)
    if (char === ')') surplus += 1;
    else if (char === '(') surplus -= 1;
  let length = body.length;
  for (; length > schemeLength; length -= 1) {
    const last = body[length - 1] ?? '';
    if (last === ')' && surplus > 0) surplus -= 1;
    else if (!trailing.has(last)) break;
  }
  return length > schemeLength ? length : 0;
};

/** The end of the address whose scheme (or `www.`) stands at `at` and is `schemeLength` long, or -1. */
const urlEnd = (text: string, at: number, schemeLength: number): number => {
  const length = addressLength(text.slice(at, endOf(address, text, at)), schemeLength, TRAILING);
  return length === 0 ? -1 : at + length;
};

/** The extent of the e-mail address whose `@` stands at `at`; nothing before `from` belongs to it. */
const mailSpan = (text: string, at: number, from: number): PlainSpan | undefined => {
  const end = endOf(mailDomain, text, at);
  if (end < 0) return undefined;
  const earliest = Math.max(from, at - MAX_MAIL_NAME);
  let start = at;
  while (start > earliest && mailName.test(text[start - 1] ?? '')) start -= 1;
  while (start < at && !/[A-Za-z0-9]/.test(text[start] ?? '')) start += 1;
  return start < at ? { start, end, kind: 'email' } : undefined;
};

const SCHEME_CHARS = /[A-Za-z0-9+.-]/;
const LONGEST_SCHEME = 20;
/** Addresses without slashes behind their scheme; other words before a colon are language. */
const bareScheme =
  /(?:magnet:\?|mailto:(?=[^\s@]{1,64}@)|(?:tel|sms|callto|facetime):(?=\+?[\d().-]{3})|spotify:(?=[a-z]+:)|geo:(?=-?\d))/y;

/** The extent of the address whose scheme ends at the colon `at`; nothing before `from` belongs to it. */
const schemeSpan = (text: string, at: number, from: number): PlainSpan | undefined => {
  const hasSlashes = text.startsWith('//', at + 1);
  const earliest = Math.max(from, at - LONGEST_SCHEME);
  let start = at;
  while (start > earliest && SCHEME_CHARS.test(text[start - 1] ?? '')) start -= 1;
  while (start < at && !/[A-Za-z]/.test(text[start] ?? '')) start += 1;
  const schemeEnd = hasSlashes ? at + 3 : endOf(bareScheme, text, start);
  if (at - start < 2 || schemeEnd <= at) return undefined;
  const end = urlEnd(text, start, schemeEnd - start);
  return end < 0 ? undefined : { start, end, kind: 'url' };
};

const shortcodeEnd = (text: string, at: number): number => {
  const close = text.indexOf(':', at + 1);
  return close < 0 || close - at > MAX_SHORTCODE ? -1 : endOf(shortcode, text, at);
};

// A cheap superset of the places where a span can begin; each is then checked exactly.
const candidates =
  /[:@<[{⟦⟧©®\u203C-\u2BFF\u3030\u303D\u3297\u3299\uD83C-\uD83E]|[hH][tT][tT][pP][sS]?:\/\/|[wW]{3}\.|[0-9#]\uFE0F?\u20E3/g;

/** The span that begins at a candidate; an e-mail address begins before its `@`. */
const spanAt = (text: string, at: number, found: string, from: number): PlainSpan | undefined => {
  const span = (kind: PlainSpan['kind'], end: number): PlainSpan | undefined =>
    end < 0 ? undefined : { start: at, end, kind };
  if (found.length > 3) return span('url', urlEnd(text, at, found.length));
  switch (found) {
    case '@':
      return mailSpan(text, at, from) ?? span('name', endOf(name, text, at));
    case ':':
      return schemeSpan(text, at, from) ?? span('shortcode', shortcodeEnd(text, at));
    case TOKEN_OPEN:
    case TOKEN_CLOSE:
      return span('bracket', at + 1);
    case '{':
      return span('code', endOf(template, text, at));
    case '<':
    case '[': {
      const control = span('control', endOf(controlToken, text, at));
      return control ?? (found === '<' ? span('code', endOf(tag, text, at)) : undefined);
    }
    default:
      return span('emoji', endOf(emoji, text, at));
  }
};

/**
 * Finds the parts of plain text that are not language, in order and without overlaps: addresses,
 * `@names`, emoji, shortcodes, code, tags, templates, control tokens of language models and the brackets
 * of tokens. Takes linear time.
 */
export const plainSpans = (text: string): PlainSpan[] => {
  const spans: PlainSpan[] = [];
  const codes = codeSpans(text);
  let next = 0;
  const add = (span: PlainSpan): void => {
    candidates.lastIndex = span.end;
    if (text[span.start] !== '<') return void spans.push(span);
    // A node within a tag is a span of its own.
    let { start } = span;
    for (const part of text.slice(start, span.end).split(OBJECT)) {
      const end = start + part.length;
      if (part !== '') spans.push({ ...span, start, end });
      start = end + 1;
    }
  };
  /** Adds the code that ends before `at`, or holds it; what an address holds is part of it. */
  const addCodes = (at: number): boolean => {
    for (let code = codes[next]; code && code.start < at; code = codes[next]) {
      next += 1;
      if (code.start < (spans.at(-1)?.end ?? 0)) continue;
      add({ ...code, kind: 'code' });
      if (code.end > at) return true;
    }
    return false;
  };
  candidates.lastIndex = 0;
  for (let found = candidates.exec(text); found; found = candidates.exec(text)) {
    const { index } = found;
    if (addCodes(index)) continue;
    const span = spanAt(text, index, found[0], spans.at(-1)?.end ?? 0);
    if (span) add(span);
    else candidates.lastIndex = index + 1;
  }
  addCodes(text.length);
  return spans;
};

/** Replaces each part of plain text that is not language by a space. */
export const withoutPlainSpans = (text: string): string => {
  let plain = '';
  let from = 0;
  for (const { start, end } of plainSpans(text)) {
    plain += `${text.slice(from, start)} `;
    from = end;
  }
  return from === 0 ? text : plain + text.slice(from);
};

/** The text with every emoji, custom emoji and shortcode replaced by a space. */
export const withoutEmoji = (text: string): string => text.replaceAll(anyEmoji, ' ');
