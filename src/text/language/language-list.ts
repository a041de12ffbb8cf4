/** The pseudo-locale: English with accents and brackets (see `pseudoLocalise`), for tests of translations. */
export const PSEUDO_LOCALE = 'en-XA';

/** Languages that people can choose, in BCP 47; the most used in chat come first. */
export const LANGUAGES: readonly string[] = (
  'en es ja zh zh-Hant ko fr de pt pt-BR ru it id tr vi ar hi pl nl th uk sv cs ro el hu fi da no ' +
  'he fa tl ms bn ur ta te bg hr sr sk sl lt lv et ca eu gl ka hy az kk uz tg be mk bs sq is ga cy mt ' +
  'af sw zu so yo ha am ne mr gu pa kn ml si my km lo mn ps jv yue eo la ' +
  PSEUDO_LOCALE
).split(' ');

/** Language subtags that stand for a code of the list, after canonicalisation by Unicode. */
export const SAME_CODE: Readonly<Record<string, string>> = { nb: 'no', nn: 'no', fil: 'tl' };

/** The locales whose names of languages people may type, besides each language's own. */
export const NAME_LOCALES = ['en', 'ja', 'zh', 'zh-Hant', 'ko', 'es', 'fr', 'de', 'pt'] as const;

/** Names from voice lists and in common use that Unicode does not have for a language. */
export const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  en: ['English US', 'English UK', 'inglés', 'anglais', 'eigo'],
  'en-XA': ['pseudo', 'pseudo locale', 'pseudo-localisation', 'pseudo English'],
  es: ['Castilian', 'Castellano', 'Latin American Spanish', 'Spanish Latin America'],
  ja: ['nihongo', 'JP'],
  zh: [
    'Mandarin',
    'Mandarin Chinese',
    'Putonghua',
    'Simplified Chinese',
    'Chinese Simplified',
    'Chinese Mainland',
    'CN',
    '汉语',
    '普通话',
    '简体字',
    '简中',
  ],
  'zh-Hant': [
    'Chinese Traditional',
    'Taiwanese Mandarin',
    'Mandarin Taiwan',
    'Chinese Taiwan',
    'TW',
    '國語',
    '繁體字',
    '繁中',
    '台湾華語',
  ],
  yue: ['Chinese Cantonese', 'Chinese Hong Kong', '粤语', '廣東話', '广东话'],
  ko: ['KR', '한국말'],
  pt: ['European Portuguese', 'Portuguese Portugal'],
  'pt-BR': ['Brazilian', 'Portuguese Brazil', 'Portuguese BR', 'brasileiro'],
  nl: ['Flemish'],
  no: ['Norwegian Bokmål', 'Norwegian Nynorsk', 'Bokmål', 'Nynorsk'],
  tl: ['Tagalog'],
  fa: ['Farsi'],
  my: ['Myanmar'],
  bn: ['Bengali'],
  he: ['Ivrit'],
  vi: ['Tiếng Việt'],
  id: ['Bahasa', 'Bahasa Indonesia'],
  ms: ['Bahasa Melayu'],
};
