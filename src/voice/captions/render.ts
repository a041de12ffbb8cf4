import { flagOfLanguage } from '../../text/language/flags.ts';
import { languageName } from '../../text/language/languages.ts';
import { muteLeftovers } from '../../text/markup/mentions.ts';
import { flatten, plainLine } from '../../text/markup/plain-line.ts';
import { shorten } from '../../text/split/shorten.ts';
import { isBlank } from '../../text/unicode.ts';
import { isIn, translationInto, type Caption } from './caption.ts';

/** The sentences that people see among captions. */
export interface CaptionTexts {
  /** A note that there are no translations into a language now, in a few words. */
  untranslated(language: string): string;
}

export interface RenderOptions {
  readonly texts: CaptionTexts;
  /** The one language of the reader: captions in others are shown translated. Default: all. */
  readonly language?: string | undefined;
  /** UTF-16 units that a single caption may take. */
  readonly longest: number;
}

const LONGEST_NAME_CHARS = 60;
const NAMELESS = '?';
const LONGEST_NOTE_CHARS = 120;
/** Longest paragraph of one speaker's captions; a pause ends it as well. */
const PARAGRAPH_CHARS = 300;
const PARAGRAPH_PAUSE_MS = 5_000;
/** Space for markup around a name, a language code or a partial text. */
const FRAME_CHARS = 12;
const SHORTEST_PIECE_CHARS = 40;
const GROWING = ' …';
const MISSING = '\\[…\\]';
const scheme = /:\/\//g;

/** Escapes text within a line: no markup, no mention, no address with a preview. */
const written = (text: string): string =>
  muteLeftovers(plainLine(text, Number.POSITIVE_INFINITY)).replaceAll(scheme, ':\u200B//');

/** Escapes text, shortened to at most `units`. */
const fitted = (text: string, units: number): string => {
  let room = Math.min(units, text.length);
  let out = written(shorten(text, room));
  while (out.length > units && room > 1) {
    room = Math.trunc((room * units) / out.length);
    out = written(shorten(text, room));
  }
  return out;
};

/** A speaker's name, escaped for bold text. */
const nameOf = ({ name }: Caption): string =>
  isBlank(name) ? NAMELESS : written(shorten(flatten(name), LONGEST_NAME_CHARS));

const markOf = (language: string): string =>
  flagOfLanguage(language) ?? `**${written(languageName(language, language))}**`;

const growing = (text: string): string => `*${text}${GROWING}*`;

interface Piece {
  readonly text: string;
  readonly isGrowing: boolean;
}

const shown = ({ text, isGrowing }: Piece, units: number): string =>
  isGrowing ? growing(fitted(text, units)) : fitted(text, units);

/** The text behind the name. */
const mainPiece = (caption: Caption, language: string | undefined): Piece => {
  const { text, isFinal } = caption;
  const translation =
    language === undefined || isIn(caption, language)
      ? undefined
      : translationInto(caption, language);
  if (translation?.text) return { text: translation.text, isGrowing: !translation.done };
  return { text, isGrowing: !isFinal || translation?.done === false };
};

/** The translations beneath, by language, without those that failed. */
const piecesBeneath = (
  { translations }: Caption,
  { language }: RenderOptions,
): readonly (readonly [string, Piece])[] => {
  if (language !== undefined) return [];
  return [...translations]
    .filter(([, { text, done }]) => text !== '' || !done)
    .map(([to, { text, done }]) => [to, { text, isGrowing: !done }]);
};

const notesOf = (caption: Caption, { language, texts }: RenderOptions): string[] =>
  [...caption.translations]
    .filter(
      ([to, { failed }]) =>
        failed &&
        (language === undefined ||
          translationInto(caption, language) === caption.translations.get(to)),
    )
    .map(([to]) => `↳ ⚠️ ${shorten(flatten(texts.untranslated(to)), LONGEST_NOTE_CHARS)}`);

/** The pieces of one caption, shortened alike when they are too long together. */
interface Shown {
  readonly caption: Caption;
  readonly main: string;
  readonly beneath: ReadonlyMap<string, string>;
  readonly notes: readonly string[];
}

const show = (caption: Caption, options: RenderOptions): Shown => {
  const main = mainPiece(caption, options.language);
  const beneath = piecesBeneath(caption, options);
  const notes = notesOf(caption, options);
  const frames = [nameOf(caption), ...beneath.map(([to]) => markOf(to)), ...notes];
  const room = frames.reduce((left, frame) => left - frame.length - FRAME_CHARS, options.longest);
  const write = (units: number): Shown => ({
    caption,
    main: shown(main, units),
    beneath: new Map(
      beneath.map(([to, piece]) => [to, piece.text === '' ? '…' : shown(piece, units)]),
    ),
    notes,
  });
  const whole = write(Number.POSITIVE_INFINITY);
  const length = [whole.main, ...whole.beneath.values()].join('').length;
  if (length <= room) return whole;
  return write(Math.max(SHORTEST_PIECE_CHARS, Math.trunc(room / (1 + beneath.length))));
};

/** Groups captions into paragraphs of one speaker each. */
const paragraphsOf = (captions: readonly Caption[]): Caption[][] => {
  const paragraphs: Caption[][] = [];
  let chars = 0;
  for (const caption of captions) {
    const paragraph = paragraphs.at(-1);
    const before = paragraph?.at(-1);
    chars += caption.text.length;
    if (
      paragraph &&
      before?.speakerId === caption.speakerId &&
      before.name === caption.name &&
      caption.startMs - before.endMs < PARAGRAPH_PAUSE_MS &&
      chars <= PARAGRAPH_CHARS
    )
      paragraph.push(caption);
    else {
      paragraphs.push([caption]);
      chars = caption.text.length;
    }
  }
  return paragraphs;
};

const paragraphLines = (paragraph: readonly Caption[], options: RenderOptions): string[] => {
  const all = paragraph.map((caption) => show(caption, options));
  const [first] = paragraph;
  if (!first) return [];
  const languages = new Set(all.flatMap(({ beneath }) => [...beneath.keys()]));
  const lines = [`**${nameOf(first)}**: ${all.map(({ main }) => main).join(' ')}`];
  for (const to of languages) {
    const parts = all.flatMap(({ caption, beneath }) => {
      const part = beneath.get(to);
      if (part !== undefined) return [part];
      const isMissing = caption.isFinal && caption.language !== '' && !isIn(caption, to);
      return isMissing ? [MISSING] : [];
    });
    lines.push(`↳ ${markOf(to)} ${parts.join(' ')}`);
  }
  return [...lines, ...all.flatMap(({ notes }) => notes)];
};

/**
 * Writes captions as Markdown: a paragraph for each speaker's captions in a row, the name in bold in front,
 * each translation on a line beneath; partial text is in italics. A caption alone takes at most `longest`.
 */
export const renderCaptions = (captions: readonly Caption[], options: RenderOptions): string =>
  paragraphsOf(captions)
    .flatMap((paragraph) => paragraphLines(paragraph, options))
    .join('\n');
