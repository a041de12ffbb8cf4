import type { Content } from '../model/content.ts';
import type { Message } from '../model/message.ts';
import type { OutgoingFile } from '../model/file.ts';
import { TRANSCRIPT_KINDS } from '../model/transcript.ts';
import type { Services } from '../command/services.ts';
import { transcriptFile } from '../speech/transcript-file.ts';
import { flagOfLanguage } from '../text/language/flags.ts';
import type { PreparedAttachments } from './attachments.ts';
import type { Mirror } from '../ports/channel-feed.ts';
import type { Prepared, Rendering } from './prepare.ts';

/** Stands in front of what was heard. */
export const HEARD = '🎧';
const TRANSLATED = '🌐';
/** A copy that says the same as the message. */
const AS_WRITTEN = '↗';
const FAILED = '⚠️';

/** A longer transcript comes as files too. */
const LONG_TRANSCRIPT_CHARS = 2_000;

type Languages = Pick<Services['languages'], 'name'>;
/** A copy, its place apart, and what is found only when it is posted. */
export type MirrorDraft = Omit<Mirror, 'source' | 'quote'>;

const markOf = (language: string, languages: Languages): string =>
  flagOfLanguage(language) ?? `**${languages.name(language, language)}**`;

/** What the reply of a row may begin with: of a flag its own mark alone, which no other reply has. */
export const replyMarks = (
  flagged: string | undefined,
  wanted: readonly string[],
  languages: Languages,
): readonly [string, ...string[]] =>
  flagged === undefined
    ? [HEARD, ...wanted.map((language) => markOf(language, languages))]
    : [markOf(flagged, languages)];

interface Block {
  readonly mark: string;
  readonly text: string;
}

const transcriptFiles = ({ transcript }: Prepared): { readonly files?: OutgoingFile[] } =>
  transcript && transcript.text.length > LONG_TRANSCRIPT_CHARS
    ? { files: TRANSCRIPT_KINDS.map((kind) => transcriptFile(kind, transcript.segments)) }
    : {};

/**
 * The one reply under a message with all that its readers lack: what was heard, and each language that
 * the message is not in. Undefined when they lack nothing.
 */
export const composeReply = (prepared: Prepared, languages: Languages): MirrorDraft | undefined => {
  const { transcript, renderings } = prepared;
  const wanted = renderings.map(({ language }) => language);
  const blocks: Block[] = transcript ? [{ mark: HEARD, text: transcript.text }] : [];
  for (const { language, text, heard, outcome } of renderings)
    if (outcome === 'translated')
      blocks.push({
        mark: markOf(language, languages),
        text: [text, heard].filter((part) => part !== undefined).join('\n'),
      });
  const [first, ...rest] = blocks;
  if (!first) return undefined;
  const text = [first.text, ...rest.map(({ mark, text: more }) => `${mark} ${more}`)].join('\n');
  return {
    mark: first.mark,
    formerMarks: replyMarks(undefined, wanted, languages),
    content: { text, ...transcriptFiles(prepared) },
  };
};

/**
 * The reply that a flag asked for: the translation, why there is none, and what was heard. Undefined
 * where there is nothing to say.
 *
 * @param lack what could not be done, or need not be
 */
export const composeFlagged = (
  prepared: Prepared,
  lack: string | undefined,
  languages: Languages,
): MirrorDraft | undefined => {
  const { transcript, renderings } = prepared;
  const [rendering] = renderings;
  if (!rendering) return undefined;
  const { language, text, heard, outcome } = rendering;
  const parts = [
    ...(outcome === 'translated' ? [text, heard] : []),
    lack,
    transcript && `${HEARD} ${transcript.text}`,
  ].filter((part) => part !== undefined);
  if (parts.length === 0) return undefined;
  return {
    mark: markOf(language, languages),
    content: { text: parts.join('\n'), ...transcriptFiles(prepared) },
  };
};

const copyMark = ({ language, from, outcome }: Rendering, languages: Languages): string => {
  if (outcome === 'same') return AS_WRITTEN;
  if (outcome === 'failed') return FAILED;
  return `${TRANSLATED} ${languages.name(from, language)}`;
};

const linkText = (label: string): string => label.replaceAll(/[[\]\\`*_~|]/g, ' ').trim() || '?';

/** The message in one language, as if its author had written it there. */
export const composeCopy = (
  { author, stickers, forwarded }: Message,
  rendering: Rendering,
  { transcript }: Prepared,
  languages: Languages,
  { files, leftOut }: PreparedAttachments,
): MirrorDraft => {
  const { text, heard } = rendering;
  const lines = [
    ...(forwarded ? ['-# ↪'] : []),
    ...(text === undefined ? [] : [text]),
    ...(heard === undefined || !transcript ? [] : [`${HEARD} ${heard}`]),
    ...stickers.map(({ name, url }) => `[${linkText(name)}](${url})`),
    ...leftOut.map((name) => `📎 ${linkText(name)}`),
  ];
  const content: Content = {
    text: lines.join('\n'),
    ...(files.length > 0 ? { files } : {}),
  };
  const { name, avatarUrl } = author;
  return {
    content,
    mark: copyMark(rendering, languages),
    as: { name, ...(avatarUrl === undefined ? {} : { avatarUrl }) },
  };
};

/** What the standing thread of a language is called. */
export const threadName = (language: string, languages: Languages): string => {
  const flag = flagOfLanguage(language);
  return [flag, languages.name(language, language)].filter(Boolean).join(' ');
};
