import { normalise } from '../../../src/model/normalise-rich-text.ts';
import type { RichText } from '../../../src/model/rich-text.ts';
import { mapRows } from '../../../src/model/walk-rich-text.ts';
import type { InlineDialect } from '../../../src/text/markup/inline-scan.ts';
import type { MarkerKind } from '../../../src/text/markup/inline-stack.ts';
import { parseBlocks, type BlockDialect } from '../../../src/text/markup/parse-blocks.ts';
import { withAddressesApart } from './addresses.ts';
import { atom } from './atoms.ts';

const MARKERS: ReadonlyMap<string, MarkerKind> = new Map([
  ['*', 'italic'],
  ['_', 'italic'],
  ['**', 'bold'],
  ['__', 'underline'],
  ['~~', 'strike'],
  ['||', 'spoiler'],
]);

const space = /\s/;
const wordChar = /\w/;

export const inline: InlineDialect = {
  candidates: /[\\`*_~|[\]<@\n¯]|https?:\/\//gi,
  markers: MARKERS,
  // Only a single asterisk needs words beside it; a single underscore closes at a word's end.
  mayOpen: (marker, _, after) => marker !== '*' || !space.test(after),
  mayClose: (marker, before, after) => {
    if (marker === '*') return !space.test(before);
    return marker !== '_' || !wordChar.test(after);
  },
  atom,
  // A label that looks like an address is shown as it is written.
  isLabel: (label) => label.trim() !== '' && !label.includes('://'),
  angledIsQuiet: true,
};

const LINES = String.raw`(?<heading>#{1,3})[ \t]+(?=\S)|(?<subtext>-#)[ \t]+(?=\S)|(?<bullet>[-*])[ \t]+(?=\S)|(?<number>\d{1,9})\.[ \t]+(?=\S)`;

const dialect: BlockDialect = {
  inline,
  beginning: new RegExp(String.raw`[ \t]*(?:${LINES}|(?<rest>>>>) |(?<quote>>) )`, 'y'),
  beginningInQuote: new RegExp(String.raw`[ \t]*(?:${LINES})`, 'y'),
  quoteDepth: 1,
  fenceInLine: true,
};

/**
 * Parses a message as Discord's client shows it. Every address that the client turns into a link is
 * a link node; `@everyone` and `@here` are mentions even where their writer may not use them. An
 * unclosed fence is text, and inline code does not reach over an empty line.
 */
export const parseDiscord = (written: string): RichText => {
  const read = normalise(parseBlocks(written.replaceAll(/\r\n?/g, '\n'), dialect));
  return written.includes('://') ? normalise(mapRows(read, withAddressesApart)) : read;
};
