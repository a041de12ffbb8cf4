import { DEEPEST_LIST } from './normalise.ts';
import type { Inline, List, ListItem } from './rich-text.ts';

/** A list's item as it stands in lines. */
export interface PlacedItem {
  /** Depth in any unit. */
  readonly indent: number;
  /** The item's own number; undefined in a bulleted list. */
  readonly number: number | undefined;
  readonly children: readonly Inline[];
}

/** Nests items by their indents; neighbours of one kind and depth are one list. */
export const nestItems = (items: readonly PlacedItem[]): readonly List[] => {
  const outermost: List[] = [];
  const levels = [{ indent: Number.POSITIVE_INFINITY, lists: outermost }];
  for (const { indent, number, children } of items) {
    while (levels.length > 1 && indent < (levels.at(-1)?.indent ?? 0)) levels.pop();
    let level = levels.at(-1) as (typeof levels)[number];
    const parent = level.lists.at(-1)?.items.at(-1);
    if (parent && indent > level.indent && levels.length < DEEPEST_LIST) {
      level = { indent, lists: parent.lists as List[] };
      levels.push(level);
    } else level.indent = Math.min(level.indent, indent);
    const added: ListItem = { children, lists: [] };
    const last = level.lists.at(-1);
    if (last && (last.start === undefined) === (number === undefined))
      (last.items as ListItem[]).push(added);
    else
      level.lists.push({
        kind: 'list',
        ...(number === undefined ? {} : { start: number }),
        items: [added],
      });
  }
  return outermost;
};
