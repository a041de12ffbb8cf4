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
export const withoutAdditions = (source: string, reply: string): string =>
  withoutNote(source, withoutPreface(source, reply));

/** A beginning of which it is not known yet whether a preface becomes of it. */
const UNSURE =
  /^(?:sure|certainly|of course|absolutely|okay|here(?:'s|’s| is| are)|the translat|translat)[^\n:：]{0,160}$/iu;

/** Removes the preface from a reply that is still growing; '' while one may be growing. */
export const withoutPrefaceSoFar = (source: string, partial: string): string => {
  const begun = partial.trimStart();
  if (UNSURE.test(begun) && !UNSURE.test(source.trimStart())) return '';
  return withoutPreface(source, begun);
};
