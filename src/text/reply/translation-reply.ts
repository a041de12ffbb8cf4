import { isBlank } from '../unicode.ts';
import { ENTITY, entityChar, type EntityParts } from '../entities.ts';

/** Refusals of models, with the languages in which they write them. */
const REFUSALS = [
  [
    'en',
    /^(?:i['’]?m|i am) (?:very |really )?sorry\b[^\n]{0,60}\b(?:can['’]?t|cannot|can not|unable|not able|won['’]?t)\b/i,
  ],
  [
    'en',
    /^(?:sorry|unfortunately|i apologi[sz]e)\b[^\n]{0,60}\b(?:can['’]?t|cannot|unable|not able)\b/i,
  ],
  [
    'en',
    /^i (?:can['’]?t|cannot|am unable to|am not able to|won['’]?t) (?:assist|help|translate|provide|comply|fulfil|do that)/i,
  ],
  ['en', /^as an? (?:ai|artificial intelligence|language model)\b/i],
  ['es', /^lo siento,?[^\n]{0,40}\bno puedo (?:traducir|ayudar|asistir|cumplir)/i],
  ['fr', /^(?:je suis )?désolée?,?[^\n]{0,40}\bne peux pas (?:traduire|vous aider|répondre)/i],
  [
    'de',
    /^(?:es tut mir leid|tut mir leid|entschuldigung),?[^\n]{0,40}\bnicht (?:übersetzen|helfen)/i,
  ],
  ['pt', /^desculpe,?[^\n]{0,40}\bnão posso (?:traduzir|ajudar)/i],
  [
    'ja',
    /^(?:申し訳(?:ありません|ございません)|すみません)[^\n]{0,30}(?:翻訳|お手伝い|お答え)[^\n]{0,10}(?:できません|致しかねます)/,
  ],
  [
    'zh',
    /^(?:抱歉|对不起|對不起|很抱歉)[^\n]{0,12}(?:无法|不能|無法)[^\n]{0,6}(?:翻译|翻譯|提供|协助|協助|回答)/,
  ],
  ['ko', /^죄송(?:합니다|하지만)[^\n]{0,20}(?:번역|도와)[^\n]{0,10}(?:없습니다|수 없)/],
] as const;
/** Apologies of people, whose translation may look like a refusal. */
const APOLOGY =
  /sorry|apolog|unfortunat|siento|perd[óo]n|désol|leid|entschuldig|desculp|dispiac|жаль|извин|прост|申し訳|すみません|ごめん|抱歉|对不起|對不起|죄송|미안|متأسف|آسف|maaf|przykro|przepraszam|üzgün/i;

/** Words of people who cannot or do not want to do something, whose translation looks like a refusal. */
const INABILITY =
  /can['’]?t|cannot|unable|won['’]?t|could ?n['’]t|no (?:te |le |os |les )?pued|ne (?:peu|saurai)|n['’]arrive|kann[^.!?\n]{0,80}\b(?:nicht|nix|kein)|nicht\b[^.!?\n]{0,40}\b(?:kann|könn)|können[^.!?\n]{0,80}\bnicht|não (?:te |lhe |vos )?(?:pos|cons)|non (?:ti |vi |le )?(?:pos|ries)|kan[^.!?\n]{0,60}\b(?:niet|geen|inte|ikke)|nie mo[gż]|не (?:мог|можу|мож|смог|в состоянии)|nem (?:tud|lehet)|yapam|edemem|bilmem|できな|できま|できず|られな|られま|かねま|無理|不能|不可以|没法|沒法|无法|無法|没办法|沒辦法|不了|幫不|帮不|수 ?없|못|لا أستطيع|لا يمكن|tidak (?:bisa|dapat)|gak bisa|không thể|ไม่ได้|नहीं/i;
/** Beginnings of refusals: the same in a reply that still grows. */
const BEGINNING_OF_REFUSAL =
  /^(?:i['’]?m (?:very |really )?sorry|i am (?:very |really )?sorry|sorry|unfortunately|i apologi[sz]e|i (?:can['’]?t|cannot|am unable|am not able|won['’]?t)|as an? (?:ai|artificial|language)|lo siento|(?:je suis )?désolée?|(?:es )?tut mir leid|entschuldigung|desculpe|申し訳|すみません|抱歉|对不起|對不起|很抱歉|죄송)[^\n]{0,80}$/i;

/** The most common beginnings: a reply may become a refusal when it is only the first letters of one. */
const COMMONEST = "i'm sorry|i am sorry|sorry|i can't|i cannot|unfortunately|as an ai".split('|');

const mayMeanIt = (source: string): boolean => APOLOGY.test(source) || INABILITY.test(source);

/** A text that was to be translated, and the BCP 47 code of the language that was wanted. */
interface Task {
  readonly source: string;
  readonly to: string;
}

/** True for a reply in which a model refuses, rather than translates what somebody says. */
export const refusesToTranslate = ({ source, to }: Task, reply: string): boolean => {
  const written = reply.trim();
  if (written === source.trim()) return false;
  const target = to.toLowerCase().split('-')[0];
  return REFUSALS.some(
    // Only a reply in the wanted language can be what somebody said.
    ([language, refusal]) => refusal.test(written) && !(language === target && mayMeanIt(source)),
  );
};

/** True while a growing reply may become a refusal. */
export const mayRefuse = (source: string, partial: string): boolean => {
  const begun = partial.trimStart();
  const letters = begun.toLowerCase().replace('’', "'");
  const isBegun =
    COMMONEST.some((opening) => opening.startsWith(letters)) || BEGINNING_OF_REFUSAL.test(begun);
  return isBegun && !mayMeanIt(source);
};

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
const COLON = /[:：]/gu;

const colonsIn = (text: string): number => text.match(COLON)?.length ?? 0;

const isPreface = (source: string, reply: string, label: string): boolean =>
  colonsIn(reply) > colonsIn(source) &&
  ((TRANSLATION.test(label) && !TRANSLATION.test(source)) ||
    (HANDED_OVER.test(label) && !HERE.test(source)));

const withoutPreface = (source: string, reply: string): string => {
  const answer = AGREEMENT.test(source) ? reply : reply.replace(AGREEMENT, '');
  const label = LABEL.exec(answer)?.groups?.['label'];
  if (label !== undefined && isPreface(source, answer, label)) return answer.replace(LABEL, '');
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
const withoutAdditions = (source: string, reply: string): string =>
  withoutNote(source, withoutPreface(source, reply));

/** A beginning of which it is not known yet whether a preface becomes of it. */
const UNSURE =
  /^(?:sure|certainly|of course|absolutely|okay|here(?:'s|’s| is| are)|the translat|translat)[^\n:：]{0,160}$/iu;

/** Removes the preface from a reply that is still growing; '' while one may be growing. */
const withoutPrefaceSoFar = (source: string, partial: string): string => {
  const begun = partial.trimStart();
  if (UNSURE.test(begun) && !UNSURE.test(source.trimStart())) return '';
  return withoutPreface(source, begun);
};

/**
 * Letters that languages need for what takes English one, roughly: of the same text, in its usual
 * translations. Languages that are not named need about as many.
 */
const DENSITIES: Readonly<Record<string, number>> = {
  zh: 0.33,
  yue: 0.33,
  wuu: 0.33,
  ja: 0.45,
  ko: 0.5,
  th: 0.85,
  he: 0.8,
  ar: 0.85,
};
/** Longer translations than this many times the usual length are none. */
const TIMES = 4;
/** Short words may become whole sentences: "brb". */
const SPARE_CHARS = 120;

const densityOf = (language: string): number =>
  DENSITIES[language.toLowerCase().split('-')[0] ?? ''] ?? 1;

/** The most UTF-16 units that a translation of a text can have. */
const longestTranslation = (source: string, from: string, to: string): number =>
  Math.ceil(((TIMES * densityOf(to)) / densityOf(from)) * source.length) + SPARE_CHARS;

/** Letters a second of the fastest speech, with room for spelt numbers. */
const LETTERS_PER_S = 50;

/** True for a text that nobody can have said in this time. */
export const isTooLongToSay = (text: string, durationMs: number): boolean =>
  text.length > SPARE_CHARS + (LETTERS_PER_S * durationMs) / 1_000;

const entity = new RegExp(ENTITY, 'g');

/** Turns HTML's entities into characters, unless the source has such ones itself. */
const withoutEntities = (source: string, reply: string): string => {
  if (!reply.includes('&') || source.search(entity) >= 0) return reply;
  return reply.replaceAll(entity, (...match: unknown[]) => entityChar(match.at(-1) as EntityParts));
};

/** Pairs of quotation marks (Unicode, Pi and Pf; CLDR). */
const PAIRS = ['""', '“”', '„“', '„”', '«»', '‹›', '「」', '『』', '＂＂', '‘’', "''"] as const;

/** Removes the quotation marks around a whole reply, if its source has none. */
const withoutQuotationMarks = (source: string, reply: string): string => {
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
const withoutThinking = (reply: string): string | undefined => {
  if (!reply.includes('>')) return reply;
  const answer = reply.replace(THOUGHT, '');
  if (BEGINNING.test(answer)) return undefined;
  return answer.includes('</') ? answer.replace(END_OF_THOUGHT, '') : answer;
};

/** Removes the thinking from a reply that is still growing; '' while it thinks. */
export const withoutThinkingSoFar = (partial: string): string =>
  PARTIAL_MARK.test(partial) ? '' : (withoutThinking(partial) ?? '');

/** A text that was to be translated. */
export interface TranslationTask {
  readonly source: string;
  /** BCP 47 codes. */
  readonly from: string;
  readonly to: string;
}

type JudgedReply =
  | { readonly text: string; readonly fault?: never }
  | { readonly fault: 'blank' | 'too long' | 'only thinking' | 'a refusal'; readonly text?: never };

/** True as soon as a growing reply can be no translation any more. */
export const isTooLong = ({ source, from, to }: TranslationTask, reply: string): boolean =>
  reply.length > longestTranslation(source, from, to);

/**
 * Judges the reply of an engine to a translation, before anybody sees it. What engines put around a
 * translation is removed: thinking, a preface, a note, quotation marks, HTML's entities.
 */
export const judgeTranslation = (task: TranslationTask, reply: string): JudgedReply => {
  const { source } = task;
  const answer = withoutThinking(reply);
  if (answer === undefined) return { fault: 'only thinking' };
  if (isBlank(answer)) return { fault: isBlank(reply) ? 'blank' : 'only thinking' };
  const bare = withoutQuotationMarks(source, withoutAdditions(source, answer));
  const text = withoutEntities(source, bare);
  if (isBlank(text)) return { fault: 'blank' };
  if (isTooLong(task, text)) return { fault: 'too long' };
  return refusesToTranslate(task, text) ? { fault: 'a refusal' } : { text };
};

/** The translation within a reply that is still growing; '' while none has begun. */
export const translationSoFar = ({ source }: TranslationTask, partial: string): string => {
  const begun = withoutPrefaceSoFar(source, withoutThinkingSoFar(partial));
  return mayRefuse(source, begun) ? '' : withoutEntities(source, begun);
};
