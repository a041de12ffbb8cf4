import { describe, expect, it } from 'vitest';
import type { Glossary, ImportReport } from '../../../src/model/glossary.ts';
import { TERMS_PER_PLACE } from '../../../src/translation/glossary-rows.ts';
import { fileOf, useGlossary } from './glossary-support.ts';
import { watchEventLoop } from '../../fakes/event-loop.ts';

const SPACE = { platform: 'test', id: 'here' };
const signal = new AbortController().signal;

const { glossary, importFile } = useGlossary();

const give = (content: string | Uint8Array, to?: string): Promise<ImportReport> =>
  importFile(SPACE, fileOf(content), signal, to);

/** The glossary, each entry as `term|language|translation`. */
const stored = async (): Promise<readonly string[]> =>
  (await glossary().list(SPACE)).map(({ term, language, translation }) =>
    [term, language, translation].join('|'),
  );

describe('a file that is imported', () => {
  it.each([
    ['a sep line', 'sep=;\nmage;ja;魔道士', ['mage|ja|魔道士']],
    ['a quoted sep line', '"sep=|"\r\nmage|ja|魔道士\r\n', ['mage|ja|魔道士']],
    ['an inch', '5" disk,ja,ディスク\nmage,ja,魔道士', ['5" disk|ja|ディスク', 'mage|ja|魔道士']],
    ['lines with pipes', 'term|language|translation\nmage|ja|魔道士', ['mage|ja|魔道士']],
    [
      'a header in another order',
      'Translation,Note,Term,Lang\n魔道士,x,mage,ja',
      ['mage|ja|魔道士'],
    ],
    [
      'languages before the terms',
      'ja;term;de\n魔道士;mage;Magier',
      ['mage|de|Magier', 'mage|ja|魔道士'],
    ],
    ['languages and notes', 'term,ja,notes\nmage,魔道士,a person', ['mage|ja|魔道士']],
    ['the form of Google', 'en,ja,pos,description\nmage,魔道士,noun,a person', ['mage|ja|魔道士']],
    ['the form of DeepL', 'mage,魔道士,en,ja\narch,弓,en,ja', ['arch|ja|弓', 'mage|ja|魔道士']],
    ['a German header', 'Übersetzung;Begriff;Sprache\n魔道士;mage;ja', ['mage|ja|魔道士']],
    ['a Spanish header', 'Término;Idioma;Traducción\nmage;ja;魔道士', ['mage|ja|魔道士']],
    ['a French header', 'Terme;Langue;Traduction\nmage;japonais;魔道士', ['mage|ja|魔道士']],
    ['a Portuguese header', 'termo;idioma;tradução\nmage;ja;魔道士', ['mage|ja|魔道士']],
    ['a Japanese header', '用語,言語,訳語\nmage,日本語,魔道士', ['mage|ja|魔道士']],
    ['a Korean header', '용어,언어,번역\nmage,ja,魔道士', ['mage|ja|魔道士']],
    ['a Chinese header', '术语,语言,译文\nmage,日语,魔道士', ['mage|ja|魔道士']],
    ['a Taiwanese header', '術語,語言,譯文\nmage,日文,魔道士', ['mage|ja|魔道士']],
  ])('may have %s', async (_, content, expected) => {
    expect((await give(content)).rejectedCount).toBe(0);
    expect(await stored()).toEqual(expected);
  });

  it.each([
    '<!DOCTYPE html>\n<html><body><table><tr><td>mage</td></tr></table>',
    '\uFEFF  <table>\n<tr><td>mage</td></tr>',
  ])('is refused when it is HTML: %j', async (content) => {
    await expect(give(content)).rejects.toMatchObject({ sentence: { key: 'glossary.is-html' } });
    expect(await stored()).toEqual([]);
  });

  it('says how many lines were left out, and which came first', async () => {
    const lines = Array.from({ length: TERMS_PER_PLACE + 300 }, (_, index) => `term ${index}`);
    lines[2] = 'word,klingonese,x';
    lines[7] = `${'x'.repeat(201)},ja,x`;
    const { result, turns } = await watchEventLoop(() => give(lines.join('\n')));
    expect(result).toMatchObject({ added: TERMS_PER_PLACE, changed: 0, rejectedCount: 300 });
    expect(result.rejected.slice(0, 3)).toEqual([
      { line: 3, reason: 'unknown-language' },
      { line: 8, reason: 'too-long' },
      { line: TERMS_PER_PLACE + 3, reason: 'limit' },
    ]);
    expect(turns).toBeGreaterThan(50);
    expect(await stored()).toHaveLength(TERMS_PER_PLACE);
    expect(await give('term 3\nterm 5,ja,five\nterm 6')).toMatchObject({
      added: 0,
      changed: 0,
      rejected: [{ line: 2, reason: 'limit' }],
    });
  });

  it('counts an entry once that it has twice, however far apart', async () => {
    const others = Array.from({ length: 600 }, (_, index) => `other ${index},ja,x`);
    const file = ['term,language,translation', 'fox,ja,狐', ...others, 'fox,ja,キツネ'].join('\n');
    expect(await give(file)).toMatchObject({ added: 601, changed: 0, rejectedCount: 0 });
    expect(await stored()).toContain('fox|ja|キツネ');
  });

  it('is shown before anything of it is written', async () => {
    await give('term,language,translation\nfox,ja,狐\nbear,ja,熊');
    const before = await stored();
    const file = fileOf('term,language,translation\nfox,ja,狐\nbear,ja,くま\nowl,ja,梟\n,ja,x');
    const asked = { by: { platform: SPACE.platform, id: 'ada' }, space: SPACE };
    const { id, ...preview } = await glossary().previewImport(SPACE, file, signal, asked);
    const entry = (term: string, translation: string) => ({ term, language: 'ja', translation });
    expect(preview).toMatchObject({
      added: 1,
      changed: 1,
      unchanged: 1,
      first: [
        { term: entry('bear', 'くま'), before: entry('bear', '熊') },
        { term: entry('owl', '梟') },
      ],
      rejected: [{ line: 5, reason: 'empty' }],
    });
    expect(await stored()).toEqual(before);
    const elsewhere = { ...SPACE, id: 'elsewhere' };
    expect(await glossary().finishImport(elsewhere, id, signal)).toBeUndefined();
    const done = await glossary().finishImport(SPACE, id, signal);
    expect(done).toMatchObject({ added: 1, changed: 1, rejectedCount: 1 });
    expect(await glossary().finishImport(SPACE, id, signal)).toBeUndefined();
  });

  it('is not imported once it was dropped', async () => {
    const asked = { by: { platform: SPACE.platform, id: 'ada' }, space: SPACE };
    const { id } = await glossary().previewImport(SPACE, fileOf('fox'), signal, asked);
    await glossary().dropImport(SPACE, id);
    expect(await glossary().finishImport(SPACE, id, signal)).toBeUndefined();
    expect(await stored()).toEqual([]);
  });

  it('lets others write in between', async () => {
    const content = Array.from({ length: 3_000 }, (_, index) => `term ${index}`).join('\n');
    const ended: string[] = [];
    await Promise.all([
      give(content).then(() => ended.push('file')),
      glossary()
        .add(
          { ...SPACE, id: 'elsewhere' },
          { term: 'x', language: undefined, translation: undefined },
        )
        .then(() => ended.push('other')),
    ]);
    expect(ended).toEqual(['other', 'file']);
  });
});

describe('the terms of a text', () => {
  const add = (
    term: string,
    language?: string,
    translation?: string,
    place: Parameters<Glossary['add']>[0] = SPACE,
  ) => glossary().add(place, { term, language, translation });
  const inText = async (text: string, place: Parameters<Glossary['add']>[0] = SPACE) =>
    (await glossary().inText(place, text)).terms.map(
      ({ term, translation }) => translation ?? term,
    );

  it('are those of the channel before those of its space', async () => {
    const channel = { space: SPACE, id: 'games' };
    await add('mage', 'ja', '魔法使い');
    await add('arch');
    await add('Mage', 'ja', '魔道士', channel);
    await add('unused', undefined, undefined, channel);
    expect((await inText('the MAGE has an arch', channel)).toSorted()).toEqual(['arch', '魔道士']);
    expect(await inText('the mage has a bow')).toEqual(['魔法使い']);
    await glossary().remove(channel, 'mage');
    expect(await inText('the mage', channel)).toEqual(['魔法使い']);
  });

  it('come first when they are rare, and then when they are long', async () => {
    for (const term of ['guild', 'guild bank', 'Frostmourne']) await add(term);
    expect(await inText('guild bank of Frostmourne, guild')).toEqual([
      'Frostmourne',
      'guild bank',
      'guild',
    ]);
    for (let times = 0; times < 3; times += 1) await inText('where is Frostmourne?');
    await inText('a guild bank');
    expect(await inText('guild bank, Frostmourne')).toEqual(['guild bank', 'guild', 'Frostmourne']);
  });

  it('are found in other forms in a text of a known language, where they have a translation', async () => {
    await add('dragon', 'es', 'dragón rojo');
    await add('healer');
    const formsIn = async (text: string, language?: string): Promise<readonly string[]> =>
      (await glossary().inText(SPACE, text, language)).occurrences.map(({ start, end }) =>
        text.slice(start, end),
      );
    expect(await formsIn('Two dragons, one dragon, healers', 'en')).toEqual(['dragon', 'dragons']);
    expect(await formsIn('Two dragons', 'ja')).toEqual([]);
    expect(await formsIn('Two dragons')).toEqual([]);
  });

  it('are found in other forms among as many as there can be, while others run', async () => {
    const terms = Array.from({ length: TERMS_PER_PLACE }, (_, index) => `goblin${index},es,x`);
    await give(['term,language,translation', ...terms].join('\n'));
    const { result, turns } = await watchEventLoop(() =>
      glossary().inText(SPACE, 'the goblin4711s', 'en'),
    );
    expect(result.terms.map(({ term }) => term)).toEqual(['goblin4711']);
    expect(turns).toBeGreaterThan(50);
  });

  it('are found among as many as there can be, while others run', async () => {
    await give(Array.from({ length: TERMS_PER_PLACE }, (_, index) => `term ${index}`).join('\n'));
    const { result, turns } = await watchEventLoop(() => inText('see term 4711 and term 4712x'));
    expect(result).toEqual(['term 4711']);
    expect(turns).toBeGreaterThan(50);
  });
});
