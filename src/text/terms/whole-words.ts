import { charAfter, charBefore, isHangul, isLetter, isSpacedLetter } from '../unicode.ts';

const AFTER_ANY =
  '의 에 에서 에선 에게 에게서 에겐 한테 한테서 한텐 께 께서 하고 도 만 까지 부터 마저 조차 밖에 보다 처럼 같이 만큼 ' +
  '대로 마다 뿐 씩 요 입니다 인데 이에요';
const AFTER_CONSONANT =
  '은 이 을 과 으로 으로서 으로써 으로부터 이랑 아 이나 이든 이든지 이라도 이라 이라는 이라고 이란 이야 이며 이고 이다';
const AFTER_VOWEL = '는 가 를 와 로 로서 로써 로부터 랑 야 나 든지 라도 라는 라고 란 예요';
/** The particles that follow another one: 에서는, 까지도. */
const AUXILIARY = '은 는 도 만 의 이 을 를 요 나 까지 부터 조차 마저 라도 밖에 보다 처럼 뿐';

const anyOf = (...lists: readonly string[]): string => lists.join(' ').replaceAll(' ', '|');

const particles = (own: string): RegExp =>
  new RegExp(`(?:${anyOf(AFTER_ANY, own)})(?:${anyOf(AUXILIARY)}){0,2}(?!\\p{sc=Hang})`, 'uy');

const afterConsonant = particles(AFTER_CONSONANT);
const afterVowel = particles(AFTER_VOWEL);

const FIRST_SYLLABLE = 0xac00;
const LAST_SYLLABLE = 0xd7a3;
/** Syllables that differ only in their final consonant, of which the first has none. */
const FINALS = 28;
const FINAL_L = 8;

const PLURAL = '들';
const hangul = /\p{sc=Hang}/u;

/**
 * True when the Korean letters at `at` are particles of the word that ends there (한국+에서는), and
 * no part of a longer word (한국+어). Many particles have one form after a consonant and another
 * after a vowel.
 */
const areParticles = (text: string, at: number): boolean => {
  if (text.startsWith(PLURAL, at) && text[at - 1] !== PLURAL) {
    const end = at + PLURAL.length;
    return !hangul.test(text.charAt(end)) || areParticles(text, end);
  }
  const last = text.charCodeAt(at - 1);
  if (last < FIRST_SYLLABLE || last > LAST_SYLLABLE) return false;
  const final = (last - FIRST_SYLLABLE) % FINALS;
  const forms = final === 0 ? [afterVowel] : [afterConsonant];
  // 로 follows a final ㄹ too: 서울로.
  if (final === FINAL_L && text.startsWith('로', at)) forms.push(afterVowel);
  return forms.some((form) => {
    form.lastIndex = at;
    return form.test(text);
  });
};

const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

const katakana = /[\p{sc=Kana}ー]/u;
const mark = /(?![\uFE00-\uFE0F])\p{M}/u;

/**
 * Tells where words begin and end in one text. Scripts without spaces are segmented by dictionary,
 * and only where somebody asks.
 */
export class WholeWords {
  readonly #text: string;
  #segments: Intl.Segments | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** True when a word can begin at `at`. */
  beginsAt(at: number): boolean {
    const before = charBefore(this.#text, at);
    const after = charAfter(this.#text, at);
    if (!isLetter(before) || !isLetter(after)) return true;
    const isSpaced = isSpacedLetter(after);
    if (isSpaced !== isSpacedLetter(before)) return true;
    return !isSpaced && this.#isBorder(at, before, after);
  }

  /** True when a word can end at `at`; Korean particles do not belong to the word before them. */
  endsAt(at: number): boolean {
    const before = charBefore(this.#text, at);
    const after = charAfter(this.#text, at);
    if (!isLetter(before) || !isLetter(after)) return true;
    if (mark.test(after)) return false;
    const isSpaced = isSpacedLetter(before);
    if (isSpaced !== isSpacedLetter(after)) return true;
    if (!isSpaced) return this.#isBorder(at, before, after);
    if (!isHangul(before)) return isHangul(after);
    return !isHangul(after) || areParticles(this.#text, at);
  }

  /** The end of the word that goes on at `at`. */
  endFrom(at: number): number {
    if (at >= this.#text.length || !isLetter(charAfter(this.#text, at))) return at;
    const isSpaced = isSpacedLetter(charAfter(this.#text, at));
    let end = at;
    for (;;) {
      const next = charAfter(this.#text, end);
      if (!isLetter(next) || isSpacedLetter(next) !== isSpaced) return end;
      if (!isSpaced && end > at && this.endsAt(end)) return end;
      end += next.length;
    }
  }

  #isBorder(at: number, before: string, after: string): boolean {
    // The dictionary takes apart names in katakana, which are one word to readers.
    if (katakana.test(before) && katakana.test(after)) return false;
    this.#segments ??= segmenter.segment(this.#text);
    return this.#segments.containing(at)?.index === at;
  }
}
