import { beforeEach, describe, expect, it } from 'vitest';
import { AppError, toAppError, userError } from '../../../src/errors.ts';
import { createLog, type Log } from '../../../src/telemetry/log.ts';

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
  override readonly name = 'RequestError[murmur]';
  readonly code = 50_035;
  readonly requestBody = { json: { content: 'murmur of somebody' }, files: [] };
  readonly url = 'https://x.test/webhooks/murmur';
}

describe('what was thrown', () => {
  it('is told by class, code and place', () => {
    const told = tell(new RequestError('murmur at 7'));
    expect(told).toEqual({
      type: 'RequestError',
      code: '50035',
      stack: expect.stringMatching(/^ {4}at .*log\.test\.ts(?:\?\S+)?:\d+:\d+/) as string,
    });
  });

  it('by PostgreSQL is told by its state, which may have letters', () => {
    const told = tell(Object.assign(new Error('invalid input: murmur'), { code: '22P02' }));
    expect(told).toMatchObject({ code: '22P02' });
  });

  it('of ours is told with its message, which holds no words, and without its sentence', () => {
    const told = tell(userError('bad-input', 'errors.unknown-language', { language: 'murmur' }));
    expect(told).toMatchObject({
      type: 'AppError',
      code: 'bad-input',
      message: expect.stringMatching(/^Unknown language: \{language\}\. /),
    });
    expect(written).not.toContain('murmur');
    expect(Object.keys(told).toSorted()).toEqual(['code', 'message', 'stack', 'type']);
  });

  it('of ours is told in English with its numbers', () => {
    const used = { used: 1_200, limit: 1_000, hours: 3 };
    expect(tell(userError('rate-limited', 'limits.characters', used)).message).toMatch(
      /1,200 of 1,000 characters .* in about 3 hours\.$/,
    );
  });

  it.each([
    ['on several lines', new Error('one\n    at murmur (murmur)\nmurmur')],
    ['changed later', Object.assign(new Error('murmur'), { message: 'other murmur' })],
    ['as a code', Object.assign(new Error('murmur'), { code: 'Some murmur' })],
    ['as no error at all', 'murmur'],
    ['as an object', { murmur: 'murmur' }],
    ['as a cause', new AppError('internal', 'ours', { cause: new RequestError('murmur') })],
    ['unknown', toAppError(new RequestError('murmur'))],
    ['in many', new AggregateError([new Error('murmur')], 'murmur')],
  ])('holds no words of anybody: %s', (_, thrown) => {
    tell(thrown);
    expect(written).not.toContain('murmur');
  });

  it('is told with its causes, as far as they tell more', () => {
    const cause = Object.assign(new TypeError('murmur'), { code: 'ECONNRESET' });
    expect(tell(new AppError('unavailable', 'ours', { cause })).cause).toMatchObject({
      type: 'TypeError',
      code: 'ECONNRESET',
    });
    written = '';
    const endless = new Error('murmur');
    endless.cause = endless;
    let depth = 0;
    for (let told: Told | undefined = tell(endless); told; told = told.cause) depth += 1;
    expect(depth).toBe(5);
  });

  it('is told the same way by a part’s own log', () => {
    log.child({ part: 'x' }).warn({ err: new RequestError('murmur') }, 'it failed');
    expect(written).toContain('RequestError');
    expect(written).not.toContain('murmur');
  });
});

describe('a log', () => {
  it('hides what must not be written', () => {
    log.info({ token: 'murmur', at: { text: 'murmur' } }, 'done');
    expect(written).toContain('[hidden]');
    expect(written).not.toContain('murmur');
  });
});
