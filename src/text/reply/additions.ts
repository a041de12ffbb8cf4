import { findControlToken, findTemplateMark } from '../control-tokens.ts';
import { languageName } from '../language/languages.ts';
import { ENTITY, entityChar, type EntityParts } from '../entities.ts';
import type { TranslationTask } from './task.ts';

/** Words for a translation, in the languages in which models mostly answer. */
const TRANSLATION =
  /translat|traducci|traduction|traduisez|übersetz|tradu[çz]|perevod|перевод|vertaling|tłumacz|翻訳|翻译|翻譯|译文|譯文|번역|訳文/i;
/** The same without such a word: "Here is your text in Spanish", "Here you go". */
const HANDED_OVER =
  /^here(?:['’]s| is| are)? (?:(?:the|your|a|this)\b.*\b(?:text|message|sentence|phrase|version|in \p{Lu}\p{L}+)\b.*|(?:it is|you (?:go|are))(?: in \p{Lu}\p{L}+)?)$/iu;
const HERE =
  /\bhere\b|aquí|aqui|voici|voilà|\bhier\b|\bda ist\b|ecco|вот|这里|這裡|ここ|どうぞ|여기/iu;
/** Beginnings of a reply to whoever asked: "Sure! Here is the translation:". */
const AGREEMENT =
  /^(?:sure|certainly|of course|absolutely|okay|ok|got it|no problem|claro|por supuesto|bien sûr|natürlich|gerne|certo|もちろん|当然|好的|물론)(?!\p{L})[!.,！。、]?\s*/iu;
/** A first line up to its colon, with marks of emphasis around. */
const LABEL = /^[*_]{0,3}(?<label>[^\n:：*_]{1,160})[*_]{0,3}[:：][*_]{0,3}\s*/u;
/** A paragraph about the translation. */
const NOTE =
  /^[^\S\n]*[([*_]{0,3}(?:note|explanation|translator['’]s note|nota|hinweis|remarque|注)[^\n:：]{0,40}[:：]/iu;
/** A first line of a source up to a colon that is none of a time. */
const OWN_LABEL = /^[^\n:：]{1,160}(?::(?=\s|$)|：)/u;
const COLON = /[:：]/gu;

const colonsIn = (text: string): number => text.match(COLON)?.length ?? 0;

/** True for the name of the wanted language, in English or in itself. */
const isNameOf = (language: string, label: string): boolean =>
  ['en', language].some(
    (locale) => languageName(language, locale).toLowerCase() === label.trim().toLowerCase(),
  );

const isPreface = ({ source, to }: TranslationTask, reply: string, label: string): boolean =>
  (!OWN_LABEL.test(source) || colonsIn(reply) > colonsIn(source)) &&
  ((TRANSLATION.test(label) && !TRANSLATION.test(source)) ||
    (HANDED_OVER.test(label) && !HERE.test(source)) ||
    isNameOf(to, label));

const withoutPreface = (task: TranslationTask, reply: string): string => {
  const answer = AGREEMENT.test(task.source) ? reply : reply.replace(AGREEMENT, '');
  const label = LABEL.exec(answer)?.groups?.['label'];
  if (label !== undefined && isPreface(task, answer, label)) return answer.replace(LABEL, '');
  // An agreement that has no line of its own may be what the source says.
  const agreement = reply.slice(0, reply.length - answer.length);
  return agreement.includes('\n') && answer !== '' ? answer : reply;
};

const lastParagraphStart = (text: string): number => text.trimEnd().lastIndexOf('\n\n');

const withoutNote = (source: string, reply: string): string => {
  const at = lastParagraphStart(reply);
  const isNote = at > 0 && NOTE.test(reply.slice(at + 2));
  const hasOne = NOTE.test(source.slice(lastParagraphStart(source) + 2));
  return isNote && !hasOne ? reply.slice(0, at) : reply;
};

/** Removes what a model says around a translation: a preface, and a note after it. */
export const withoutAdditions = (task: TranslationTask, reply: string): string =>
  withoutNote(task.source, withoutPreface(task, reply));

/** A beginning of which it is not known yet whether a preface becomes of it. */
const UNSURE =
  /^(?:sure|certainly|of course|absolutely|okay|here(?:'s|’s| is| are)|the translat|translat)[^\n:：]{0,160}$/iu;

/** Removes the preface from a reply that is still growing; '' while one may be growing. */
export const withoutPrefaceSoFar = (task: TranslationTask, partial: string): string => {
  const begun = partial.trimStart();
  if (UNSURE.test(begun) && !UNSURE.test(task.source.trimStart())) return '';
  return withoutPreface(task, begun);
};

const entity = new RegExp(ENTITY, 'g');

/** Turns HTML's entities into characters, unless the source has such ones itself. */
export const withoutEntities = (source: string, reply: string): string => {
  if (!reply.includes('&') || source.search(entity) >= 0) return reply;
  return reply.replaceAll(entity, (...match: unknown[]) => entityChar(match.at(-1) as EntityParts));
};

/** Pairs of quotation marks (Unicode, Pi and Pf; CLDR). */
const PAIRS = ['""', '“”', '„“', '„”', '«»', '‹›', '「」', '『』', '＂＂', '‘’', "''"] as const;

/** Removes the quotation marks around a whole reply, if its source has none. */
export const withoutQuotationMarks = (source: string, reply: string): string => {
  const written = reply.trim();
  const pair = PAIRS.find(
    ([open = '', close = '']) =>
      written.length > 2 && written.startsWith(open) && written.endsWith(close),
  );
  if (!pair) return reply;
  const [open = '', close = ''] = pair;
  const inner = written.slice(1, -1);
  const isAround = !inner.includes(open) && !inner.includes(close);
  const begins = source.trim();
  const isQuoted = PAIRS.some(([mark = '']) => begins.startsWith(mark));
  return isAround && !isQuoted ? inner.trim() : reply;
};

/** The parts in which models think aloud, as open models mark them. */
const THOUGHT = /^\s*<(?<tag>think|thinking|thought|reasoning)>[^]*?<\/\k<tag>>\s*/i;
/** Templates of some models leave out the opening mark. */
const END_OF_THOUGHT = /^(?:(?!<think)[^])*?<\/(?:think|thinking|thought|reasoning)>\s*/i;
const BEGINNING = /^\s*<(?:think|thinking|thought|reasoning)>/i;
/** A mark that is not whole yet. */
const PARTIAL_MARK = /^\s*<[a-z]{0,9}$/i;

/** Removes the thinking before an answer; undefined where the answer never begins. */
export const withoutThinking = (reply: string): string | undefined => {
  if (!reply.includes('>')) return reply;
  const answer = reply.replace(THOUGHT, '');
  if (BEGINNING.test(answer)) return undefined;
  return answer.includes('</') ? answer.replace(END_OF_THOUGHT, '') : answer;
};

/** Removes the thinking from a reply that is still growing; '' while it thinks. */
export const withoutThinkingSoFar = (partial: string): string =>
  PARTIAL_MARK.test(partial) ? '' : (withoutThinking(partial) ?? '');

/** A control token whose end is not written yet. */
const PARTIAL_TOKEN = /(?:<\|?|<｜|\[\/?)[^<>[\]\s]{0,40}$/u;

/** Cuts a reply where a model goes on with the template of a conversation. */
export const withoutTemplate = (source: string, reply: string): string => {
  const at = findTemplateMark(reply);
  return at < 0 || findControlToken(source) >= 0 ? reply : reply.slice(0, at);
};

/** The same for a reply that is still growing. */
export const withoutTemplateSoFar = (source: string, partial: string): string =>
  withoutTemplate(source, /[<[]/.test(source) ? partial : partial.replace(PARTIAL_TOKEN, ''));

/** A whole reply in a fence, as models hand code over. */
const FENCED = /^\s*(?<mark>```+)\w*\n(?<text>[^]*?)\n?\k<mark>\s*$/;
const WRAPPED = /^\s*(?:`{3}|\{)/;

/** The one text in a JSON object; undefined where a reply is none, or holds more. */
const textInJson = (reply: string): string | undefined => {
  try {
    const [only, ...others] = Object.values(JSON.parse(reply) as Record<string, unknown>);
    return typeof only === 'string' && others.length === 0 ? only : undefined;
  } catch {
    return undefined;
  }
};

/** Takes a translation out of a fence or a JSON object, unless its source stands in one. */
export const withoutWrapping = (source: string, reply: string): string => {
  if (!WRAPPED.test(reply) || WRAPPED.test(source)) return reply;
  const fenced = FENCED.exec(reply)?.groups?.['text'] ?? reply;
  return textInJson(fenced) ?? fenced;
};

/** True for a beginning that may be that of a wrapping. */
export const mayBeWrapped = (source: string, partial: string): boolean =>
  /^\s*[`{]/.test(partial) && !WRAPPED.test(source);
