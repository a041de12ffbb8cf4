import { text } from '../../model/rich-text.ts';
import type { Inline, RichText } from '../../model/rich-text.ts';
import { mapInline, mapRows } from '../../model/walk-rich-text.ts';

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
    node.kind === 'text' && node.text.includes('\n') ? [text(tidy(node.text))] : [node],
  );
  const [first] = inner;
  const last = inner.at(-1);
  if (first?.kind !== 'text' && last?.kind !== 'text') return inner;
  const result = [...inner];
  if (first?.kind === 'text') result[0] = text(first.text.replace(spacesBefore, ''));
  const end = result.at(-1);
  if (end?.kind === 'text') result[result.length - 1] = text(withoutSpacesAfter(end.text));
  return result;
};

/** The tree with no white space at the beginning and end of lines, where Markdown gives it meaning. */
export const withTidyLines = (tree: RichText): RichText => mapRows(tree, tidyRow);
