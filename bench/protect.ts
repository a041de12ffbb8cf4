import { parseDiscord } from '../adapters/discord/rich-text/parse.ts';
import { protect } from '../src/text/protect/protect-rich-text.ts';
import { comparePair, fixed, printTable } from './measure.ts';

const LINES = [
  'hey <@123456789012345678> did you see https://example.org/a/b?c=d#e yesterday?',
  'ok lol, let us meet at 5 in <#234567890123456789> **please** don’t be late :)',
  '今日は`npm ci`を実行してからビルドしてください 🎉 よろしくお願いします',
  'la reunión empieza a las <t:1700000000:R>, trae tu portátil y no olvides el café',
  'plain words without anything special in them, as most lines of a chat are after all',
];
const TERMS = [{ term: 'portátil', translation: 'laptop' }, { term: 'café' }];

const text = Array.from({ length: 2_000 }, (_, index) => LINES[index % LINES.length]).join('\n');
const megabytes = Buffer.byteLength(text) / 1e6;

/** What bots commonly do: one pattern, numbers in its place, put back without a check. */
const simple = (written: string): string => {
  const kept: string[] = [];
  const masked = written.replaceAll(/https?:\/\/\S+|<[@#:a][^>]*>|`[^`]*`/g, (match) => {
    kept.push(match);
    return `{{${kept.length - 1}}}`;
  });
  return masked.replaceAll(/\{\{(\d+)\}\}/g, (_, index: string) => kept[Number(index)] ?? '');
};

const tree = parseDiscord(text);
const both = (): unknown => {
  const guarded = protect(tree, TERMS);
  return guarded.restore(guarded.text).tree;
};

const chat = LINES.map((line) => ({ each: parseDiscord(line), bytes: Buffer.byteLength(line) }));
const lineByLine = (): void => {
  for (const { each } of chat) {
    const guarded = protect(each, TERMS);
    guarded.restore(guarded.text);
  }
};
const simpleByLine = (): void => {
  for (const line of LINES) simple(line);
};

const whole = await comparePair(both, () => simple(text), { rounds: 15, calls: 3 });
const lines = await comparePair(lineByLine, simpleByLine, { rounds: 15, calls: 2_000 });
const lineBytes = chat.reduce((sum, { bytes }) => sum + bytes, 0);
printTable('Protection of rich text, put back and verified (bare: one pattern, unverified)', [
  {
    what: `one text of ${fixed(megabytes)} MB`,
    ours: `${fixed(megabytes / (whole.oursUs / 1e6), 0)} MB/s`,
    common: `${fixed(megabytes / (whole.commonUs / 1e6), 0)} MB/s`,
    ratio: fixed(whole.commonUs / whole.oursUs),
  },
  {
    what: 'chat lines, one by one',
    ours: `${fixed(lineBytes / lines.oursUs, 0)} MB/s`,
    common: `${fixed(lineBytes / lines.commonUs, 0)} MB/s`,
    ratio: fixed(lines.commonUs / lines.oursUs),
  },
]);
