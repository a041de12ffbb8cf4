/** Words of numbers by value; '' for the values that others make up. */
interface Numerals {
  /** The numbers from 0 to 19. */
  readonly ones: readonly string[];
  /** The tens from 0 to 90. */
  readonly tens: readonly string[];
  /** The hundreds from 0 to 900. */
  readonly hundreds: readonly string[];
  /** The thousands from 0 to 9,000. */
  readonly thousands: readonly string[];
  /** True where the parts below a thousand are one word. */
  readonly isOneWord: boolean;
}

const words = (list: string): readonly string[] => list.split(' ').map((word) => word.trim());
const phrases = (list: string): readonly string[] => list.split(',').map((word) => word.trim());

/** The words of a whole number below 10,000. */
const numberIn = (
  { ones, tens, hundreds, thousands, isOneWord }: Numerals,
  value: number,
): string => {
  const rest = value % 100;
  const one = rest < 20 ? rest : rest % 10;
  const below = [
    hundreds[Math.floor(value / 100) % 10],
    rest < 20 ? '' : tens[Math.floor(rest / 10)],
    one === 0 && value > 0 ? '' : ones[one],
  ];
  const parts = isOneWord ? [below.join('')] : below;
  return [thousands[Math.floor(value / 1_000)], ...parts].filter((word) => word !== '').join(' ');
};

const RUSSIAN: Numerals = {
  ones: words(
    'нуля одного двух трёх четырёх пяти шести семи восьми девяти десяти одиннадцати двенадцати тринадцати четырнадцати пятнадцати шестнадцати семнадцати восемнадцати девятнадцати',
  ),
  tens: phrases(
    ',,двадцати,тридцати,сорока,пятидесяти,шестидесяти,семидесяти,восьмидесяти,девяноста',
  ),
  hundreds: phrases(',ста,двухсот,трёхсот,четырёхсот,пятисот,шестисот,семисот,восьмисот,девятисот'),
  thousands: phrases(
    ',тысячи,двух тысяч,трёх тысяч,четырёх тысяч,пяти тысяч,шести тысяч,семи тысяч,восьми тысяч,девяти тысяч',
  ),
  isOneWord: false,
};

const UKRAINIAN: Numerals = {
  ones: words(
    'нуля одного двох трьох чотирьох п’яти шести семи восьми дев’яти десяти одинадцяти дванадцяти тринадцяти чотирнадцяти п’ятнадцяти шістнадцяти сімнадцяти вісімнадцяти дев’ятнадцяти',
  ),
  tens: phrases(
    ',,двадцяти,тридцяти,сорока,п’ятдесяти,шістдесяти,сімдесяти,вісімдесяти,дев’яноста',
  ),
  hundreds: phrases(
    ',ста,двохсот,трьохсот,чотирьохсот,п’ятисот,шестисот,семисот,восьмисот,дев’ятисот',
  ),
  thousands: phrases(
    ',тисячі,двох тисяч,трьох тисяч,чотирьох тисяч,п’яти тисяч,шести тисяч,семи тисяч,восьми тисяч,дев’яти тисяч',
  ),
  isOneWord: false,
};

const FINNISH_FROM = words(
  'nollasta yhdestä kahdesta kolmesta neljästä viidestä kuudesta seitsemästä kahdeksasta yhdeksästä',
);
const FINNISH_TO = words(
  'nollaan yhteen kahteen kolmeen neljään viiteen kuuteen seitsemään kahdeksaan yhdeksään',
);

/** The numerals of a case, whose parts all have its ending. */
const finnish = (
  ones: readonly string[],
  ten: string,
  hundred: string,
  thousand: string,
): Numerals => {
  const times = (each: string): readonly string[] =>
    ones.map((one, value) => (value === 0 ? '' : value === 1 ? each : one + each));
  return {
    ones: [...ones, ten, ...ones.slice(1).map((one) => `${one}toista`)],
    tens: times(ten),
    hundreds: times(hundred),
    thousands: times(thousand),
    isOneWord: true,
  };
};

const ELATIVE = finnish(FINNISH_FROM, 'kymmenestä', 'sadasta', 'tuhannesta');
const ILLATIVE = finnish(FINNISH_TO, 'kymmeneen', 'sataan', 'tuhanteen');

export const russianGenitive = (value: number): string => numberIn(RUSSIAN, value);
export const ukrainianGenitive = (value: number): string => numberIn(UKRAINIAN, value);
/** "From" a number: `kolmesta`. */
export const finnishElative = (value: number): string => numberIn(ELATIVE, value);
/** "To" a number: `viiteen`. */
export const finnishIllative = (value: number): string => numberIn(ILLATIVE, value);

/** Words of the years of a language; the last part alone is an ordinal. */
interface Years {
  /** Genitive ordinals from 1 to 19. */
  readonly ones: readonly string[];
  readonly ordinalTens: readonly string[];
  readonly tens: readonly string[];
  /** The centuries from 1500 to 2000, as the beginning of a year and as one. */
  readonly centuries: readonly string[];
  readonly ordinalCenturies: readonly string[];
}

const RUSSIAN_YEARS: Years = {
  ones: words(
    '- первого второго третьего четвёртого пятого шестого седьмого восьмого девятого десятого одиннадцатого двенадцатого тринадцатого четырнадцатого пятнадцатого шестнадцатого семнадцатого восемнадцатого девятнадцатого',
  ),
  ordinalTens: words(
    '- - двадцатого тридцатого сорокового пятидесятого шестидесятого семидесятого восьмидесятого девяностого',
  ),
  tens: words('- - двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто'),
  centuries: phrases(
    'тысяча пятьсот,тысяча шестьсот,тысяча семьсот,тысяча восемьсот,тысяча девятьсот,две тысячи',
  ),
  ordinalCenturies: phrases(
    'тысяча пятисотого,тысяча шестисотого,тысяча семисотого,тысяча восьмисотого,тысяча девятисотого,двухтысячного',
  ),
};

const UKRAINIAN_YEARS: Years = {
  ones: words(
    '- першого другого третього четвертого п’ятого шостого сьомого восьмого дев’ятого десятого одинадцятого дванадцятого тринадцятого чотирнадцятого п’ятнадцятого шістнадцятого сімнадцятого вісімнадцятого дев’ятнадцятого',
  ),
  ordinalTens: words(
    '- - двадцятого тридцятого сорокового п’ятдесятого шістдесятого сімдесятого вісімдесятого дев’яностого',
  ),
  tens: words('- - двадцять тридцять сорок п’ятдесят шістдесят сімдесят вісімдесят дев’яносто'),
  centuries: phrases(
    'тисяча п’ятсот,тисяча шістсот,тисяча сімсот,тисяча вісімсот,тисяча дев’ятсот,дві тисячі',
  ),
  ordinalCenturies: phrases(
    'тисяча п’ятисотого,тисяча шестисотого,тисяча семисотого,тисяча восьмисотого,тисяча дев’ятисотого,двохтисячного',
  ),
};

const FIRST_CENTURY = 15;

/** The genitive of the ordinal of a number from 1 to 99. */
const ordinalIn = ({ ones, ordinalTens, tens }: Years, value: number): string => {
  if (value < 20) return ones[value] ?? '';
  const ten = Math.floor(value / 10);
  return value % 10 === 0 ? (ordinalTens[ten] ?? '') : `${tens[ten]} ${ones[value % 10]}`;
};

const yearIn = (years: Years, year: number): string => {
  const century = Math.floor(year / 100) - FIRST_CENTURY;
  return year % 100 === 0
    ? (years.ordinalCenturies[century] ?? '')
    : `${years.centuries[century]} ${ordinalIn(years, year % 100)}`;
};

/** The genitive of a year from 1500 to 2099. */
export const russianYear = (year: number): string => yearIn(RUSSIAN_YEARS, year);
export const ukrainianYear = (year: number): string => yearIn(UKRAINIAN_YEARS, year);

/** The accusative of a year from 1500 to 2099, which is like its nominative. */
export const russianYearTo = (year: number): string =>
  russianYear(year)
    .replace(/третьего$/, 'третий')
    .replace(/(втор|шест|седьм|восьм|сороков)ого$/, '$1ой')
    .replace(/ого$/, 'ый');

/** The genitive of an hour from 1 to 23, which is feminine: `десятої`. */
export const ukrainianHour = (hour: number): string =>
  ordinalIn(UKRAINIAN_YEARS, hour).replace(/ого$/, 'ої');
