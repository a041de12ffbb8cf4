import { joined } from '../../rich-text/compose.ts';
import { paragraph, styled, text, type Inline, type Paragraph } from '../../rich-text/rich-text.ts';
import { plainInline } from '../../rich-text/walk.ts';
import { flagOfLanguage, languageName } from '../../text/language/languages.ts';
import { quotedWords, shorten } from '../../text/quoted-words.ts';
import { isBlank } from '../../text/unicode.ts';
import { isIn, translationInto, type Caption, type CaptionTranslation } from './caption.ts';

export interface RenderOptions {
  /** The one language of the reader: captions in others are shown translated. Default: all. */
  readonly language?: string | undefined;
  /** UTF-16 units that a single caption may take. */
  readonly longest: number;
}

const LONGEST_NAME_CHARS = 60;
const NAMELESS = '?';
/** Longest group of one speaker's captions; a pause ends it as well. */
const GROUP_CHARS = 300;
const GROUP_PAUSE_MS = 5_000;
/** Space for markup around a name, a language code or a partial text. */
const FRAME_UNITS = 12;
const MARKERS_UNITS = 4;
const SHORTEST_PIECE_UNITS = 40;
const GROWING = ' …';
const MISSING = text('[…]');
/** Stands for words that are still to come. */
const COMING = text('…');
/** Stands where there is no translation, for it failed. */
const UNTRANSLATED = text('⚠️');

/** Signs before or within which platforms may write an escape, one unit for each match. */
const ESCAPED = /[\\*_`~|[<@]|:(?=\/\/)|(?<=<@)[eh]/gi;

/** Most UTF-16 units that plain text takes as a platform writes it. */
const unitsOf = (words: string): number => words.length + (words.match(ESCAPED)?.length ?? 0);

/** Most UTF-16 units that rendered captions take as a platform writes them. */
export const writtenUnits = (lines: readonly Paragraph[]): number =>
  lines.reduce((units, { children }) => {
    const styles = children.filter(({ kind }) => kind !== 'text').length;
    return units + unitsOf(plainInline(children)) + styles * MARKERS_UNITS + 1;
  }, -1);

/** Shortens text to at most `units` as it is written. */
const fitted = (words: string, units: number): string => {
  let room = Math.min(units, words.length);
  let short = shorten(words, room);
  while (unitsOf(short) > units && room > 1) {
    room = Math.trunc((room * units) / unitsOf(short));
    short = shorten(words, room);
  }
  return short;
};

const nameOf = ({ name }: Caption): string =>
  isBlank(name) ? NAMELESS : quotedWords(name, LONGEST_NAME_CHARS);

const markOf = (language: string): Inline => {
  const flag = flagOfLanguage(language);
  return flag === undefined ? styled('bold', text(languageName(language, language))) : text(flag);
};

interface Piece {
  readonly words: string;
  readonly isGrowing: boolean;
}

const shown = ({ words, isGrowing }: Piece, units: number): Inline => {
  if (words === '') return isGrowing ? COMING : UNTRANSLATED;
  const short = fitted(words, units);
  return isGrowing ? styled('italic', text(short + GROWING)) : text(short);
};

/** The translation for a reader of one language; undefined where there is none, or it is not needed. */
const readerTranslation = (
  caption: Caption,
  language: string | undefined,
): CaptionTranslation | undefined =>
  language === undefined || isIn(caption, language)
    ? undefined
    : translationInto(caption, language);

/** The text behind the name. */
const mainPiece = (caption: Caption, translation: CaptionTranslation | undefined): Piece => {
  if (translation?.text) return { words: translation.text, isGrowing: !translation.done };
  return { words: caption.text, isGrowing: !caption.isFinal || translation?.done === false };
};

/** The translations beneath, by language; those that failed have no words. */
const piecesBeneath = (
  { translations }: Caption,
  { language }: RenderOptions,
): readonly (readonly [string, Piece])[] => {
  if (language !== undefined) return [];
  return [...translations]
    .filter(([, { text: words, done, failed }]) => words !== '' || !done || failed)
    .map(([to, { text: words, done }]) => [to, { words, isGrowing: !done }]);
};

/** The pieces of one caption, shortened alike when they are too long together. */
interface Shown {
  readonly caption: Caption;
  readonly main: readonly Inline[];
  readonly beneath: ReadonlyMap<string, Inline>;
}

const show = (caption: Caption, options: RenderOptions): Shown => {
  const translation = readerTranslation(caption, options.language);
  const main = mainPiece(caption, translation);
  const beneath = piecesBeneath(caption, options);
  const marks = beneath.map(([to]) => plainInline([markOf(to)]));
  const frames = [nameOf(caption), ...marks];
  const room = frames.reduce((rest, frame) => rest - unitsOf(frame) - FRAME_UNITS, options.longest);
  const pieces = [main, ...beneath.map(([, piece]) => piece)];
  const units = pieces.reduce((sum, { words }) => sum + unitsOf(words), 0);
  const most =
    units <= room
      ? Number.POSITIVE_INFINITY
      : Math.max(SHORTEST_PIECE_UNITS, Math.trunc(room / pieces.length));
  return {
    caption,
    main: [shown(main, most), ...(translation?.failed ? [UNTRANSLATED] : [])],
    beneath: new Map(beneath.map(([to, piece]) => [to, shown(piece, most)])),
  };
};

const groupsOf = (captions: readonly Caption[]): Caption[][] => {
  const groups: Caption[][] = [];
  let chars = 0;
  for (const caption of captions) {
    const group = groups.at(-1);
    const before = group?.at(-1);
    chars += caption.text.length;
    if (
      group &&
      before?.speakerId === caption.speakerId &&
      before.name === caption.name &&
      caption.startMs - before.endMs < GROUP_PAUSE_MS &&
      chars <= GROUP_CHARS
    )
      group.push(caption);
    else {
      groups.push([caption]);
      chars = caption.text.length;
    }
  }
  return groups;
};

const linesOf = (group: readonly Caption[], options: RenderOptions): Paragraph[] => {
  const all = group.map((caption) => show(caption, options));
  const [first] = group;
  if (!first) return [];
  const main = joined(
    all.flatMap((each) => each.main),
    ' ',
  );
  const lines = [paragraph(styled('bold', text(nameOf(first))), text(': '), ...main)];
  for (const to of new Set(all.flatMap(({ beneath }) => [...beneath.keys()]))) {
    const parts = all.flatMap(({ caption, beneath }): readonly Inline[] => {
      const part = beneath.get(to);
      if (part) return [part];
      const isMissing = caption.isFinal && caption.language !== '' && !isIn(caption, to);
      return isMissing ? [MISSING] : [];
    });
    // The same sign again says nothing more.
    const distinct = parts.filter((part, at) => part !== parts[at - 1]);
    lines.push(paragraph(text('↳ '), markOf(to), text(' '), ...joined(distinct, ' ')));
  }
  return lines;
};

/**
 * Writes captions, a paragraph for each line: one line for a speaker's captions in a row, the name in
 * bold in front, with each translation on a line beneath; partial text is in italics. A caption alone
 * takes at most `longest`.
 */
export const renderCaptions = (
  captions: readonly Caption[],
  options: RenderOptions,
): readonly Paragraph[] => groupsOf(captions).flatMap((group) => linesOf(group, options));
