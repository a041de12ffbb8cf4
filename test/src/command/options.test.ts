import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../../src/text/language/language-names.ts';
import { findLanguage, languageName } from '../../../src/text/language/languages.ts';
import { anyRichText } from '../../fakes/any-rich-text.ts';
import { tree } from '../../fakes/markup.ts';
import { readChannels, readLanguages, splitTyped } from '../../../src/command/options.ts';
import { anyCharacter } from '../../fakes/any-character.ts';

const languages = { find: findLanguage };

describe('a typed list of languages', () => {
  it.each([
    ['es', ['es']],
    ['es fr ja', ['es', 'fr', 'ja']],
    ['es,fr;ja、ko，de；it', ['es', 'fr', 'ja', 'ko', 'de', 'it']],
    ['Spanish, Traditional Chinese, 日本語', ['es', 'zh-Hant', 'ja']],
    ['Traditional Chinese Japanese', ['zh-Hant', 'ja']],
    ['Japanese (ja), es', ['ja', 'es']],
    ['es, ES español , es-MX', ['es']],
    ['Spanish and Japanese', ['es', 'ja']],
    ['Spanisch und Japanisch', ['es', 'ja']],
    ['español, inglés y japonés', ['es', 'en', 'ja']],
    ['espagnol et japonais', ['es', 'ja']],
    ['es et', ['es', 'et']],
    ['スペイン語と日本語', ['es', 'ja']],
    ['스페인어와 일본어', ['es', 'ja']],
    ['西班牙语和日语', ['es', 'ja']],
    ['es & ja', ['es', 'ja']],
    [' , ,', []],
    ['', []],
  ])('%j is read as %j', (typed, expected) => {
    expect(readLanguages(typed, languages)).toEqual({ languages: expected, unknown: [] });
  });

  it('names what it does not know, each once', () => {
    expect(readLanguages('es, Klingonese qwz Klingonese', languages)).toEqual({
      languages: ['es'],
      unknown: ['Klingonese', 'qwz'],
    });
  });

  it('reads any languages by code or by English name, in their order', () => {
    const name = fc.constantFrom(...LANGUAGES).chain((code) =>
      fc.record({
        code: fc.constant(code),
        typed: fc.constantFrom(code, languageName(code, 'en')),
      }),
    );
    fc.assert(
      fc.property(fc.uniqueArray(name, { selector: ({ code }) => code }), (names) => {
        const typed = names.map((each) => each.typed).join(', ');
        const expected = names.map(({ code }) => code);
        expect(readLanguages(typed, languages)).toEqual({ languages: expected, unknown: [] });
      }),
    );
  });
});

describe('a list that is being typed', () => {
  it.each([
    ['es, traditional chi', ['es,', 'traditional chi'], ['es, traditional ', 'chi']],
    ['es fre', ['', 'es fre'], ['es ', 'fre']],
    ['jap', ['', 'jap'], ['', 'jap']],
    ['es, ', ['es,', ''], ['es, ', '']],
    ['', ['', ''], ['', '']],
  ])('%j is taken apart at its last comma, then at its last space', (typed, first, second) => {
    expect(splitTyped(typed).map(({ before, last }) => [before, last])).toEqual([first, second]);
  });
});

describe('a typed list of channels', () => {
  it.each([
    [
      '<#1> en, <#2> español, <#3> ja',
      [
        ['1', 'en'],
        ['2', 'es'],
        ['3', 'ja'],
      ],
    ],
    [
      '<#1>en<#2>: Traditional Chinese;<#3> → 日本語 ,',
      [
        ['1', 'en'],
        ['2', 'zh-Hant'],
        ['3', 'ja'],
      ],
    ],
    [
      'en <#1>, Spanish: <#2>',
      [
        ['1', 'en'],
        ['2', 'es'],
      ],
    ],
    [
      '<#1> klingon <#2> es',
      [
        ['1', undefined],
        ['2', 'es'],
      ],
    ],
    ['', []],
  ])('%j is read as %j', (typed, expected) => {
    const read = readChannels(tree(typed), languages, 'discord');
    expect(read?.map(({ id, language }) => [id, language])).toEqual(expected);
  });

  it.each([
    '#general en',
    'general en, <#1> es',
    '- <#1> en',
    '<@1> en, <#2> es',
    '<#1> <#2> es',
    'en <#1> <#2>',
    '<#1>',
  ])('is refused where a channel has no language, or there is more: %j', (typed) => {
    expect(readChannels(tree(typed), languages, 'discord')).toBeUndefined();
  });

  it('knows no channels of another platform', () => {
    expect(readChannels(tree('<#1> en'), languages, 'test')).toBeUndefined();
  });

  it('never fails on what people type', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter, maxLength: 200 }),
        anyRichText(),
        (typed, any) => {
          readLanguages(typed, languages);
          splitTyped(typed);
          for (const written of [tree(typed), any])
            for (const { id } of readChannels(written, languages, 'discord') ?? [])
              expect(id).not.toBe('');
        },
      ),
    );
  });
});
