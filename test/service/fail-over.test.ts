import { describe, expect, it } from 'vitest';
import { silentLog } from '../fakes/silent-log.ts';
import { AppError } from '../../src/errors.ts';
import { createEngineHealth, type EngineHealth } from '../../service/engine-loader.ts';
import { BackendError, ContractError } from '../../service/errors.ts';
import { asFull, watched, withFailOver } from '../../service/fail-over.ts';
import { createRequestLimiter } from '../../service/request-limiter.ts';
import { createTestClock } from '../fakes/clock.ts';

const signal = new AbortController().signal;
const down = (): AppError => new AppError('unavailable', 'it is down', { retryable: true });
const full = (): ContractError => new ContractError('ErrRateLimited', 'full');
const backend = (status: number, retryAfterMs?: number): BackendError =>
  new BackendError('it refused', {
    status,
    mediaType: '',
    body: new Uint8Array(0),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });

const createEngines = () => {
  const clock = createTestClock();
  const offer = (name: string) => ({
    name,
    engine: { complete: async () => ({ mediaType: '', body: (async function* () {})() }) },
    limiter: createRequestLimiter({ concurrent: 1, waiting: 1 }),
    health: createEngineHealth(clock),
  });
  const offers = [offer('first'), offer('second')];
  const asked: string[] = [];
  const ask = (fail: (name: string) => Error | undefined): Promise<string> =>
    withFailOver<'chat', string>(
      offers,
      async ({ name }) => {
        asked.push(name);
        const error = fail(name);
        if (error) throw error;
        return name;
      },
      { ability: 'chat', log: silentLog, signal, clock },
    );
  return { clock, offers, asked, ask };
};

describe('several engines for a task', () => {
  it.each([
    ['is down', down()],
    ['takes too long', new AppError('timeout', 'late')],
    ['answers nonsense', new AppError('bad-reply', 'HTML')],
    ['answers 500', backend(500)],
    ['refuses the service’s key', backend(401)],
    ['has too many requests', backend(429)],
    ['is full', full()],
    ['has a fault', new TypeError('x')],
    ['answers one text badly', new ContractError('ErrBadReply', 'a loop')],
    ['answers one text without a byte', new ContractError('ErrBackendFailed', 'empty')],
  ])('let the next one answer when the first %s', async (_, error) => {
    const { ask } = createEngines();
    expect(await ask((name) => (name === 'first' ? error : undefined))).toBe('second');
  });

  it.each([backend(400), backend(422), new ContractError('ErrInvalidAudio', 'noise')])(
    'leave a fault of the request as it is: %s',
    async (error) => {
      const { ask, asked } = createEngines();
      await expect(ask(() => error)).rejects.toBe(error);
      expect(asked).toEqual(['first']);
      await expect(ask(() => undefined)).resolves.toBe('first');
    },
  );

  it.each([
    new ContractError('ErrBadReply', 'a loop'),
    new ContractError('ErrBackendFailed', 'empty'),
    new ContractError('ErrTextTooLong', 'long'),
    new ContractError('ErrServiceNotRegistered', 'no such language'),
    full(),
  ])('are asked for other requests as before one that was not for the first: %s', async (error) => {
    const { ask, asked } = createEngines();
    await ask((name) => (name === 'first' ? error : undefined));
    asked.length = 0;
    expect(await ask(() => undefined)).toBe('first');
    expect(asked).toEqual(['first']);
  });

  it('translate what one of them refuses, which still translates other texts', async () => {
    const { offers } = createEngines();
    const asked: string[] = [];
    const ask = (refusal: Error | undefined): Promise<string> =>
      withFailOver<'chat', string>(
        offers,
        async ({ name }) => {
          asked.push(name);
          if (name === 'first' && refusal) throw refusal;
          return name;
        },
        { ability: 'translation', log: silentLog, signal },
      );
    expect(await ask(backend(400))).toBe('second');
    expect(await ask(undefined)).toBe('first');
  });

  it('are not out of order when their turns are not free in time', async () => {
    const { offers, clock } = createEngines();
    const [first] = offers;
    const turn = await first!.limiter.acquire(signal);
    const answer = withFailOver<'chat', string>(
      offers,
      async ({ name, limiter }, either) => {
        using _ = await limiter.acquire(either).catch(asFull);
        return name;
      },
      { ability: 'chat', log: silentLog, signal, clock },
    );
    await clock.advance(20_000);
    expect(await answer).toBe('second');
    turn[Symbol.dispose]();
    expect(first!.health.mayTry()).toBe(true);
  });

  it('are asked in their order again only when the pause is over, by one request', async () => {
    const { ask, asked, clock } = createEngines();
    const firstDown = (name: string): Error | undefined => (name === 'first' ? down() : undefined);
    await ask(firstDown);
    await ask(firstDown);
    expect(asked.splice(0)).toEqual(['first', 'second', 'second']);
    await clock.advance(2_000);
    await Promise.all([ask(firstDown), ask(firstDown)]);
    expect(asked.splice(0).filter((name) => name === 'first')).toHaveLength(1);
    await clock.advance(2_000);
    await ask(() => undefined);
    expect(asked.splice(0)).toEqual(['second']);
    await clock.advance(2_000);
    expect(await ask(() => undefined)).toBe('first');
    expect(await ask(() => undefined)).toBe('first');
  });

  it('wait as long as the first one asked for', async () => {
    const { ask, asked, clock } = createEngines();
    await ask((name) => (name === 'first' ? backend(429, 30_000) : undefined));
    await clock.advance(29_000);
    asked.length = 0;
    await ask(() => undefined);
    expect(asked).toEqual(['second']);
    await clock.advance(1_000);
    expect(await ask(() => undefined)).toBe('first');
  });

  it('give the error of the best one when all fail, and try even those in their pause', async () => {
    const { ask, asked } = createEngines();
    const errors: Record<string, Error> = { first: down(), second: backend(503) };
    await expect(ask((name) => errors[name])).rejects.toBe(errors['first']);
    asked.length = 0;
    await expect(ask((name) => errors[name])).rejects.toBe(errors['first']);
    expect(asked).toEqual(['first', 'second']);
  });

  /** Asks with a first engine that hangs while `isHanging`; resolves with who answered and after how long. */
  const createHanging = (names = ['first', 'second']) => {
    const { offers, clock } = createEngines();
    let isHanging = true;
    const used = offers.filter(({ name }) => names.includes(name));
    const ask = async (): Promise<readonly [name: string, ms: number]> => {
      const startMs = clock.nowMs();
      const answer = withFailOver<'chat', string>(
        used,
        ({ name }, either) =>
          name === 'second' || !isHanging
            ? Promise.resolve(name)
            : new Promise((_, reject) => {
                either.addEventListener('abort', () => reject(either.reason as Error));
                clock.after(60_000, () => reject(new AppError('timeout', 'late')));
              }),
        { ability: 'chat', log: silentLog, signal, clock },
      );
      const state = { isOver: false };
      const named = answer
        .catch((error: AppError) => error.code)
        .finally(() => {
          state.isOver = true;
        });
      await clock.advance(0);
      while (!state.isOver) await clock.advance(1_000);
      return [await named, clock.nowMs() - startMs];
    };
    return { clock, ask, hang: (hangs: boolean) => (isHanging = hangs) };
  };

  it('wait for one that says nothing for 20 s at most, and ask it last for a minute', async () => {
    const { clock, ask } = createHanging();
    expect(await ask()).toEqual(['second', 20_000]);
    for (let at = 0; at < 5; at += 1) {
      expect(await ask()).toEqual(['second', 0]);
      await clock.advance(10_000);
    }
    expect(await ask()).toEqual(['second', 0]);
    await clock.advance(10_000);
    expect(await ask()).toEqual(['second', 20_000]);
  });

  it('wait for 8 s where it was fast before, and longer after each time, as it may have to be loaded', async () => {
    const { clock, ask, hang } = createHanging();
    hang(false);
    expect(await ask()).toEqual(['first', 0]);
    hang(true);
    for (const waitMs of [8_000, 16_000, 20_000]) {
      expect(await ask()).toEqual(['second', waitMs]);
      await clock.advance(60_000);
    }
    hang(false);
    expect(await ask()).toEqual(['first', 0]);
    hang(true);
    expect(await ask()).toEqual(['second', 8_000]);
  });

  it('leave the only one its own time once, and say soon that it hangs for a minute', async () => {
    const { clock, ask } = createHanging(['first']);
    expect(await ask()).toEqual(['timeout', 60_000]);
    expect(await ask()).toEqual(['timeout', 5_000]);
    await clock.advance(60_000);
    expect(await ask()).toEqual(['timeout', 60_000]);
  });

  it('wait for the rest of an answer that has begun', async () => {
    const { offers, clock } = createEngines();
    const rest = Promise.withResolvers<string>();
    const answer = withFailOver<'chat', string>(
      offers,
      async (_offer, either, begun) => {
        begun();
        await rest.promise;
        either.throwIfAborted();
        return 'first';
      },
      { ability: 'chat', log: silentLog, signal, clock },
    );
    await clock.advance(60_000);
    rest.resolve('x');
    expect(await answer).toBe('first');
  });

  it.each([
    ['a failure', down(), {}, ['warn an engine failed; the next one is asked']],
    ['a full engine', full(), {}, ['debug an engine cannot take it; the next one is asked']],
    ['a full engine that nobody need know of', full(), { isQuiet: true }, []],
  ])('log %s', async (_, error, more, expected) => {
    const { offers } = createEngines();
    const lines: string[] = [];
    const line = (level: string) => (_fields: unknown, text?: string) =>
      void lines.push(`${level} ${text}`);
    await withFailOver<'chat', string>(
      offers,
      async ({ name }) => {
        if (name === 'first') throw error;
        return name;
      },
      { ability: 'chat', log: { warn: line('warn'), debug: line('debug') }, signal, ...more },
    );
    expect(lines).toEqual(expected);
  });

  it('stop when the client has left', async () => {
    const leaving = new AbortController();
    const { offers } = createEngines();
    const answer = withFailOver(
      offers,
      async () => {
        leaving.abort(new Error('left'));
        throw down();
      },
      { ability: 'chat', log: silentLog, signal: leaving.signal },
    );
    await expect(answer).rejects.toThrow('left');
    expect(offers[0]!.health.mayTry()).toBe(true);
  });

  it('remember one that broke off in the middle', async () => {
    let failures = 0;
    const health: EngineHealth = {
      ...createEngineHealth(),
      failed: () => void (failures += 1),
    };
    const words = watched(
      { health },
      (async function* () {
        yield 'a';
        throw down();
      })(),
      signal,
    );
    await words.next();
    await expect(words.next()).rejects.toThrow('down');
    expect(failures).toBe(1);
  });

  it('do not remember a bad reply that shows in the middle', async () => {
    const { offers } = createEngines();
    const words = watched(
      offers[0]!,
      (async function* () {
        yield 'a';
        throw new ContractError('ErrBadReply', 'a loop');
      })(),
      signal,
    );
    await words.next();
    await expect(words.next()).rejects.toThrow('a loop');
    expect(offers[0]!.health.mayTry()).toBe(true);
  });
});
