import type { Clock } from '../async/clock.ts';
import { resultOf } from '../async/generators.ts';
import { roomTurns } from '../chat/room-turns.ts';
import { AppError, toAppError } from '../errors.ts';
import { lines } from '../model/compose-rich-text.ts';
import type { Channel } from '../model/place.ts';
import { parseMarkdown } from '../text/markdown/parse.ts';
import { createMeter, type MeteredServices } from '../usage/meter.ts';
import type { ConversationDeps } from './conversation.ts';
import type { StatusMessages } from './status-messages.ts';
import type { RoomFailure, RoomTexts } from './texts.ts';
import type { Speaking } from './tts/speaking.ts';

export interface VoiceAnswersDeps {
  readonly services: MeteredServices;
  readonly clock: Clock;
  readonly channel: () => Channel;
  readonly nameOf: (memberId: string) => string;
  /** The latest captions, oldest first. */
  readonly recentCaptions: () => readonly string[];
  readonly speaking: Pick<Speaking, 'say'>;
  readonly messages: Pick<StatusMessages, 'post'>;
  readonly texts: RoomTexts;
  /** Aborted when the room is over. */
  readonly signal: AbortSignal;
}

/** Longest wait for a spoken answer. */
const ANSWER_MS = 60_000;

/**
 * Answers spoken questions, in writing and aloud; usage counts for the person who asked. Nothing is
 * shown for a question that was withdrawn.
 */
export const createVoiceAnswers =
  (deps: VoiceAnswersDeps): ConversationDeps['answer'] =>
  async (speakerId, question, asked) => {
    const { services, clock, speaking, messages, texts } = deps;
    const { space } = deps.channel();
    const by = { id: speakerId, name: deps.nameOf(speakerId) };
    const meter = createMeter(services, { space, memberId: speakerId });
    const late = new AbortController();
    const cancel = clock.after(ANSWER_MS, () =>
      late.abort(new AppError('timeout', 'an answer took too long', { retryable: true })),
    );
    const over = AbortSignal.any([asked, deps.signal]);
    const signal = AbortSignal.any([late.signal, over]);
    let failure: RoomFailure = 'room.not-answered';
    try {
      const turns = roomTurns(question, deps.recentCaptions());
      const written = await resultOf(meter.services.assistant.answer(turns, signal));
      const answer = parseMarkdown(written);
      signal.throwIfAborted();
      await messages.post({ text: lines(texts.question(by.name, question), answer) });
      failure = 'room.not-said';
      over.throwIfAborted();
      await speaking.say({ kind: 'answer', text: answer, by });
    } catch (thrown) {
      if (!over.aborted) await messages.post(texts.failed(failure, toAppError(thrown)));
    } finally {
      cancel();
      await meter.settle().catch(() => undefined);
    }
  };
