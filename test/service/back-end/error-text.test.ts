import { describe, expect, it } from 'vitest';
import {
  maskEchoes,
  maskSecrets,
  readErrorText,
  userTexts,
} from '../../../service/back-end/error-text.ts';

const read = (value: unknown, texts: readonly string[] | undefined = []) =>
  readErrorText(
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
    typeof value === 'string' ? 'text/plain' : 'application/json',
    texts,
  );

describe('the text of a back end’s error', () => {
  it.each([
    [{ error: { message: 'no such model' } }],
    [{ error: 'no such model' }],
    [{ message: 'no such model' }],
    [{ detail: 'no such model' }],
    ['no such\n  model'],
  ])('is found in %j', (value) => {
    expect(read(value).text).toBe('no such model');
  });

  it.each(['<html><body>Bad Gateway</body></html>', '', '{"error": ', '{"error":{"code":7}}'])(
    'is empty for %j',
    (value) => {
      expect(read(value).text).toBe('');
    },
  );

  it('is bounded', () => {
    expect(read('word '.repeat(1_000)).text).toHaveLength(300);
  });

  it('names the time to wait', () => {
    const { retryAfterMs } = read({ error: { message: 'Please try again in 1.72s.' } });
    expect(retryAfterMs).toBe(1_720);
  });

  it.each([
    ['Incorrect API key provided: sk-proj-abc123def.', 'sk-proj'],
    ['Incorrect API key provided: sk-proj-********wxyz.', 'wxyz'],
    ['Incorrect API key provided: my-own-k***wxyz-9.', 'wxyz-9'],
    ['token svck:0123456789abcdef is unknown', '0123456789'],
    ['Authorization: Bearer abc.def-123 is wrong', 'abc.def'],
    ['cannot reach http://user:pass@host:80/v1', 'pass'],
    ['GET /v1?api_key=qwertyuiop failed', 'qwertyuiop'],
    ['"secret": "hunter2hunter2"', 'hunter2'],
    ['id 3f9a0c1b2d4e5f60718293a4b5c6d7e8f9', '3f9a0c1b'],
  ])('keeps no secret: %s', (text, secret) => {
    expect(maskSecrets(text)).not.toContain(secret);
    expect(maskSecrets(text)).toContain('…');
  });

  it('keeps what is no secret', () => {
    const text =
      'model llama3.1:8b-instruct-q4_K_M not found, see http://host:11434/api/tags, 2 * 3';
    expect(maskSecrets(text)).toBe(text);
  });

  it('repeats nothing of what a user wrote', () => {
    const texts = ['My secret plan is to leave on Monday.', 'Bob'];
    expect(maskEchoes('cannot parse "secret plan is to leave" of Bob', texts)).toBe(
      'cannot parse "…" of …',
    );
    expect(read({ error: { message: `bad input: ${texts[0]}` } }, texts).text).toBe('bad input: …');
  });

  it('is left out where the request is too long to compare', () => {
    expect(read('model overloaded', ['x'.repeat(70_000)]).text).toBe('');
    expect(
      readErrorText(Buffer.from('overloaded, retry after 2s'), 'text/plain', undefined),
    ).toEqual({
      text: '',
      retryAfterMs: 2_000,
    });
  });

  it('is compared with the words of a request, not with its model', () => {
    const request = {
      model: 'llama3',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hi there' }] }],
      input: 'more',
    };
    expect(userTexts(request)).toEqual(['hi there', 'more']);
  });
});
