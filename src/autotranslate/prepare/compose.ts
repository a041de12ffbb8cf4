import { reasonSentence, type Sentence } from '../../errors.ts';
import { say, type Texts } from '../../i18n/texts.ts';
import { type OutgoingFile, type Message, TRANSCRIPT_KINDS } from '../../model/message.ts';
import { joined, labelled, lines, plainWords, sentence } from '../../rich-text/compose.ts';
import {
  link,
  styled,
  subtext,
  text,
  type Inline,
  type RichText,
} from '../../rich-text/rich-text.ts';
import type { MessageRef } from '../../model/place.ts';
import type { LabelledText, Mirror, MirrorFile, Persona } from '../../ports/mirrors.ts';
import type { Services } from '../../command/services.ts';
import { transcriptFile } from '../../speech/transcript.ts';
import { smallModelsNote } from '../../translation/small-models.ts';
import { quotedWords } from '../../text/quoted-words.ts';
import { flagOfLanguage } from '../../text/language/languages.ts';
import { claimsAudio, hasWords } from '../policy.ts';
import type { Rendition, Translated } from './translate.ts';

/** Label in front of a transcript. */
export const HEARD = text('🎧');
const TRANSLATED = '🌐';
/** Label of a mirror with the message's own text. */
const AS_WRITTEN = '↗';
export const FAILED = '⚠️';

/** Length above which a transcript is attached as files too. */
const LONG_TRANSCRIPT_CHARS = 2_000;

type Languages = Pick<Services['languages'], 'name'>;
/** The names of languages, and the sentences that the readers of a channel see. */
export interface MirrorWording {
  readonly languages: Languages;
  readonly texts: Pick<Texts, 'rich'>;
}
/** A message as a compact reply shows it, alone or with others of its author. */
export interface CompactLine {
  readonly source: MessageRef;
  readonly blocks: readonly LabelledText[];
  /** True where the text is cut, so that a button shows the whole. */
  readonly isCut: boolean;
  /** True where all of it is translated and nothing is cut: it may stand with others. */
  readonly isWhole: boolean;
}

/** A mirror without its place, and without the parts that are looked up only when it is posted. */
export interface MirrorContent extends Pick<
  Mirror,
  'content' | 'label' | 'blocks' | 'as' | 'below' | 'broadcast'
> {
  /** The line that is shown, in a compact reply. */
  readonly line?: CompactLine;
}

/** A file that no mirror shows, and why. */
export interface FileLeftOut {
  readonly name: string;
  readonly reason: Sentence;
}

/** The files of a message for its mirrors. */
export interface Attachments {
  readonly files: readonly MirrorFile[];
  /** The files that are too large, cannot be read or may not be posted. */
  readonly leftOut: readonly FileLeftOut[];
}

/** Names the files that are missing from a text, each with the reason, for readers of a language. */
const leftOutLines = (
  leftOut: readonly FileLeftOut[],
  language: string,
  texts: Pick<Texts, 'rich'>,
): readonly RichText[] => {
  const t = texts.rich(language);
  return leftOut.map(({ name, reason }) =>
    t('autotranslate.file-left-out', { name: quotedWords(name), reason: say(t, reason) }),
  );
};

/** Names the recordings that cannot be read, each with the reason, for readers of a language. */
export const unheardLines = (
  { unheard }: Pick<Translated, 'unheard'>,
  language: string,
  texts: Pick<Texts, 'rich'>,
): readonly RichText[] => {
  const t = texts.rich(language);
  return unheard.map(({ name, fault }) =>
    t('autotranslate.not-transcribed', {
      name: quotedWords(name),
      reason: say(t, reasonSentence(fault)),
    }),
  );
};

/** The same content without files, whose absence is told in the language of its first rendition. */
export const withoutFiles = (
  mirror: MirrorContent,
  { renditions: [first] }: Pick<Translated, 'renditions'>,
  leftOut: readonly FileLeftOut[],
  texts: Pick<Texts, 'rich'>,
): MirrorContent => {
  const { files: _, ...content } = mirror.content;
  const told = leftOutLines(leftOut, first?.language ?? '', texts);
  return { ...mirror, content: { ...content, text: lines(content.text, ...told) } };
};

export const replyLabel = (language: string, languages: Languages): readonly Inline[] => {
  const flag = flagOfLanguage(language);
  return [flag ? text(flag) : styled('bold', text(languages.name(language, language)))];
};

const transcriptFiles = ({ transcript }: Translated): { readonly files?: OutgoingFile[] } =>
  transcript && transcript.text.length > LONG_TRANSCRIPT_CHARS
    ? { files: TRANSCRIPT_KINDS.map((kind) => transcriptFile(kind, transcript.segments)) }
    : {};

/** The parts of a rendition for a reply, if any is translated. */
export const translatedParts = ({ isTranslated, text: written, heard }: Rendition) =>
  isTranslated ? [written, heard] : [];

/** True when a rendition differs from what was written, or should. */
export const isWorthShowing = ({ outcome }: Rendition): boolean =>
  outcome === 'translated' || outcome === 'failed';

type Failed = Pick<Translated, 'unheard' | 'fault' | 'willRetry'>;

/** The sentence on what failed for a while, or in the end; undefined where a retry is of no use. */
const retriedSentence = ({ fault, willRetry }: Failed): Sentence | undefined => {
  if (willRetry) return { key: 'autotranslate.not-yet' };
  return fault?.retryable ? { key: 'autotranslate.given-up' } : undefined;
};

/** Tells the readers of a rendition, in their language, that it could not be translated. */
export const failureNote = (
  { language, outcome }: Pick<Rendition, 'language' | 'outcome'>,
  translated: Failed,
  texts: Pick<Texts, 'rich'>,
): readonly Inline[] | undefined => {
  const { fault } = translated;
  if (outcome !== 'failed' || !fault) return undefined;
  const t = texts.rich(language);
  const retried = retriedSentence(translated);
  const note = retried
    ? say(t, retried)
    : t('autotranslate.not-translated', { reason: say(t, reasonSentence(fault)) });
  return joined([FAILED, note], ' ');
};

/**
 * Composes the one reply under a message: the transcript, and a translation into each language that
 * the message is not in, or a note that there is none. Undefined when there is nothing to show.
 */
export const composeReply = (
  translated: Translated,
  { languages, texts }: MirrorWording,
): MirrorContent | undefined => {
  const { transcript, renditions } = translated;
  const blocks = renditions.filter(isWorthShowing).map((rendition) => {
    const note = failureNote(rendition, translated, texts);
    return {
      label: replyLabel(rendition.language, languages),
      text: lines(...translatedParts(rendition), note && sentence(...note)),
    };
  });
  if (transcript) blocks.unshift({ label: [HEARD], text: plainWords(transcript.text) });
  for (const note of unheardLines(translated, renditions[0]?.language ?? '', texts))
    blocks.push({ label: [text(FAILED)], text: note });
  const [first, ...rest] = blocks;
  if (!first) return undefined;
  const others = rest.map((block) => labelled(block.label, block.text));
  return {
    label: first.label,
    ...(rest.length > 0 ? { blocks } : {}),
    content: { text: lines(first.text, ...others), ...transcriptFiles(translated) },
  };
};

/** The reason for which a flag brings no translation; undefined where it brings one. */
export const lackOf = (message: Message, translated: Translated): Sentence | undefined => {
  const {
    fault,
    renditions: [rendition],
    transcript,
  } = translated;
  if (fault) return retriedSentence(translated) ?? reasonSentence(fault);
  if (!rendition || isWorthShowing(rendition) || transcript) return undefined;
  const { language, outcome } = rendition;
  if (outcome === 'unchanged') return undefined;
  if (hasWords(message))
    return outcome === 'wordless'
      ? { key: 'translate.nothing-to-translate' }
      : { key: 'translate.same-language', params: { language: { language } } };
  const hasAudio = message.files.some(claimsAudio);
  return { key: hasAudio ? 'speech.nothing-heard' : 'translate.nothing-to-translate' };
};

/**
 * Composes the reply that a flag asked for: the translation, or the reason why there is none, and
 * the transcript. Undefined where there is nothing to say.
 */
export const composeFlagReply = (
  translated: Translated,
  lack: Sentence | undefined,
  { languages, texts }: MirrorWording,
): MirrorContent | undefined => {
  const { transcript, renditions } = translated;
  const [rendition] = renditions;
  if (!rendition) return undefined;
  const { language, models = [], isTranslated, outcome } = rendition;
  const parts = [
    ...translatedParts({ ...rendition, isTranslated: isTranslated || outcome === 'unchanged' }),
    smallModelsNote(models, texts.rich(language)),
    lack && say(texts.rich(language), lack),
    transcript && labelled([HEARD], plainWords(transcript.text)),
  ];
  if (parts.every((part) => part === undefined)) return undefined;
  return {
    label: replyLabel(language, languages),
    content: { text: lines(...parts), ...transcriptFiles(translated) },
  };
};

const personaLabel = (
  { language, from, outcome }: Rendition,
  languages: Languages,
  note: readonly Inline[] | undefined,
): readonly Inline[] =>
  note ?? [
    text(outcome === 'translated' ? `${TRANSLATED} ${languages.name(from, language)}` : AS_WRITTEN),
  ];

const personaOf = ({ name, avatarUrl }: Message['author']): Persona => ({
  name,
  ...(avatarUrl === undefined ? {} : { avatarUrl }),
});

/** The traits of a mirror below its message: it stands in the same place, under the author's name. */
export const belowOf = ({ author, broadcast }: Message) => ({
  as: personaOf(author),
  below: true as const,
  ...(broadcast ? { broadcast } : {}),
});

/**
 * Composes the one mirror below a message, with what a reply would say. Undefined when there is nothing
 * to show.
 */
export const composeBelow = (
  message: Message,
  translated: Translated,
  wording: MirrorWording,
): MirrorContent | undefined => {
  const reply = composeReply(translated, wording);
  if (!reply) return undefined;
  const shown = translated.renditions.find(({ outcome }) => outcome === 'translated');
  return {
    content: { ...reply.content, text: labelled(reply.label, reply.content.text) },
    label: shown ? personaLabel(shown, wording.languages, undefined) : [text(AS_WRITTEN)],
    ...belowOf(message),
  };
};

/** Composes the message in one language, under its author's name. */
export const composeAsAuthor = (
  { author, stickers, forwarded, broadcast }: Message,
  rendition: Rendition,
  translated: Failed,
  { languages, texts }: MirrorWording,
  { files, leftOut }: Attachments,
): MirrorContent => {
  const shown = lines(
    forwarded ? [subtext(text('↪'))] : undefined,
    rendition.text,
    rendition.heard && labelled([HEARD], rendition.heard),
    ...unheardLines(translated, rendition.language, texts),
    ...stickers.map((sticker) => link(sticker.url, text(quotedWords(sticker.name)))),
    ...leftOutLines(leftOut, rendition.language, texts),
  );
  return {
    content: { text: shown, ...(files.length > 0 ? { files } : {}) },
    label: personaLabel(rendition, languages, failureNote(rendition, translated, texts)),
    as: personaOf(author),
    ...(broadcast ? { broadcast } : {}),
  };
};

export const threadName = (language: string, languages: Languages): string =>
  [flagOfLanguage(language), languages.name(language, language)].filter(Boolean).join(' ');
