import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findControlToken, withoutControlTokens } from '../../../src/text/control-tokens.ts';
import { plainSpans } from '../../../src/text/plain-spans.ts';

const TOKENS = [
  '<|im_start|>',
  '<|im_end|>',
  '<|eot_id|>',
  '<|start_header_id|>',
  '<|endoftext|>',
  '<|user|>',
  '<|channel|>',
  '<|turn>',
  '<turn|>',
  '<｜User｜>',
  '<｜end▁of▁sentence｜>',
  '<｜hy_Assistant｜>',
  '<start_of_turn>',
  '<end_of_turn>',
  '<bos>',
  '<eos>',
  '<s>',
  '</s>',
  '[INST]',
  '[/INST]',
  '[SYSTEM_PROMPT]',
  '[TOOL_CALLS]',
  '<<SYS>>',
  '<</SYS>>',
  '[|user|]',
  '[|endofturn|]',
  '<think>',
  '</think>',
  '<tool_call>',
];
const part = fc.oneof(
  fc.constantFrom(...TOKENS, '<', '>', '|', '[', '/', 'im_end', ' '),
  fc.string({ maxLength: 5 }),
);
const text = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''));

describe('control tokens of language models', () => {
  it.each(TOKENS)('are no language: %s', (token) => {
    expect(plainSpans(`a ${token} b`)).toEqual([
      { start: 2, end: 2 + token.length, kind: 'control' },
    ]);
  });

  it.each(['a < b', 'x <y> z', '[1]', '[ok]', 'if (a <= b || c >= d)', '<3', '[link]', 'a|b'])(
    'are not what only looks like one: %s',
    (words) => {
      expect(findControlToken(words)).toBe(-1);
    },
  );

  it('are never left in a text for a prompt, of which nothing else changes', () => {
    fc.assert(
      fc.property(text, (given) => {
        const safe = withoutControlTokens(given);
        expect(findControlToken(safe)).toBe(-1);
        expect(safe.replaceAll(' ', '')).toBe(given.replaceAll(' ', ''));
      }),
    );
  });
});
