import { z } from 'zod';
import { attachment, defineCommand } from '../src/command/command.ts';
import { LONGEST_PART_MS, type SpokenSegment, TRANSCRIPT_KINDS } from '../src/model/message.ts';
import type { TranscriptionProgress } from '../src/command/services.ts';
import {
  attachmentTranscript,
  joinTexts,
  minutesAndSeconds,
  completeLanguage,
  typedLanguage,
  audioFileOf,
} from '../src/command/helpers.ts';
import { userError } from '../src/errors.ts';
import { plainText } from '../src/rich-text/walk.ts';
import { plainWords, sections } from '../src/rich-text/compose.ts';
import type { RichText } from '../src/rich-text/rich-text.ts';

/** Longer transcripts are read better in a file: the platforms' own limit of a message. */
const LONG_CHARS = 2_000;

/** A transcript with each speaker's name in front of what they say, a line for each turn. */
const linesOf = (segments: readonly SpokenSegment[]): string => {
  const lines: { readonly speaker: string | undefined; text: string }[] = [];
  for (const { speaker, text } of segments) {
    const last = lines.at(-1);
    if (last && last.speaker === speaker) last.text = joinTexts([last.text, text]);
    else lines.push({ speaker, text: speaker === undefined ? text : `${speaker}: ${text}` });
  }
  return lines.map(({ text }) => text).join('\n');
};

export default defineCommand(
  'transcribe',
  {
    options: z.object({
      audio: attachment(),
      language: z.string().optional(),
      to: z.string().optional(),
      format: z.enum(TRANSCRIPT_KINDS).optional(),
      speakers: z.boolean().optional(),
    }),
    complete: { language: completeLanguage, to: completeLanguage },
    slow: true,
    onMessage: (message) => {
      const audio = audioFileOf(message);
      if (!audio) throw userError('bad-input', 'transcribe.no-sound');
      return { audio };
    },
    async run(ctx) {
      const { options, services, channel, locale, t, signal, stream, reply } = ctx;
      const { audio } = options;
      const spoken = options.language ? typedLanguage(options.language, services) : undefined;
      const to = options.to && typedLanguage(options.to, services);
      const growing = ({ text, transcribedMs, totalMs = 0 }: TranscriptionProgress): RichText => {
        const words = plainWords(text);
        if (text !== '' && Math.max(transcribedMs, totalMs) <= LONGEST_PART_MS) return words;
        const heard = minutesAndSeconds(transcribedMs);
        const progress =
          totalMs > 0
            ? t('transcribe.listening-of', { heard, total: minutesAndSeconds(totalMs) })
            : t('transcribe.listening', { heard });
        return sections(words, progress);
      };
      const {
        text: heard,
        language,
        segments,
      } = await attachmentTranscript(
        { audio, language: spoken, speakers: options.speakers ?? false, growing },
        ctx,
      );
      const named = segments.map((segment) => ({
        ...segment,
        speaker:
          segment.speakerNumber === undefined
            ? undefined
            : plainText(t('transcribe.speaker', { number: segment.speakerNumber })),
      }));
      const text = options.speakers ? linesOf(named) : heard;
      const original = plainWords(text);
      const format = options.format ?? (text.length > LONG_CHARS ? 'txt' : undefined);
      const files = format && [services.transcriptFile(format, named)];
      const show = async (shown: RichText): Promise<void> =>
        reply({ text: shown, ...(files ? { files } : {}) });
      if (!to) return show(original);
      const from = services.languages.find(language);
      const name = services.languages.name(to, locale);
      const withTranslation = (translation: RichText): RichText =>
        t('transcribe.with-translation', { original, translation, language: name });
      const translation = await stream(
        services.translator.translate(
          {
            text: original,
            to,
            place: channel,
            lane: 'interactive',
            ...(from ? { from } : {}),
          },
          signal,
        ),
        (soFar) => withTranslation(soFar()),
      );
      await show(
        translation.outcome === 'translated' ? withTranslation(translation.text) : original,
      );
    },
  },
  { topic: 'speech' },
);
