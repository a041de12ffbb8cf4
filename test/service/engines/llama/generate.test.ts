import { describe, expect, it } from 'vitest';
import { readPrompt, writeReply } from '../../../../service/engines/llama/generate.ts';
import type {
  LlamaModel,
  Sequence,
  LlamaToken,
} from '../../../../service/engines/llama/library.ts';

const signal = new AbortController().signal;

/** A sequence that writes `reply`; its tokens are bytes. */
const fakeSequence = (reply: string, needsCheckpoints = false, onChunk = (): void => {}) => {
  let held: LlamaToken[] = [];
  const chunks: number[] = [];
  const checkpoints: number[] = [];
  const sequence: Sequence = {
    needsCheckpoints,
    get nextTokenIndex() {
      return held.length;
    },
    compareContextTokens: (tokens) => {
      const at = held.findIndex((token, index) => token !== tokens[index]);
      return { firstDifferentIndex: at < 0 ? held.length : at };
    },
    adaptStateToTokens: async (tokens) => {
      // Without a checkpoint it goes back to the beginning.
      if (needsCheckpoints && tokens.length < held.length)
        held = held.slice(0, Math.max(0, ...checkpoints.filter((at) => at <= tokens.length)));
      else held = held.slice(0, tokens.length);
    },
    takeCheckpoint: async () => void checkpoints.push(held.length),
    evaluateWithoutGeneratingNewTokens: async (tokens) => {
      onChunk();
      chunks.push(tokens.length);
      held.push(...tokens);
    },
    evaluate: async function* (tokens) {
      held.push(...tokens);
      for (const byte of Buffer.from(reply)) {
        yield byte;
        held.push(byte);
      }
    },
  };
  return { sequence, chunks, checkpoints };
};

const model = {
  detokenize: (tokens: readonly LlamaToken[]) => Buffer.from(tokens).toString('utf8'),
} as unknown as LlamaModel;

const prompt = (text: string): LlamaToken[] => [...Buffer.from(text)];
const LONG = prompt('a rule that stays. '.repeat(20));

describe('the reading of a prompt', () => {
  it('leaves its last token for the reply, and goes in small chunks', async () => {
    const { sequence, chunks } = fakeSequence('');
    expect(await readPrompt(sequence, LONG, signal)).toBe(0);
    expect(chunks.reduce((sum, chunk) => sum + chunk, 0)).toBe(LONG.length - 1);
    expect(Math.max(...chunks)).toBeLessThanOrEqual(128);
  });

  it('ends between two chunks when nobody waits any more', async () => {
    const left = new AbortController();
    const { sequence, chunks } = fakeSequence('', false, () => left.abort(new Error('left')));
    await expect(readPrompt(sequence, LONG, left.signal)).rejects.toThrow('left');
    expect(chunks).toHaveLength(1);
  });

  it('keeps what was read before, as far as it is the same', async () => {
    const { sequence } = fakeSequence('');
    await readPrompt(sequence, [...LONG, ...prompt('one?')], signal);
    expect(await readPrompt(sequence, [...LONG, ...prompt('two?')], signal)).toBe(LONG.length);
    expect(await readPrompt(sequence, [...LONG, ...prompt('two?')], signal)).toBe(LONG.length + 3);
  });

  it('keeps constant rules of a model that cannot go back, from the third prompt on', async () => {
    const { sequence, checkpoints } = fakeSequence('', true);
    await readPrompt(sequence, [...LONG, ...prompt('one?')], signal);
    expect(await readPrompt(sequence, [...LONG, ...prompt('two?')], signal)).toBe(0);
    expect(checkpoints).toContain(LONG.length);
    expect(await readPrompt(sequence, [...LONG, ...prompt('six?')], signal)).toBe(LONG.length);
  });
});

describe('the writing of a reply', () => {
  const write = async (reply: string, stops: readonly string[] = [], mostTokens = 1_000) => {
    const pieces: string[] = [];
    const { sequence } = fakeSequence(reply);
    const end = await writeReply(
      model,
      sequence,
      prompt('x'),
      { mostTokens, stops, send: (text) => pieces.push(text), options: () => ({}) as never },
      signal,
    );
    return { ...end, text: pieces.join(''), pieces };
  };

  it('ends where the model ends, with letters of several tokens whole', async () => {
    const { text, finish, replyTokens, pieces } = await write('né 😀');
    expect({ text, finish, replyTokens }).toEqual({
      text: 'né 😀',
      finish: 'stop',
      replyTokens: 8,
    });
    expect(pieces).toContain('😀');
  });

  it('ends at the most tokens', async () => {
    expect(await write('the the the', [], 7)).toMatchObject({ text: 'the the', finish: 'length' });
  });

  it.each([
    ['one two three', ['two'], 'one '],
    ['one two three', ['four', 'wo th'], 'one t'],
    ['aab', ['ab'], 'a'],
    ['one tw', ['two'], 'one tw'],
  ])('leaves out what stops it: %s', async (reply, stops, text) => {
    expect(await write(reply, stops)).toMatchObject({ text, finish: 'stop' });
  });

  it('ends when nobody waits any more', async () => {
    const { sequence } = fakeSequence('on and on');
    const left = new AbortController();
    const send = (): void => left.abort(new Error('left'));
    const reply = { mostTokens: 99, stops: [], send, options: () => ({}) as never };
    await expect(writeReply(model, sequence, prompt('x'), reply, left.signal)).rejects.toThrow(
      'left',
    );
  });
});
