import { text, type Inline } from '../../../src/rich-text/rich-text.ts';
import { equal } from '../../../src/rich-text/walk.ts';
import { bareAddressEnd } from '../../../src/rich-text/web-address.ts';
import { escapeText } from './escape.ts';

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
  return equal(apart, row) ? row : apart;
};
