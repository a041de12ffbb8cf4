import { parseDiscord } from '../adapters/discord/rich-text/parse.ts';
import { toFlatText } from '../src/rich-text/pieces/pieces.ts';
import { protect, protectFlat } from '../src/text/protect/protect.ts';
import { spansOf } from '../src/text/protect/terms.ts';
import { indexTerms } from '../src/text/terms/term-index.ts';
import { comparePair, fixed, printTable, type Result } from './measure.ts';

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

let calls = 0;
/** What bots commonly do: one pattern, numbers in its place, put back without a check. */
const simple = (line: string, terms?: RegExp): string => {
  // Another text each time: V8 remembers where a pattern matched.
  calls += 1;
  const written = `${line}${calls}`;
  const kept: string[] = [];
  const keep = (match: string): string => {
    kept.push(match);
    return `{{${kept.length - 1}}}`;
  };
  const masked = written.replaceAll(/https?:\/\/\S+|<[@#:a][^>]*>|`[^`]*`/g, keep);
  return (terms ? masked.replaceAll(terms, keep) : masked).replaceAll(
    /\{\{(\d+)\}\}/g,
    (_, index: string) => kept[Number(index)] ?? '',
  );
};

const tree = parseDiscord(text);
const both = (): unknown => {
  const guarded = protect(tree, TERMS);
  return guarded.restore(guarded.text).tree;
};

const chat = LINES.map((line) => ({ each: parseDiscord(line), bytes: Buffer.byteLength(line) }));
const lineBytes = chat.reduce((sum, { bytes }) => sum + bytes, 0);

/** A glossary's terms of one or two made-up words, with the two above. */
const glossary = (count: number): readonly (typeof TERMS)[number][] => {
  const syllables = 'an be com de en for gra hi in jo ka lo me no or pro re sta ti wa'.split(' ');
  const word = (from: number): string =>
    [1, 20, 400].map((base) => syllables[Math.floor(from / base) % 20]).join('');
  const made = Array.from({ length: Math.max(0, count - TERMS.length) }, (_, index) => ({
    term: index % 3 === 0 ? `${word(index)} ${word(index * 7)}x` : `${word(index)}n${index % 97}`,
  }));
  return count === 0 ? [] : [...TERMS, ...made];
};

const patternOf = (count: number): RegExp | undefined =>
  count === 0
    ? undefined
    : new RegExp(
        `(?<![\\p{L}\\p{N}])(?:${glossary(count)
          .map(({ term }) => term)
          .join('|')})(?![\\p{L}\\p{N}])`,
        'giu',
      );

const speed = (bytes: number, us: number): string => {
  const mbPerS = bytes / us;
  return `${fixed(mbPerS, mbPerS < 10 ? 2 : 0)} MB/s`;
};

const ratio = (ours: number, common: number): string => {
  const times = common / ours;
  return fixed(times, times < 10 ? 2 : 0);
};

const whole = await comparePair(both, () => simple(text), { rounds: 15, calls: 3 });
const results: Result[] = [
  {
    what: `one text of ${fixed(megabytes)} MB`,
    ours: speed(megabytes * 1e6, whole.oursUs),
    common: speed(megabytes * 1e6, whole.commonUs),
    ratio: ratio(whole.oursUs, whole.commonUs),
  },
];
for (const count of [0, 20, 2_000, 20_000]) {
  const index = indexTerms(glossary(count));
  const pattern = patternOf(count);
  const callsPerRound = count < 2_000 ? 1_000 : 60;
  const add = async (what: string, ours: () => void, common: () => void): Promise<void> => {
    const { oursUs, commonUs } = await comparePair(ours, common, {
      rounds: 9,
      calls: callsPerRound,
    });
    results.push({
      what,
      ours: speed(lineBytes, oursUs),
      common: speed(lineBytes, commonUs),
      ratio: ratio(oursUs, commonUs),
    });
  };
  await add(
    `chat lines, one by one, ${count.toLocaleString('en')} terms`,
    () => {
      for (const { each } of chat) {
        const flat = toFlatText(each);
        const guarded = protectFlat(flat, count === 0 ? [] : spansOf(index.find(flat.text)));
        guarded.restore(guarded.text);
      }
    },
    () => {
      for (const line of LINES) simple(line, pattern);
    },
  );
  if (pattern)
    await add(
      `finding them alone, ${count.toLocaleString('en')} terms`,
      () => {
        for (const line of LINES) index.find(line);
      },
      () => {
        for (const line of LINES) `${line}${(calls += 1)}`.replaceAll(pattern, '');
      },
    );
}
printTable(
  'Protection of rich text, put back and verified (bare: one pattern, unverified)',
  results,
);
