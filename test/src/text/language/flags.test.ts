import { describe, expect, it } from 'vitest';
import { flagOfLanguage, languageOfFlag } from '../../../../src/text/language/flags.ts';
import { LANGUAGES } from '../../../../src/text/language/language-names.ts';

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
