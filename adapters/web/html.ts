import { normalise } from '../../src/model/normalise-rich-text.ts';
import type { Block, CodeBlock, Inline, List, RichText } from '../../src/model/rich-text.ts';
import { plainInline } from '../../src/model/walk-rich-text.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (char) => ESCAPES[char] ?? char);

const TAGS = { bold: 'strong', italic: 'em', underline: 'u', strike: 's' } as const;

const element = (tag: string, content: string): string => `<${tag}>${content}</${tag}>`;

/** Hidden until a reader asks for it: see `page/spoiler-text.ts`. */
const spoilerOf = (content: string): string => element('spoiler-text', element('span', content));

const inlineOf = (node: Inline): string => {
  switch (node.kind) {
    case 'bold':
    case 'italic':
    case 'underline':
    case 'strike':
      return element(TAGS[node.kind], rowOf(node.children));
    case 'spoiler':
      return spoilerOf(rowOf(node.children));
    case 'code':
      return element('code', escapeHtml(node.text));
    case 'link': {
      const label = node.children.length > 0 ? rowOf(node.children) : escapeHtml(node.url);
      return `<a href="${escapeHtml(node.url)}" target="_blank" rel="noopener noreferrer">${label}</a>`;
    }
    case 'text':
    case 'mention':
    case 'emoji':
    case 'timestamp':
      return escapeHtml(plainInline([node])).replaceAll('\n', '<br>\n');
  }
};

const rowOf = (row: readonly Inline[]): string => row.map(inlineOf).join('');

const listOf = ({ start, items }: List): string => {
  const content = items.map(({ children, lists }) =>
    element('li', rowOf(children) + lists.map(listOf).join('')),
  );
  return start === undefined
    ? element('ul', content.join(''))
    : `<ol start="${start}">${content.join('')}</ol>`;
};

const codeBlockOf = ({ text, spoiler }: CodeBlock): string => {
  const block = element('pre', element('code', escapeHtml(text)));
  return spoiler ? spoilerOf(block) : block;
};

const blockOf = (block: Block): string => {
  switch (block.kind) {
    case 'paragraph':
      return element('p', rowOf(block.children));
    case 'heading':
      return element(`h${block.level}`, rowOf(block.children));
    case 'subtext':
      return element('p', element('small', rowOf(block.children)));
    case 'quote':
      return element('blockquote', block.children.map(blockOf).join(''));
    case 'list':
      return listOf(block);
    case 'code-block':
      return codeBlockOf(block);
  }
};

/** Writes a text as safe HTML: nothing in its words is markup, and links open in a new window. */
export const toHtml = (tree: RichText): string => normalise(tree).map(blockOf).join('\n');
