import { eld } from 'eld/small';
import { HAN, KANA, type ScriptUse, scriptsOf } from './scripts.ts';
import { withoutPlainSpans } from '../plain-spans.ts';

/** Characters that tell the ways of writing with Chinese characters apart; shared ones are left out. */
const SIMPLIFIED = new Set(
  '们这说时为过还样么发开关经进问间现见东车长门书马话语请谢让认识买卖钱给红级线练组终结统网难题预领风飞饭馆饿吗谁觉听试该谈论读课调误边远运达连选迟从动务员图团场块处备头实应张带帮师总战户报择损换据无树机权极构标检欢气汉决热烦爱状独猫环电画盘确离种称积稳简类紧绍维续绿职联脑脚脸节药获虽补装观规视览计订训议讯记讲许设访证评词详费资轻较载输错键闪闹闻阅阳阶际险随静韩页项顺须顾频额验骂骗没个会来对学国体几变业两与点',
);
const TRADITIONAL = new Set(
  '們這說時為過還樣麼發開關經進問間現見東車長門書馬話語請謝讓認識買賣錢給紅級線練組終結統網難題預領風飛飯館餓嗎誰覺聽試該談論讀課調誤邊遠運達連選遲從動務員圖團場塊處備頭實應張帶幫師總戰戶報擇損換據無樹機權極構標檢歡氣漢決熱煩愛狀獨貓環電畫盤確離種稱積穩簡類緊紹維續綠職聯腦腳臉節藥獲雖補裝觀規視覽計訂訓議訊記講許設訪證評詞詳費資輕較載輸錯鍵閃鬧聞閱陽階際險隨靜韓頁項順須顧頻額驗罵騙沒個會來對學國體幾變業兩與點',
);
const JAPANESE = new Set(
  '円駅図気広売読発経覚対応関様帰楽悪戻変実続込働畑匂桜沢浜歳剣検権験銭鉄闘駆塩釈択黒総縄両処拠毎渋絵聴脳蔵豊軽転辺雑霊顔髪丼頑',
);

export interface HanEvidence {
  readonly simplified: number;
  readonly traditional: number;
  readonly japanese: number;
}

/** Counts a text's characters that belong to only one of the three ways of writing. */
export const hanEvidence = (text: string): HanEvidence => {
  let [simplified, traditional, japanese] = [0, 0, 0];
  for (const sign of text) {
    if (JAPANESE.has(sign)) japanese += 1;
    if (SIMPLIFIED.has(sign)) simplified += 1;
    if (TRADITIONAL.has(sign)) traditional += 1;
  }
  return { simplified, traditional, japanese };
};

/**
 * Words that are often a whole line of chat, too short for statistics, and used in one language of
 * their script only.
 */
const WORDS: Readonly<Record<string, string>> = {
  en: 'hello hey hiya thanks thank thx yes yeah yep nope please sorry welcome bye goodbye night nice great cool awesome sure what why who how when where',
  es: 'hola gracias vale buenas adiós adios perdón claro bueno bien qué dónde cuándo jaja jajaja',
  fr: 'bonjour salut merci oui bonsoir ouais coucou désolé mdr pourquoi quoi',
  de: 'hallo danke bitte guten tschüss genau moin gerne nein warum wann',
  pt: 'obrigado obrigada valeu oi olá tchau sim desculpa beleza blz',
  it: 'grazie prego ciao buongiorno buonasera scusa perché',
  nl: 'bedankt dankjewel hoi goedemorgen doei waarom alsjeblieft',
  pl: 'cześć dzięki tak proszę siema dziękuję dlaczego',
  tr: 'merhaba selam evet hayır teşekkürler tamam sağol',
  vi: 'chào cảm xin vâng',
  id: 'halo terima kasih iya apa kenapa selamat makasih',
  ja: '了解 草 乙 無理 大丈夫 最高 承知 爆笑',
};

const languageOf = new Map(
  Object.entries(WORDS).flatMap(([language, words]) =>
    words.split(' ').map((word): [string, string] => [word, language]),
  ),
);

/** The one language whose chat words are in the text; undefined where there are none, or several. */
export const chatWordLanguage = (text: string): string | undefined => {
  const found = new Set<string>();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{M}]+/gu)) {
    const language = languageOf.get(word);
    if (language) found.add(language);
  }
  return found.size === 1 ? [...found][0] : undefined;
};

export interface Detection {
  /** Language code in BCP 47: `en`, `ja`, `zh`, `zh-Hant`. */
  readonly language: string;
  /** Confidence from 0 to 1: about the share of chat lines of this confidence that are right. */
  readonly confidence: number;
}

/** UTF-16 units that are read: enough to tell a text's language. */
const SAMPLE_LENGTH = 1000;
/** Least confidence of a useful guess. */
const LEAST_CONFIDENCE = 0.35;
const CHAT_WORD_CONFIDENCE = 0.7;
/** Fewest letters that can give full confidence. */
const ENOUGH_LETTERS = 10;
/** Fitted to the beginnings of chat lines: see docs/decisions/002-language-detection.md. */
const HALF_SURE_EVIDENCE = 0.25;

/**
 * Weight of a language's score. Chat is mostly in few languages, and their short lines look like
 * those of their smaller neighbours: Turkish like Azerbaijani, Spanish like Catalan.
 */
const WEIGHTS = new Map<string, number>([
  ...'ar de en es fa fr hi it ms nl pl pt ru tr vi'.split(' ').map((l): [string, number] => [l, 1]),
  ...'az be bg ca et eu hr is lt lv mr sk sl sq sr tl ur'
    .split(' ')
    .map((l): [string, number] => [l, 0.8]),
]);
const OTHER_WEIGHT = 0.9;

/**
 * Languages that `eld` does not tell apart: most people who write Malay or Indonesian write
 * Indonesian.
 */
const RENAMED: Readonly<Record<string, string>> = { ms: 'id' };

/** Inverts the library's scale, x / (x + 25): only x can be weighted. */
const unscaled = (score: number): number => (25 * score) / (1 - score);

const byStatistics = (text: string, { script, letters }: ScriptUse): Detection | undefined => {
  const scores = eld.detect(text).getScores();
  const [best, second] = script.languages
    .map((language) => ({
      language,
      score: unscaled(scores[language] ?? 0) * (WEIGHTS.get(language) ?? OTHER_WEIGHT),
    }))
    .toSorted((a, b) => b.score - a.score);
  if (!best || best.score === 0) return undefined;
  const evidence = ((best.score - (second?.score ?? 0)) / best.score) * letters;
  const certainty = evidence / (evidence + HALF_SURE_EVIDENCE);
  return {
    language: RENAMED[best.language] ?? best.language,
    confidence: certainty * Math.min(1, letters / ENOUGH_LETTERS),
  };
};

/** Chinese characters alone: Chinese in one of two ways of writing, or Japanese without kana. */
const byHan = (text: string, letters: number): Detection => {
  const { simplified, traditional, japanese } = hanEvidence(text);
  if (japanese > simplified) return { language: 'ja', confidence: 0.85 };
  return {
    language: traditional > simplified ? 'zh-Hant' : 'zh',
    confidence: simplified > 0 ? 0.95 : Math.min(0.9, 0.2 + letters * 0.15),
  };
};

const byScript = (text: string, use: ScriptUse): Detection | undefined => {
  if (use.script === HAN) return byHan(text, use.letters);
  const [language = '', ...others] = use.script.languages;
  if (others.length > 0) return byStatistics(text, use);
  // A single kana may be part of an emoticon.
  return { language, confidence: use.script === KANA && use.letters === 1 ? 0.4 : 0.95 };
};

/**
 * Detects a plain text's language from the first thousand characters without addresses, `@names` and
 * emoji. Undefined where it is uncertain: no letters, too few, or another language as likely.
 */
export const detectLanguage = (text: string): Detection | undefined => {
  const sample = withoutPlainSpans(text.slice(0, SAMPLE_LENGTH));
  const [use] = scriptsOf(sample);
  if (!use) return undefined;
  const found = byScript(sample, use);
  const confidence = (found?.confidence ?? 0) * Math.min(1, use.share + 0.3);
  if (confidence < CHAT_WORD_CONFIDENCE) {
    const language = chatWordLanguage(sample);
    if (language) return { language, confidence: CHAT_WORD_CONFIDENCE };
  }
  return found && confidence >= LEAST_CONFIDENCE
    ? { language: found.language, confidence }
    : undefined;
};
