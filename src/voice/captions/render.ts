import { flagOfLanguage } from '../../text/language/flags.ts';
import { languageName } from '../../text/language/languages.ts';
import { muteLeftovers } from '../../text/markup/mentions.ts';
import { flatten, plainLine } from '../../text/markup/plain-line.ts';
import { shorten } from '../../text/split/shorten.ts';
import { isBlank } from '../../text/unicode.ts';
import { isIn, translationInto, type Caption } from './caption.ts';

/** The sentences that people see among captions. */
export interface CaptionTexts {
  /** That there are no translations into it for now, in a few words. */
  untranslated(language: string): string;
}

export interface RenderOptions {
  readonly texts: CaptionTexts;
  /** The one language of the reader: what is not in it is shown in its translation. Default: all. */
  readonly language?: string | undefined;
  /** UTF-16 units that a single caption may take. */
  readonly longest: number;
}

const LONGEST_NAME_CHARS = 60;
const NAMELESS = '?';
const LONGEST_SIGN_CHARS = 120;
/** What one speaker says is one paragraph up to this length, and to a pause. */
const PARAGRAPH_CHARS = 300;
const PARAGRAPH_PAUSE_MS = 5_000;
/** Around a name or the mark of a language, and around a text that still grows. */
const FRAME_CHARS = 12;
const SHORTEST_PIECE_CHARS = 40;
const GROWING = ' …';
const MISSING = '\\[…\\]';
const scheme = /:\/\//g;

/** In the middle of a line: no markup, no mention, no address that would bring a preview. */
const written = (text: string): string =>
  muteLeftovers(plainLine(text, Number.POSITIVE_INFINITY)).replaceAll(scheme, ':\u200B//');

/** Written in at most `units`. */
const fitted = (text: string, units: number): string => {
  let room = Math.min(units, text.length);
  let out = written(shorten(text, room));
  while (out.length > units && room > 1) {
    room = Math.trunc((room * units) / out.length);
    out = written(shorten(text, room));
  }
  return out;
};

/** What anybody is called, as it may stand in bold. */
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

/** What stands behind the name. */
const mainPiece = (caption: Caption, language: string | undefined): Piece => {
  const { text, isFinal } = caption;
  const translation =
    language === undefined || isIn(caption, language)
      ? undefined
      : translationInto(caption, language);
  if (translation?.text) return { text: translation.text, isGrowing: !translation.done };
  return { text, isGrowing: !isFinal || translation?.done === false };
};

/** What stands beneath, by language; nothing where none came and none will. */
const piecesBeneath = (
  { translations }: Caption,
  { language }: RenderOptions,
): readonly (readonly [string, Piece])[] => {
  if (language !== undefined) return [];
  return [...translations]
    .filter(([, { text, done }]) => text !== '' || !done)
    .map(([to, { text, done }]) => [to, { text, isGrowing: !done }]);
};

const signsOf = (caption: Caption, { language, texts }: RenderOptions): string[] =>
  [...caption.translations]
    .filter(
      ([to, { failed }]) =>
        failed &&
        (language === undefined ||
          translationInto(caption, language) === caption.translations.get(to)),
    )
    .map(([to]) => `↳ ⚠️ ${shorten(flatten(texts.untranslated(to)), LONGEST_SIGN_CHARS)}`);

/** One caption's pieces, cut alike where they are too long together. */
interface Shown {
  readonly caption: Caption;
  readonly main: string;
  readonly beneath: ReadonlyMap<string, string>;
  readonly signs: readonly string[];
}

const show = (caption: Caption, options: RenderOptions): Shown => {
  const main = mainPiece(caption, options.language);
  const beneath = piecesBeneath(caption, options);
  const signs = signsOf(caption, options);
  const frames = [nameOf(caption), ...beneath.map(([to]) => markOf(to)), ...signs];
  const room = frames.reduce((left, frame) => left - frame.length - FRAME_CHARS, options.longest);
  const write = (units: number): Shown => ({
    caption,
    main: shown(main, units),
    beneath: new Map(
      beneath.map(([to, piece]) => [to, piece.text === '' ? '…' : shown(piece, units)]),
    ),
    signs,
  });
  const whole = write(Number.POSITIVE_INFINITY);
  const length = [whole.main, ...whole.beneath.values()].join('').length;
  if (length <= room) return whole;
  return write(Math.max(SHORTEST_PIECE_CHARS, Math.trunc(room / (1 + beneath.length))));
};

/** The captions in paragraphs of one speaker each. */
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
  return [...lines, ...all.flatMap(({ signs }) => signs)];
};

/**
 * Captions as the chats' Markdown: a paragraph for what one speaker says in a row, the name in bold in
 * front, each translation on a line beneath; what still grows is in italics. A caption alone takes at
 * most `longest`.
 */
export const renderCaptions = (captions: readonly Caption[], options: RenderOptions): string =>
  paragraphsOf(captions)
    .flatMap((paragraph) => paragraphLines(paragraph, options))
    .join('\n');
