import type { Sentence } from '../../errors.ts';
import { say, type Texts } from '../../i18n.ts';
import type { OutgoingFile } from '../../model/file.ts';
import { labelled, lines, plainWords } from '../../model/compose-rich-text.ts';
import type { Message } from '../../model/message.ts';
import { link, styled, subtext, text, type Inline } from '../../model/rich-text.ts';
import { TRANSCRIPT_KINDS } from '../../model/transcript.ts';
import type { Mirror } from '../../ports/mirrors.ts';
import type { Services } from '../../command/services.ts';
import { transcriptFile } from '../../speech/subtitles.ts';
import { quotedWords } from '../../text/quoted-words.ts';
import { flagOfLanguage } from '../../text/language/flags.ts';
import type { Attachments } from '../mirror/attachments.ts';
import { claimsAudio, hasWords } from '../policy.ts';
import type { Rendition, Translated } from './translate.ts';

/** Label in front of a transcript. */
export const HEARD = text('🎧');
const TRANSLATED = '🌐';
/** Label of a mirror with the message's own text. */
const AS_WRITTEN = '↗';
const FAILED = '⚠️';

/** Length above which a transcript is attached as files too. */
const LONG_TRANSCRIPT_CHARS = 2_000;

type Languages = Pick<Services['languages'], 'name'>;
/** A mirror without its place, and without the parts that are looked up only when it is posted. */
export type MirrorContent = Pick<Mirror, 'content' | 'label' | 'as'>;

/** The label of a reply in one language. */
export const replyLabel = (language: string, languages: Languages): readonly Inline[] => {
  const flag = flagOfLanguage(language);
  return [flag ? text(flag) : styled('bold', text(languages.name(language, language)))];
};

const transcriptFiles = ({ transcript }: Translated): { readonly files?: OutgoingFile[] } =>
  transcript && transcript.text.length > LONG_TRANSCRIPT_CHARS
    ? { files: TRANSCRIPT_KINDS.map((kind) => transcriptFile(kind, transcript.segments)) }
    : {};

/**
 * Composes the one reply under a message: the transcript, and a translation into each language that
 * the message is not in. Undefined when there is neither.
 */
export const composeReply = (
  translated: Translated,
  languages: Languages,
): MirrorContent | undefined => {
  const { transcript, renditions } = translated;
  const blocks = renditions
    .filter(({ outcome }) => outcome === 'translated')
    .map(({ language, text: written, heard }) => ({
      label: replyLabel(language, languages),
      text: lines(written, heard),
    }));
  if (transcript) blocks.unshift({ label: [HEARD], text: plainWords(transcript.text) });
  const [first, ...rest] = blocks;
  if (!first) return undefined;
  const others = rest.map((block) => labelled(block.label, block.text));
  return {
    label: first.label,
    content: { text: lines(first.text, ...others), ...transcriptFiles(translated) },
  };
};

/**
 * The reason for which a flag brings no translation; undefined where it brings one, or no reply is
 * needed.
 */
export const lackOf = (
  message: Message,
  { fault, renditions: [rendition], transcript }: Translated,
): Sentence | undefined => {
  if (fault) return fault.sentence;
  if (rendition?.outcome !== 'same' || transcript) return undefined;
  const { language } = rendition;
  if (hasWords(message))
    return { key: 'translate.same-language', params: { language: { language } } };
  return message.files.some(claimsAudio) ? { key: 'speech.nothing-heard' } : undefined;
};

/**
 * Composes the reply that a flag asked for: the translation, or the reason why there is none, and
 * the transcript. Undefined where there is nothing to say.
 */
export const composeFlagReply = (
  translated: Translated,
  lack: Sentence | undefined,
  languages: Languages,
  texts: Pick<Texts, 'rich'>,
): MirrorContent | undefined => {
  const { transcript, renditions } = translated;
  const [rendition] = renditions;
  if (!rendition) return undefined;
  const { language, text: written, heard, outcome } = rendition;
  const parts = [
    ...(outcome === 'translated' ? [written, heard] : []),
    lack && say(texts.rich(language), lack),
    transcript && labelled([HEARD], plainWords(transcript.text)),
  ];
  if (parts.every((part) => part === undefined)) return undefined;
  return {
    label: replyLabel(language, languages),
    content: { text: lines(...parts), ...transcriptFiles(translated) },
  };
};

const personaLabel = ({ language, from, outcome }: Rendition, languages: Languages): string => {
  if (outcome === 'same') return AS_WRITTEN;
  if (outcome === 'failed') return FAILED;
  return `${TRANSLATED} ${languages.name(from, language)}`;
};

/** Composes the message in one language, under its author's name. */
export const composeAsAuthor = (
  { author, stickers, forwarded }: Message,
  rendition: Rendition,
  languages: Languages,
  { files, leftOut }: Attachments,
): MirrorContent => {
  const { name, avatarUrl } = author;
  const shown = lines(
    forwarded ? [subtext(text('↪'))] : undefined,
    rendition.text,
    rendition.heard && labelled([HEARD], rendition.heard),
    ...stickers.map((sticker) => link(sticker.url, text(quotedWords(sticker.name)))),
    ...leftOut.map((file) => `📎 ${quotedWords(file)}`),
  );
  return {
    content: { text: shown, ...(files.length > 0 ? { files } : {}) },
    label: [text(personaLabel(rendition, languages))],
    as: { name, ...(avatarUrl === undefined ? {} : { avatarUrl }) },
  };
};

/** The name of a language's standing thread. */
export const threadName = (language: string, languages: Languages): string =>
  [flagOfLanguage(language), languages.name(language, language)].filter(Boolean).join(' ');
