import type { Attachment, MessageFile, DictatedTranscript } from '../model/message.ts';
import type { RichText } from '../rich-text/rich-text.ts';
import { plainWords } from '../rich-text/compose.ts';
import type { CommandContext } from './command.ts';
import type { TranscriptionProgress } from './services.ts';

export interface AttachmentTranscriptRequest {
  readonly audio: Attachment;
  /** BCP 47 code of what is spoken; undefined: it is detected. */
  readonly language: string | undefined;
  /** Shows a transcript that grows. */
  readonly growing: (progress: TranscriptionProgress) => RichText;
}

/** The length of a voice message as the platform says it; undefined for other files. */
const durationMsOf = (file: Attachment): number | undefined =>
  (file as Partial<MessageFile>).voice?.durationMs;

/** The parts of a use of a command that a transcript is made and shown with. */
type Context = Pick<CommandContext<unknown>, 'services' | 'channel' | 'signal' | 'stream'>;

async function* transcribed(
  { audio, language }: AttachmentTranscriptRequest,
  { services, channel, signal }: Context,
): AsyncGenerator<TranscriptionProgress, DictatedTranscript, void> {
  const dictated = language === undefined ? await audio.dictated?.() : undefined;
  if (!dictated)
    return yield* services.transcriber.transcribe(
      { audio, place: channel, lane: 'interactive', durationMs: durationMsOf(audio), language },
      signal,
    );
  // It is shown at once, and so stays when what follows fails: it is given only once.
  yield { text: dictated.text, transcribedMs: 0, totalMs: undefined };
  return dictated;
}

/**
 * Resolves with the transcript of an attachment, and shows it while it grows. What was recognised while
 * it was recorded is not recognised again, unless its language is given.
 */
export const attachmentTranscript = async (
  request: AttachmentTranscriptRequest,
  ctx: Context,
): Promise<DictatedTranscript> =>
  ctx.stream(transcribed(request, ctx), request.growing, ({ text }) => plainWords(text));
