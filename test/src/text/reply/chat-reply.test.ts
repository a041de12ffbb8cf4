import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeAnswer, judgeAnswerSoFar } from '../../../../src/text/reply/chat-reply.ts';

const RULES = 'You are asked in a voice channel, and your answer is also read aloud there.';
const turns = (question: string) =>
  [
    { role: 'system', content: RULES },
    { role: 'user', content: question },
  ] as const;
const judge = (question: string, reply: string) => judgeAnswer(turns(question), reply);

describe('an answer of a language model', () => {
  it.each([
    ['why is the sky blue?', 'Why is the sky blue?'],
    ['hi there', `Hello! ${RULES}`],
    ['明日の天気はどうですか？', '明日の天気はどうですか'],
  ])('that repeats what it was told is none: %j, %j', (question, reply) => {
    expect(judge(question, reply)).toEqual({ fault: 'an echo' });
  });

  it('may quote the question', () => {
    const reply = '"Why is the sky blue?" is a good question.';
    expect(judge('why is the sky blue?', reply)).toEqual({ text: reply, isCut: false });
    expect(judge('ping', 'ping')).toEqual({ text: 'ping', isCut: false });
  });

  it.each([
    'I love you <3',
    'See the list [',
    'x &amp',
    'Write <s>old</s> in HTML',
    '`<think>` it',
  ])('is shown whole where it ends: %s', (reply) => {
    expect(judge('hi', reply)).toEqual({ text: reply, isCut: false });
  });

  it('that goes round in a circle is cut after the first round', () => {
    const reply = `It is red. ${'And it is round and red. '.repeat(20)}`;
    expect(judge('what is it?', reply)).toEqual({
      text: 'It is red. And it is round and red.',
      isCut: true,
    });
  });

  it.each(['| --- | --- | --- | --- | --- | --- |', '-'.repeat(80), 'ha ha ha ha ha ha'])(
    'may repeat signs and laughter: %s',
    (reply) => {
      expect(judge('draw a table', reply)).toEqual({ text: reply, isCut: false });
    },
  );

  it('ends where the model goes on with the conversation', () => {
    expect(judge('hi', 'Hello!<|im_end|>\n<|im_start|>user\nand')).toMatchObject({
      text: 'Hello!',
    });
    expect(judge('hi', 'Hello!</s>')).toMatchObject({ text: 'Hello!' });
    expect(judge('hi', 'Hello!</s> [INST] and')).toMatchObject({ text: 'Hello!' });
    const asked = 'what does <|im_end|> mean?';
    expect(judge(asked, '<|im_end|> ends a turn.')).toMatchObject({
      text: '<|im_end|> ends a turn.',
    });
  });

  it('may begin with the question, and with a mark of a template, while it grows', () => {
    const grown = (question: string, partial: string) => judgeAnswerSoFar(turns(question), partial);
    expect(grown('why is the sky blue?', 'Why is the sky blue?')).toEqual({
      text: '',
      isCut: false,
    });
    expect(grown('hi', 'Hello!<|im_')).toMatchObject({ text: 'Hello!' });
    expect(grown('hi', '<think>hm')).toMatchObject({ text: '' });
  });

  it('is judged whatever it is, without an end or an error', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(200), (reply, times) => {
        const { text = '' } = judge('what?', reply.repeat(times));
        expect((reply.repeat(times) + reply).startsWith(text.trimEnd()) || text === '').toBe(true);
      }),
    );
  });
});
