import { describe, expect, it } from 'vitest';
import { createChatUsage } from '../../../service/routes/chat.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);
const event = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const COUNTED = { usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 } };
const STREAM = 'text/event-stream; charset=utf-8';

/** Tokens of a reply that comes in pieces of so many bytes. */
const tokensOf = (mediaType: string, reply: string, pieceBytes = 7): number => {
  const usage = createChatUsage(mediaType, 40);
  const whole = bytes(reply);
  for (let at = 0; at < whole.length; at += pieceBytes)
    usage.push(whole.subarray(at, at + pieceBytes));
  return usage.tokens();
};

describe('the tokens of a chat', () => {
  it('are those that the back end counted', () => {
    expect(tokensOf('application/json', JSON.stringify(COUNTED))).toBe(18);
    const stream = `${event({ choices: [{ delta: { content: 'Hi' } }] })}${event({ choices: [], ...COUNTED })}data: [DONE]\n\n`;
    expect(tokensOf(STREAM, stream)).toBe(18);
  });

  it('are guessed from the words where it counted none: one for four bytes', () => {
    const message = { choices: [{ message: { role: 'assistant', content: 'zwölf' } }] };
    expect(tokensOf('application/json', JSON.stringify({ ...message, usage: null }))).toBe(12);
    const words = ['zw', 'ölf'].map((content) => event({ choices: [{ delta: { content } }] }));
    expect(tokensOf(STREAM, `${words.join('')}data: [DONE]\n\n`, 1)).toBe(12);
  });

  it.each([
    ['is no JSON', 'application/json', '<html>'],
    ['is cut', STREAM, 'data: {"choices":[{"delta":{"content":"Hi"'],
    ['counts nonsense', 'application/json', '{"usage":{"total_tokens":-5}}'],
    ['counts nothing', 'application/json', '{"usage":{"total_tokens":0}}'],
    ['counts words', 'application/json', '{"usage":{"total_tokens":"many"}}'],
    ['has other choices', STREAM, event({ choices: 'none' })],
    [
      'is nested too deeply',
      'application/json',
      `{"choices":[{"delta":${'['.repeat(50_000)}${']'.repeat(50_000)}}]}`,
    ],
    ['has an empty choice', STREAM, event({ choices: [{}] })],
  ])('of a reply that %s are those of the question', (_, mediaType, reply) => {
    expect(tokensOf(mediaType, reply)).toBe(10);
  });

  it('are guessed from reasoning and calls of tools as well, which some give twice', () => {
    const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"a":"b"}' } };
    const deltas = [
      { role: 'assistant', content: null, reasoning_content: 'Hm, so', reasoning: 'Hm, so' },
      { role: 'assistant', tool_calls: [{ index: 0, ...call }] },
    ];
    const stream = deltas.map((delta) => event({ choices: [{ delta }] })).join('');
    // 40 bytes of question, 6 of reasoning, and 2, 4 and 9 of the call.
    expect(tokensOf(STREAM, stream)).toBe(Math.ceil(61 / 4));
  });

  it('of a stream with an event that is too long to read are guessed from its bytes', () => {
    const long = event({ choices: [{ delta: { content: 'x'.repeat(1_000_000) } }] });
    const short = event({ choices: [{ delta: { content: 'Hi' } }] });
    const tokens = tokensOf(STREAM, `${short}${long}${short}`, 65_536);
    expect(tokens).toBeGreaterThanOrEqual(250_000);
    expect(tokens).toBeLessThan(251_000);
  });

  it('of a reply that is too long to read are those that the back end counted at its end', () => {
    const content = `"total_tokens": 1 ${'x'.repeat(1_000_000)} "total_tokens": 2`;
    const whole = JSON.stringify({ choices: [{ message: { content } }], ...COUNTED, id: 'x' });
    expect(tokensOf('application/json', whole, 65_536)).toBe(18);
    const stream = event({ choices: [{ delta: { content } }] }) + event(COUNTED);
    expect(tokensOf(STREAM, stream, 65_536)).toBe(18);
    const uncounted = JSON.stringify({ choices: [{ message: { content } }] });
    expect(tokensOf('application/json', uncounted, 65_536)).toBeGreaterThan(250_000);
  });

  it('of a reply that is too long to read are guessed from its bytes', () => {
    const reply = JSON.stringify({ choices: [{ message: { content: 'x'.repeat(1_000_000) } }] });
    expect(tokensOf('application/json', reply, 65_536)).toBe(Math.ceil((40 + reply.length) / 4));
  });
});
