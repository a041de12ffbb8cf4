import { isDeepStrictEqual } from 'node:util';
import {
  SEPARATOR,
  text,
  type Inline,
  link,
  type Link,
  type Mention,
  type RichText,
  type CodeBlock,
} from '../../../src/rich-text/rich-text.ts';
import {
  escapeBy,
  type EscapeRules,
  type RowPlace,
  writeBlocks,
  type WriteDialect,
} from '../../../src/rich-text/parse/write.ts';
import { flatQuote, mapRows, plainInline } from '../../../src/rich-text/walk.ts';
import { bareAddressEnd } from '../../../src/rich-text/web-address.ts';
import { normalise } from '../../../src/rich-text/normalise.ts';
import { reduceTo, type PlatformRules, type ReduceOptions } from '../../../src/rich-text/reduce.ts';
import { PLATFORM } from '../ids.ts';

/** Names after which the server looks, whatever stands before their sign; a backslash stops nothing. */
const notifying = /@(?=everyone|here)|<(?=@)/gi;

const escapes: EscapeRules = {
  special: /[\\*_`~|[\]<]|(?<=https?):(?=\/\/)/gi,
  lineBeginning: /^([ \t]*)(?:(?:#{1,3}|-#|[-*])(?=\s|$)|>(?=\s|>>|$)|(\d{1,9})(?=\.(?:\s|$)))/gm,
  isWords: (sign, before, after, { tame }) =>
    (sign === '\\' && /^[0-9A-Za-z\s]$/.test(after)) ||
    (sign === '_' && tame && /^[0-9A-Za-z]{2}$/.test(before + after)),
};

/** Addresses of programs, of which a backslash would be a part. */
const programAddress = /[a-z][a-z\d+.-]{1,20}:(?:\/\/|\?)(?:[\w\-./?=&#%+,;:]|\\_)+/gi;
const wordUnderscore = /(?<=[a-z\d])\\(?=_[a-z\d])/gi;

const withoutBackslashes = (escaped: string): string =>
  escaped.includes('\\_') && escaped.includes(':')
    ? escaped.replaceAll(programAddress, (found) => found.replaceAll(wordUnderscore, ''))
    : escaped;

/** Escapes text so that nothing in it is markup, a mention, custom emoji or an address of the web. */
export const escapeText = (written: string, place: RowPlace): string => {
  const escaped = withoutBackslashes(escapeBy(escapes, written, place));
  return escaped.includes('@') ? escaped.replaceAll(notifying, `$&${SEPARATOR}`) : escaped;
};

/** True when an address is read whole as it stands, within the styles around it. */
const bareIsRead = (url: string, around: readonly Inline[]): boolean => {
  if (bareAddressEnd(url, 0) !== url.length) return false;
  return around.every(
    ({ kind }) =>
      !((kind === 'bold' || kind === 'italic') && url.includes('*')) &&
      !(kind === 'underline' && /__|_$/.test(url)) &&
      !(kind === 'strike' && url.endsWith('~')),
  );
};

const holdsAddress = (node: Inline): boolean =>
  'children' in node && (node.kind === 'link' || node.children.some(holdsAddress));

const PLACE = { lineStart: false, inLabel: false, tame: false };

/** Stands for the character after a sign, which with it decides whether an address goes on there. */
const LETTER = 'x';

/** The first characters of a node as it is written, as far as an address before it could take them in. */
const beginningOf = (node: Inline | undefined): string => {
  if (!node) return '';
  if (node.kind === 'bold') return '**';
  if (node.kind === 'strike') return '~~';
  if (node.kind === 'italic' || node.kind === 'underline') return `*${LETTER}`;
  if (node.kind === 'link') return node.children.length > 0 || !node.noPreview ? `[${LETTER}` : '<';
  return node.kind === 'mention' && node.target === 'broadcast' ? `@${LETTER}` : '<';
};

/** The text after a bare address as it is written, as far as it could be read as part of the address. */
const textAfter = (row: readonly Inline[], index: number): string => {
  const [next, second] = [row[index + 1], row[index + 2]];
  if (next?.kind !== 'text') return beginningOf(next);
  return escapeText(next.text, PLACE) + beginningOf(second);
};

const spaced = (row: readonly Inline[], around: readonly Inline[]): readonly Inline[] =>
  row.flatMap((node, index): readonly Inline[] => {
    if (node.kind === 'link' && node.children.length === 0 && !node.noPreview) {
      if (!bareIsRead(node.url, around)) return [{ ...node, noPreview: true }];
      const { url } = node;
      const isApart = bareAddressEnd(url + textAfter(row, index), 0) === url.length;
      return isApart ? [node] : [node, text(' ')];
    }
    return 'children' in node && node.kind !== 'link'
      ? [{ ...node, children: spaced(node.children, [...around, node]) }]
      : [node];
  });

/**
 * Separates bare addresses in a row, so that each is read as exactly that address. An address takes
 * all text up to a space: where it would take too much a space follows it, where it would end early
 * it stands in brackets.
 */
export const withAddressesApart = (row: readonly Inline[]): readonly Inline[] => {
  if (!row.some(holdsAddress)) return row;
  const apart = spaced(row, []);
  return isDeepStrictEqual(apart, row) ? row : apart;
};

const id = /^\d{1,20}$/;
const emojiName = /^\w{1,64}$/;
const commandName = /^[-_'\p{L}\p{N} ]{1,100}$/u;
const pageName = /^\w[\w-]{0,40}$/;

const knowsMention = ({ platform, target, id: own, name = '' }: Mention): boolean => {
  if (platform !== PLATFORM) return false;
  if (target === 'broadcast') return own === 'everyone' || own === 'here';
  if (target === 'page') return pageName.test(own);
  if (target === 'command') return id.test(own) && commandName.test(name);
  return target !== 'group' && id.test(own);
};

/** Turns a link whose label looks like an address into text: Discord shows it as written. */
const linkOf = (node: Link): Inline | readonly Inline[] =>
  node.children.length > 0 && plainInline(node.children).includes('://')
    ? [...node.children, text(' ('), link(node.url), text(')')]
    : node;

const rules: PlatformRules = {
  knowsMention,
  knowsEmoji: ({ platform, id: own, name }) =>
    platform === PLATFORM && id.test(own) && emojiName.test(name),
  block: (block) => (block.kind === 'quote' ? flatQuote(block) : block),
  inline: (node) => (node.kind === 'link' ? linkOf(node) : node),
};

/**
 * Reduces a tree to what Discord can hold: besides what is true of any platform, quotes have no
 * depth and labels contain no address.
 */
export const reduceDiscord = (tree: RichText, options: ReduceOptions = {}): RichText =>
  normalise(mapRows(reduceTo(rules, tree, options), withAddressesApart));

const codeOf = (written: string): string => {
  // Two backticks in a row would end it; one at its end would make them three.
  const apart = written.replaceAll(/`(?=`)/g, `\`${SEPARATOR}`);
  const begin = apart.startsWith('`') ? SEPARATOR : '';
  // A backslash before the last backtick looks like an escape to simple readers.
  const end = /[`\\]$/.test(apart) ? SEPARATOR : '';
  const tick = apart.includes('`') ? '``' : '`';
  return `${tick}${begin}${apart}${end}${tick}`;
};

const codeBlockOf = ({ text: written, language = '', spoiler }: CodeBlock): string => {
  const apart = written.replaceAll(/`(?=`)/g, `\`${SEPARATOR}`);
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
