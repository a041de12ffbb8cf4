import { expect, it } from 'vitest';
import { userError } from '../../../src/errors.ts';
import { loadTexts } from '../../../src/i18n.ts';
import { type VoiceAnswersDeps, createVoiceAnswers } from '../../../src/voice/conversation.ts';
import type { SpeechRequest } from '../../../src/voice/room-types.ts';
import { createRoomTexts } from '../../../src/voice/texts.ts';
import { createTestClock } from '../../fakes/clock.ts';
import { markdownOf } from '../../fakes/rich-text.ts';
import { sentence, sentenceLike } from '../../fakes/sentences.ts';

const CHANNEL = { space: { platform: 'test', id: 's' }, id: 'room' };

const start = (
  assistant: () => AsyncIterable<string>,
  say: (request: SpeechRequest) => Promise<boolean> = async () => true,
) => {
  const clock = createTestClock(0);
  const posted: string[] = [];
  const said: string[] = [];
  const stop = new AbortController();
  const state = { posting: Promise.resolve() };
  const answer = createVoiceAnswers({
    services: {
      assistant: {
        answer: async function* (_: unknown, signal: AbortSignal) {
          let whole = '';
          for await (const text of assistant()) {
            signal.throwIfAborted();
            yield (whole = text);
          }
          return whole;
        },
      },
      spaces: { of: async () => ({}) },
      usage: { today: async () => ({}), record: async () => undefined },
    } as unknown as VoiceAnswersDeps['services'],
    clock,
    channel: () => CHANNEL,
    nameOf: () => 'Ann',
    recentCaptions: () => [],
    speaking: {
      say: async (request) => {
        said.push(markdownOf(request.text));
        return say(request);
      },
    },
    messages: {
      post: async ({ text }) => {
        posted.push(markdownOf(text));
        await state.posting;
        return true;
      },
    },
    texts: createRoomTexts(loadTexts('locales'), 'en', 'plain'),
    signal: new AbortController().signal,
  });
  return { clock, posted, said, stop, state, ask: () => answer('ann', 'why?', stop.signal) };
};

it('an answer that cannot be spoken is posted, with the reason', async () => {
  const { posted, ask } = start(
    async function* () {
      yield 'Because.';
    },
    async () => {
      throw userError('unavailable', 'room.none');
    },
  );
  await ask();
  expect(posted).toEqual([
    `${sentence('room.heard-you', { name: 'Ann', question: 'why?' })}\nBecause.`,
    sentence('room.not-said', { reason: sentence('room.none') }),
  ]);
});

it('a language model that hangs is given up, and the room is informed', async () => {
  const held = Promise.withResolvers<void>();
  const { clock, posted, said, ask } = start(async function* () {
    yield 'Bec';
    await held.promise;
    yield 'Because.';
  });
  const asking = ask();
  await clock.advance(60_000);
  held.resolve();
  await asking;
  expect(posted).toEqual([expect.stringMatching(sentenceLike('room.not-answered'))]);
  expect(said).toEqual([]);
  expect(clock.waiting).toBe(0);
});

it('an answer is not spoken when the question was withdrawn while it was posted', async () => {
  const { clock, posted, said, stop, state, ask } = start(async function* () {
    yield 'Because.';
  });
  const held = Promise.withResolvers<void>();
  state.posting = held.promise;
  const asking = ask();
  await clock.advance(0);
  stop.abort(new Error('taken back'));
  held.resolve();
  await asking;
  expect(posted).toHaveLength(1);
  expect(said).toEqual([]);
});
