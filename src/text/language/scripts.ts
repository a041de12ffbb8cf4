/** A writing system, and the languages that are told apart within it. */
export interface Script {
  readonly letters: RegExp;
  readonly languages: readonly string[];
}

const script = (letters: RegExp, languages: string): Script => ({
  letters,
  languages: languages.split(' '),
});

const HAN = script(/\p{sc=Han}/gu, 'zh zh-Hant yue ja');
export const KANA = script(/[\p{sc=Hiragana}\p{sc=Katakana}]/gu, 'ja');

const SCRIPTS: readonly Script[] = [
  script(
    /\p{sc=Latin}/gu,
    'af az bs ca cs cy da de en eo es et eu fi fr ga gl ha hr hu id is it jv la lt lv ms mt nl no pl pt ro sk ' +
      'sl so sq sr-Latn sv sw tl tr uz vi yo zu ar-Latn el-Latn hi-Latn ja-Latn ru-Latn zh-Latn und',
  ),
  script(/\p{sc=Cyrillic}/gu, 'ru uk bg sr be mk kk mn tg und'),
  script(/\p{sc=Arabic}/gu, 'ar fa ur ps und'),
  script(/\p{sc=Devanagari}/gu, 'hi mr ne'),
  HAN,
  KANA,
  script(/\p{sc=Hangul}/gu, 'ko'),
  script(/\p{sc=Greek}/gu, 'el'),
  script(/\p{sc=Hebrew}/gu, 'he'),
  script(/\p{sc=Thai}/gu, 'th'),
  script(/\p{sc=Bengali}/gu, 'bn'),
  script(/\p{sc=Tamil}/gu, 'ta'),
  script(/\p{sc=Telugu}/gu, 'te'),
  script(/\p{sc=Kannada}/gu, 'kn'),
  script(/\p{sc=Malayalam}/gu, 'ml'),
  script(/\p{sc=Gujarati}/gu, 'gu'),
  script(/\p{sc=Gurmukhi}/gu, 'pa'),
  script(/\p{sc=Sinhala}/gu, 'si'),
  script(/\p{sc=Khmer}/gu, 'km'),
  script(/\p{sc=Lao}/gu, 'lo'),
  script(/\p{sc=Myanmar}/gu, 'my'),
  script(/\p{sc=Georgian}/gu, 'ka'),
  script(/\p{sc=Armenian}/gu, 'hy'),
  script(/\p{sc=Ethiopic}/gu, 'am'),
];

/** Letters that a character of a syllabic or logographic script counts for. */
const SIGN_WEIGHT = 3;
const signs = new Set(['zh', 'ja', 'ko']);

export interface ScriptUse {
  readonly script: Script;
  readonly letters: number;
  /** The script's share of all letters, 0 to 1. */
  readonly share: number;
}

/** The scripts of a text, the most used first. Chinese characters among kana count as kana. */
export const scriptsOf = (text: string): readonly ScriptUse[] => {
  const counts = new Map<Script, number>();
  for (const each of SCRIPTS) {
    const letters = text.match(each.letters)?.length;
    if (letters) counts.set(each, letters);
  }
  const han = counts.get(HAN);
  const kana = counts.get(KANA);
  if (han && kana) {
    const japanese = kana > 1 || kana * 6 >= han;
    counts.set(japanese ? KANA : HAN, han + kana);
    counts.delete(japanese ? HAN : KANA);
  }
  const weigh = ([{ languages }, letters]: [Script, number]): number =>
    signs.has(languages[0] ?? '') ? letters * SIGN_WEIGHT : letters;
  const entries = [...counts].toSorted((a, b) => weigh(b) - weigh(a));
  const total = entries.reduce((sum, entry) => sum + weigh(entry), 0);
  return entries.map((entry) => ({
    script: entry[0],
    letters: entry[1],
    share: weigh(entry) / total,
  }));
};

/**
 * Letters that a language writes beside those from a to z, or, of Cyrillic, all of them. A language
 * of Latin letters that is not listed has no others.
 */
const LETTERS: Readonly<Record<string, string>> = {
  af: 'êëôûéèîïöüáŉ',
  az: 'çəğıöşü',
  bs: 'čćđšž',
  ca: 'àçéèíïóòúü·',
  cs: 'áčďéěíňóřšťúůýž',
  cy: 'âêîôûŵŷáéíóúàèìòùäëïöü',
  da: 'æøåéáü',
  de: 'äöüßé',
  en: 'éïñ',
  eo: 'ĉĝĥĵŝŭ',
  es: 'áéíóúüñ',
  et: 'äöõüšž',
  eu: 'ñçü',
  fi: 'äöåšž',
  fr: 'àâæçéèêëîïôœùûüÿ',
  ga: 'áéíóú',
  gl: 'áéíóúñüï',
  ha: 'ɓɗƙƴ',
  hr: 'čćđšž',
  hu: 'áéíóöőúüű',
  id: 'é',
  is: 'áéíóúýþæöð',
  it: 'àèéìíîòóùú',
  'ja-Latn': 'āēīōūâêîôû',
  jv: 'éèâ',
  la: 'āēīōūæœ',
  lt: 'ąčęėįšųūž',
  lv: 'āčēģīķļņšūž',
  mt: 'ċġħżàèìòù',
  nl: 'éëïóöèêáüäç',
  no: 'æøåéòôèà',
  pl: 'ąćęłńóśźż',
  pt: 'áâãàçéêíóôõúü',
  ro: 'ăâîșțşţ',
  sk: 'áäčďéíĺľňóôŕšťúýž',
  sl: 'čšž',
  sq: 'çë',
  'sr-Latn': 'čćđšž',
  sv: 'åäöéàü',
  tl: 'ñ',
  tr: 'çğıöşüâîû',
  uz: 'ʻʼ',
  vi: 'ăâđêôơưàảãáạằẳẵắặầẩẫấậèẻẽéẹềểễếệìỉĩíịòỏõóọồổỗốộờởỡớợùủũúụừửữứựỳỷỹýỵ',
  yo: 'ẹọṣàáèéìíòóùúńǹ',
  be: 'абвгдеёжзійклмнопрстуўфхцчшыьэюя',
  bg: 'абвгдежзийклмнопрстуфхцчшщъьюяѝ',
  kk: 'абвгдеёжзийклмнопрстуфхцчшщъыьэюяәғқңөұүһі',
  mk: 'абвгдѓежзѕијклљмнњопрстќуфхцчџшѐѝ',
  mn: 'абвгдеёжзийклмнопрстуфхцчшщъыьэюяөү',
  ru: 'абвгдеёжзийклмнопрстуфхцчшщъыьэюя',
  sr: 'абвгдђежзијклљмнњопрстћуфхцчџш',
  tg: 'абвгдеёжзийклмнопрстуфхчшъэюяғӣқӯҳҷ',
  uk: 'абвгґдеєжзиіїйклмнопрстуфхцчшщьюя',
  ar: 'ابتثجحخدذرزسشصضطظعغفقكلمنهويءآأؤإئىة',
  fa: 'ابتثجحخدذرزسشصضطظعغفقکلمنهویءآأؤئپچژگكي',
  ps: 'ابتثجحخدذرزسشصضطظعغفقکلمنهویءآأؤئپچژګټډړږښڼېۍگ',
  ur: 'ابتثجحخدذرزسشصضطظعغفقکلمنہویءآأؤئپچژگٹڈڑںےھۓۂ',
};

const alphabets = new Map(
  Object.entries(LETTERS).map(([language, letters]): [string, ReadonlySet<string>] => [
    language,
    new Set(letters),
  ]),
);
const NONE: ReadonlySet<string> = new Set();
const letterBeyondAscii = /[^\P{L}a-z]/gu;

/** The different letters of a text in lower case that are not those of every Latin alphabet. */
export const specialLetters = (text: string): ReadonlySet<string> =>
  new Set(text.normalize('NFC').match(letterBeyondAscii));

/** The number of these letters that a language does not write. */
export const foreignLetters = (special: ReadonlySet<string>, language: string): number =>
  special.difference(alphabets.get(language) ?? NONE).size;
