import { normalise } from '../../src/rich-text/normalise.ts';
import {
  text,
  type Block,
  type CodeBlock,
  type Inline,
  type List,
  type RichText,
} from '../../src/rich-text/rich-text.ts';
import { asText, plainInline } from '../../src/rich-text/walk.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

const escapeHtml = (words: string): string =>
  words.replaceAll(/[&<>"]/g, (char) => ESCAPES[char] ?? char);

/** Signs of state, which the page draws: not every computer has a font for them. */
const SIGNS: Readonly<Record<string, string>> = {
  '✅': 'good',
  '❌': 'bad',
  '⚠': 'warning',
  '⏳': 'waiting',
  '➖': 'none',
  '🟦': 'blue',
  '🟧': 'orange',
  '🟪': 'purple',
  '🟩': 'green',
};
const SIGN = /([✅❌⚠⏳➖🟦🟧🟪🟩])\uFE0F?/gu;

const withSigns = (html: string): string =>
  html.replaceAll(
    SIGN,
    (sign, plain: string) => `<span class="sign ${SIGNS[plain]}">${sign}</span>`,
  );

const TAGS = { bold: 'strong', italic: 'em', underline: 'u', strike: 's' } as const;

const element = (tag: string, content: string): string => `<${tag}>${content}</${tag}>`;

/** The first letter in it decides on which side its bullets or its line stand. */
const directed = (tag: string, content: string): string =>
  element(tag, content).replace('>', ' dir="auto">');

/** Hidden until a reader asks for it: see `SpoilerText` in `page/message.ts`. */
const spoilerOf = (content: string): string => element('spoiler-text', element('span', content));

const wordsOf = (words: string): string => withSigns(escapeHtml(words).replaceAll('\n', '<br>\n'));

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
    case 'mention': {
      const shown = asText(node);
      return shown.kind === 'code' ? inlineOf(shown) : wordsOf(shown.text);
    }
    case 'timestamp': {
      const words = escapeHtml(plainInline([node]));
      return `<local-time data-seconds="${node.seconds}" data-style="${node.style}">${words}</local-time>`;
    }
    case 'text':
    case 'emoji':
      return wordsOf(plainInline([node]));
  }
};

const rowOf = (row: readonly Inline[]): string => row.map(inlineOf).join('');

const emptyLine = /\n\s*\n/;

/** Lines with nothing between them are one paragraph of HTML; empty lines are in plain text only. */
const paragraphsOf = (row: readonly Inline[]): string => {
  const parts = [''];
  for (const node of row) {
    const texts = node.kind === 'text' ? node.text.split(emptyLine).map(text) : [node];
    for (const [index, part] of texts.entries()) {
      if (index > 0) parts.push('');
      parts[parts.length - 1] += inlineOf(part);
    }
  }
  const trimmed = parts.map((part) => part.replace(/^<br>\n/, '')).filter((part) => part !== '');
  return trimmed.map((part) => element('p', part)).join('\n');
};

const listOf = ({ start, items }: List): string => {
  const content = items.map(({ children, lists }) =>
    element('li', rowOf(children) + lists.map(listOf).join('')),
  );
  return start === undefined
    ? directed('ul', content.join(''))
    : `<ol start="${start}" dir="auto">${content.join('')}</ol>`;
};

const codeBlockOf = ({ text: written, spoiler }: CodeBlock): string => {
  const block = element('pre', element('code', escapeHtml(written)));
  return spoiler ? spoilerOf(block) : block;
};

const blockOf = (block: Block): string => {
  switch (block.kind) {
    case 'paragraph':
      return paragraphsOf(block.children);
    case 'heading':
      return element(`h${block.level}`, rowOf(block.children));
    case 'subtext':
      return element('p', element('small', rowOf(block.children)));
    case 'quote':
      return directed('blockquote', block.children.map(blockOf).join(''));
    case 'list':
      return listOf(block);
    case 'code-block':
      return codeBlockOf(block);
  }
};

/** Writes a text as safe HTML: nothing in its words is markup, and links open in a new window. */
export const toHtml = (tree: RichText): string =>
  normalise(tree)
    .map(blockOf)
    .filter((html) => html !== '')
    .join('\n');
