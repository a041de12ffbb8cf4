/** Refusals of models, in the languages in which they write them. */
const REFUSALS = [
  /^(?:i['’]?m|i am) (?:very |really )?sorry\b[^\n]{0,60}\b(?:can['’]?t|cannot|can not|unable|not able|won['’]?t)\b/i,
  /^(?:sorry|unfortunately|i apologi[sz]e)\b[^\n]{0,60}\b(?:can['’]?t|cannot|unable|not able)\b/i,
  /^i (?:can['’]?t|cannot|am unable to|am not able to|won['’]?t) (?:assist|help|translate|provide|comply|fulfil|do that)/i,
  /^as an? (?:ai|artificial intelligence|language model)\b/i,
  /^lo siento,?[^\n]{0,40}\bno puedo (?:traducir|ayudar|asistir|cumplir)/i,
  /^(?:je suis )?désolée?,?[^\n]{0,40}\bne peux pas (?:traduire|vous aider|répondre)/i,
  /^(?:es tut mir leid|tut mir leid|entschuldigung),?[^\n]{0,40}\bnicht (?:übersetzen|helfen)/i,
  /^desculpe,?[^\n]{0,40}\bnão posso (?:traduzir|ajudar)/i,
  /^(?:申し訳(?:ありません|ございません)|すみません)[^\n]{0,30}(?:翻訳|お手伝い|お答え)[^\n]{0,10}(?:できません|致しかねます)/,
  /^(?:抱歉|对不起|對不起|很抱歉)[^\n]{0,12}(?:无法|不能|無法)[^\n]{0,6}(?:翻译|翻譯|提供|协助|協助|回答)/,
  /^죄송(?:합니다|하지만)[^\n]{0,20}(?:번역|도와)[^\n]{0,10}(?:없습니다|수 없)/,
];
/** Apologies of people, whose translation may look like a refusal. */
const APOLOGY =
  /sorry|apolog|unfortunat|siento|perd[óo]n|désol|leid|entschuldig|desculp|dispiac|жаль|извин|прост|申し訳|すみません|ごめん|抱歉|对不起|對不起|죄송|미안|متأسف|آسف|maaf|przykro|przepraszam|üzgün/i;

/** True for a reply in which a model refuses, rather than translates what somebody says. */
export const refusesToTranslate = (source: string, reply: string): boolean => {
  const written = reply.trim();
  return REFUSALS.some((refusal) => refusal.test(written)) && !APOLOGY.test(source);
};
