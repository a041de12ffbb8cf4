import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  mention,
  paragraph,
  text as words,
  timestamp,
  type Mention,
} from '../../../../src/rich-text/rich-text.ts';
import {
  speakable as speakableTree,
  type SpeakableOptions,
} from '../../../../src/text/speech/speakable.ts';
import { tree } from '../../../fakes/markup.ts';
import { anyText, longTexts } from '../any-text.ts';

const names = ({ id }: Mention): string | undefined => (id === '1' ? 'Bob' : undefined);
const speakable = (written: string, given: SpeakableOptions = {}): string =>
  speakableTree(tree(written), given);
const options = { locale: 'en-US', names, dictionary: [{ term: 'gif', spoken: 'jif' }] };

describe('speakable', () => {
  it('reads no faces made of signs that markup has', () => {
    expect(speakableTree([paragraph(words('hi T_T ok ^_^'))])).toBe('hi ok');
  });

  it('reads the names of other platforms’ mentions', () => {
    const row = [words('in '), mention('slack', 'channel', 'C1', 'general'), words(' at ')];
    const spoken = speakableTree([paragraph(...row, timestamp(1_700_000_000, 't'))], options);
    expect(spoken).toBe('in general at 10:13 PM UTC');
  });

  it.each([
    ['names for mentions', 'hey <@1>, hi', 'hey Bob, hi'],
    ['the name of a mention', '</ask:2> @here', 'ask here'],
    ['nothing for unknown mentions', 'hey <@2>, hi', 'hey, hi'],
    ['words for emoji, once a row', 'nice 🎉🎉🎉', 'nice party popper'],
    [
      'the name of custom emoji',
      'hm <:pepe_happy:1> :thinking_face:',
      'hm pepe happy, thinking face',
    ],
    ['a row of one custom emoji once', '<:pog:1><:pog:1> <a:pog:2> ok', 'pog ok'],
    ['a row of one shortcode once', ':tada: :tada: :tada:', 'tada'],
    ['emoji whatever their skin', '👍🏽👍🏿 👍', 'thumbs up'],
    ['two rows of emoji each', '🎉🎉 and 🎉🔥', 'party popper and party popper, fire'],
    ['the place of a flag', 'go 🇩🇪🇩🇪 and 🇧🇷!', 'go Germany and Brazil!'],
    ['nothing for a flag of no place', 'go 🇽🇽 🇦 now', 'go now'],
    ['the digit of a keycap', '1️⃣ tea 2️⃣ milk #️⃣', '1 tea 2 milk'],
    ['no faces made of signs', 'hi :D ok ;-) fine :3', 'hi ok fine'],
    ['a heart made of signs', 'I <3 you :)', 'I red heart you'],
    ['what only looks like such faces', 'a:D 10:30 D: x:3', 'a:D 10:30 D: x:3'],
    ['the host of an address', 'see https://www.example.com/a?b=c!', 'see example.com!'],
    [
      'the label of a link',
      'see [the docs](https://a.b) and [this](<https://a.b>)',
      'see the docs and this',
    ],
    ['the numbers of lists', '1. one\n2. two\n- three', '1. one\n2. two\nthree'],
    ['no heart beside code', 'C++ & C# are <3', 'C++ and C# are <3'],
    ['no code', 'run `npm i` or ```js\nx\n``` now', 'run or\nnow'],
    ['no spoilers', 'it was ||the **cook** 🎉||, yes', 'it was, yes'],
    ['no markup', '# Title\n> **so** ~~it~~ _is_', 'Title\nso it is'],
    ['the dictionary', 'a GIF, gifs', 'a jif, gifs'],
    ['drawn-out words shortened', 'looooool hahahahahaha', 'haha hahaha'],
    ['one mark for a row', 'what?!?!?! no!!!!!!', 'what? no!'],
    ['numbers as they are', '1000000 III', '1000000 III'],
    ['one space for many', 'a  \t b \n\n\n c', 'a b\nc'],
    ['times with their zone', 'at <t:1700000000:d>', 'at November 14, 2023'],
  ])('reads %s', (_, text, spoken) => {
    expect(speakable(text, options)).toBe(spoken);
  });

  it.each([
    ['long rows of digits one by one', 'id 123456789012', 'id 1 2 3 4 5 6 7 8 9 0 1 2'],
    ['telephone numbers one by one', 'call +49 171 1234567', 'call +4 9, 1 7 1, 1 2 3 4 5 6 7'],
    [
      'those of a country',
      '0171 1234567 or 090-1234-5678',
      '0 1 7 1, 1 2 3 4 5 6 7 or 0 9 0, 1 2 3 4, 5 6 7 8',
    ],
    ['other numbers with a zero as they are', '007 100 05 2026', '007 100 05 2026'],
    ['those of North America too', '(555) 123-4567 ok', '5 5 5, 1 2 3, 4 5 6 7 ok'],
    [
      'other numbers as they are',
      '1,000,000,000 3.14 10:30 v1.2.3 2024-05-06 192.168.100.200 12.345,90 555-1234',
      '1,000,000,000 3.14 10:30 v1.2.3 2024-05-06 192.168.100.200 12.345,90 555-1234',
    ],
    ['words for shouting', 'WHAT ARE YOU DOING', 'what are you doing'],
    ['abbreviations as they are', 'the NASA is IMPORTANT', 'the NASA is important'],
    ['abbreviations in other scripts as they are', 'NASAとESAとJAXA', 'NASAとESAとJAXA'],
    ['the same word three times at most', 'no no no no no nobody', 'no no no nobody'],
    ['no keys or hashes', 'a9993e364706816aba3e25717850c26c ok', 'ok'],
    ['no markers without a partner', 'so **open ||it `is', 'so open it is'],
    ['words joined by underscores', 'snake_case_name', 'snake case name'],
    ['no strokes through letters', 'h̷e̸l̶l̵o', 'hello'],
  ])('reads %s', (_, text, spoken) => {
    expect(speakable(text)).toBe(spoken);
  });

  describe('with words for what is not read', () => {
    const said = { link: 'a link', code: 'code', spoiler: 'spoiler' };

    it.each([
      ['an address', 'see https://a.b/c?d', 'see a link: a.b'],
      ['code', 'run `x` now', 'run code now'],
      ['a block of code', '```js\nx\n```', 'code'],
      ['keys', 'sk_live_4eC39HqLyjWDarjtT1zdp7dc', 'code'],
      ['a spoiler, once', 'it was ||the **cook**|| ok', 'it was spoiler ok'],
      ['an address that begins as laughter', 'www.example.com wow', 'a link: example.com wow'],
    ])('says them for %s', (_, text, spoken) => {
      expect(speakable(text, { locale: 'ja', words: said })).toBe(spoken);
    });

    it('never grows a text without bound, and leaves no markup', () => {
      fc.assert(
        fc.property(anyText, (text) => {
          const spoken = speakable(text, { locale: 'ja', words: said });
          expect(spoken.length).toBeLessThanOrEqual(text.length * 14 + 20);
          expect(spoken).not.toMatch(/\*\*|__|~~|\|\||`|https?:\/\/\w/);
        }),
      );
    });
  });

  it('leaves as it is what it gave itself', () => {
    for (const text of ['+49 171 1234567', '12345678901', 'a_b `c` NO NO NO NO NO', 'h̷e̸ 🎉 wwww'])
      expect(speakable(speakable(text, options), options)).toBe(speakable(text, options));
  });

  it.each([
    ['en', '👩🏽‍💻👨🏾‍🤝‍👨🏻', 'woman technologist, men holding hands'],
    ['en', '🏴󠁧󠁢󠁳󠁣󠁴󠁿🏳️‍🌈🇺🇦', 'Scotland, rainbow flag, Ukraine'],
    ['en', '😂😭😂😭😂', 'face with tears of joy, loudly crying face'],
    ['en', '😂a😂', 'face with tears of joy a face with tears of joy'],
    ['en', '🔟 4️⃣2️⃣0️⃣', '10 420'],
    ['en', '👩‍🚀‍🪐', 'woman'],
    ['de', 'super 🫠🎉', 'super schmelzendes Gesicht, Konfettibombe'],
    ['ja', '🎉🔥', 'クラッカー、 火'],
    ['zh-TW', '🎉🔥', '拉炮， 火'],
    ['zh', '🎉🔥', '拉炮彩带， 火焰'],
    ['nb', '🐶', 'hundefjes'],
    ['pt-BR', '🐶', 'rosto de cachorro'],
  ])('says in %s for %s: %s', (locale, text, spoken) => {
    expect(speakable(text, { locale })).toBe(spoken);
  });

  it('reads at most five emoji of a row, and fifteen of a text', () => {
    expect(speakable('🍎🍐🍇🍌🍒🍋🍑🍍', options)).toBe(speakable('🍎🍐🍇🍌🍒', options));
    const rows = Array.from('🍎🍐🍇🍌🍒🍋🍑🍍🍉🍓🥝🍅🥥🥑🍆🥔🥕🌽', (sign) => `so ${sign} `);
    expect(speakable(rows.join(''), options)).toContain('eggplant');
    expect(speakable(rows.join(''), options)).not.toContain('potato');
  });

  it.each([
    ['mathematical letters', '𝓗𝓮𝓵𝓵𝓸 𝟚𝟘', 'Hello 20'],
    ['full-width letters', 'ＡＢＣ １２', 'ABC 12'],
    ['letters set apart', 'ａ ｅ ｓ ｔ ｈ ok', 'aesth ok'],
    ['circled letters', 'Ⓗⓘ 🅗🅘 🄷🄸', 'Hi HI HI'],
    ['letters on blocks', '🅱ruh 🅲🅾🅾🅻', 'Bruh COOL'],
    ['letters of flags', '🇭 🇪 🇱 🇱 🇴 and 🇭🇪🇱🇱🇴', 'HELLO and HELLO'],
    ['small capitals', 'ɪᴛ ɪꜱ sᴏ ᴄᴏᴏʟ', 'it is so cool'],
    ['superscript letters', 'ᵗʰⁱˢ ⁱˢ', 'this is'],
    ['signs that are emoji too as these', 'ℹ️ ™️', 'information, trade mark'],
    ['ligatures', 'ﬁne oﬃce', 'fine office'],
    ['numbers in circles and Roman ones', '①② Ⅻ', '12 XII'],
  ])('reads %s as plain ones', (_, text, spoken) => {
    expect(speakable(text, options)).toBe(spoken);
  });

  it.each(['ｶﾞｲﾄﾞ', 'ガイド'])('reads kana of half width as kana: %s', (text) => {
    expect(speakable(text, { locale: 'ja' })).toBe('ガイド');
  });

  it.each(['10² m³', 'ɪ in /kɪt/', 'はい！（本当？）'])('keeps %s', (text) => {
    expect(speakable(text, { locale: 'ja' })).toBe(text);
  });

  it('says emoji in the language of the voice, and leaves them out in one that it has no words for', () => {
    expect(speakable('すごい😂', { locale: 'ja' })).toBe('すごい 嬉し泣き');
    expect(speakable('ok 😂', { locale: 'sw' })).toBe('ok');
    expect(speakable('ok 😂')).toBe('ok');
  });

  it.each(['', ' ', '...', '`code`', '||secret||', '\u200B', '----', '<@2>'])(
    'has nothing to say for %j',
    (text) => {
      expect(speakable(text, options)).toBe('');
    },
  );

  it('never throws, and leaves no markup, whatever the text', () => {
    // What is escaped is no markup but words.
    const unescaped = anyText.map((text) => text.replaceAll('\\', ''));
    fc.assert(
      fc.property(unescaped, (text) => {
        const spoken = speakable(text, options);
        expect(spoken).toBe(spoken.trim());
        expect(spoken).not.toMatch(/<@!?\d+>|https?:\/\/\w|⟦/);
      }),
    );
  });

  it.each(longTexts(100_000))('bears a long row of %s', (_, text) => {
    expect(speakable(text, options).length).toBeLessThanOrEqual(text.length * 12);
  });
});
