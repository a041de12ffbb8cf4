import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ByteSource } from '../../../src/model/message.ts';
import { createGlossary } from '../../../src/translation/glossary.ts';
import { TERMS_PER_PLACE } from '../../../src/translation/glossary-rows.ts';
import { findLanguage } from '../../../src/text/language/languages.ts';
import { readColumns } from '../../../src/translation/glossary-columns.ts';
import { readGlossaryCsv, writeGlossaryCsv } from '../../../src/translation/glossary-csv.ts';
import { fileOf, useGlossary } from './glossary-support.ts';
import { watchEventLoop } from '../../fakes/event-loop.ts';

const SPACE = { platform: 'test', id: 'here' };
const signal = new AbortController().signal;

const { glossary, importFile, store } = useGlossary();

const readRows = async (file: ByteSource, given = signal) =>
  (await readGlossaryCsv(file, given)).rows;

const term = (word: string, language?: string, translation?: string) => ({
  term: word,
  language,
  translation,
});

describe('a glossary', () => {
  it('of a channel go before those of its space, and count in its threads', async () => {
    const place = { space: SPACE, id: 'games' };
    const thread = { space: SPACE, id: 'thread', parentId: 'games' };
    await glossary().add(SPACE, term('mage', 'ja', '魔法使い'));
    await glossary().add(SPACE, term('Arch'));
    await glossary().add(place, term('Mage', 'ja', '魔道士'));
    const all = [term('Mage', 'ja', '魔道士'), term('Arch')];
    expect(await glossary().applying(place)).toEqual(all);
    expect(await glossary().applying(thread)).toEqual(all);
    expect(await glossary().applying(place)).toBe(await glossary().applying(place));
    expect(await glossary().list(place)).toEqual([term('Mage', 'ja', '魔道士')]);
    expect(await glossary().applying({ space: SPACE, id: 'other' })).toHaveLength(2);
    expect(await glossary().applying({ space: { ...SPACE, id: 'else' }, id: 'games' })).toEqual([]);
    await glossary().add(SPACE, term('new'));
    expect(await glossary().applying(place)).toHaveLength(3);
    expect(await glossary().remove(place, 'mage')).toBe(1);
    expect(await glossary().applying(place)).toContainEqual(term('mage', 'ja', '魔法使い'));
  });

  it('keeps its terms in alphabetical order, for its own space only', async () => {
    await glossary().add(SPACE, term('zebra', 'ja', 'シマウマ'));
    await glossary().add(SPACE, term('Apple'));
    expect(await glossary().list(SPACE)).toEqual([term('Apple'), term('zebra', 'ja', 'シマウマ')]);
    expect(await glossary().list({ ...SPACE, id: 'elsewhere' })).toEqual([]);
  });

  it('replaces the entry of the same term and language, whatever its case', async () => {
    await glossary().add(SPACE, term('Mage', 'ja', '古い'));
    await glossary().add(SPACE, term('mage', 'ja', '新しい'));
    await glossary().add(SPACE, term('mage', 'de', 'Magier'));
    expect(await glossary().list(SPACE)).toEqual([
      term('mage', 'de', 'Magier'),
      term('mage', 'ja', '新しい'),
    ]);
  });

  it.each([
    ["O'Brien", 'O’BRIEN'],
    ['Straße', 'STRASSE'],
    ['İstanbul', 'istanbul'],
    ['ドラゴン', 'ﾄﾞﾗｺﾞﾝ'],
    ['café', 'cafe\u0301'],
  ])('has one entry of %j and %j, which are found alike', async (older, newer) => {
    expect(await glossary().add(SPACE, term(older, 'de', 'a'))).toBeUndefined();
    expect(await glossary().add(SPACE, term(newer, 'de', 'b'))).toEqual(term(older, 'de', 'a'));
    expect(await glossary().list(SPACE)).toEqual([term(newer, 'de', 'b')]);
    const file = fileOf(`${older},de,c\n${newer},de,d\n${older},fr,e`);
    expect(await importFile(SPACE, file, signal)).toMatchObject({ added: 1, changed: 1 });
    expect(await glossary().list(SPACE)).toEqual([term(newer, 'de', 'd'), term(older, 'fr', 'e')]);
    expect(await glossary().remove(SPACE, older)).toBe(2);
  });

  it('removes a term in one language or in all', async () => {
    await glossary().add(SPACE, term('mage', 'ja', 'a'));
    await glossary().add(SPACE, term('mage', 'de', 'b'));
    await glossary().add(SPACE, term('mage', 'fr', 'c'));
    expect(await glossary().list(SPACE)).toHaveLength(3);
    expect(await glossary().remove(SPACE, 'MAGE', 'de')).toBe(1);
    expect(await glossary().list(SPACE)).toHaveLength(2);
    expect(await glossary().remove(SPACE, 'mage')).toBe(2);
    expect(await glossary().remove(SPACE, 'mage')).toBe(0);
    expect(await glossary().list(SPACE)).toEqual([]);
  });

  it.each(['', '   ', 'x'.repeat(201)])('refuses the term %j', async (word) => {
    await expect(glossary().add(SPACE, term(word))).rejects.toMatchObject({ code: 'bad-input' });
  });

  it('is there again after a restart of the cache', async () => {
    await glossary().add(SPACE, term('kept'));
    const again = createGlossary(store(), { find: findLanguage });
    expect(await again.list(SPACE)).toEqual([term('kept')]);
  });
});

describe('a glossary file', () => {
  it('is taken over, with what is wrong told by line', async () => {
    await glossary().add(SPACE, term('known'));
    const csv = [
      'term,language,translation',
      'mage,Japanese,魔道士',
      'known,,',
      ',ja,nothing',
      'word,klingonese,x',
      `${'x'.repeat(300)},,`,
    ].join('\r\n');
    expect(await importFile(SPACE, fileOf(csv), signal)).toEqual({
      added: 1,
      changed: 0,
      rejected: [
        { line: 4, reason: 'empty' },
        { line: 5, reason: 'unknown-language' },
        { line: 6, reason: 'too-long' },
      ],
      rejectedCount: 3,
      encoding: 'UTF-8',
    });
    expect(await glossary().list(SPACE)).toEqual([term('known'), term('mage', 'ja', '魔道士')]);
  });

  it.each([
    ['semicolons', 'mage;ja;魔道士\n'],
    ['tabs', 'term\tlanguage\ttranslation\nmage\tja\t魔道士'],
    ['a byte order mark', '\uFEFFmage,ja,魔道士'],
    ['UTF-16', Buffer.from('\uFEFFmage,ja,魔道士', 'utf16le')],
  ])('may have %s', async (_, content) => {
    await importFile(SPACE, fileOf(content), signal);
    expect(await glossary().list(SPACE)).toEqual([term('mage', 'ja', '魔道士')]);
  });

  it.each([
    ['pairs', 'mage,魔道士\narch,弓', 'ja'],
    ['tabs', 'mage\t魔道士\narch\t弓\n', 'ja'],
    ['a header', 'Source;Target\nmage;魔道士\narch;弓', 'ja'],
    ['the other order', 'translation,term\n魔道士,mage\n弓,arch', 'ja'],
  ])('may be two plain columns, given their language: %s', async (_, content, to) => {
    const report = await importFile(SPACE, fileOf(content), signal, to);
    expect(report).toMatchObject({ added: 2, assumed: { kind: 'pairs', language: 'ja' } });
    expect(await glossary().list(SPACE)).toEqual([
      term('arch', 'ja', '弓'),
      term('mage', 'ja', '魔道士'),
    ]);
  });

  it('of pairs may translate names of languages', async () => {
    await importFile(SPACE, fileOf('German,allemand\nTurkish,turc'), signal, 'fr');
    expect(await glossary().list(SPACE)).toEqual([
      term('German', 'fr', 'allemand'),
      term('Turkish', 'fr', 'turc'),
    ]);
  });

  it('may name the languages of its columns in its first line', async () => {
    const csv = 'English,Japanese,es\nmage,魔道士,mago\narch,,arco\n,x,y';
    const report = await importFile(SPACE, fileOf(csv), signal);
    expect(report).toMatchObject({
      added: 3,
      rejected: [{ line: 4, reason: 'empty' }],
      assumed: { kind: 'header', languages: ['ja', 'es'] },
    });
    expect(await glossary().list(SPACE)).toEqual([
      term('arch', 'es', 'arco'),
      term('mage', 'es', 'mago'),
      term('mage', 'ja', '魔道士'),
    ]);
  });

  it.each(['mage,魔道士', 'term,translation\nmage,魔道士'])(
    'of two columns in no known language changes nothing: %j',
    async (content) => {
      await expect(importFile(SPACE, fileOf(content), signal)).rejects.toMatchObject({
        code: 'bad-input',
        sentence: { key: 'glossary.which-language' },
      });
      expect(await glossary().list(SPACE)).toEqual([]);
    },
  );

  it('of terms and languages keeps terms in these', async () => {
    await importFile(SPACE, fileOf('Dragoman,es\nTurkish,de,Türkisch'), signal);
    expect(await glossary().list(SPACE)).toEqual([
      term('Dragoman', 'es'),
      term('Turkish', 'de', 'Türkisch'),
    ]);
  });

  it('fills in the given language where a line names none', async () => {
    const csv = 'mage,,魔道士\narch,es,arco';
    const report = await importFile(SPACE, fileOf(csv), signal, 'ja');
    expect(report.assumed).toEqual({ kind: 'rest', language: 'ja' });
    expect(await glossary().list(SPACE)).toContainEqual(term('mage', 'ja', '魔道士'));
    expect(await glossary().list(SPACE)).toContainEqual(term('arch', 'es', 'arco'));
  });

  it('may have commas in what semicolons part', async () => {
    await importFile(SPACE, fileOf('Hello, you;Hola, tú\nmage;mago'), signal, 'es');
    expect(await glossary().list(SPACE)).toContainEqual(term('Hello, you', 'es', 'Hola, tú'));
  });

  it.each([
    ['a,b\n\nmage,"ja\nc,d\ne,f', 3],
    ['sep=;\na;"b\nc;d', 2],
    ['"a\nb",c\nd,"e', 3],
  ])('whose quotation mark is not closed names the line: %j', async (content, line) => {
    await expect(importFile(SPACE, fileOf(content), signal)).rejects.toMatchObject({
      sentence: { key: 'glossary.not-csv-line', params: { line } },
    });
  });

  it.each([
    ['that is an archive', Buffer.from([0x50, 0x4b, 0x03, 0x04, 0x14, 0x00, 0xff, 0x00])],
    ['of images', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x00, 0xff, 0xfe, 0x00])],
  ])('%s changes nothing', async (_, content) => {
    await expect(importFile(SPACE, fileOf(content), signal)).rejects.toMatchObject({
      sentence: { key: 'glossary.not-csv' },
    });
    expect(await glossary().list(SPACE)).toEqual([]);
  });

  it('that is too large is not read to its end', async () => {
    let read = 0;
    const endless: ByteSource = {
      sizeBytes: undefined,
      async *open() {
        for (;;) {
          read += 1;
          yield Buffer.alloc(65_536, 'a');
        }
      },
    };
    await expect(importFile(SPACE, endless, signal)).rejects.toMatchObject({
      code: 'too-large',
    });
    expect(read).toBeLessThan(150);
  });

  it('of too many lines is not looked at to its end, and changes nothing', async () => {
    const csv = `${'term\n'.repeat(100_050)}"a quote that never ends`;
    await expect(importFile(SPACE, fileOf(csv), signal)).rejects.toMatchObject({
      code: 'too-large',
    });
    expect(await glossary().list(SPACE)).toEqual([]);
  });

  it('of too many columns is refused', async () => {
    const csv = `${'mage,'.repeat(501)}\n`;
    await expect(readRows(fileOf(csv))).rejects.toMatchObject({ code: 'too-large' });
  });

  it('lets others run while it is read, however it is made', async () => {
    const lines = `${'語'.repeat(60)},ja,${'é'.repeat(12)}\n`.repeat(1_900);
    const { result, turns } = await watchEventLoop(() => readRows(fileOf(lines)));
    expect(turns).toBeGreaterThan(20);
    expect(new Set(result.map(({ cells }) => cells.join()))).toEqual(
      new Set([lines.split('\n')[0]]),
    );
    const spaces = ' '.repeat(400_000);
    expect((await watchEventLoop(() => readRows(fileOf(spaces)))).turns).toBeGreaterThan(20);
  });

  it('is not read for somebody who is gone', async () => {
    const gone = AbortSignal.abort();
    await expect(readRows(fileOf('a,ja,b'), gone)).rejects.toThrow(gone.reason as Error);
  });

  it('stops at the glossary’s limit, whatever comes at the same moment', async () => {
    const csv = Array.from({ length: TERMS_PER_PLACE - 1 }, (_, index) => `term ${index}`);
    await importFile(SPACE, fileOf(csv.join('\n')), signal);
    const two = Array.from({ length: 2 }, (_, index) => `of a file ${index}`);
    const [report, ...added] = await Promise.all([
      importFile(SPACE, fileOf(two.join('\n')), signal),
      ...['one', 'two'].map((text) =>
        glossary()
          .add(SPACE, term(text))
          .catch(() => 'full'),
      ),
    ]);
    const isFull = added.filter((result) => result === 'full').length;
    expect(report.added + added.length - isFull).toBe(1);
    expect(await glossary().list(SPACE)).toHaveLength(TERMS_PER_PLACE);
    expect(await glossary().remove(SPACE, 'term 0')).toBe(1);
    const late = await importFile(SPACE, fileOf('a\nb\nc\nd'), signal);
    expect(late.added).toBe(1);
    expect(late.rejected.map(({ reason }) => reason)).toEqual(['limit', 'limit', 'limit']);
    const words = (await glossary().list(SPACE)).map((each) => each.term);
    expect(words).toHaveLength(TERMS_PER_PLACE);
    expect(words).toContain('a');
    expect(words).not.toContain('b');
    await expect(glossary().add(SPACE, term('one more'))).rejects.toMatchObject({
      code: 'too-large',
    });
  });

  it('holds no cell that a spreadsheet would run', async () => {
    const csv = Buffer.from(
      await writeGlossaryCsv([term('=HYPERLINK("x")', 'ja', '+1')]),
    ).toString();
    expect(csv).not.toMatch(/(?:^|[,"\n])[=+\-@]/);
  });

  it('reads back what it wrote', async () => {
    const words = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
      .map((text) => text.toWellFormed().trim())
      .filter((text) => text !== '' && !text.startsWith("'") && text.toLowerCase() !== 'term');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(words, words), { maxLength: 10 }), async (pairs) => {
        const terms = pairs.map(([word, translation]) => term(word, 'ja', translation));
        const { rows } = await readGlossaryCsv(fileOf(await writeGlossaryCsv(terms)), signal);
        const { entries } = readColumns(rows, { find: findLanguage }, undefined);
        expect(entries.map((line) => [line.term, line.translation])).toEqual(pairs);
      }),
      { examples: [[[['!', '\uFFFD']]]] },
    );
  });
});
