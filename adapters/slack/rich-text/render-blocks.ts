import type { Block, Inline, List, RichText } from '../../../src/rich-text/rich-text.ts';
import { plainInline, timestampText } from '../../../src/rich-text/walk.ts';
import { LIST_INDENT } from '../limits.ts';
import { DATE_FORMATS } from './atoms.ts';
import type { Element, RichTextBlock, RichTextPart, RichTextSection, Style } from './blocks.ts';
import type { ReduceOptions } from '../../../src/rich-text/reduce.ts';
import { reduceSlack } from './reduce.ts';

type Range = Extract<Element, { type: 'broadcast' }>['range'];

const elementsOf = (row: readonly Inline[], style?: Style): readonly Element[] =>
  row.flatMap((node): readonly Element[] => {
    const styled = style ? { style } : {};
    switch (node.kind) {
      case 'text':
        return [{ type: 'text', text: node.text, ...styled }];
      case 'code':
        return [{ type: 'text', text: node.text, style: { ...style, code: true } }];
      case 'link': {
        const label = node.children.length === 0 ? {} : { text: plainInline(node.children) };
        return [{ type: 'link', url: node.url, ...label, ...styled }];
      }
      case 'mention':
        if (node.target === 'member') return [{ type: 'user', user_id: node.id, ...styled }];
        if (node.target === 'group')
          return [{ type: 'usergroup', usergroup_id: node.id, ...styled }];
        if (node.target === 'channel') return [{ type: 'channel', channel_id: node.id, ...styled }];
        return [{ type: 'broadcast', range: node.id as Range, ...styled }];
      case 'emoji':
        return [{ type: 'emoji', name: node.name, ...styled }];
      case 'timestamp': {
        const format = DATE_FORMATS[node.style];
        const fallback = timestampText(node);
        return [{ type: 'date', timestamp: node.seconds, format, fallback, ...styled }];
      }
      case 'bold':
      case 'italic':
      case 'underline':
      case 'strike':
        return elementsOf(node.children, { ...style, [node.kind]: true });
      case 'spoiler':
        return elementsOf(node.children, style);
    }
  });

/** Splits a list into consecutive lists, each with items of one depth. */
const listParts = (list: List, indent: number, quoted: boolean): readonly RichTextPart[] => {
  const parts: RichTextPart[] = [];
  let items: RichTextSection[] = [];
  let before = (list.start ?? 1) - 1;
  const flush = (): void => {
    if (items.length === 0) return;
    parts.push({
      type: 'rich_text_list',
      style: list.start === undefined ? 'bullet' : 'ordered',
      elements: items,
      indent,
      ...(list.start === undefined || before === 0 ? {} : { offset: before }),
      border: quoted ? 1 : 0,
    });
    before += items.length;
    items = [];
  };
  for (const { children, lists } of list.items) {
    items.push({ type: 'rich_text_section', elements: elementsOf(children) });
    if (lists.length === 0) continue;
    flush();
    for (const inner of lists)
      parts.push(...listParts(inner, Math.min(indent + 1, LIST_INDENT), quoted));
  }
  flush();
  return parts;
};

const LINE_BREAK: Element = { type: 'text', text: '\n' };

/** The elements of a line; its line break is written only where another part follows. */
const lineOf = (row: readonly Inline[], isLast: boolean): readonly Element[] => {
  const elements = elementsOf(row);
  if (isLast) return elements;
  const last = elements.at(-1);
  return last?.type === 'text' && last.style === undefined
    ? [...elements.slice(0, -1), { ...last, text: `${last.text}\n` }]
    : [...elements, LINE_BREAK];
};

const partsOf = (block: Block, isLast: boolean, quoted: boolean): readonly RichTextPart[] => {
  switch (block.kind) {
    case 'paragraph':
      return quoted
        ? [{ type: 'rich_text_quote', elements: elementsOf(block.children) }]
        : [{ type: 'rich_text_section', elements: lineOf(block.children, isLast) }];
    case 'code-block':
      return [
        {
          type: 'rich_text_preformatted',
          elements: [{ type: 'text', text: block.text }],
          border: quoted ? 1 : 0,
        },
      ];
    case 'list':
      return listParts(block, 0, quoted);
    case 'quote':
      return block.children.flatMap((inner) => partsOf(inner, true, true));
    case 'heading':
    case 'subtext':
      return [];
  }
};

/**
 * Writes a tree as a `rich_text` block of Slack. Text in it is never markup, a mention, emoji or a
 * link; without `mayNotify` the result notifies nobody. Nothing is cut: see Slack's limits for messages.
 */
export const renderSlackBlocks = (tree: RichText, options: ReduceOptions = {}): RichTextBlock => {
  const held = reduceSlack(tree, options);
  const parts = held.flatMap((block, index) => partsOf(block, index === held.length - 1, false));
  return { type: 'rich_text', elements: parts };
};
