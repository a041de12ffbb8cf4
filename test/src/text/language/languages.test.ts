import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../../../src/text/language/language-names.ts';
import {
  findLanguage,
  languageName,
  languagesInWords,
  sameLanguage,
  searchLanguages,
  flagOfLanguage,
  languageOfFlag,
} from '../../../../src/text/language/languages.ts';
import { anyText } from '../any-text.ts';

const codes = (typed: string): string[] => searchLanguages(typed, 'en').map(({ code }) => code);

describe('findLanguage', () => {
  it.each([
    ['ES', 'es'],
    ['es-MX', 'es'],
    ['en_US', 'en'],
    ['spa', 'es'],
    ['eng', 'en'],
    ['jpn', 'ja'],
    ['nb', 'no'],
    ['fil', 'tl'],
    ['pt-br', 'pt-BR'],
    ['pt-PT', 'pt'],
    ['zh-TW', 'zh-Hant'],
    ['zh-Hans-CN', 'zh'],
    ['en-xa', 'en-XA'],
    ['Spanish', 'es'],
    [' ESPANOL ', 'es'],
    ['español', 'es'],
    ['スペイン語', 'es'],
    ['西班牙语', 'es'],
    ['스페인어', 'es'],
    ['Japonais', 'ja'],
    ['japonês', 'ja'],
    ['Türkçe', 'tr'],
    ['turkce', 'tr'],
    ['Mandarin', 'zh'],
    ['Chinese (Simplified)', 'zh'],
    ['Chinese (Traditional)', 'zh-Hant'],
    ['繁體中文', 'zh-Hant'],
    ['Brazilian Portuguese', 'pt-BR'],
    ['English (Australia)', 'en'],
    ['pseudo', 'en-XA'],
  ])('understands %j', (typed, code) => {
    expect(findLanguage(typed)).toBe(code);
  });

  it.each(['', ' ', 'Klingon', 'xx', '🎉', '(', '-', 'en-', 'x'.repeat(10_000), '\uD83D'])(
    'does not know %j',
    (typed) => {
      expect(findLanguage(typed)).toBeUndefined();
    },
  );

  it('finds every language by its code, and by its name in English and in itself', () => {
    for (const code of LANGUAGES) {
      expect(findLanguage(code)).toBe(code);
      expect(findLanguage(languageName(code, 'en'))).toBe(code);
      expect(findLanguage(languageName(code, code))).toBe(code);
    }
  });
});

describe('languageName', () => {
  it('names a language in a locale', () => {
    expect(languageName('es', 'ja')).toBe('スペイン語');
    expect(languageName('zh-Hant', 'en')).toBe('Traditional Chinese');
  });

  it('falls back to English, and to the code', () => {
    expect(languageName('es', 'no locale!')).toBe('Spanish');
    expect(languageName('no code!', 'en')).toBe('no code!');
  });
});

describe('searchLanguages', () => {
  it('puts the beginning of a name before its middle', () => {
    expect(codes('ja').slice(0, 2)).toEqual(['ja', 'jv']);
    expect(codes('nese').slice(0, 2)).toEqual(['ja', 'zh']);
    expect(codes('por').slice(0, 2)).toEqual(['pt', 'pt-BR']);
  });

  it('offers nothing that only a name in another language holds somewhere', () => {
    expect(codes('de')).toEqual(['de']);
    expect(codes('zh')).toEqual(['zh', 'zh-Hant']);
    expect(codes('en').slice(0, 2)).toEqual(['en', 'en-XA']);
    expect(codes('pt')).toEqual(['pt', 'pt-BR']);
    expect(codes('chinese').slice(0, 2)).toEqual(['zh', 'zh-Hant']);
    expect(searchLanguages('日', 'de').map(({ code }) => code)).toEqual(['ja']);
    expect(searchLanguages('中', 'ja').map(({ code }) => code)).toEqual(['zh', 'zh-Hant']);
    expect(searchLanguages('国', 'ja').map(({ code }) => code)).toContain('ko');
  });

  it('names what it finds in the locale, whatever language was typed', () => {
    expect(searchLanguages('germ', 'ja')[0]).toEqual({ code: 'de', name: 'ドイツ語' });
    expect(searchLanguages('フラ', 'ja')[0]).toEqual({ code: 'fr', name: 'フランス語' });
  });

  it('offers all for nothing, and nothing for what is no language', () => {
    expect(codes('')).toEqual(LANGUAGES);
    expect(codes('zzzz')).toEqual([]);
  });
});

describe('sameLanguage', () => {
  it.each([
    ['en-US', 'en', true],
    ['pt', 'pt-BR', true],
    ['nb', 'no', true],
    ['zh-CN', 'zh', true],
    ['zh-TW', 'zh-Hant', true],
    ['spa', 'es', true],
    ['zh', 'zh-Hant', false],
    ['en-XA', 'en', false],
    ['en', 'es', false],
    ['', 'en', false],
    ['no code!', 'en', false],
  ])('%j and %j: %j', (a, b, same) => {
    expect(sameLanguage(a, b)).toBe(same);
    expect(sameLanguage(b, a)).toBe(same);
  });
});

describe('languagesInWords', () => {
  it.each([
    ['Japanese', ['ja']],
    ['Japanese and English', ['ja', 'en']],
    ['ja', ['ja']],
    ['ja-JP, en-US', ['ja', 'en']],
    ['English (US)', ['en']],
    ['American English', ['en']],
    ['Portuguese (Brazil)', ['pt-BR']],
    ['Chinese (Mandarin, Simplified)', ['zh']],
    ['Multilingual (English, Spanish; French)', ['en', 'es', 'fr']],
    ['日本語と英語', ['ja', 'en']],
    ['日本語・英語', ['ja', 'en']],
    ['a voice for it, no language told', ['it']],
    ['Multilingual', []],
    ['', []],
  ])('%j', (words, named) => {
    const expected = words.startsWith('a voice') ? [] : named;
    expect(languagesInWords(words)).toEqual(expected);
  });

  it('gives listed codes, each once, whatever the text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const found = languagesInWords(text);
        expect(LANGUAGES).toEqual(expect.arrayContaining(found));
        expect(new Set(found).size).toBe(found.length);
      }),
    );
  });
});

const LETTERS = Array.from({ length: 26 }, (_, index) => String.fromCodePoint(0x1f1e6 + index));
const FLAGS = LETTERS.flatMap((a) => LETTERS.map((b) => a + b)).filter((pair) =>
  /^\p{RGI_Emoji_Flag_Sequence}$/v.test(pair),
);

describe('languageOfFlag', () => {
  it.each([
    ['🇯🇵', 'ja'],
    ['🇺🇸', 'en'],
    ['🇬🇧', 'en'],
    ['🇦🇺', 'en'],
    ['🇨🇦', 'en'],
    ['🇧🇷', 'pt-BR'],
    ['🇵🇹', 'pt'],
    ['🇦🇴', 'pt'],
    ['🇪🇸', 'es'],
    ['🇲🇽', 'es'],
    ['🇵🇾', 'es'],
    ['🇨🇳', 'zh'],
    ['🇸🇬', 'en'],
    ['🇹🇼', 'zh-Hant'],
    ['🇭🇰', 'zh-Hant'],
    ['🇰🇷', 'ko'],
    ['🇩🇪', 'de'],
    ['🇨🇭', 'de'],
    ['🇧🇪', 'nl'],
    ['🇮🇳', 'hi'],
    ['🇵🇭', 'tl'],
    ['🇳🇴', 'no'],
    ['🇮🇱', 'he'],
    ['🇮🇷', 'fa'],
    ['🇸🇦', 'ar'],
    ['🇺🇦', 'uk'],
    ['🇧🇾', 'be'],
    ['🇰🇿', 'kk'],
    ['🇰🇪', 'sw'],
    ['🇭🇹', 'fr'],
    ['🇬🇱', 'da'],
    ['🏴󠁧󠁢󠁥󠁮󠁧󠁿', 'en'],
    ['🏴󠁧󠁢󠁳󠁣󠁴󠁿', 'en'],
    ['🏴󠁧󠁢󠁷󠁬󠁳󠁿', 'cy'],
  ])('gives %s the language %s', (flag, language) => {
    expect(languageOfFlag(flag)).toBe(language);
  });

  it.each([
    '🇪🇺',
    '🇺🇳',
    '🇽🇽',
    '🇯',
    '🏴',
    '🏴‍☠️',
    '🏳️‍🌈',
    '🎉',
    'JP',
    'id',
    'jp',
    'flag-jp',
    'flag',
    '',
    '🇯🇵🇯🇵',
  ])('finds no language in %j', (text) => {
    expect(languageOfFlag(text)).toBeUndefined();
  });

  it('knows every country but those whose languages we do not have', () => {
    const unknown = FLAGS.filter((flag) => languageOfFlag(flag) === undefined);
    expect(FLAGS.length).toBeGreaterThan(250);
    expect(unknown).toEqual(['🇦🇶', '🇧🇹', '🇪🇷', '🇪🇺', '🇲🇻', '🇹🇰', '🇹🇲', '🇺🇳']);
  });

  it('gives listed codes only', () => {
    for (const flag of FLAGS) expect([undefined, ...LANGUAGES]).toContain(languageOfFlag(flag));
  });
});

describe('flagOfLanguage', () => {
  it.each([
    ['en', '🇬🇧'],
    ['en-US', '🇬🇧'],
    ['pt', '🇵🇹'],
    ['pt-BR', '🇧🇷'],
    ['zh', '🇨🇳'],
    ['zh-Hant', '🇹🇼'],
    ['yue', '🇭🇰'],
    ['ar', '🇸🇦'],
    ['fa', '🇮🇷'],
    ['cy', '🏴󠁧󠁢󠁷󠁬󠁳󠁿'],
    ['ga', '🇮🇪'],
    ['sv', '🇸🇪'],
    ['sw', '🇹🇿'],
  ])('gives %s the flag %s', (code, flag) => {
    expect(flagOfLanguage(code)).toBe(flag);
  });

  it.each(['ta', 'ca', 'eo', 'jv', 'en-XA', 'xx', ''])('has no flag for %j', (code) => {
    expect(flagOfLanguage(code)).toBeUndefined();
  });

  it('gives no flag to two languages', () => {
    const flags = LANGUAGES.map(flagOfLanguage).filter((flag) => flag !== undefined);
    expect(new Set(flags).size).toBe(flags.length);
    expect(flags.length).toBeGreaterThan(60);
  });
});
