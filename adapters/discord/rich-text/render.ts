import type { ReduceOptions } from '../../../src/rich-text/reduce.ts';
import { SEPARATOR, type CodeBlock, type RichText } from '../../../src/rich-text/rich-text.ts';
import { writeBlocks, type WriteDialect } from '../../../src/rich-text/parse/write.ts';
import { escapeText } from './escape.ts';
import { reduceDiscord } from './reduce.ts';

const codeOf = (written: string): string => {
  // Two backticks in a row would end it; one at its end would make them three.
  const apart = written.replaceAll(/`(?=`)/g, `\`${SEPARATOR}`);
  const begin = apart.startsWith('`') ? SEPARATOR : '';
  // A backslash before the last backtick looks like an escape to simple readers.
  const end = /[`\\]$/.test(apart) ? SEPARATOR : '';
  const tick = apart.includes('`') ? '``' : '`';
  return `${tick}${begin}${apart}${end}${tick}`;
};

const codeBlockOf = ({ text, language = '', spoiler }: CodeBlock): string => {
  const apart = text.replaceAll(/`(?=`)/g, `\`${SEPARATOR}`);
  const block = `\`\`\`${language}\n${apart}\n\`\`\``;
  return spoiler ? `||${block}||` : block;
};

const otherOf: WriteDialect['other'] = (node, after) => {
  if (node.kind === 'emoji') return `<${node.animated ? 'a' : ''}:${node.name}:${node.id}>`;
  if (node.kind === 'timestamp') return `<t:${node.seconds}:${node.style}>`;
  switch (node.target) {
    case 'member':
      return `<@${node.id}>`;
    case 'role':
      return `<@&${node.id}>`;
    case 'channel':
      return `<#${node.id}>`;
    case 'command':
      return `</${node.name ?? ''}:${node.id}>`;
    case 'page':
      return `<id:${node.id}>`;
    case 'broadcast':
    case 'group':
      return `@${node.id}${/^[0-9A-Za-z]/.test(after) ? SEPARATOR : ''}`;
  }
};

const dialect: WriteDialect = {
  markers: { bold: '**', italic: '*', underline: '__', strike: '~~', spoiler: '||' },
  text: escapeText,
  code: codeOf,
  bareLink: (url, noPreview) => (noPreview ? `<${url}>` : url),
  target: (url, noPreview) => (noPreview ? `](<${url}>)` : `](${url})`),
  other: otherOf,
  codeBlock: codeBlockOf,
};

/**
 * Writes a tree in Discord's markup. Text stays text, whatever it contains: nothing in it becomes
 * markup, a mention, custom emoji or a link. Without `mayNotify` the result notifies nobody.
 */
export const renderDiscord = (tree: RichText, options: ReduceOptions = {}): string =>
  writeBlocks(reduceDiscord(tree, options), dialect);

/**
 * Writes a tree with its mentions as mentions, for messages that let none of them notify
 * (`outbound/message-writer.ts`).
 */
export const renderWithMentions = (tree: RichText): string =>
  renderDiscord(tree, { mayNotify: () => true });
