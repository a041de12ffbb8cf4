import { reduceTo, type PlatformRules, type ReduceOptions } from '../../../src/rich-text/reduce.ts';
import {
  code,
  codeBlock,
  emoji,
  link,
  paragraph,
  styled,
  text,
  type Block,
  type CustomEmoji,
  type Inline,
  type Link,
  type RichText,
  type List,
  type Quote,
} from '../../../src/rich-text/rich-text.ts';
import {
  flatQuote,
  plainInline,
  grouped,
  map,
  mapBlocks,
  mapRows,
} from '../../../src/rich-text/walk.ts';
import { isKnownEmoji, isKnownMention, PLATFORM } from './atoms.ts';
import { normalise } from '../../../src/rich-text/normalise.ts';

const emojiOf = (node: CustomEmoji): CustomEmoji =>
  node.id === node.name && !node.animated ? node : emoji(PLATFORM, node.name, node.name);

const linkOf = (node: Link): Inline => {
  const [label] = node.children;
  if (!node.noPreview && node.children.length < 2 && (!label || label.kind === 'text')) return node;
  return label ? link(node.url, text(plainInline(node.children))) : link(node.url);
};

const inlineOf = (node: Inline): Inline | readonly Inline[] => {
  if (node.kind === 'emoji') return emojiOf(node);
  if (node.kind === 'link') return linkOf(node);
  if (node.kind === 'spoiler') return [text('||'), ...node.children, text('||')];
  return node.kind === 'code' && node.text.includes('\n')
    ? code(node.text.replaceAll('\n', ' '))
    : node;
};

const blockOf = (block: Block): Block => {
  if (block.kind === 'heading') return paragraph(styled('bold', ...block.children));
  if (block.kind === 'subtext') return paragraph(...block.children);
  if (block.kind === 'quote') return flatQuote(block);
  return block.kind === 'code-block' && (block.language !== undefined || block.spoiler)
    ? codeBlock(block.text)
    : block;
};

const rules: PlatformRules = {
  knowsMention: isKnownMention,
  knowsEmoji: isKnownEmoji,
  block: blockOf,
  inline: inlineOf,
};

/**
 * Reduces a tree to what Slack's `rich_text` can hold: besides what is true of any platform, headings
 * are bold lines, small lines plain ones; spoilers keep their markers and are not hidden; labels have
 * no markup; code has no language; quotes have no depth.
 */
export const reduceSlack = (tree: RichText, options: ReduceOptions = {}): RichText =>
  reduceTo(rules, tree, options);

const INDENT = '    ';
const BULLET = '• ';

/** Turns a list into lines of words, as `mrkdwn` has no lists. */
const listLines = (list: List, indent: string): readonly Block[] =>
  list.items.flatMap(({ children, lists }, index) => {
    const marker = list.start === undefined ? BULLET : `${list.start + index}. `;
    return [
      paragraph(text(indent + marker), ...children),
      ...lists.flatMap((inner) => listLines(inner, indent + INDENT)),
    ];
  });

/** Takes code blocks out of a quote: it ends before each and continues after it. */
const withoutCode = (quote: Quote): readonly Block[] =>
  grouped(quote.children, (block) => (block.kind === 'code-block' ? block : 'quote')).map(
    (group): Block =>
      group[0].kind === 'code-block' ? group[0] : { kind: 'quote', children: group },
  );

const mrkdwnBlock = (block: Block): Block | readonly Block[] => {
  if (block.kind === 'list') return listLines(block, '');
  return block.kind === 'quote' ? withoutCode(block) : block;
};

/**
 * True when a node needs no splitting at line breaks; of all nodes only styles must end with their
 * line.
 */
const isOnOneLine = (node: Inline): boolean =>
  !('children' in node) || node.kind === 'link' || !plainInline(node.children).includes('\n');

/** Splits a row into lines, repeating the styles that reach over several. */
const linesOf = (row: readonly Inline[]): readonly (readonly Inline[])[] => {
  const lines: Inline[][] = [[]];
  for (const node of row) {
    const parts: readonly (readonly Inline[])[] =
      node.kind === 'text'
        ? node.text.split('\n').map((line) => [text(line)])
        : 'children' in node && node.kind !== 'link'
          ? linesOf(node.children).map((children) => [{ ...node, children }])
          : [[node]];
    for (const [index, part] of parts.entries())
      if (index === 0) lines.at(-1)?.push(...part);
      else lines.push([...part]);
  }
  return lines;
};

const mrkdwnInline = (node: Inline): Inline | readonly Inline[] => {
  if (node.kind === 'underline') return node.children;
  return node.kind === 'code' && node.text.includes('`')
    ? code(node.text.replaceAll('`', "'"))
    : node;
};

const edge = (node: Inline | undefined, side: 0 | -1): string => {
  if (node?.kind === 'text') return node.text.at(side) ?? '';
  if (!node || !('children' in node) || node.kind === 'link') return '';
  return edge(node.children.at(side), side);
};

/** Removes a style that would begin or end with an escaped marker. */
const withoutSignsAtEdges = (node: Inline): Inline | readonly Inline[] => {
  if (node.kind !== 'bold' && node.kind !== 'italic' && node.kind !== 'strike') return node;
  const { children } = node;
  const isApart =
    /^[*_~`]/.test(edge(children[0], 0)) || /^[*_~`:]/.test(edge(children.at(-1), -1));
  return isApart ? children : node;
};

/** Repeats the removal: without one style another may begin or end elsewhere. */
const settle = (tree: RichText): RichText => {
  const next = normalise(map(tree, withoutSignsAtEdges));
  return next === tree ? tree : settle(next);
};

/**
 * Reduces a tree to what `mrkdwn` can hold: the limits of `rich_text`, and no underlining; list
 * items are lines with a bullet or a number, code is not quoted and has no backticks, styles end
 * with their line and do not begin or end with a marker's sign.
 */
export const reduceMrkdwn = (tree: RichText, options: ReduceOptions = {}): RichText => {
  const blocks = mapBlocks(reduceSlack(tree, options), mrkdwnBlock);
  const known = normalise(map(blocks, mrkdwnInline));
  const lines = mapRows(known, (row) =>
    row.every(isOnOneLine)
      ? row
      : linesOf(row).flatMap((line, index) => (index > 0 ? [text('\n'), ...line] : line)),
  );
  return settle(normalise(lines));
};
