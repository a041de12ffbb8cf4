import { findControlToken, findTemplateMark } from '../control-tokens.ts';
import { languageName } from '../language/languages.ts';
import { ENTITY, entityChar, type EntityParts } from '../entities.ts';
import type { TranslationTask } from './task.ts';

/** Words for a translation, in the languages in which models mostly answer. */
const TRANSLATION =
  /translat|tradu|übersetz|perevod|перевод|vertaling|tłumacz|翻訳|翻译|翻譯|译文|譯文|번역|訳文/i;
/** The same without such a word: "Here is your text in Spanish", "Here you go". */
const HANDED_OVER =
  /^here(?:['’]s| is| are)? (?:(?:the|your|a|this)\b.*\b(?:text|message|sentence|phrase|version|in \p{Lu}\p{L}+)\b.*|(?:it is|you (?:go|are))(?: in \p{Lu}\p{L}+)?)$/iu;
const HERE =
  /\bhere\b|aquí|aqui|voici|voilà|\bhier\b|\bda ist\b|ecco|вот|这里|這裡|ここ|どうぞ|여기/iu;
/** Beginnings of a reply to whoever asked: "Sure! Here is the translation:". */
const AGREEMENT =
  /^(?:sure|certainly|of course|absolutely|okay|ok|got it|no problem|claro|por supuesto|bien sûr|natürlich|gerne|certo|もちろん|当然|好的|물론)(?!\p{L})[!.,！。、]?\s*/iu;
const LONGEST_LABEL = 160;
/** A first line up to its colon, with marks of emphasis around. */
const LABEL = new RegExp(
  String.raw`^[*_]{0,3}(?<label>[^\n:：*_]{1,${LONGEST_LABEL}})[*_]{0,3}[:：][*_]{0,3}\s*`,
  'u',
);
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

/** Removes what a model says before a translation. */
export const withoutPreface = (task: TranslationTask, reply: string): string => {
  const answer = AGREEMENT.test(task.source) ? reply : reply.replace(AGREEMENT, '');
  const label = LABEL.exec(answer)?.groups?.['label'];
  if (label !== undefined && isPreface(task, answer, label)) return answer.replace(LABEL, '');
  // An agreement that has no line of its own may be what the source says.
  const agreement = reply.slice(0, reply.length - answer.length);
  return agreement.includes('\n') && answer !== '' ? answer : reply;
};

/** Words of models to whoever asked, in English, which is told apart in every other language. */
const OFFER = String.raw`(?:please )?(?:let me know (?:if|whether|how)\b|feel free to (?:ask|reach)\b|don['’]t hesitate to\b)|(?:i )?hope (?:this|that|it) helps\b|is there anything else\b|(?:would you like|do you want) me to (?:translate|explain|adjust|provide)\b|if you (?:need|want|have|would like) (?:any|more|another|further|me to)\b`;
/** The same in other languages. */
const OTHER_OFFER = String.raw`[¡¿]?espero que (?:esto |te |le )*(?:ayude|sirva)|[¡¿]?(?:avísame|dime|háganmelo saber|no dudes en)\b|espero que (?:isso |isto )?ajude|(?:me avise|fique à vontade|não hesite)\b|j['’]espère que (?:cela|ça)|n['’]hésite[zs]? pas|faites-moi savoir|ich hoffe,? das hilft|lass(?:en sie)? (?:mich|es mich) wissen|sag(?:en sie)? (?:mir )?(?:gerne )?bescheid|spero (?:che )?(?:questo )?(?:sia utile|ti aiuti)|fammi sapere|надеюсь,? это поможет|дайте знать|お役に立て|他に(?:何か)?(?:ご質問|お手伝い)|何かあれば|希望(?:这|這)?(?:对你|對你|对您|對您)?有(?:所)?(?:帮助|幫助)|如果(?:你|您)?(?:需要|还有|還有)|도움이 되(?:었|셨|길)|더 필요`;
const offer = new RegExp(`^(?:${OFFER}|${OTHER_OFFER})`, 'iu');
const anyOffer = new RegExp(`${OFFER}|${OTHER_OFFER}`, 'iu');
/** The same behind the last sentence of a translation, in UTF-16 units at its end. */
const offerBehind = new RegExp(
  String.raw`(?<=[.!?。！？…"'”’)])\s{0,4}(?:${OFFER})[^\n]{0,200}$`,
  'iu',
);
const BEHIND_CHARS = 300;

const paragraphsIn = (text: string): number => text.trim().split(/\n{2,}/).length;

/** Removes what a model says after a translation: notes, and offers to whoever asked. */
export const withoutNote = ({ source, to }: TranslationTask, reply: string): string => {
  const mayOffer = !anyOffer.test(source);
  let translation = reply;
  for (let more = paragraphsIn(reply) - paragraphsIn(source); more > 0; more -= 1) {
    const at = translation.trimEnd().lastIndexOf('\n\n');
    const last = translation.slice(at).trim();
    if (at <= 0 || !(NOTE.test(last) || (mayOffer && offer.test(last)))) break;
    translation = translation.slice(0, at);
  }
  // Words in the wanted language may be the translation itself.
  if (!mayOffer || /^en\b/i.test(to)) return translation;
  const tail = translation.slice(-BEHIND_CHARS);
  return translation.slice(0, -BEHIND_CHARS) + tail.replace(offerBehind, '');
};

const entity = new RegExp(ENTITY, 'g');

/** Turns HTML's entities into characters, unless the source has such ones itself. */
export const withoutEntities = (source: string, reply: string): string => {
  if (!reply.includes('&') || source.search(entity) >= 0) return reply;
  return reply.replaceAll(entity, (...match: unknown[]) => entityChar(match.at(-1) as EntityParts));
};

/** Pairs of quotation marks (Unicode, Pi and Pf; CLDR). */
const PAIRS: readonly string[] = '"" “” „“ „” ”” «» »« ‹› 「」 『』 ＂＂ ‘’ \'\''.split(' ');
const QUOTED = /^\s*[\p{Pi}\p{Pf}„‚「『"＂']/u;

/** Removes the quotation marks around a whole reply, if its source has none. */
export const withoutQuotationMarks = (source: string, reply: string): string => {
  const written = reply.trim();
  const [open = '', close = ''] = [written[0], written.at(-1)];
  const inner = written.slice(1, -1).trim();
  const isAround = PAIRS.includes(open + close) && !inner.includes(open) && !inner.includes(close);
  return isAround && inner !== '' && !QUOTED.test(source) ? inner : reply;
};

/** The parts in which models think aloud, as open models mark them. */
const THOUGHT = /^\s*<(?<tag>think|thinking|thought|reasoning)>[^]*?<\/\k<tag>>\s*/i;
/** Templates of some models leave out the opening mark. */
const END_OF_THOUGHT = /^(?:(?!<think)[^])*?<\/(?:think|thinking|thought|reasoning)>\s*/i;
const BEGINNING = /^\s*<(?:think|thinking|thought|reasoning)>/i;
const MARK_OF_THOUGHT = /<\/?(?:think|thinking|thought|reasoning)>/i;

/**
 * Removes the thinking before an answer; undefined where the answer never begins. An answer to a text
 * with such marks of its own is kept.
 */
export const withoutThinking = (source: string, reply: string): string | undefined => {
  if (!reply.includes('>') || MARK_OF_THOUGHT.test(source)) return reply;
  const answer = reply.replace(THOUGHT, '');
  if (BEGINNING.test(answer)) return undefined;
  return answer.includes('</') ? answer.replace(END_OF_THOUGHT, '') : answer;
};

/** A mark of thinking or of a template, an entity or a character, whose end is not written yet. */
const PARTIAL = /(?:[<[][^<>[\]\s]{0,40}|&[#\w]{0,8}|[\uD800-\uDBFF])$/u;

/** A reply that is still growing without what is not whole at its end. */
export const withoutPartial = (partial: string): string => partial.replace(PARTIAL, '');

/** Cuts a reply where a model goes on with the template of a conversation. */
export const withoutTemplate = (
  source: string,
  reply: string,
  findMark: (text: string) => number = findTemplateMark,
): string => {
  const at = findMark(reply);
  return at < 0 || findControlToken(source) >= 0 ? reply : reply.slice(0, at);
};

/** A whole reply in a fence, as models hand code over. */
const FENCED = /^\s*(?<mark>`{3,9})\w*\n(?<text>[^]*?)\n?\k<mark>\s*$/;
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

/** True for a beginning of which a preface, or a wrapping, may become. */
export const mayBeAddition = ({ source }: TranslationTask, begun: string): boolean => {
  if (/^\s*[`{]/.test(begun) && !WRAPPED.test(source)) return true;
  if (begun.length > LONGEST_LABEL || /[\n:：]/.test(begun)) return false;
  return (
    (AGREEMENT.test(begun) && !AGREEMENT.test(source)) ||
    (TRANSLATION.test(begun) && !TRANSLATION.test(source)) ||
    (/^here\b/i.test(begun) && !HERE.test(source))
  );
};
