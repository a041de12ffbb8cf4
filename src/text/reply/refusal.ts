import type { TranslationTask } from './task.ts';

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
const INABILITY = new RegExp(
  [
    // Germanic and Romance languages.
    String.raw`can['’]?t|cannot|unable|won['’]?t|could ?n['’]t|kann[^.!?\n]{0,80}\b(?:nicht|nix|kein)|nicht\b[^.!?\n]{0,40}\b(?:kann|könn)|können[^.!?\n]{0,80}\bnicht`,
    String.raw`kan[^.!?\n]{0,60}\b(?:niet|geen|inte|ikke|ikkje|nie)|get ekki|no (?:te |le |os )?pued|ne (?:peu|saurai)|n['’]arrive|não (?:te |lhe |vos )?(?:pos|cons)`,
    String.raw`non (?:ti |vi |le )?(?:pos|ries)|no (?:et |us |li )?(?:puc|podem)|\bnu (?:te |vă |îi )?pot`,
    // Slavic, Baltic and other languages of Europe.
    String.raw`nie mo[gż]|nem(?:ůž|oh|ôž)|neum[íi]|\bne mo[gžr]|не (?:мог|можу|мож|маг|смог|в состоянии)|negal|nevar|\ben (?:voi|pysty|osaa)|emme voi|\bei (?:saa|suuda)`,
    String.raw`nem (?:tud|lehet)|yapam|edemem|bilmem|[ae]m[ıi]yor|δεν (?:\S{1,9} )?μπορ|nuk mund|ezin\b`,
    // Languages of Asia.
    String.raw`できな|できま|できず|られな|られま|かねま|無理|不能|不可以|没法|沒法|无法|無法|没办法|沒辦法|不了|幫不|帮不|수 ?없|못`,
    String.raw`لا أستطيع|لا يمكن|نمی.?تو|نہیں|לא (?:יכול|ניתן)|אי אפשר|नहीं|পার(?:ি|ব)|முடிய|(?:tidak|tak|gak) (?:bisa|boleh|dapat)|\bhindi (?:ko|kami)|không thể|ไม่ได้`,
  ].join('|'),
  'i',
);

const mayMeanIt = (source: string): boolean => APOLOGY.test(source) || INABILITY.test(source);

/** True for a reply in which a model refuses, rather than translates what somebody says. */
export const refusesToTranslate = (
  { source, to }: Pick<TranslationTask, 'source' | 'to'>,
  reply: string,
): boolean => {
  const written = reply.trim();
  if (written === source.trim()) return false;
  const target = to.toLowerCase().split('-')[0];
  return REFUSALS.some(
    // Only a reply in the wanted language can be what somebody said.
    ([language, refusal]) => refusal.test(written) && !(language === target && mayMeanIt(source)),
  );
};
