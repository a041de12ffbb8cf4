import { isBusy } from '../../api/service-error.ts';
import { orAborted, resultOf } from '../../async/abort.ts';
import { createLru } from '../../async/lru.ts';
import { OutageError } from '../outages/breaker.ts';
import type { Outages } from '../outages/outage.ts';
import type { RecognitionOutages } from '../outages/recognition.ts';
import { claimsAudio } from '../policy.ts';
import { isTooShort } from '../rules.ts';
import type { Services } from '../../command/services.ts';
import { AppError, toAppError } from '../../errors.ts';
import { plainWords } from '../../rich-text/compose.ts';
import type { Lane } from '../../model/service.ts';
import type { WatchRules } from '../../model/rules.ts';
import { writerOf, type Message, type Transcript } from '../../model/message.ts';
import type { RichText } from '../../rich-text/rich-text.ts';
import type { TranscriptionProgress } from '../../speech/transcriber.ts';
import type { Row, RowKey } from '../../store/inbox/row.ts';
import { isStorageFault } from '../../sqlite/disk-fault.ts';
import { isBlankMessage } from '../../text/message-checks.ts';
import { sameLanguage } from '../../text/language/languages.ts';
import type { Translation } from '../../translation/translator.ts';
import { charactersOf } from '../../usage/limits.ts';
import { keyOf, messageKey, type Space } from '../../model/place.ts';

/** A message in one language, or as it was written. */
export interface Rendition {
  readonly language: string;
  readonly from: string;
  /** The text; undefined where the message has none. */
  readonly text: RichText | undefined;
  /** The words of its audio files; undefined where there are none. */
  readonly heard: RichText | undefined;
  /**
   * The result: `same` is as written, because it is in that language; `unchanged`, because its
   * translation is the same; `wordless`, because there is nothing to translate; `failed`, because a
   * part of it could not be translated.
   */
  readonly outcome: 'translated' | 'same' | 'unchanged' | 'wordless' | 'failed';
  /** True when a part is translated, even if another one failed. */
  readonly isTranslated: boolean;
  /** Names of the models that translated, as far as the service says them. */
  readonly models?: readonly string[];
}

/** The outcomes of a message that is not translated, by those of its text. */
const UNTRANSLATED: Readonly<Record<Translation['outcome'], Rendition['outcome']>> = {
  translated: 'translated',
  unchanged: 'unchanged',
  'same-language': 'same',
  'nothing-to-translate': 'wordless',
};

/** An audio file that cannot be read, and why. */
export interface UnheardFile {
  readonly name: string;
  readonly fault: AppError;
}

/** A message in every requested language. */
export interface Translated {
  /** The words of its audio files, in the language in which they were spoken. */
  readonly transcript: Transcript | undefined;
  readonly renditions: readonly Rendition[];
  readonly used: { readonly characters: number; readonly audioMs: number };
  /** Audio files that cannot be read. */
  readonly unheard: readonly UnheardFile[];
  /** A failure of a part of the work. */
  readonly fault: AppError | undefined;
  /** True when that part is to be tried again. */
  readonly willRetry: boolean;
  /** True of what is in a language that everybody understands by the channel's rules. */
  readonly isExempt?: true;
}

export interface TranslateOptions {
  readonly message: Message;
  readonly languages: readonly string[];
  /** The languages of the channel. */
  readonly expected: readonly string[];
  readonly transcribes: boolean;
  /** The turns before the message, oldest first. */
  readonly context: readonly string[];
  /** True for the last try: parts that fail now are given up. */
  readonly isLast: boolean;
  /** The rules of the channel. Default: none. */
  readonly rules?: WatchRules;
  /** Called with the progress of long audio. */
  readonly onHeard?: ((heard: TranscriptionProgress) => void) | undefined;
}

/**
 * Finished parts of the work on one state of a message, kept for its next try so that none is paid
 * for twice.
 */
interface Finished {
  readonly authorId: string;
  readonly space: Space;
  /** Translations by target language and text. */
  readonly translations: Map<string, Translation>;
  /** Transcripts by file. */
  readonly transcripts: Map<string, Transcript>;
  /** The cost of all parts. */
  readonly used: { characters: number; audioMs: number };
}

/** Partly failed rows whose finished parts are kept for their next try. */
const MOST_REMEMBERED = 500;

/** Error codes of files that claim to be audio and cannot be decoded; no other try can read them. */
const UNREADABLE: ReadonlySet<AppError['code']> = new Set(['unsupported', 'bad-input']);

/** The code for an undetermined language (BCP 47). */
const UNKNOWN = 'und';

const joinTranscripts = (parts: readonly Transcript[]): Transcript | undefined => {
  const [first] = parts;
  if (!first || parts.length === 1) return first;
  return {
    text: parts.map(({ text }) => text).join('\n'),
    language: first.language,
    durationMs: parts.reduce((sum, { durationMs }) => sum + durationMs, 0),
    segments: parts.flatMap(({ segments }) => segments),
  };
};

/** The result for a message that could not be processed because of `fault`. */
export const untranslated = (
  { text }: Message,
  languages: readonly string[],
  fault: AppError,
): Translated => ({
  transcript: undefined,
  renditions: languages.map((language) => ({
    language,
    from: UNKNOWN,
    text: isBlankMessage(text) ? undefined : text,
    heard: undefined,
    outcome: 'failed',
    isTranslated: false,
  })),
  used: { characters: 0, audioMs: 0 },
  unheard: [],
  fault,
  willRetry: false,
});

/**
 * The failure of a part of the work. Faults of ours are retried, because they may not depend on the
 * message. Throws when the work was cancelled, and while the database cannot be used: it is no fault of the
 * message, which waits in its place.
 */
const failureOf = (thrown: unknown): AppError => {
  const error = toAppError(thrown);
  if (error.code === 'cancelled') throw error;
  if (isStorageFault(thrown)) throw thrown;
  return error.code === 'internal' && !(thrown instanceof AppError)
    ? new AppError('internal', 'an internal fault', { retryable: true, cause: thrown })
    : error;
};

const rowKey = ({ ref, purpose, revision }: RowKey & { readonly revision: number }): string =>
  JSON.stringify([purpose, ref.channel.space.platform, ref.channel.id, ref.id, revision]);

export const createMessageTranslator = (
  services: Pick<Services, 'translator' | 'transcriber' | 'languages'>,
  outages: Pick<Outages, 'of'>,
  recognitions: Pick<RecognitionOutages, 'of'>,
) => {
  const { languages, transcriber, translator } = services;
  const remembered = createLru<string, Finished>(MOST_REMEMBERED);

  const finishedOf = (key: string, authorId: string, space: Space): Finished => {
    const used = { characters: 0, audioMs: 0 };
    const none = { authorId, space, translations: new Map(), transcripts: new Map(), used };
    const finished = remembered.get(key) ?? none;
    remembered.set(key, finished);
    return finished;
  };

  /**
   * Transcribes and translates a message. Failures of its own are in `fault`. Rejects with an
   * `OutageError` when nothing can be translated at the moment, and with the error of a busy service.
   */
  const translate = async (
    row: RowKey & Pick<Row, 'revision' | 'authorId' | 'isMissed'>,
    {
      message,
      languages: wanted,
      expected,
      transcribes,
      context,
      isLast,
      onHeard,
      rules = {},
    }: TranslateOptions,
    signal: AbortSignal,
  ): Promise<Translated> => {
    const key = rowKey(row);
    const finished = finishedOf(key, row.authorId, row.ref.channel.space);
    const place = message.ref.channel;
    const lane: Lane = row.isMissed ? 'batch' : 'ambient';
    const line = { ref: message.ref, author: writerOf(message) };
    const faults: AppError[] = [];
    /** Failures of the service at the message's recordings. */
    const deaf: AppError[] = [];
    const unheard: UnheardFile[] = [];
    const recognition = await recognitions.of(place.space);
    const breakers = new Map(
      await Promise.all(wanted.map(async (to) => [to, await outages.of(to, place.space)] as const)),
    );
    const marks = new Map([...breakers].map(([to, breaker]) => [to, breaker.mark()]));

    const hear = async (audio: Message['files'][number]): Promise<Transcript | undefined> => {
      const known = finished.transcripts.get(audio.id);
      if (known) return known;
      try {
        recognition.assertReady();
        const { durationMs } = audio.voice ?? {};
        const request = { audio, place, lane, ...(durationMs === undefined ? {} : { durationMs }) };
        const heard = await resultOf(transcriber.transcribe(request, signal), onHeard);
        recognition.heard();
        finished.transcripts.set(audio.id, heard);
        finished.used.audioMs += heard.durationMs;
        return heard;
      } catch (thrown) {
        const error = failureOf(thrown);
        if (UNREADABLE.has(error.code)) unheard.push({ name: audio.name, fault: error });
        // Nobody speaks in it.
        else if (error.code === 'not-found') recognition.heard();
        else deaf.push(recognition.judged(error, messageKey(message.ref)));
        return undefined;
      }
    };

    const into = async (
      text: RichText,
      to: string,
      from?: string,
    ): Promise<Translation | undefined> => {
      const asked = JSON.stringify([to, text]);
      const known = finished.translations.get(asked);
      if (known) return known;
      const breaker = breakers.get(to);
      const ask = async (): Promise<Translation> => {
        // A probe that hangs delays neither an edit nor the end.
        if (breaker) await orAborted(breaker.ready(), signal);
        const source = from ? { from } : { line, expected };
        const { engine: model, languages: exempt = [], formality } = rules;
        const ruled = { exempt, ...(model ? { model } : {}), ...(formality ? { formality } : {}) };
        const request = { text, to, place, lane, context, whole: true, ...source, ...ruled };
        return resultOf(translator.translate(request, signal));
      };
      try {
        const done = await ask().catch(async (thrown: unknown) => {
          const error = failureOf(thrown);
          if (breaker && !(error instanceof OutageError || isBusy(error)))
            await orAborted(breaker.judge(marks.get(to)), signal);
          throw error;
        });
        finished.translations.set(asked, done);
        if (done.outcome === 'translated') {
          breaker?.answered(done.from);
          finished.used.characters += charactersOf(text);
        }
        return done;
      } catch (thrown) {
        faults.push(failureOf(thrown));
        return undefined;
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
    const words = transcript && plainWords(transcript.text);
    const written = isBlankMessage(message.text) ? undefined : message.text;

    const isAudioMissing = deaf.length > 0;

    const isShort = isTooShort(message, rules);
    const read = async (text: RichText, language: string): Promise<Translation | undefined> =>
      isShort
        ? { text, from: UNKNOWN, to: language, outcome: 'same-language' }
        : into(text, language);

    const render = async (language: string): Promise<Rendition> => {
      const [text, heard] = await Promise.all([
        written && read(written, language),
        words && into(words, language, spoken),
      ]);
      const isFailed = isAudioMissing || (written && !text) || (words && !heard);
      const isTranslated = [text, heard].some((part) => part?.outcome === 'translated');
      const { outcome: kept = 'same-language' } = text ?? heard ?? {};
      return {
        language,
        from: text?.from ?? heard?.from ?? spoken ?? UNKNOWN,
        text: text ? text.text : written,
        heard: heard ? heard.text : words,
        outcome: isFailed ? 'failed' : isTranslated ? 'translated' : UNTRANSLATED[kept],
        isTranslated,
        models: [text, heard].flatMap((part) => part?.model ?? []),
      };
    };

    /**
     * The failure to tell of. Throws that of an outage of translation, unless another language was
     * translated. A message whose recording waits delays no other.
     */
    const toldOf = (renditions: readonly Rendition[]): AppError | undefined => {
      const all = [...faults, ...deaf];
      const busy = all.find(isBusy);
      // The row waits; what was translated of it is remembered.
      if (busy) throw busy;
      const outage = faults.find((one) => one instanceof OutageError);
      if (outage && !renditions.some(({ isTranslated }) => isTranslated)) throw outage;
      return outage ?? all.find(({ retryable }) => retryable) ?? all[0];
    };

    const renditions = await Promise.all(wanted.map(render));
    const isExempt = renditions.every(
      ({ from, isTranslated }) =>
        !isTranslated && rules.languages?.some((each) => sameLanguage(from, each)),
    );
    const fault = toldOf(renditions) ?? unheard[0]?.fault;
    const willRetry =
      fault !== undefined && fault.retryable && (!isLast || fault instanceof OutageError);
    if (!willRetry) remembered.delete(key);
    return {
      transcript,
      renditions,
      used: { ...finished.used },
      unheard,
      fault,
      willRetry,
      ...(isExempt ? { isExempt } : {}),
    };
  };

  return {
    translate,
    forget: (authorId: string): void => {
      for (const [key, finished] of remembered)
        if (finished.authorId === authorId) remembered.delete(key);
    },
    forgetAll: remembered.clear,
    forgetSpace: (space: Space): void => {
      for (const [key, finished] of remembered)
        if (keyOf(finished.space) === keyOf(space)) remembered.delete(key);
    },
  };
};
