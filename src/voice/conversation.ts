import { orAborted, resultOf } from '../async/abort.ts';
import { type Clock, withTimeout } from '../async/clock.ts';
import { AppError, userError, toAppError } from '../errors.ts';
import { spokenName } from '../text/speech/plain-letters.ts';
import type { TranscriptEvent } from './stt/transcript-emitter.ts';
import { roomTurns } from '../chat/turns.ts';
import { lines } from '../rich-text/compose.ts';
import { answerText } from '../chat/answer-text.ts';
import { limitForOthers } from '../usage/limits.ts';
import { createMeter } from '../usage/meter.ts';
import type { RoomContext } from './room-types.ts';
import type { RichText } from '../rich-text/rich-text.ts';
import type { Speaking } from './tts/speaking.ts';

/** A text without case, and without marks that recognisers may write or leave out. */
const folded = (text: string): string =>
  text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** Words that people say before a name to address somebody. */
const CALLS = 'hey hi hello ok okay hallo hola oye salut bonjour ねえ ねぇ 하이 嘿'
  .split(' ')
  .map(folded)
  .join('|');
/** Start of a text that addresses somebody: signs such as `¿`, then perhaps a word of `CALLS`. */
const START = String.raw`^[^\p{L}\p{N}]{0,5}(?:(?:${CALLS})[\s,、!]+)?`;

/**
 * The question after one of the bot's names at the beginning: "Dragoman, what is that?". Empty when
 * only the name was spoken, undefined for anything else.
 */
export const questionAfter = (text: string, names: readonly string[]): string | undefined => {
  const plain = text.trimStart();
  const spoken = names.flatMap((name) => [name, spokenName(name)]).map(folded);
  for (const name of spoken.filter((each) => each.length > 2)) {
    const call = new RegExp(
      `${START}${RegExp.escape(name)}(?!['’-]?[\\p{L}\\p{N}])[\\s,.!?:;、。！？…-]*`,
      'u',
    );
    // Folding may change lengths, so the prefix is found letter by letter.
    const found = call.exec(folded(plain))?.[0];
    if (found === undefined) continue;
    let at = 0;
    while (at < plain.length && folded(plain.slice(0, at)).length < found.length) at += 1;
    return plain.slice(at).trim();
  }
  return undefined;
};

export interface ConversationDeps {
  readonly clock: Clock;
  /** Names that serve as wake words; none when empty. */
  readonly names: () => readonly string[];
  /** Answers aloud and in writing; aborted when the answer is no longer wanted. Never rejects. */
  readonly answer: (speakerId: string, question: string, signal: AbortSignal) => Promise<void>;
}

const LISTEN_MS = 30_000;
/** Time for the question after a name alone. */
const QUESTION_MS = 10_000;

const nothingSaid = (): AppError => userError('not-found', 'room.nothing-heard');

/** Finds questions in transcripts. */
export const createConversation = ({ clock, names, answer }: ConversationDeps) => {
  const listening = new Map<string, PromiseWithResolvers<string> & { readonly sinceMs: number }>();
  /** Members who spoke a name alone, with the time until which the question may follow. */
  const called = new Map<string, number>();
  /** Answers in progress by member: further questions of the same person are ignored meanwhile. */
  const answering = new Map<string, AbortController>();

  const reply = (speakerId: string, question: string): void => {
    if (answering.has(speakerId)) return;
    const stop = new AbortController();
    answering.set(speakerId, stop);
    void answer(speakerId, question, stop.signal).finally(() => answering.delete(speakerId));
  };

  return {
    /** Takes a final transcript. */
    transcript: ({ speakerId, text, endMs }: TranscriptEvent): void => {
      if (text === '') return;
      const waiting = listening.get(speakerId);
      if (waiting) {
        // Speech that ended before the request was not meant for it.
        if (endMs >= waiting.sinceMs) waiting.resolve(text);
        return;
      }
      const untilMs = called.get(speakerId);
      called.delete(speakerId);
      const question = questionAfter(text, names());
      if (question === '') called.set(speakerId, endMs + QUESTION_MS);
      else if (question !== undefined) reply(speakerId, question);
      else if (untilMs !== undefined && endMs <= untilMs) reply(speakerId, text);
    },
    listenTo: async (memberId: string, signal: AbortSignal): Promise<string> => {
      listening.get(memberId)?.reject(nothingSaid());
      const waiting = { ...Promise.withResolvers<string>(), sinceMs: clock.nowMs() };
      listening.set(memberId, waiting);
      const cancel = clock.after(LISTEN_MS, () => waiting.reject(nothingSaid()));
      try {
        return await orAborted(waiting.promise, signal);
      } finally {
        cancel();
        if (listening.get(memberId) === waiting) listening.delete(memberId);
      }
    },
    /** Drops the questions of a member who is no longer listened to. */
    forget: (memberId: string): void => {
      listening.get(memberId)?.reject(nothingSaid());
      called.delete(memberId);
      answering.get(memberId)?.abort(nothingSaid());
    },
    [Symbol.dispose]: (): void => {
      for (const waiting of listening.values()) waiting.reject(nothingSaid());
      called.clear();
    },
  };
};

export interface VoiceAnswersDeps {
  readonly room: Pick<
    RoomContext,
    'services' | 'channel' | 'texts' | 'messages' | 'clock' | 'signal'
  >;
  readonly nameOf: (memberId: string) => string;
  readonly recentCaptions: () => readonly string[];
  readonly speaking: Pick<Speaking, 'say'>;
}

const ANSWER_MS = 60_000;

const tooSlow = (): AppError =>
  new AppError('timeout', 'an answer took too long', { retryable: true });

/** Answers spoken questions, in writing and aloud; nothing is shown for withdrawn ones. */
export const createVoiceAnswers =
  ({ room, nameOf, recentCaptions, speaking }: VoiceAnswersDeps): ConversationDeps['answer'] =>
  async (speakerId, question, asked) => {
    const { services, channel, texts, messages, clock } = room;
    const { space } = channel();
    const by = { id: speakerId, name: nameOf(speakerId) };
    const meter = createMeter(services, { space, memberId: speakerId });
    const over = AbortSignal.any([asked, room.signal]);
    let written = '';
    let isCut = false;
    const cut = (): void => {
      isCut = true;
    };
    const think = async (signal: AbortSignal): Promise<void> => {
      const turns = roomTurns(question, recentCaptions());
      const { assistant } = meter.services;
      const states = assistant.answer(turns, { lane: 'live', space }, signal, { cut });
      written = await resultOf(states, (soFar) => {
        written = soFar;
      });
      signal.throwIfAborted();
    };
    /** The words that came until the time is up are an answer, too. */
    const answerInTime = async (): Promise<RichText> => {
      try {
        await withTimeout(clock, ANSWER_MS, tooSlow, think, over);
      } catch (thrown) {
        if (written === '' || over.aborted || toAppError(thrown).code !== 'timeout') throw thrown;
        cut();
      }
      return answerText(written);
    };
    let failure: 'room.not-answered' | 'room.not-said' = 'room.not-answered';
    try {
      const answer = await answerInTime();
      const note = isCut && texts.cut();
      await messages.post({ text: lines(texts.question(by.name, question), answer, note) });
      failure = 'room.not-said';
      over.throwIfAborted();
      await speaking.say({ kind: 'answer', text: answer, by });
    } catch (thrown) {
      const error = limitForOthers(toAppError(thrown), by.name);
      if (!over.aborted) await messages.post(texts.failed(failure, error));
    } finally {
      await meter.settle().catch(() => undefined);
    }
  };
