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
const SETS: Readonly<Record<string, CharacterSet>> = {
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
};

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

const [simplified, traditional, japanese] = Object.values(SETS).map(levelsOf);

type Likelihood = (character: string) => number;

const within =
  (levels: ReadonlyMap<string, number> | undefined): Likelihood =>
  (character) =>
    CANTONESE.has(character) ? FOREIGN : (levels?.get(character) ?? FOREIGN);

const inTraditional = within(traditional);
const BY_LANGUAGE: Readonly<Record<string, Likelihood>> = {
  zh: within(simplified),
  'zh-Hant': inTraditional,
  ja: within(japanese),
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
