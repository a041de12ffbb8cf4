import { describe, expect, it } from 'vitest';
import { decodeText } from '../../../src/translation/glossary-csv.ts';
import { shared } from '../audio/support.ts';

const signal = new AbortController().signal;

type Bytes = readonly number[];

/** The bytes of each character, by asking a decoder about all bytes, and all pairs of bytes where it needs pairs. */
const learn = (label: string): ReadonlyMap<string, Bytes> => {
  const decoder = new TextDecoder(label);
  const known = new Map<string, Bytes>();
  const ask = (bytes: Bytes): void => {
    const char = decoder.decode(Uint8Array.from(bytes));
    if (Array.from(char).length === 1 && char !== '\uFFFD' && !known.has(char))
      known.set(char, bytes);
  };
  for (let first = 0; first < 256; first += 1) ask([first]);
  if (!/^(?:windows|koi)/.test(label))
    for (let first = 0x81; first < 0xff; first += 1)
      for (let second = 0x40; second < 0xff; second += 1) ask([first, second]);
  return known;
};

const bytesOfChars = shared(learn);
const encode = (text: string, label: string): Uint8Array => {
  const known = bytesOfChars(label);
  return Uint8Array.from(Array.from(text).flatMap((char) => known.get(char) ?? []));
};

const utf16 = (text: string, isBig: boolean): Uint8Array => {
  const bytes = Buffer.from(text, 'utf16le');
  return isBig ? bytes.swap16() : bytes;
};

describe('a text file', () => {
  const table = 'term,language,translation\nギルド銀行,es,banco\nmage,ja,魔道士\n';

  it.each([
    ['UTF-8', Buffer.from(table), 'UTF-8'],
    ['UTF-8 with a byte order mark', Buffer.from(`\uFEFF${table}`), 'UTF-8'],
    ['UTF-16 with a byte order mark', utf16(`\uFEFF${table}`, false), 'UTF-16'],
    ['the other UTF-16 with one', utf16(`\uFEFF${table}`, true), 'UTF-16'],
  ])('is read as %s', async (_, bytes, encoding) => {
    expect(await decodeText(bytes, signal)).toEqual({ text: table, encoding });
  });

  it.each([
    ['windows-1252', 'term\nArmbrustschütze\nKöln\n', 'Windows-1252'],
    ['windows-1252', 'crème brûlée,fr\n“café” – 5 €,x\n', 'Windows-1252'],
    ['windows-1250', 'czarodziej,mage\nłucznik,archer\nźródło,source\n', 'Windows-1250'],
    ['windows-1251', 'маг,mage\nгерой,hero\nбанк гильдии,guild bank\n', 'Windows-1251'],
    ['windows-1254', 'büyücü,mage\nışık şövalyesi,light knight\n', 'Windows-1254'],
    ['koi8-r', 'маг,mage\nгерой,hero\nбанк гильдии,guild bank\n', 'KOI8-R'],
    ['shift_jis', 'ギルド\n', 'Shift_JIS'],
    ['shift_jis', '魔法使い,mage\n勇者,hero\n', 'Shift_JIS'],
    ['euc-jp', '魔法使い,mage\n勇者,hero\nギルド銀行,guild bank\n', 'EUC-JP'],
    ['euc-kr', '마법사,mage\n용사,hero\n길드 은행,guild bank\n', 'EUC-KR'],
    ['gb18030', '法师,mage\n勇士,hero\n公会银行,guild bank\n', 'GB18030'],
    ['big5', '法師,mage\n勇士,hero\n公會銀行,guild bank\n', 'Big5'],
  ])('in %s is recognised: %j', async (label, text, encoding) => {
    expect(await decodeText(encode(text, label), signal)).toEqual({ text, encoding });
  });

  it('is recognised by its first line that is not ASCII, however late', async () => {
    const text = `${'plain words,x\n'.repeat(10_000)}魔法使い,mage\n勇者,hero\n`;
    const { encoding } = (await decodeText(encode(text, 'shift_jis'), signal)) ?? {};
    expect(encoding).toBe('Shift_JIS');
  });

  it.each([
    ['an archive', [0x50, 0x4b, 0x03, 0x04, 0x14, 0x00, 0xff, 0x00]],
    ['noise', Array.from({ length: 999 }, (_, index) => (index * 89 + (index % 7) * 31) % 256)],
    ['half a character of UTF-16', [0xff, 0xfe, 0x61, 0x00, 0x62]],
  ])('is none when it is %s', async (_, bytes) => {
    expect(await decodeText(Uint8Array.from(bytes), signal)).toBeUndefined();
  });

  it('is not waited for by somebody who is gone', async () => {
    const gone = AbortSignal.abort();
    await expect(decodeText(encode('Köln', 'windows-1252'), gone)).rejects.toThrow(/abort/i);
  });
});
