import {
  finnishElative,
  finnishIllative,
  russianGenitive,
  russianYear,
  russianYearTo,
  ukrainianGenitive,
  ukrainianHour,
  ukrainianYear,
} from './inflected-numbers.ts';

/** A range as it was written, with the words beside it. */
export interface WrittenRange {
  readonly first: string;
  readonly last: string;
  readonly before: string;
  readonly after: string;
}

/** A range in words, with how much of what follows it replaces; undefined where it stays. */
export interface SpokenRange {
  readonly words: string;
  readonly taken: number;
}

type Reader = (range: WrittenRange) => SpokenRange | undefined;

const time = /^(\d{1,2}):(\d{2})$/;
/** Finnish times have a point after the word "o'clock". */
const pointedTime = /^(\d{1,2})[.:](\d{2})$/;
const oClock = /(?<!\p{L})(?:klo|kello)\s$/iu;
const year = /^(?:1[5-9]|20)\d{2}$/;
const number = /^\d{1,4}$/;

const said = (words: string, taken = ''): SpokenRange => ({ words, taken: taken.length });

/** Hours and minutes of a range of times of day; undefined for any other range. */
const timesOf = ({ first, last }: WrittenRange, written = time) => {
  const [, hour, minute] = written.exec(first) ?? [];
  const [, lastHour, lastMinute] = written.exec(last) ?? [];
  return hour === undefined || lastHour === undefined
    ? undefined
    : [
        { hour: Number(hour), minute: Number(minute) },
        { hour: Number(lastHour), minute: Number(lastMinute) },
      ];
};

const areYears = ({ first, last }: WrittenRange): boolean => year.test(first) && year.test(last);
const areNumbers = ({ first, last }: WrittenRange): boolean =>
  number.test(first) && number.test(last);

/** A noun after such a number is in the genitive plural, as it is after two of that case. */
const takesPlural = (last: number): boolean =>
  last % 10 === 0 || last % 10 > 4 || (last % 100 > 10 && last % 100 < 15);

const noun = /^\s*\p{L}/u;
const percentSign = /^\s?%/;

/** True where a noun or sign follows by which numbers are no years. */
const isCounted = (after: string): boolean => noun.test(after) || percentSign.test(after);

/** The words of Russian or Ukrainian, which share the rest of their grammar of ranges. */
interface Slavic {
  readonly from: string;
  readonly upTo: string;
  readonly genitive: (value: number) => string;
  /** The genitive of one for feminine nouns, and their beginnings. */
  readonly feminineOne: readonly [masculine: RegExp, feminine: string];
  readonly feminine: RegExp;
  readonly percent: string;
  /** Prepositions, which govern the range themselves. */
  readonly governed: RegExp;
  readonly times: (hour: number, minute: number) => string;
  readonly timesFrom: string;
  readonly timesTo: string;
  readonly years: (first: number, last: number) => string;
  /** The word "years" where "year" has to stand. */
  readonly yearsWord: RegExp;
  readonly yearWord: string;
  /** Cases of "years" that other words govern. */
  readonly otherYears: RegExp;
}

const slavic =
  (language: Slavic): Reader =>
  (range) => {
    const { before, after } = range;
    if (language.governed.test(before)) return undefined;
    const times = timesOf(range);
    if (times) {
      const [first, last] = times.map(({ hour, minute }) => language.times(hour, minute));
      if (times.some(({ hour }) => hour === 0 || hour > 23)) return undefined;
      return said(`${language.timesFrom} ${first} ${language.timesTo} ${last}`);
    }
    const [first, last] = [Number(range.first), Number(range.last)];
    const [plural = ''] = language.yearsWord.exec(after) ?? [];
    if (areYears(range) && (plural !== '' || !isCounted(after))) {
      const end = plural === '' ? '' : language.yearWord;
      return said(language.years(first, last) + end, plural);
    }
    if (!areNumbers(range) || language.otherYears.test(after)) return undefined;
    const [percent = ''] = percentSign.exec(after) ?? [];
    if (percent === '' && noun.test(after) && !takesPlural(last)) return undefined;
    const [one, feminineOne] = language.feminineOne;
    const gendered = (value: number): string =>
      language.feminine.test(after)
        ? language.genitive(value).replace(one, feminineOne)
        : language.genitive(value);
    const end = percent === '' ? '' : ` ${language.percent}`;
    return said(
      `${language.from} ${gendered(first)} ${language.upTo} ${gendered(last)}${end}`,
      percent,
    );
  };

const russian = slavic({
  from: 'от',
  upTo: 'до',
  genitive: russianGenitive,
  feminineOne: [/одного$/, 'одной'],
  feminine: /^\s*(?:минут|секунд|недель|тысяч|тонн|страниц|копеек|штук|крон|лир|иен|йен|гривен)/iu,
  percent: 'процентов',
  governed:
    /(?<!\p{L})(?:без|более|больше|в|во|до|за|из|к|ко|менее|меньше|между|на|о|около|от|по|после|при|с|свыше|со|течение|у|через)\s$/iu,
  times: (hour, minute) => {
    const hours = hour === 1 ? 'часа' : russianGenitive(hour);
    if (minute === 0) return hours;
    return `${hours} ${minute < 10 ? 'ноль ' : ''}${russianGenitive(minute)}`;
  },
  timesFrom: 'с',
  timesTo: 'до',
  years: (first, last) => `с ${russianYear(first)} по ${russianYearTo(last)}`,
  yearsWord: /^\s(?:годы|гг\.?)(?!\p{L})/iu,
  yearWord: ' год',
  otherYears: /^\s(?:год(?!ы(?!\p{L}))|лет)/iu,
});

const ukrainian = slavic({
  from: 'від',
  upTo: 'до',
  genitive: ukrainianGenitive,
  feminineOne: [/одного$/, 'однієї'],
  feminine: /^\s*(?:хвилин|секунд|годин|тисяч|тонн|сторінок|гривень|копійок|штук|крон|лір|єн)/iu,
  percent: 'відсотків',
  governed:
    /(?<!\p{L})(?:без|близько|більше|в|від|до|за|з|зі|із|к|між|менше|на|о|об|по|понад|при|протягом|після|у|упродовж|через)\s$/iu,
  times: (hour, minute) => {
    const hours = ukrainianHour(hour);
    if (minute === 0) return hours;
    return `${hours} ${minute < 10 ? 'нуль ' : ''}${minute}`;
  },
  timesFrom: 'з',
  timesTo: 'до',
  years: (first, last) => `з ${ukrainianYear(first)} до ${ukrainianYear(last)}`,
  yearsWord: /^\s(?:роки|рр\.?)(?!\p{L})/iu,
  yearWord: ' року',
  otherYears: /^\s(?:рік|рок(?!и(?!\p{L})))/iu,
});

const finnishTime = (
  inCase: (value: number) => string,
  { hour, minute }: { readonly hour: number; readonly minute: number },
): string => (minute === 0 ? inCase(hour) : `${hour} ${inCase(minute)}`);

const finnish: Reader = (range) => {
  const times = timesOf(range, oClock.test(range.before) ? pointedTime : time);
  if (times) {
    const [first, last] = times;
    return first && last
      ? said(`${finnishTime(finnishElative, first)} ${finnishTime(finnishIllative, last)}`)
      : undefined;
  }
  if (!areNumbers(range)) return undefined;
  // After "in the years" the numbers do not change.
  if (/(?<!\p{L})vuosi(?:na|en|lta|ssa)\s$/iu.test(range.before)) return undefined;
  const [percent = ''] = percentSign.exec(range.after) ?? [];
  const end = percent === '' ? '' : ' prosenttia';
  return said(
    `${finnishElative(Number(range.first))} ${finnishIllative(Number(range.last))}${end}`,
    percent,
  );
};

/** The ending "from" of a number in figures, by the vowels of the last word that is read. */
const hungarianFrom = (value: number): string => {
  if (value === 0) return 'tól';
  if (value % 10 !== 0) return [3, 6, 8].includes(value % 10) ? 'tól' : 'től';
  if (value % 100 !== 0) return [2, 3, 6, 8].includes((value % 100) / 10) ? 'tól' : 'től';
  return value % 1_000 === 0 ? 'től' : 'tól';
};

const hungarian: Reader = (range) => {
  const { first, last, after } = range;
  const isBetween = /^\s(?:között|közt|közötti)(?!\p{L})/iu.test(after);
  if (isBetween) return said(`${first} és ${last}`);
  const times = timesOf(range);
  if (times) {
    const spoken = times.map(({ hour, minute }) =>
      minute === 0
        ? { from: `${hour} órától`, to: `${hour} óráig` }
        : {
            from: `${hour} óra ${minute} perctől`,
            to: `${hour} óra ${minute} percig`,
          },
    );
    return said(`${spoken[0]?.from} ${spoken[1]?.to}`);
  }
  // Before a noun both numbers are read as they are.
  if (!areNumbers(range) || isCounted(after)) return undefined;
  return said(`${first}-${hungarianFrom(Number(first))} ${last}-ig`);
};

/** Readers of ranges in languages that inflect their numbers. */
export const INFLECTED_RANGES: Readonly<Record<string, Reader>> = {
  ru: russian,
  uk: ukrainian,
  fi: finnish,
  hu: hungarian,
};
