import { beforeEach, describe, expect, it } from 'vitest';
import { AppError, toAppError, userError } from '../../src/errors.ts';
import { createLog, type Log } from '../../src/log.ts';

let written: string;
let log: Log;

beforeEach(() => {
  written = '';
  log = createLog('trace', { write: (line) => void (written += line) });
});

interface Told {
  readonly type: string;
  readonly code?: string;
  readonly message?: string;
  readonly stack?: string;
  readonly cause?: Told;
}

const tell = (err: unknown): Told => {
  log.error({ err }, 'it failed');
  return (JSON.parse(written) as { err: Told }).err;
};

/** As the library of a platform throws them: with all that was sent. */
class RequestError extends Error {
  override readonly name = 'RequestError[words]';
  readonly code = 50_035;
  readonly requestBody = { json: { content: 'words of somebody' }, files: [] };
  readonly url = 'https://x.test/webhooks/words';
}

describe('what was thrown', () => {
  it('is told by class, code and place', () => {
    const told = tell(new RequestError('words at 7'));
    expect(told).toEqual({
      type: 'RequestError',
      code: '50035',
      stack: expect.stringMatching(/^ {4}at .*log\.test\.ts:\d+:\d+/) as string,
    });
  });

  it('of ours is told with its message, which holds no words, and without its sentence', () => {
    const told = tell(userError('bad-input', 'errors.unknown-language', { language: 'words' }));
    expect(told).toMatchObject({
      type: 'AppError',
      code: 'bad-input',
      message: 'errors.unknown-language',
    });
    expect(Object.keys(told).toSorted()).toEqual(['code', 'message', 'stack', 'type']);
  });

  it.each([
    ['on several lines', new Error('one\n    at words (words)\nwords')],
    ['changed later', Object.assign(new Error('words'), { message: 'other words' })],
    ['as a code', Object.assign(new Error('words'), { code: 'Some words' })],
    ['as no error at all', 'words'],
    ['as an object', { words: 'words' }],
    ['as a cause', new AppError('internal', 'ours', { cause: new RequestError('words') })],
    ['unknown', toAppError(new RequestError('words'))],
    ['in many', new AggregateError([new Error('words')], 'words')],
  ])('holds no words of anybody: %s', (_, thrown) => {
    tell(thrown);
    expect(written).not.toContain('words');
  });

  it('is told with its causes, as far as they tell more', () => {
    const cause = Object.assign(new TypeError('words'), { code: 'ECONNRESET' });
    expect(tell(new AppError('unavailable', 'ours', { cause })).cause).toMatchObject({
      type: 'TypeError',
      code: 'ECONNRESET',
    });
    written = '';
    const endless = new Error('words');
    endless.cause = endless;
    let depth = 0;
    for (let told: Told | undefined = tell(endless); told; told = told.cause) depth += 1;
    expect(depth).toBe(5);
  });

  it('is told the same way by a part’s own log', () => {
    log.child({ part: 'x' }).warn({ err: new RequestError('words') }, 'it failed');
    expect(written).toContain('RequestError');
    expect(written).not.toContain('words');
  });
});

describe('a log', () => {
  it('hides what must not be written', () => {
    log.info({ token: 'words', at: { text: 'words' } }, 'done');
    expect(written).toContain('[hidden]');
    expect(written).not.toContain('words');
  });
});
