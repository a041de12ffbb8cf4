import words from './words.json' with { type: 'json' };

const patternOf = (lists: readonly string[]): RegExp => {
  const abbreviations = lists
    .flatMap((list) => list.match(/\S+\. \S+|\S+/g) ?? [])
    .map((word) => word.replaceAll('.', String.raw`\.`).replaceAll(' ', String.raw`\s?`));
  const longestFirst = [...new Set(abbreviations)].toSorted((a, b) => b.length - a.length);
  return new RegExp(String.raw`(?<![\p{L}\p{M}\p{N}])(?:${longestFirst.join('|')})\.\s*$`, 'iu');
};

/**
 * Patterns of the abbreviations at the end of a text, the white space after them included: of those
 * before a name or the word that they explain, before a number and within names. They are written
 * for this project: Unicode's own lists know nine languages, and hold words (`Is.`, `To.`, `So.`)
 * at which sentences end.
 */
const beforeWords = patternOf(Object.values(words.beforeWords));
const beforeNumbers = patternOf(words.beforeNumbers);
/** Abbreviations within names end sentences, too. */
const withinNames = patternOf([words.withinNames]);

/**
 * Words that begin a sentence more often than they follow an initial or an abbreviation within
 * a name, in lower case.
 */
const startsSentence: ReadonlySet<string> = new Set(
  words.startsSentence.flatMap((list) => list.split(' ')),
);

let segmenter: Intl.Segmenter | undefined;
const bySentence = (): Intl.Segmenter =>
  (segmenter ??= new Intl.Segmenter(undefined, { granularity: 'sentence' }));

/** The text that is looked at before and after a border, so that every text takes linear time. */
const CONTEXT_UNITS = 40;

const CLOSING = String.raw`["'”’»›」』）)\]】》]`;

/** Borders that Unicode's rules do not find; each match ends at one. */
const FURTHER_BORDERS = new RegExp(
  [
    // An ellipsis, before a visible beginning.
    String.raw`…${CLOSING}?\s+(?=[\p{Lu}\p{Lo}])`,
    // The Greek question mark, which is mostly typed as a semicolon.
    String.raw`(?<=\p{sc=Grek}${CLOSING}?)[;\u037E]${CLOSING}*\s+`,
    // The Armenian full stop, typed as a colon.
    String.raw`(?<=\p{sc=Armn}${CLOSING}?):\s+`,
  ].join('|'),
  'gu',
);

/** Matches the brackets that open the next sentence, which Unicode's rules leave on the one before. */
const openingAtEnd = /[「『（“‘«([【《]+$/u;
/** Matches the closing quotation mark after a space, which they leave on the next one. */
const closingAtStart = /^[»›](?:[\s\u00A0\u202F]+|$)/u;

const initial = /(?<![\p{L}\p{M}\p{N}])\p{Lu}\.\s+$/u;
/** `U.S.`, `U. S.` and `EE. UU.`. */
const acronym = /(?<![\p{L}\p{N}])(?:\p{Lu}\.\s?){2,}\s*$|(\p{Lu})\1\.\s+(\p{Lu})\2\.\s+$/u;
/** The first half of `EE. UU.`, and of `z. B.`. */
const firstHalf = /(?<![\p{L}\p{N}])(?:(\p{Lu})\1|\p{Ll})\.\s+$/u;
const secondHalf = /^(?:(\p{Lu})\1|\p{L})\./u;
/** A letter of a script without capitals stands alone only in abbreviations. */
const loneLetter = /(?<![\p{L}\p{M}\p{N}])\p{Lo}\p{M}?\.\s+$/u;
/** Names of Latin letters in Devanagari, as initials are written in Hindi. */
const hindiInitial =
  /(?<![\p{L}\p{M}])(?:ए|बी|सी|डी|ई|एफ|जी|एच|आई|जे|के|एल|एम|एन|ओ|पी|आर|एस|टी|यू|वी|डब्ल्यू|एक्स|वाई)\.\s*$/u;
/** Thai and Lao have no full stop. */
const thaiAbbreviation = /[\p{sc=Thai}\p{sc=Laoo}]\.\s*$/u;

/** The number of a list item, or a part of a date, that is the whole sentence. */
const onlyNumber = /^[\s"'“„«([]*(?:\p{Nd}{1,4}|\p{L})[.)]+\s+$/u;
const ordinal =
  /(?<![\p{L}\p{N}])(?:am|im|zum|zur|vom|beim|ab|bis|seit|den|dem|der|die|das|des|ein|eine|einen|jeder|jede|jedes|unser|mein|dein|sein|ihr)\s+\d{1,3}\.\s+$/iu;
const anyOrdinal = /(?<![\p{L}\p{N}.,:])\d{1,2}\.\s+$/u;

const MONTH_MS = 31 * 86_400_000;

const monthsIn = (locale: string): string[] => {
  const month = new Intl.DateTimeFormat(locale, { month: 'long', timeZone: 'UTC' });
  return Array.from({ length: 12 }, (_, index) => month.format(index * MONTH_MS).toLowerCase());
};

let months: ReadonlySet<string> | undefined;
/** Months with a capital, in the languages that write ordinals with a full stop. */
const capitalMonths = (): ReadonlySet<string> =>
  (months ??= new Set(['de', 'de-AT', 'lb'].flatMap(monthsIn)));

const numberAfter = /^[#№§]?\s?(?:[$€£¥₹]\s?)?\p{Nd}/u;
const quoteThenLower = new RegExp(String.raw`[!?…]${CLOSING}+\s+$`, 'u');
const markInQuotes = new RegExp(String.raw`[.!?。！？…]${CLOSING}+\s*$`, 'u');
/** Particles after quoted speech in Japanese and Korean; a Chinese verb of speech. */
const quoteGoesOn =
  /^(?:と(?!ても|ころ|にかく|りあえず|きどき)|って|など|なんて|を|が(?!ん)|の(?!ど|ん)|に(?!げ|ほ)|は(?!い|や|じ|っ|な)|\p{sc=Hang}|[\p{sc=Han}]{1,6}?(?:问|問|说|說|道|答|喊|叫)(?!题|題|明|路|理|话|話))/u;
/** An aside in brackets within a sentence of a script without spaces. */
const aside = /[^\s「『（“‘(《].*[.!?。！？…][）)】\]]$/su;
/** The middle of an address. */
const address = /[\w/]\.[\w./-]+[?!]+$/;
const addressGoesOn = /^[\w=&%/]/;

const firstWord = (text: string): string => /^[^\p{L}]*([\p{L}\p{M}]*)/u.exec(text)?.[1] ?? '';

/** True when a full stop between these two is a part of an abbreviation, a number or a name. */
const isWithinSentence = (before: string, after: string): boolean => {
  if (beforeWords.test(before) && !/\p{Nd}\s?\p{L}+\.\s*$/u.test(before)) return true;
  if (beforeNumbers.test(before) && numberAfter.test(after)) return true;
  if (loneLetter.test(before) || hindiInitial.test(before) || thaiAbbreviation.test(before))
    return true;
  if (firstHalf.test(before) && secondHalf.test(after)) return true;
  const next = firstWord(after).toLowerCase();
  if (anyOrdinal.test(before) && capitalMonths().has(next)) return true;
  const isName = initial.test(before) || acronym.test(before) || withinNames.test(before);
  return (isName || ordinal.test(before)) && /^\p{Lu}/u.test(after) && !startsSentence.has(next);
};

/** True when quoted speech, or an address, goes on after its question mark. */
const goesOn = (before: string, after: string): boolean =>
  (quoteThenLower.test(before) && /^\p{Ll}/u.test(after)) ||
  (markInQuotes.test(before) && !/\s$/.test(before) && quoteGoesOn.test(after)) ||
  (aside.test(before) && /^\p{Lo}/u.test(after)) ||
  (address.test(before) && addressGoesOn.test(after));

const isBorder = (text: string, from: number, at: number): boolean => {
  const before = text.slice(Math.max(from, at - CONTEXT_UNITS), at);
  if (before.endsWith('\n')) return true;
  const after = text.slice(at, at + CONTEXT_UNITS);
  if (at - from < CONTEXT_UNITS && onlyNumber.test(before)) return false;
  return !goesOn(before, after) && !(before.includes('.') && isWithinSentence(before, after));
};

/** The border moved before brackets that open the next sentence, or after the quote's end. */
const moved = (text: string, at: number): number => {
  const closing = closingAtStart.exec(text.slice(at, at + CONTEXT_UNITS));
  if (closing) return at + closing[0].length;
  return at - (openingAtEnd.exec(text.slice(Math.max(0, at - CONTEXT_UNITS), at))?.[0].length ?? 0);
};

const candidates = (text: string): number[] => {
  const found = Array.from(bySentence().segment(text), ({ index }) => index);
  for (const { index, 0: match } of text.matchAll(FURTHER_BORDERS))
    found.push(index + match.length);
  return [...new Set(found)].toSorted((a, b) => a - b);
};

/** Longest run of Thai or Lao that is not cut at its spaces, which end clauses. */
const LONGEST_UNMARKED_UNITS = 100;
const SHORTEST_CLAUSE_UNITS = 40;
const clauseSpace = /[\p{sc=Thai}\p{sc=Laoo}]\s+(?=[\p{sc=Thai}\p{sc=Laoo}])(?!ๆ|ໆ)/gu;

/** Cuts after the spaces between clauses, in linear time whatever there is. */
const clausesOf = (sentence: string): string[] => {
  const ends = Array.from(
    sentence.matchAll(clauseSpace),
    ({ index, 0: { length } }) => index + length,
  );
  return [...ends, sentence.length].map((end, at) => sentence.slice(ends[at - 1] ?? 0, end));
};

const unmarked = (sentence: string): string[] => {
  if (sentence.length <= LONGEST_UNMARKED_UNITS) return [sentence];
  const clauses: string[] = [];
  let held = '';
  for (const clause of clausesOf(sentence)) {
    held += clause;
    if (held.length < SHORTEST_CLAUSE_UNITS) continue;
    clauses.push(held);
    held = '';
  }
  return held === '' ? clauses : [...clauses, held];
};

/**
 * Splits a text in any script into sentences, each with the white space after it. Joined they are
 * the text; an empty text has none. Unicode's rules find the ends; those within abbreviations,
 * ordinals, list numbers, quoted speech and addresses are left out. Long clauses of Thai and Lao,
 * which have no full stop, count as sentences.
 */
export const splitSentences = (text: string): string[] => {
  const sentences: string[] = [];
  let from = 0;
  for (const candidate of candidates(text)) {
    const at = moved(text, candidate);
    if (at <= from || !isBorder(text, from, at)) continue;
    sentences.push(text.slice(from, at));
    from = at;
  }
  if (from < text.length) sentences.push(text.slice(from));
  return sentences.flatMap(unmarked);
};
