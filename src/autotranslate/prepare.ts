import { AppError, toAppError } from '../errors.ts';
import type { Channel } from '../model/place.ts';
import type { Message } from '../model/message.ts';
import type { ChannelWatch } from '../model/watch.ts';
import type { TranscriptionProgress } from '../speech/transcriber.ts';
import type { Services } from '../command/services.ts';
import type { Transcript } from '../model/transcript.ts';
import type { Translation } from '../translation/translator.ts';
import { isBlank } from '../text/unicode.ts';
import type { Tally } from '../usage/meter.ts';
import { claimsAudio } from './policy.ts';

/** One text in one language, or as it was written. */
export interface Rendering {
  readonly language: string;
  readonly from: string;
  /** Undefined: the message has no text. */
  readonly text: string | undefined;
  /** What was heard in its audio files; undefined: nothing. */
  readonly heard: string | undefined;
  /** `same`: as written. `failed`: as written too, because it could not be translated. */
  readonly outcome: 'translated' | 'same' | 'failed';
}

export interface Prepared {
  /** What was heard, in the language in which it was spoken. */
  readonly transcript: Transcript | undefined;
  /** One for each language that was asked for. */
  readonly renderings: readonly Rendering[];
  readonly used: { readonly characters: number; readonly audioMs: number };
  /** What could not be done for good, though the rest was. */
  readonly fault: AppError | undefined;
}

export interface PrepareDeps {
  readonly services: Pick<Services, 'translator' | 'transcriber' | 'languages'>;
}

export interface Task {
  readonly message: Message;
  readonly languages: readonly string[];
  readonly transcribes: boolean;
  /** What was said before, oldest first. */
  readonly context: readonly string[];
  /** No other try follows: what fails now is left as it is. */
  readonly last: boolean;
  /** Told how far long audio is heard. */
  readonly onHeard?: (heard: TranscriptionProgress) => void;
  /** What a try before this one has finished; what this one finishes is added. */
  readonly finished: Finished;
}

/** Parts of the work on one state of a message, so that none is paid for twice. */
export interface Finished {
  readonly authorId: string;
  /** By target language and text. */
  readonly translations: Map<string, Translation>;
  /** By file. */
  readonly transcripts: Map<string, Transcript>;
  /** What all of it has cost. */
  readonly used: Tally;
}

/** What audio is called that a platform lets people add and nobody can hear. */
const NOT_AUDIO: ReadonlySet<AppError['code']> = new Set(['unsupported', 'bad-input', 'not-found']);

/** What a text is in that nobody could tell (BCP 47). */
const UNKNOWN = 'und';

const finish = async <T, R>(
  states: AsyncGenerator<T, R, void>,
  onState?: (state: T) => void,
): Promise<R> => {
  for (;;) {
    const { done, value } = await states.next();
    if (done) return value;
    onState?.(value);
  }
};

/**
 * Makes of a message what its readers are to see. Rejects with a retryable `AppError` where another
 * try may do better; what cannot be done at all is told in `fault`.
 */
export const prepare = async (
  { services: { translator, transcriber, languages } }: PrepareDeps,
  { message, languages: wanted, transcribes, context, last, onHeard, finished }: Task,
  signal: AbortSignal,
): Promise<Prepared> => {
  const place = message.ref.channel;
  let fault: AppError | undefined;

  /** What failed for good, or for the last time; otherwise the fault is thrown. */
  const giveUp = (thrown: unknown): AppError => {
    const error = toAppError(thrown);
    if (error.code === 'cancelled' || (error.retryable && !last)) throw error;
    return error;
  };

  const hear = async (audio: Message['files'][number]): Promise<Transcript | undefined> => {
    const known = finished.transcripts.get(audio.id);
    if (known) return known;
    try {
      const { durationMs } = audio.voice ?? {};
      const request = { audio, place, ...(durationMs === undefined ? {} : { durationMs }) };
      const heard = await finish(transcriber.transcribe(request, signal), onHeard);
      finished.transcripts.set(audio.id, heard);
      return heard;
    } catch (thrown) {
      const error = giveUp(thrown);
      if (!NOT_AUDIO.has(error.code)) fault = error;
      return undefined;
    }
  };

  const into = async (text: string, to: string, from?: string): Promise<Translation | AppError> => {
    const key = `${to} ${text}`;
    const known = finished.translations.get(key);
    if (known) return known;
    try {
      const request = { text, to, place, context, whole: true, ...(from ? { from } : {}) };
      const done = await finish(translator.translate(request, signal));
      finished.translations.set(key, done);
      return done;
    } catch (thrown) {
      fault = giveUp(thrown);
      return fault;
    }
  };

  const transcripts: Transcript[] = [];
  if (transcribes)
    for (const file of message.files.filter(claimsAudio)) {
      const heard = await hear(file);
      if (heard) transcripts.push(heard);
    }
  const transcript = joinTranscripts(transcripts);
  const spoken = transcript && languages.find(transcript.language);
  const written = isBlank(message.text) ? undefined : message.text;

  const render = async (language: string): Promise<Rendering> => {
    const [text, heard] = await Promise.all([
      written === undefined ? undefined : into(written, language),
      transcript && into(transcript.text, language, spoken),
    ]);
    const parts = [text, heard].filter((part) => part !== undefined);
    const failed = parts.some((part) => part instanceof AppError);
    const translated = parts.some(
      (part) => !(part instanceof AppError) && part.outcome === 'translated',
    );
    const from = parts.find((part) => !(part instanceof AppError)) as Translation | undefined;
    return {
      language,
      from: from?.from ?? spoken ?? UNKNOWN,
      text: text instanceof AppError ? written : text?.text,
      heard: heard instanceof AppError ? transcript?.text : heard?.text,
      outcome: failed ? 'failed' : translated ? 'translated' : 'same',
    };
  };

  const renderings = await Promise.all(wanted.map(render));
  return {
    transcript,
    renderings,
    used: { ...finished.used },
    fault,
  };
};

const joinTranscripts = (parts: readonly Transcript[]): Transcript | undefined => {
  const [first] = parts;
  if (!first || parts.length === 1) return first;
  return {
    text: parts.map(({ text }) => text).join('\n'),
    language: first.language,
    confidence: Math.min(...parts.map(({ confidence }) => confidence)),
    durationMs: parts.reduce((sum, { durationMs }) => sum + durationMs, 0),
    segments: parts.flatMap(({ segments }) => segments),
  };
};

/** The languages that a message of a watched channel goes into. */
export const languagesOf = (
  watch: ChannelWatch,
  group: readonly ChannelWatch[],
  here: Channel,
): readonly string[] =>
  watch.mode === 'mirror'
    ? [
        ...new Set(
          group
            .filter(({ channel }) => channel.id !== here.id)
            .flatMap(({ languages }) => languages),
        ),
      ]
    : watch.languages;
