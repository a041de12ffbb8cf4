import { isDeepStrictEqual } from 'node:util';
import { mapStates } from '../async/abort.ts';
import type { Content, Attachment, MessageFile, DictatedTranscript } from '../model/message.ts';
import type { Invocation } from '../ports/platform.ts';
import type { Stream, CommandContext } from './command.ts';
import { setTimeout as delay } from 'node:timers/promises';
import type { RichText } from '../rich-text/rich-text.ts';
import { plainWords, sections } from '../rich-text/compose.ts';
import type { TranscriptionProgress } from './services.ts';

export interface StreamOptions {
  /** The shortest time between two updates. */
  readonly paceMs: number;
  /** Number of updates, the last state's included; at least one. Default: unlimited. */
  readonly updates?: number;
  readonly sleep?: (ms: number) => Promise<unknown>;
}

/**
 * Shows the states of a growing answer, the newest whenever the platform takes the next one; those
 * in between are passed over, the last is always shown. Where updates are counted, each is waited for
 * twice as long as the one before. Resolves with the generator's result. When the generator or showing
 * fails, nothing is shown any more by the time the failure is thrown.
 */
export const showGrowing = async <State, Result>(
  states: AsyncGenerator<State, Result, void>,
  show: (state: State) => Promise<void>,
  { paceMs, updates = Infinity, sleep = delay }: StreamOptions,
): Promise<Result> => {
  const ended = Promise.withResolvers<void>();
  const failed = Promise.withResolvers<never>();
  let failure: { readonly thrown: unknown } | undefined;
  failed.promise.catch(() => {});
  let newest: { readonly state: State } | undefined;
  let showing: Promise<void> | undefined;
  let isEnded = false;
  let remaining = updates;
  let waitMs = paceMs;

  const mayShow = (): boolean => isEnded || remaining > 1;
  const showUntilNoneIsNew = async (): Promise<void> => {
    try {
      while (newest !== undefined && mayShow()) {
        const { state } = newest;
        newest = undefined;
        remaining -= 1;
        await show(state);
        await Promise.race([sleep(waitMs), ended.promise]);
        if (remaining < Infinity) waitMs *= 2;
      }
    } catch (thrown) {
      failure = { thrown };
      failed.reject(thrown);
    } finally {
      showing = undefined;
    }
  };

  try {
    for (;;) {
      const { done, value } = await Promise.race([states.next(), failed.promise]);
      if (done) {
        isEnded = true;
        ended.resolve();
        await showing;
        await (failure ? undefined : showUntilNoneIsNew());
        if (failure) throw failure.thrown;
        return value;
      }
      newest = { state: value };
      showing ??= showUntilNoneIsNew();
    }
  } finally {
    newest = undefined;
    ended.resolve();
    await showing;
    await states.return(undefined as never);
  }
};

const isSame = (before: Content | undefined, content: Content): boolean =>
  before !== undefined &&
  isDeepStrictEqual(before.text, content.text) &&
  before.tone === content.tone &&
  [before, content].every(({ files, controls }) => !files && !controls);

export type AnswerUpdates = ReturnType<typeof createAnswerUpdates>;

/**
 * One answer while a command works on it. Where the platform grants few updates, the last one is kept
 * for the final state: what is shown meanwhile may wait for `finish`.
 */
export const createAnswerUpdates = ({
  signal: asked,
  answer,
}: Pick<Invocation, 'signal' | 'answer'>) => {
  let remaining = answer.updates ?? Infinity;
  let newest: Content | undefined;
  let isWaiting = false;
  const unseen = new AbortController();
  const signal = AbortSignal.any([asked, unseen.signal]);

  const update = async (content: Content): Promise<void> => {
    remaining -= 1;
    isWaiting = false;
    try {
      await answer.show(content);
    } catch (thrown) {
      unseen.abort();
      // Its words can be shown where its files are refused.
      if (content.files) newest = { text: content.text };
      throw thrown;
    }
  };

  const show = async (content: Content): Promise<void> => {
    signal.throwIfAborted();
    if (isSame(newest, content)) return;
    if (remaining > 1) await update(content);
    else isWaiting = true;
    newest = content;
  };

  /** Shows content below what is shown, as a message of its own where the platform can and grants that. */
  const showBelow = async (content: Content): Promise<void> => {
    signal.throwIfAborted();
    if (!answer.showBelow || remaining < 2)
      return show({ ...newest, text: sections(newest?.text, content.text) });
    remaining -= 1;
    await answer.showBelow(content);
  };

  const stream: Stream = async (states, as, leftOf) => {
    let grown: (() => Content) | undefined;
    const contents = mapStates(states, (state) => {
      grown = () => ({ text: (leftOf ?? as)(state) });
      return (): Content => ({ text: as(state) });
    });
    try {
      return await showGrowing(contents, async (content) => show(content()), {
        paceMs: answer.paceMs,
        // A command may stream several times.
        updates: Math.max(1, Math.ceil(remaining / 2)),
      });
    } catch (thrown) {
      // Where updates are counted, little of it may have been shown.
      if ((remaining < Infinity || leftOf) && grown) newest = grown();
      throw thrown;
    }
  };

  return {
    /** Aborted when the asker is gone, or when the answer can no longer be shown. */
    signal,
    show,
    showBelow,
    stream,
    /** Shows what waits for the last update, if anything does. */
    finish: async (): Promise<void> => {
      if (isWaiting && newest) await update(newest);
    },
    /** The newest content, whether it is shown yet or not; undefined before the first. */
    newest: (): Content | undefined => newest,
  };
};

export interface AttachmentTranscriptRequest {
  readonly audio: Attachment;
  /** BCP 47 code of what is spoken; undefined: it is detected. */
  readonly language: string | undefined;
  /** True where speakers are to be told apart. */
  readonly speakers?: boolean;
  readonly growing: (progress: TranscriptionProgress) => RichText;
}

/** The length of a voice message as the platform says it; undefined for other files. */
const durationMsOf = (file: Attachment): number | undefined =>
  (file as Partial<MessageFile>).voice?.durationMs;

/** The parts of a use of a command that a transcript is made and shown with. */
type Context = Pick<CommandContext<unknown>, 'services' | 'channel' | 'signal' | 'stream'>;

async function* transcribed(
  { audio, language, speakers = false }: AttachmentTranscriptRequest,
  { services, channel, signal }: Context,
): AsyncGenerator<TranscriptionProgress, DictatedTranscript, void> {
  const dictated = language === undefined && !speakers ? await audio.dictated?.() : undefined;
  if (!dictated)
    return yield* services.transcriber.transcribe(
      {
        audio,
        place: channel,
        lane: 'interactive',
        durationMs: durationMsOf(audio),
        language,
        speakers,
      },
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
