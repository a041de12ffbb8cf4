import { text, type Inline, type RichText } from '../../model/rich-text.ts';
import { equal, mapInline, mapRows } from '../../model/walk-rich-text.ts';

const tidy = (written: string): string => {
  const lines = written.split('\n');
  return lines
    .map((line, index) => {
      const begun = index === 0 ? line : line.trimStart();
      return index === lines.length - 1 ? begun : begun.trimEnd();
    })
    .join('\n');
};

const spacesBefore = /^[^\S\n]+/;

/** A text's trailing spaces, line breaks excepted. */
const withoutSpacesAfter = (written: string): string => {
  const kept = written.trimEnd();
  const lost = written.slice(kept.length);
  return kept + lost.slice(0, lost.lastIndexOf('\n') + 1);
};

const tidyRow = (row: readonly Inline[]): readonly Inline[] => {
  const inner = mapInline(row, (node) =>
    node.kind === 'text' && node.text.includes('\n') ? text(tidy(node.text)) : node,
  );
  const [first] = inner;
  const begun = first?.kind === 'text' ? text(first.text.replace(spacesBefore, '')) : first;
  const last = inner.length === 1 ? begun : inner.at(-1);
  const ended = last?.kind === 'text' ? text(withoutSpacesAfter(last.text)) : last;
  if (!begun || !ended) return inner;
  const result = inner.length === 1 ? [ended] : [begun, ...inner.slice(1, -1), ended];
  return equal(result, row) ? row : result;
};

/** The tree with no white space at the beginning and end of lines, where Markdown gives it meaning. */
export const withTidyLines = (tree: RichText): RichText => mapRows(tree, tidyRow);
