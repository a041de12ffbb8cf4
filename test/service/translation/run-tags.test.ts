import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { htmlToRuns, runsToHtml } from '../../../service/translation/run-tags.ts';
import { findRanges, type WordRun } from '../../../service/translation/markup.ts';

const text = fc
  .array(
    fc.constantFrom('a', ' ', '<', '>', '&', '"', '&amp;', '</b>', '<var>1</var>', '<i id="1">'),
  )
  .map((parts) => parts.join(''));
const run = fc.oneof(
  fc.record({ text, parts: fc.uniqueArray(fc.nat(3), { maxLength: 2 }) }),
  fc.record({ text, word: fc.nat(9), parts: fc.uniqueArray(fc.nat(3), { maxLength: 2 }) }),
  fc.record({ text: fc.constant(''), hole: fc.nat(9), parts: fc.constant([]) }),
);

it('comes back as the same runs, whatever their text looks like', () => {
  fc.assert(
    fc.property(fc.array(run, { maxLength: 9 }), (runs: readonly WordRun[]) => {
      expect(findRanges(htmlToRuns(runsToHtml(runs)))).toEqual(findRanges(runs));
    }),
  );
});

it('is read however an engine cuts its elements', () => {
  expect(findRanges(htmlToRuns('<b id="0">a <i id="1">b</i></b> c <i id="1">d</i>'))).toEqual({
    text: 'a b c d',
    words: new Map([
      [
        1,
        [
          { start: 2, end: 3 },
          { start: 6, end: 7 },
        ],
      ],
    ]),
    parts: new Map([[0, [{ start: 0, end: 3 }]]]),
    holes: new Map(),
  });
  for (const empty of ['<i id="1"/>', '<b id="0" />', '<i id="1"></i>'])
    expect(findRanges(htmlToRuns(`a ${empty}<i id="2">b</i>`))).toMatchObject({
      text: 'a b',
      words: new Map([[2, [{ start: 2, end: 3 }]]]),
    });
  for (const broken of ['</b></b>', '<b id="1">', '<i>', '<b id="x">a', '<'])
    expect(() => htmlToRuns(broken)).not.toThrow();
});
