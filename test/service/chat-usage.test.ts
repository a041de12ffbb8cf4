import { describe, expect, it } from 'vitest';
import { createChatUsage } from '../../service/chat-usage.ts';

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
    ['counts words', 'application/json', '{"usage":{"total_tokens":"many"}}'],
    ['has other choices', STREAM, event({ choices: 'none' })],
    ['has an empty choice', STREAM, event({ choices: [{}] })],
  ])('of a reply that %s are those of the question', (_, mediaType, reply) => {
    expect(tokensOf(mediaType, reply)).toBe(10);
  });

  it('of a reply that is too long to read are guessed from its bytes', () => {
    const reply = JSON.stringify({ choices: [{ message: { content: 'x'.repeat(1_000_000) } }] });
    expect(tokensOf('application/json', reply, 65_536)).toBe(Math.ceil((40 + reply.length) / 4));
  });
});
