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
