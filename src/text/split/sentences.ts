/** Words with a full stop that are followed by a name or by the word they explain. */
const BEFORE_WORDS = [
  // English
  'mr mrs ms mx dr prof rev hon gen capt col lt sgt cpl st mt messrs vs e.g i.e cf esp approx',
  // German
  'hr hrn fr frl dipl ing z.b z. b d.h d. h u.a u. a v.a v. a i.d.r bzw ca evtl ggf inkl exkl vgl sog bes geb gest zzgl',
  // French
  'mme mlle mgr me av bd boul ex',
  // Spanish, Portuguese
  'sra srta srto dra d dña ud uds avda gral ej p.ej p. ej excmo sto sta sr srs profa profª dona exmo exma eng',
  // Italian
  'sig sigg sig.ra sig.na dott dott.ssa prof.ssa avv arch geom rag on mons',
  // Dutch
  'dhr mevr mw drs ir bijv bv b.v d.w.z m.b.t i.p.v t.a.v o.a m.a.w resp',
  // Swedish, Danish, Norwegian
  't.ex t. ex bl.a bl. a d.v.s dvs m.fl kl f.eks f. eks eks bla fhv hhv mv jfr s.k',
  // Finnish, Hungarian
  'esim mm ns ts vrt pl kb ill ún özv ifj id',
  // Polish, Czech
  'ul al pl os np tzn tzw im ks bp inż dyr hab lek red św mgr mudr judr phdr rndr bc např tzv tj nám sv pí',
  // Romanian
  'dl dna d-na str bd aprox dv',
  // Turkish
  'av doç yrd alb org cad sok mah bkz örn',
  // Vietnamese, Indonesian
  'ts ths gs pgs bs tp ks tx jl gg h hj ir drs dra kh kec kab yth sdr sdri bpk',
  // Cyrillic
  'ул пр просп пл пер бул бульв им проф акад доц г д р с п о св гр ст см т.е т. е напр вул буд м обл просв инж',
  // Greek
  'κ κα κκ δρ καθ π.χ π. χ λεωφ οδ αγ βλ δηλ στρ',
  // Devanagari, Bengali
  'डॉ प्रो श्री श्रीमती पं कु सु स्व मो रु ड ডা ড মি মো প্রো অধ্যা মোছা',
];

/** Words with a full stop that are followed by a number. */
const BEFORE_NUMBERS = [
  'no nos nr nro num núm nº n p pp pg pag pág págs ch chap fig figs vol vols art arts sec sect eq ver approx ca circa tel ext',
  's bd abs kap ziff tz abb tab str hausnr stk obr kl klo ca n c ca. par al br č čís str r sv rok poř l',
  'стр с рис фиг гл п пп ст д кв корп тел ок прибл р № буд ч табл',
  'σελ αρ κεφ τηλ αριθ',
  'sid nr s rp rs us r hal hlm no jl',
  'jan feb febr mar mär apr jun jul aug sep sept oct okt nov dec dez',
  'janv févr avr juil août déc ene abr ago dic fev mai set out dez gen mag giu lug ott',
  'янв февр мар апр июн июл авг сент окт нояб дек',
];

/** Words with a full stop within names, and at the ends of sentences too. */
const WITHIN_NAMES = ['jr inc ltd co corp bros dept gov univ assn'];

const patternOf = (lists: readonly string[]): RegExp => {
  const words = lists
    .flatMap((list) => list.match(/\S+\. \S+|\S+/g) ?? [])
    .map((word) => word.replaceAll('.', String.raw`\.`).replaceAll(' ', String.raw`\s?`));
  const longestFirst = [...new Set(words)].toSorted((a, b) => b.length - a.length);
  return new RegExp(String.raw`(?<![\p{L}\p{M}\p{N}])(?:${longestFirst.join('|')})\.\s*$`, 'iu');
};

/**
 * Patterns of the abbreviations at the end of a text, the white space after them included. They
 * are written for this project: Unicode's own lists know nine languages, and hold words (`Is.`,
 * `To.`, `So.`) at which sentences end.
 */
const beforeWords = patternOf(BEFORE_WORDS);
const beforeNumbers = patternOf(BEFORE_NUMBERS);
const withinNames = patternOf(WITHIN_NAMES);

const STARTERS = [
  'the he she it we they i you this that these those there then but and so if when what who why how where my your',
  'his her our their a an no yes in on at is are do does did not as for let please after before now here once',
  'der die das er sie es wir ihr ich du dann aber und wenn was wer wie wo ein eine dort danach hier jetzt alle nun',
  'mein dein sein ja nein heute morgen bitte',
  'le la les il elle ils elles nous vous je tu on ce cette un une et mais puis oui non',
  'el los las él ella ellos nosotros yo tú y pero es esto luego sí o os as ele ela eu você nós e mas depois',
  'lo gli lui lei io noi voi è ma poi uno de het een hij zij ze wij ik jij je en maar dit dat dan',
  'han hon det den vi jag jeg ni de de och og men så hän se me te he minä sinä ja mutta',
  'on ona ono oni my wy ja ty to i a ale potem je jsem byl ő ez az és de én',
  'el ea ei noi eu și dar apoi bu o biz siz ben sen ve ama sonra',
  'он она оно мы они я ты вы это то и а но потом там той тя то ние те аз вона він ми вони це та але',
  'ο η το οι τα αυτός αυτή εγώ εσύ και αλλά',
];

/**
 * Words that begin a sentence more often than they follow an initial or an abbreviation within
 * a name, in lower case.
 */
const startsSentence: ReadonlySet<string> = new Set(STARTERS.flatMap((list) => list.split(' ')));

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
