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
export const areParticles = (text: string, at: number): boolean => {
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
