import { isSpacedLetter, isLetter } from '../text/unicode.ts';

/** Markers that recognisers write for sounds that are no speech: `[Music]`, `(applause)`, `♪`. */
const SOUND_MARKERS =
  /[[(（【*]\s*(?:(?:(?:upbeat|soft|dramatic|gentle|tense|background|audience|crowd|loud|heavy|eerie) )?(?:music|musique|música|musik|musica|muziek|applause|applaudissements|aplausos|applaus|laughter|laughs|rires|risas|silence|noise|static|breathing|coughs?|coughing|sighs?|clicking|typing|wind|beep(?:ing)?|музыка|аплодисменты|смех)(?: (?:playing|continues|fades|stops|ends))?|blank[_ ]audio|no (?:audio|speech|sound)|inaudible|unintelligible|foreign|foreign language|speaking (?:in )?(?:a )?foreign language|音楽|拍手|笑い?|笑い声|無音|音乐|掌声|笑声|박수|음악|웃음)\s*[\])）】*]|[♪♫♬🎵🎶]+/giu;

/** Phrases that recognisers invent for near-silence; hardly anybody says them in a room. */
const STOCK_PHRASES = new Set([
  'thanks for watching',
  'thank you for watching',
  'thank you so much for watching',
  'thank you for watching this video',
  'thank you for your attention',
  'please subscribe',
  'please subscribe to my channel',
  'please like and subscribe',
  'like and subscribe',
  'don t forget to subscribe',
  'see you in the next video',
  'i ll see you in the next video',
  'subtitles by the amara org community',
  'transcription by castingwords',
  'sous titres réalisés par la communauté d amara org',
  'sous titrage société radio canada',
  'sous titrage st 501',
  'merci d avoir regardé cette vidéo',
  'untertitel der amara org community',
  'untertitel im auftrag des zdf für funk 2017',
  'untertitelung des zdf 2020',
  'vielen dank fürs zuschauen',
  'subtítulos realizados por la comunidad de amara org',
  'subtítulos por la comunidad de amara org',
  'gracias por ver el video',
  'suscríbete al canal',
  'legendas pela comunidade amara org',
  'obrigado por assistir',
  'sottotitoli creati dalla comunità amara org',
  'sottotitoli e revisione a cura di qtss',
  'grazie per la visione',
  'ondertitels ingediend door de amara org gemeenschap',
  'продолжение следует',
  'субтитры сделал dimatorzok',
  'редактор субтитров а семкин корректор а егорова',
  'спасибо за просмотр',
  'ご視聴ありがとうございました',
  '最後までご視聴いただきありがとうございます',
  'ご清聴ありがとうございました',
  'チャンネル登録お願いします',
  'チャンネル登録よろしくお願いします',
  '次の動画でお会いしましょう',
  '请不吝点赞 订阅 转发 打赏支持明镜与点点栏目',
  '字幕由 amara org 社区提供',
  '感谢观看',
  '謝謝觀看',
  '시청해주셔서 감사합니다',
  '구독과 좋아요 부탁드립니다',
  'izlediğiniz için teşekkür ederim',
  'altyazı m k',
]);

/** Phrases that are invented for near-silence too, but are also common in conversation. */
const COMMON_PHRASES = new Set(
  [
    'you|bye|bye bye|okay|oh|so|uh|um|hmm|mm|mm hmm|yeah|the|thanks|thank you',
    'thank you very much|thank you so much|i m sorry|merci|gracias|danke|vielen dank|ja',
    'obrigado|спасибо|はい|うん|あ|ん|ありがとうございました|ありがとうございます|おやすみなさい|谢谢|謝謝|감사합니다|네',
  ].flatMap((row) => row.split('|')),
);

/** Normalises a text for comparison: no case, no punctuation, no needless spaces. */
export const bareText = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .trim();

/** The words of a text without the markers of sounds. */
export const withoutSounds = (text: string): string =>
  text.replaceAll(SOUND_MARKERS, ' ').replaceAll(/\s+/g, ' ').trim();

/** Detects invented texts: `stock` is hardly ever spoken, `common` often. */
export const knownInvention = (text: string): 'stock' | 'common' | undefined => {
  const bare = bareText(text);
  if (STOCK_PHRASES.has(bare)) return 'stock';
  return COMMON_PHRASES.has(bare) ? 'common' : undefined;
};

/** Confidence below which a stock phrase counts as invented. */
const SURE = 0.6;

/** The words that were spoken; empty when there were only sounds. `confidence`: 0 to 1. */
export const spokenTranscript = (text: string, confidence = 1): string => {
  const words = withoutSounds(text);
  return confidence < SURE && knownInvention(words) === 'stock' ? '' : words;
};

/** Longest text that is examined: nobody says more in one utterance. */
const LONGEST_CHARS = 2_000;

const LONGEST_UNIT_WORDS = 20;

/** Least share of a transcript that a loop covers; a few words may stand before or after it. */
const LOOP_SHARE = 0.6;

/** Counts letters of scripts with spaces, and characters of scripts without. */
export const countLetters = (
  text: string,
): { readonly letters: number; readonly signs: number } => {
  let letters = 0;
  let signs = 0;
  for (const char of text)
    if (isSpacedLetter(char)) letters += 1;
    else if (isLetter(char)) signs += 1;
  return { letters, signs };
};

/** Splits a text into words; in scripts without spaces, into characters. */
const unitsOf = (bare: string): string[] => {
  const units: string[] = [];
  let word = '';
  const endWord = (): void => {
    if (word !== '') units.push(word);
    word = '';
  };
  for (const char of bare.slice(0, LONGEST_CHARS)) {
    if (isSpacedLetter(char)) {
      word += char;
      continue;
    }
    endWord();
    if (isLetter(char)) units.push(char);
  }
  endWord();
  return units;
};

/** Counts how often a bare text repeats the same words in a row, if that is most of it; else 1. */
export const longestLoop = (bare: string): number => {
  const units = unitsOf(bare);
  let most = 1;
  const longestUnit = Math.min(LONGEST_UNIT_WORDS, Math.floor(units.length / 2));
  for (let period = 1; period <= longestUnit; period += 1) {
    let run = 0;
    for (let at = period; at < units.length; at += 1) {
      run = units[at] === units[at - period] ? run + 1 : 0;
      if (run + period < units.length * LOOP_SHARE) continue;
      most = Math.max(most, Math.floor(run / period) + 1);
    }
  }
  return most;
};

/** Counts the words (characters) of a transcript if all are among `others`; otherwise 0. */
export const countOnlyFrom = (bare: string, others: readonly string[]): number => {
  const units = unitsOf(bare);
  const known = new Set(others.flatMap(unitsOf));
  return units.every((unit) => known.has(unit)) ? units.length : 0;
};
