import { spokenName } from '../text/speech/spoken-name.ts';
import { orAborted } from '../async/abort.ts';
import { type AppError, userError } from '../errors.ts';
import type { Clock } from '../async/clock.ts';
import type { TranscriptEvent } from './stt/transcript-emitter.ts';

/** Letters that are heard for each other, and marks that a recogniser puts or leaves out. */
const folded = (text: string): string =>
  text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** What people say before a name when they call somebody. */
const CALLS = 'hey hi hello ok okay hallo hola oye salut bonjour ねえ ねぇ 하이 嘿'
  .split(' ')
  .map(folded)
  .join('|');

/** Signs that a recogniser puts before the first word, as `¿`. */
const START = String.raw`^[^\p{L}\p{N}]{0,5}(?:(?:${CALLS})[\s,、!]+)?`;

/**
 * What somebody asks who says one of our names first: "Dragoman, what is that?". Empty when they said
 * the name alone, undefined when they said something else.
 */
export const questionAfter = (text: string, names: readonly string[]): string | undefined => {
  const plain = text.trimStart();
  const spoken = names.flatMap((name) => [name, spokenName(name)]).map(folded);
  for (const name of spoken.filter((each) => each.length > 2)) {
    const call = new RegExp(
      `${START}${RegExp.escape(name)}(?!['’-]?[\\p{L}\\p{N}])[\\s,.!?:;、。！？…-]*`,
      'u',
    );
    // Folding may change lengths, so the words are counted through letter by letter.
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
  /** What people may call us; none: nobody wakes us by name. */
  readonly names: () => readonly string[];
  /** Answers aloud and in writing; aborted where nobody wants it any more. Never rejects. */
  readonly answer: (speakerId: string, question: string, signal: AbortSignal) => Promise<void>;
}

/** Who asks aloud, and what. */
export interface Conversation extends Disposable {
  /** A final line of somebody who is heard. */
  heard(line: TranscriptEvent): void;
  /** What a member says next. */
  listenTo(memberId: string, signal: AbortSignal): Promise<string>;
  /** Somebody is not heard any more: what they asked is not answered. */
  forget(memberId: string): void;
}

/** Who says nothing for so long has changed their mind. */
const PATIENCE_MS = 30_000;
/** After the name alone, the question follows. */
const QUESTION_MS = 10_000;

const notHeard = (): AppError => userError('not-found', 'room.nothing-heard');

export const createConversation = ({ clock, names, answer }: ConversationDeps): Conversation => {
  const asked = new Map<string, PromiseWithResolvers<string> & { readonly sinceMs: number }>();
  /** Who said our name alone → until when the question may follow. */
  const called = new Map<string, number>();
  /** Each is answered before the next one of the same person is taken. */
  const answering = new Map<string, AbortController>();

  const reply = (speakerId: string, question: string): void => {
    if (answering.has(speakerId)) return;
    const stop = new AbortController();
    answering.set(speakerId, stop);
    void answer(speakerId, question, stop.signal).finally(() => answering.delete(speakerId));
  };

  return {
    heard: ({ speakerId, text, endMs }) => {
      if (text === '') return;
      const waiting = asked.get(speakerId);
      if (waiting) {
        // What was said before was said to others.
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
    listenTo: async (memberId, signal) => {
      asked.get(memberId)?.reject(notHeard());
      const waiting = { ...Promise.withResolvers<string>(), sinceMs: clock.nowMs() };
      asked.set(memberId, waiting);
      const cancel = clock.after(PATIENCE_MS, () => waiting.reject(notHeard()));
      try {
        return await orAborted(waiting.promise, signal);
      } finally {
        cancel();
        if (asked.get(memberId) === waiting) asked.delete(memberId);
      }
    },
    forget: (memberId) => {
      asked.get(memberId)?.reject(notHeard());
      called.delete(memberId);
      answering.get(memberId)?.abort(notHeard());
    },
    [Symbol.dispose]: () => {
      for (const waiting of asked.values()) waiting.reject(notHeard());
      called.clear();
    },
  };
};
