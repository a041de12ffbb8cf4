import languageData from './languages.json' with { type: 'json' };

/** A writing system, and the languages that are told apart within it. */
export interface Script {
  readonly letters: RegExp;
  readonly languages: readonly string[];
}

/** Writing systems by the names of their scripts in Unicode. */
const byName = new Map(
  Object.entries(languageData.scripts).map(([names, languages]): [string, Script] => {
    const letters = names.split(' ').map((name) => `\\p{sc=${name}}`);
    return [
      names,
      { letters: new RegExp(`[${letters.join('')}]`, 'gu'), languages: languages.split(' ') },
    ];
  }),
);
const SCRIPTS = [...byName.values()];
const HAN = byName.get('Han')!;
export const KANA = byName.get('Hiragana Katakana')!;

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
const LETTERS: Readonly<Record<string, string>> = languageData.letters;

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

/** Rows of a double-byte character set, first and last. */
type Rows = readonly [first: number, last: number];

/**
 * A national character set. Each parts its Chinese characters in two levels by how common they are:
 * GB 2312 for simplified Chinese, Big5 for traditional Chinese, JIS X 0208 for Japanese.
 */
interface CharacterSet {
  readonly encoding: string;
  readonly common: Rows;
  readonly rare: Rows;
  /** Ranges of the second byte. */
  readonly columns: readonly Rows[];
}

const EUC_COLUMNS: readonly Rows[] = [[0xa1, 0xfe]];
const SETS = {
  zh: { encoding: 'gbk', common: [0xb0, 0xd7], rare: [0xd8, 0xf7], columns: EUC_COLUMNS },
  'zh-Hant': {
    encoding: 'big5',
    common: [0xa4, 0xc6],
    rare: [0xc9, 0xf9],
    columns: [
      [0x40, 0x7e],
      [0xa1, 0xfe],
    ],
  },
  ja: { encoding: 'euc-jp', common: [0xb0, 0xcf], rare: [0xd0, 0xf4], columns: EUC_COLUMNS },
} as const satisfies Readonly<Record<string, CharacterSet>>;

/** Logarithms of how likely a character of each level is, beside one of the common level. */
const RARE = -2;
const FOREIGN = -4;
const FAMILIAR = 0;

/** Characters of written Cantonese that standard Chinese hardly uses. */
const CANTONESE = new Set('嘅咗唔喺嚟冇佢哋啲嘢咩㗎喎噉咁乜嗰攞瞓諗睇俾畀啱嘥掂咪');
/** Everyday characters of standard Chinese for which Cantonese has others. */
const STANDARD = new Set('的這沒他她嗎了是在們');

const han = /\p{sc=Han}/gu;

const charactersOf = (
  { encoding, columns }: CharacterSet,
  [first, last]: Rows,
): Iterable<string> => {
  const bytes: number[] = [];
  for (let row = first; row <= last; row += 1)
    for (const [from, to] of columns)
      for (let column = from; column <= to; column += 1) bytes.push(row, column);
  return new TextDecoder(encoding).decode(Uint8Array.from(bytes));
};

const levelsOf = (set: CharacterSet): ReadonlyMap<string, number> => {
  const levels = new Map<string, number>();
  for (const character of charactersOf(set, set.rare)) levels.set(character, RARE);
  for (const character of charactersOf(set, set.common)) levels.set(character, FAMILIAR);
  return levels;
};

type Likelihood = (character: string) => number;

/** The likelihood in a language with a character set, which is read at its first use. */
const within = (set: CharacterSet): Likelihood => {
  let levels: ReadonlyMap<string, number> | undefined;
  return (character) => {
    if (CANTONESE.has(character)) return FOREIGN;
    levels ??= levelsOf(set);
    return levels.get(character) ?? FOREIGN;
  };
};

const inTraditional = within(SETS['zh-Hant']);
const BY_LANGUAGE: Readonly<Record<string, Likelihood>> = {
  zh: within(SETS.zh),
  'zh-Hant': inTraditional,
  ja: within(SETS.ja),
  yue: (character) => {
    if (CANTONESE.has(character)) return FAMILIAR;
    return STANDARD.has(character) ? RARE : inTraditional(character);
  },
};

/**
 * The logarithm of how likely a language is to use a text's Chinese characters, 0 at most: for
 * `zh`, `zh-Hant`, `ja` and `yue`. Other characters do not count.
 */
export const hanLikelihood = (text: string, language: string): number => {
  const likelihood = BY_LANGUAGE[language] ?? (() => FOREIGN);
  let sum = 0;
  for (const [character] of text.matchAll(han)) sum += likelihood(character);
  return sum;
};
