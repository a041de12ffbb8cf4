import type { Control, Message } from '../../model/message.ts';
import type { LabelledText } from '../../ports/mirrors.ts';
import { labelled, lines, onlyRow, plainWords } from '../../rich-text/compose.ts';
import { styled, subtext, text, type Inline, type RichText } from '../../rich-text/rich-text.ts';
import { plainInline, plainText } from '../../rich-text/walk.ts';
import { flagOfLanguage } from '../../text/language/languages.ts';
import { excerptRow } from '../../text/excerpt-row.ts';
import { oneLine } from '../../text/quoted-words.ts';
import {
  FAILED,
  failureNote,
  HEARD,
  isWorthShowing,
  translatedParts,
  unheardLines,
  type CompactLine,
  type MirrorContent,
  type MirrorWording,
} from './compose.ts';
import type { Translated } from './translate.ts';

/** Length above which a text is cut, and that of what is shown then, in UTF-16 units. */
const LONG_CHARS = 100;
const SHOWN_CHARS = 50;

/** A text on one line; a long one is cut. */
const shortened = (
  tree: RichText,
): { readonly row: readonly Inline[]; readonly isCut: boolean } => {
  const row = onlyRow(tree);
  const words = row && plainInline(row);
  if (row && words !== undefined && words.length <= LONG_CHARS && !words.includes('\n'))
    return { row, isCut: false };
  const line = oneLine(plainText(tree));
  const shown = excerptRow(tree, line.length > LONG_CHARS ? SHOWN_CHARS : LONG_CHARS);
  return { row: shown, isCut: plainInline(shown) !== line };
};

/** Shows the whole translation of a message to the one who presses, in their language. */
const wholeButton = ({ source }: CompactLine): Control => ({
  kind: 'button',
  press: `translate whole:${source.id}`,
  label: '🌐',
});

/** Composes one compact reply of several lines: below each label its texts. Undefined without any. */
export const composeLines = (all: readonly CompactLine[]): MirrorContent | undefined => {
  const texts = Map.groupBy(
    all.flatMap(({ blocks }) => blocks),
    ({ label }) => JSON.stringify(label),
  );
  const [first, ...rest] = [...texts.values()].map(([block, ...others]): LabelledText => ({
    label: block?.label ?? [],
    text: lines(block?.text, ...others.map(({ text: more }) => more)),
  }));
  if (!first) return undefined;
  return {
    label: first.label,
    content: {
      text: lines(first.text, ...rest.map((block) => labelled(block.label, block.text))),
      controls: all.flatMap((line) => (line.isCut ? [wholeButton(line)] : [])),
    },
  };
};

/**
 * Composes the one compact reply under a message: a small line for each language, after its flag. Long texts
 * are cut, with a button by which each reader gets the whole. Undefined when there is nothing to show.
 */
export const composeCompact = (
  message: Message,
  translated: Translated,
  { texts }: MirrorWording,
): MirrorContent | undefined => {
  const { transcript, renditions } = translated;
  let isCut = false;
  const short = (tree: RichText): readonly Inline[] => {
    const one = shortened(tree);
    isCut ||= one.isCut;
    return one.row;
  };
  const blocks = renditions.filter(isWorthShowing).map((rendition): LabelledText => {
    const { language } = rendition;
    const flag = flagOfLanguage(language);
    const shown = translatedParts(rendition).flatMap((part) => (part ? [short(part)] : []));
    const note = failureNote(rendition, translated, texts);
    const rows = [...shown, ...(note ? [note] : [])];
    return {
      label: [flag ? text(flag) : styled('bold', text(language))],
      text: rows.map((row) => subtext(...row)),
    };
  });
  if (transcript)
    blocks.unshift({ label: [HEARD], text: [subtext(...short(plainWords(transcript.text)))] });
  for (const note of unheardLines(translated, renditions[0]?.language ?? '', texts))
    blocks.push({ label: [text(FAILED)], text: [subtext(...(onlyRow(note) ?? []))] });
  const isWhole = !isCut && !transcript && translated.fault === undefined;
  const line = { source: message.ref, blocks, isCut, isWhole };
  const composed = composeLines([line]);
  return composed && { ...composed, line };
};
