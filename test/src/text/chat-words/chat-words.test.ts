import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inWholeWords } from '../../../../src/text/chat-words/chat-words.ts';
import { anyText, longTexts } from '../any-text.ts';

describe('the words of chat', () => {
  it.each([
    ['en', 'idk, omg that was gr8 lol', 'I don’t know, oh my god that was great haha'],
    ['en', 'Thx, C U tmrw? u too', 'Thanks, C U tomorrow? you too'],
    ['de', 'vllt spaeter, ka', 'vielleicht später, keine Ahnung'],
    ['fr', 'slt, jsp pk', 'salut, je ne sais pas pourquoi'],
    ['es', 'xq no, tqm', 'porque no, te quiero mucho'],
    ['es', 'hola, k tal? 10k', 'hola, que tal? 10k'],
    ['pt-BR', 'vcs nao vem hj?', 'vocês não vem hoje?'],
    ['it', 'cmq nn so xké', 'comunque non so perché'],
    ['pl', 'wgl nwm', 'w ogóle nie wiem'],
    ['ru', 'спс, щас', 'спасибо, сейчас'],
    ['ja', 'りょ、あざす！', '了解、ありがとうございます！'],
    ['zh', 'yyds！太强了', '永远的神！太强了'],
    ['ko', 'ㅇㅇ 괜찮아 ㄱㅅ', '응 괜찮아 감사'],
  ])('are written out in %s: %s', (locale, written, whole) => {
    expect(inWholeWords(written, locale)).toBe(whole);
    expect(inWholeWords(whole, locale)).toBe(whole);
  });

  it.each([
    ['en', 'waaaay soooo gooood, helllooooo noooo', 'way so good, hello no'],
    ['en', 'yayyyy', 'yay'],
    ['pt', 'nãoooo', 'não'],
    ['de', 'jaaaa', 'ja'],
    ['ru', 'даааа', 'да'],
    ['ja', 'すごーーーい', 'すごーい'],
    ['en', 'looooool', 'haha'],
  ])('lose the letters that are repeated in %s: %s', (locale, written, whole) => {
    expect(inWholeWords(written, locale)).toBe(whole);
    expect(inWholeWords(whole, locale)).toBe(whole);
  });

  it.each([
    ['en', 'U.S. u.s. u/s @u #idk a_u R US III MMXXIII zzz'],
    ['de', 'Schifffahrt, 50 kb'],
    ['pl', 'Chodź ze mną'],
    ['ru', 'Сеня пришёл'],
    ['ja', '私の子ども、怒りょ'],
    ['en', 'constructor toString __proto__'],
    [undefined, 'idk vcs'],
    ['sw', 'idk'],
    ['ko', 'ㅋㅋㅋ'],
  ])('are no others in %s: %s', (locale, written) => {
    expect(inWholeWords(written, locale)).toBe(written);
  });

  it('never throw, and are written out once', () => {
    const locales = fc.constantFrom('en', 'pt', 'ja', 'ko', 'de', 'xx', undefined);
    fc.assert(
      fc.property(anyText, locales, (text, locale) => {
        const whole = inWholeWords(text, locale);
        expect(inWholeWords(whole, locale)).toBe(whole);
      }),
    );
  });

  it.each(longTexts(100_000))('bear a long row of %s', (_, text) => {
    expect(inWholeWords(text, 'en').length).toBeLessThanOrEqual(text.length * 12);
  });
});
