import { describe, expect, it } from 'vitest';
import { withBot, type Place } from './support.ts';
import { sentence, sentenceLike } from '../fakes/sentences.ts';

const bot = withBot();

const IMPORT = /"custom_id":"(?<press>glossary import:[^"]+)"/;

/** Gives a file, and presses _Import_ where there is something to import. */
const give = async (at: Place, bytes: Uint8Array | string, name = 'glossary.csv') => {
  const shown = await bot.use(at, 'glossary import', {
    file: { name, contentType: 'text/csv', bytes: Buffer.from(bytes as string) },
  });
  const press = IMPORT.exec(JSON.stringify(shown.components))?.groups?.['press'];
  return press ? bot.press(shown, press, undefined, at.guild.owner) : shown;
};
const exported = async (at: Place): Promise<string> => {
  const used = bot.discord.command(at.guild.owner, {
    channel: at.channel,
    name: 'glossary export',
  });
  await used.until(({ shown }) => shown?.attachments.length === 1);
  return Buffer.from(used.shown!.attachments[0]!.bytes).toString();
};

const unchanged = (count: number): string =>
  sentence('glossary.preview', { added: 0, changed: 0, unchanged: count, rejected: 0 });

const imported = (added: number, changed: number, rejected: number): string =>
  sentence('glossary.imported', { added, changed, rejected });

describe('a glossary file', () => {
  it('goes in and comes out as it was, in the encodings that spreadsheets write', async () => {
    const at = bot.place();
    const table = 'term,language,translation\nFrostmourne,,\nギルド銀行,es,banco\n';
    expect((await give(at, table)).content).toBe(imported(2, 0, 0));
    const utf16 = Buffer.from(`\uFEFF${table.replaceAll(',', '\t')}`, 'utf16le');
    expect((await give(at, utf16)).content).toBe(
      `${unchanged(2)}\n${sentence('glossary.read-encoding', { encoding: 'UTF-16' })}`,
    );
    expect(await exported(at)).toBe(`\uFEFF${table}`);
    expect((await give(at, await exported(at))).content).toBe(unchanged(2));
  });

  it('in an older encoding is recognised, and the answer says so', async () => {
    const at = bot.place();
    const german = Buffer.from('term\nArmbrustschütze\n', 'latin1');
    expect((await give(at, german)).content).toBe(
      `${imported(1, 0, 0)}\n${sentence('glossary.read-encoding', { encoding: 'Windows-1252' })}`,
    );
    expect(await exported(at)).toContain('Armbrustschütze');
  });

  it('that is no table is refused whole and in words', async () => {
    const at = bot.place();
    const zip = Buffer.from([0x50, 0x4b, 0x03, 0x04, 0xff, 0x00, 0x80]);
    expect((await give(at, zip)).content).toContain(sentence('glossary.not-csv'));
    expect((await give(at, 'term\n"never closed')).content).toContain(
      sentence('glossary.not-csv-line', { line: 2 }),
    );
    const page = '<!DOCTYPE html><table><tr><td>mage</td></tr></table>';
    expect((await give(at, page)).content).toContain(sentence('glossary.is-html'));
    expect(await exported(at)).toBe('\uFEFFterm,language,translation\n');
  });

  it('of 10 MB is refused before it is read to its end', async () => {
    const at = bot.place();
    const large = Buffer.alloc(10_000_000, 'a term,es,una palabra\n');
    expect((await give(at, large)).content).toMatch(
      sentenceLike('glossary.file-too-large', { mebibytes: 8 }),
    );
  });

  it('with formulas gives none to the next spreadsheet, nor markup to the chat', async () => {
    const at = bot.place();
    const formulas = ['=1+1', '+A1', '-A1', '@SUM(A1)', '=HYPERLINK("http://x")'];
    const rows = formulas.map((each) => `"${each.replaceAll('"', '""')}",es,"${each[0]}x"`);
    const told = await give(at, ['term,language,translation', ...rows].join('\n'));
    expect(told.content).toBe(imported(5, 0, 0));
    const cells = (await exported(at)).split('\n').flatMap((line) => line.split(','));
    expect(cells.filter((cell) => /^"?[=+\-@]/.test(cell))).toEqual([]);
    await bot.use(at, 'glossary add', { term: '@everyone', translation: '<@&1> **x**' });
    const { content } = await bot.use(at, 'glossary list');
    expect(content).toContain('`@everyone` → `<@&1> **x**`');
  });

  it('with bad lines is taken without them, each named with its number', async () => {
    const at = bot.place();
    const rows = ['term,language,translation', ',es,x', `${'x'.repeat(201)},,`, 'fire,Klingon,y'];
    const told = await give(at, [...rows, 'water,es,agua'].join('\n'));
    expect(told.content.split('\n')).toEqual([
      imported(1, 0, 3),
      `- ${sentence('glossary.rejected.empty', { line: 2 })}`,
      `- ${sentence('glossary.rejected.too-long', { line: 3 })}`,
      `- ${sentence('glossary.rejected.unknown-language', { line: 4 })}`,
    ]);
    const full = Array.from({ length: 20_500 }, (_, index) => `term ${index}`).join('\n');
    const { content } = await give(at, full);
    expect(content).toContain(imported(19_999, 0, 501));
    expect(content).toContain(sentence('glossary.rejected.limit', { line: 20_000 }));
    expect(content).toContain(sentence('glossary.rejected-more', { count: 491 }));
  });
});
