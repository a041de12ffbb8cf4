/**
 * Words that are often a whole line of chat, too short for statistics, and used in one language of
 * their script only.
 */
const WORDS: Readonly<Record<string, string>> = {
  en: 'hello hey hiya thanks thank thx yes yeah yep nope please sorry welcome bye goodbye night nice great cool awesome sure what why who how when where',
  es: 'hola gracias vale buenas adiós adios perdón claro bueno bien qué dónde cuándo jaja jajaja',
  fr: 'bonjour salut merci oui bonsoir ouais coucou désolé mdr pourquoi quoi',
  de: 'hallo danke bitte guten tschüss genau moin gerne nein warum wann',
  pt: 'obrigado obrigada valeu oi olá tchau sim desculpa beleza blz',
  it: 'grazie prego ciao buongiorno buonasera scusa perché',
  nl: 'bedankt dankjewel hoi goedemorgen doei waarom alsjeblieft',
  pl: 'cześć dzięki tak proszę siema dziękuję dlaczego',
  tr: 'merhaba selam evet hayır teşekkürler tamam sağol',
  vi: 'chào cảm xin vâng',
  id: 'halo terima kasih iya apa kenapa selamat makasih',
  ja: '了解 草 乙 無理 大丈夫 最高 承知 爆笑',
};

const languageOf = new Map(
  Object.entries(WORDS).flatMap(([language, words]) =>
    words.split(' ').map((word): [string, string] => [word, language]),
  ),
);

/** The one language whose chat words are in the text; undefined where there are none, or several. */
export const chatWordLanguage = (text: string): string | undefined => {
  const found = new Set<string>();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{M}]+/gu)) {
    const language = languageOf.get(word);
    if (language) found.add(language);
  }
  return found.size === 1 ? [...found][0] : undefined;
};
