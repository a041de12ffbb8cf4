import { type Part, notificationOf, textBlocks, textParts } from '../outbound/render.ts';
import { USERNAME_CHARS } from '../limits.ts';
import { labelled } from '../../../src/rich-text/compose.ts';
import {
  link,
  paragraph,
  styled,
  subtext,
  text,
  type Block,
  type Inline,
  type RichText,
} from '../../../src/rich-text/rich-text.ts';
import type { Mirror } from '../../../src/ports/mirrors.ts';
import { quotedWords } from '../../../src/text/quoted-words.ts';

/** Bytes that a label, quote and footer take beside the text. */
const AROUND_BYTES = 900;
const QUOTE_CHARS = 100;

const words = (written: string, chars: number): Inline => text(quotedWords(written, chars) || '…');

/** The message that is answered, where it stands in another channel. */
const quoteLine = ({ name, text: said }: NonNullable<Mirror['quote']>): Block =>
  subtext(
    text('↪ '),
    styled('bold', words(name, USERNAME_CHARS)),
    text(`: ${quotedWords(said, QUOTE_CHARS)}`),
  );

/** The small line under a mirror: its language, as a link to the source where there is one. */
const footer = ({ label, sourceUrl }: Mirror): Block =>
  subtext(...(sourceUrl === undefined ? label : [link(sourceUrl, ...label)]));

const partOf = (tree: RichText): Part => ({
  text: notificationOf(tree),
  blocks: textBlocks(tree),
  files: [],
});

/**
 * The texts of a mirror.
 *
 * @param isQuoted true where the message that is answered has to be quoted
 */
export const mirrorParts = (mirror: Mirror, isQuoted: boolean): readonly Part[] => {
  const { content, label, quote, as } = mirror;
  const said = as ? content.text : labelled(label, content.text);
  const trees = textParts(said, AROUND_BYTES);
  const shown = trees.length > 0 ? trees : [[paragraph()]];
  return shown.map((tree, index) =>
    partOf([
      ...(index === 0 && as && quote && isQuoted ? [quoteLine(quote)] : []),
      ...tree,
      ...(as && index === shown.length - 1 ? [footer(mirror)] : []),
    ]),
  );
};
