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
export const beforeWords = patternOf(BEFORE_WORDS);
export const beforeNumbers = patternOf(BEFORE_NUMBERS);
export const withinNames = patternOf(WITHIN_NAMES);

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
export const startsSentence: ReadonlySet<string> = new Set(
  STARTERS.flatMap((list) => list.split(' ')),
);
