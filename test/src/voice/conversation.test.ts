import { describe, expect, it } from 'vitest';
import { createConversation, createVoiceAnswers } from '../../../src/voice/conversation.ts';
import type { TranscriptEvent } from '../../../src/voice/stt/transcript-emitter.ts';
import { NO_RESERVATION } from '../../fakes/reservation.ts';
import { createTestClock } from '../../fakes/clock.ts';
import { userError } from '../../../src/errors.ts';
import type { SpeechRequest, VoiceServices } from '../../../src/voice/room-types.ts';
import type { StatusMessages } from '../../../src/voice/status-messages.ts';
import { createRoomTexts } from '../../../src/voice/texts.ts';
import { markdownOf } from '../../fakes/rich-text.ts';
import { sentence, sentenceLike } from '../../fakes/sentences.ts';
import { realTexts } from '../../fakes/texts.ts';

const start = () => {
  const clock = createTestClock(0);
  const asked: string[] = [];
  const signals: AbortSignal[] = [];
  const state = { answering: Promise.resolve() };
  const conversation = createConversation({
    clock,
    names: () => ['Dragoman'],
    answer: async (speakerId, question, signal) => {
      signals.push(signal);
      asked.push(`${speakerId}: ${question}`);
      await state.answering;
    },
  });
  let id = 0;
  const say = (speakerId: string, text: string, startMs = clock.nowMs()): void => {
    const line: TranscriptEvent = {
      id: (id += 1),
      speakerId,
      startMs,
      endMs: startMs + 1_000,
      text,
      language: 'en',
      isFinal: true,
    };
    conversation.transcript(line);
  };
  return { clock, conversation, asked, signals, say, state };
};
const never = new AbortController().signal;

describe('talking to the bot in a room', () => {
  it("answers a member who says the bot's name and a question", async () => {
    const { asked, say } = start();
    say('ann', 'what is the time?');
    say('ann', 'Dragoman, what is the time?');
    expect(asked).toEqual(['ann: what is the time?']);
  });

  it('takes the next utterance after the name alone as the question, for a while, of the same member only', async () => {
    const { clock, asked, say } = start();
    say('ann', 'Dragoman.', 0);
    say('bob', 'I am hungry', 1_500);
    say('ann', 'what is the time?', 5_000);
    await clock.advance(0);
    say('ann', 'thank you', 7_000);
    say('ann', 'Hey Dragoman', 10_000);
    say('ann', 'never mind', 40_000);
    expect(asked).toEqual(['ann: what is the time?']);
  });

  it('answers one question of a person after the other', async () => {
    const { clock, asked, say, state } = start();
    const answered = Promise.withResolvers<void>();
    state.answering = answered.promise;
    say('ann', 'Dragoman, one');
    say('ann', 'Dragoman, two');
    say('bob', 'Dragoman, three');
    expect(asked).toEqual(['ann: one', 'bob: three']);
    answered.resolve();
    await clock.advance(0);
    say('ann', 'Dragoman, four');
    expect(asked.at(-1)).toBe('ann: four');
  });

  it('ends the answer to a member who is no longer listened to, and to nobody else', () => {
    const { conversation, say, signals } = start();
    say('ann', 'Dragoman, one');
    say('bob', 'Dragoman, two');
    conversation.forget('ann');
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  });

  it('listens to the next utterance of a member, and to nobody else', async () => {
    const { conversation, asked, say } = start();
    const heard = conversation.listenTo('ann', never);
    say('bob', 'not me');
    say('ann', '');
    say('ann', 'Dragoman, what is this?');
    await expect(heard).resolves.toBe('Dragoman, what is this?');
    expect(asked).toEqual([]);
  });

  it('stops listening after a while, when it is aborted, and when it is disposed of', async () => {
    const { clock, conversation } = start();
    const late = conversation.listenTo('ann', never);
    late.catch(() => undefined);
    await clock.advance(30_000);
    await expect(late).rejects.toMatchObject({ sentence: { key: 'room.nothing-heard' } });
    const stop = new AbortController();
    const stopped = conversation.listenTo('ann', stop.signal);
    stop.abort(new Error('gone'));
    await expect(stopped).rejects.toThrow('gone');
    const forgotten = conversation.listenTo('ann', never);
    conversation.forget('ann');
    await expect(forgotten).rejects.toMatchObject({ code: 'not-found' });
    const over = conversation.listenTo('bob', never);
    conversation[Symbol.dispose]();
    await expect(over).rejects.toMatchObject({ code: 'not-found' });
    expect(clock.waiting).toBe(0);
  });
});

const CHANNEL = { space: { platform: 'test', id: 's' }, id: 'room' };

const startAnswering = (
  assistant: () => AsyncIterable<string>,
  say: (request: SpeechRequest) => Promise<boolean> = async () => true,
) => {
  const clock = createTestClock(0);
  const posted: string[] = [];
  const said: string[] = [];
  const stop = new AbortController();
  const state = { posting: Promise.resolve() };
  const answer = createVoiceAnswers({
    room: {
      services: {
        assistant: {
          answer: async function* (_: unknown, __: unknown, signal: AbortSignal) {
            let whole = '';
            for await (const text of assistant()) {
              signal.throwIfAborted();
              yield (whole = text);
            }
            return whole;
          },
        },
        limits: { reserve: async () => NO_RESERVATION },
        usage: { today: async () => ({}), record: async () => undefined },
      } as unknown as VoiceServices,
      clock,
      channel: () => CHANNEL,
      messages: {
        post: async ({ text }) => {
          posted.push(markdownOf(text));
          await state.posting;
          return true;
        },
      } as StatusMessages,
      texts: createRoomTexts(realTexts, 'en', 'plain'),
      signal: new AbortController().signal,
    },
    nameOf: () => 'Ann',
    recentCaptions: () => [],
    speaking: {
      say: async (request) => {
        said.push(markdownOf(request.text));
        return say(request);
      },
    },
  });
  return { clock, posted, said, stop, state, ask: () => answer('ann', 'why?', stop.signal) };
};

it('an answer that cannot be spoken is posted, with the reason', async () => {
  const { posted, ask } = startAnswering(
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

it('an answer that hangs is given up, and what there is of it is shown as cut', async () => {
  const held = Promise.withResolvers<void>();
  const { clock, posted, said, ask } = startAnswering(async function* () {
    yield 'Bec';
    await held.promise;
  });
  const asking = ask();
  await clock.advance(60_000);
  held.resolve();
  await asking;
  expect(posted).toEqual([expect.stringContaining(`Bec\n${sentence('chat.cut')}`)]);
  expect(said).toHaveLength(1);
});

it('a language model that hangs is given up, and the room is informed', async () => {
  const held = Promise.withResolvers<void>();
  const { clock, posted, said, ask } = startAnswering(async function* () {
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
  const { clock, posted, said, stop, state, ask } = startAnswering(async function* () {
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
