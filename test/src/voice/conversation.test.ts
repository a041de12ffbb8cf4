import { describe, expect, it } from 'vitest';
import { createConversation } from '../../../src/voice/conversation.ts';
import type { TranscriptEvent } from '../../../src/voice/stt/transcript-emitter.ts';
import { createTestClock } from '../../fakes/clock.ts';

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

describe('talking with a room', () => {
  it('answers who says our name and a question', async () => {
    const { asked, say } = start();
    say('ann', 'what is the time?');
    say('ann', 'Dragoman, what is the time?');
    expect(asked).toEqual(['ann: what is the time?']);
  });

  it('takes what a person says after the name for the question, for a while, and only theirs', async () => {
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

  it('ends the answer to who is not heard any more, and to nobody else', () => {
    const { conversation, say, signals } = start();
    say('ann', 'Dragoman, one');
    say('bob', 'Dragoman, two');
    conversation.forget('ann');
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  });

  it('listens to what somebody says next, and to nobody else', async () => {
    const { conversation, asked, say } = start();
    const heard = conversation.listenTo('ann', never);
    say('bob', 'not me');
    say('ann', '');
    say('ann', 'Dragoman, what is this?');
    await expect(heard).resolves.toBe('Dragoman, what is this?');
    expect(asked).toEqual([]);
  });

  it('stops listening after a while, when it is told to, and when it is over', async () => {
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
