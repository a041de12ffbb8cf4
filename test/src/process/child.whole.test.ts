import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createChild, type Child, type ChildOptions } from '../../../src/process/child.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import type { EchoRequest } from '../../fakes/echo-worker.ts';

const WORKER = new URL('../../fakes/echo-worker.ts', import.meta.url);
const WORDS = 'the words of somebody';
const signal = new AbortController().signal;

describe('a child process', () => {
  let child: Child<EchoRequest, number | string[] | Float32Array, number>;
  const start = (options: Partial<ChildOptions> = {}): void => {
    child = createChild({
      name: 'echo',
      file: WORKER,
      log: createLog('silent'),
      // However busy the machine is.
      callTimeoutMs: 200_000,
      callsPerChild: 100,
      idleMs: 60_000,
      ...options,
    });
  };
  afterEach(() => child[Symbol.asyncDispose]());
  const pid = (): Promise<unknown> => child.call({ kind: 'pid' }, signal);
  /** Begins a call that waits; resolves with what ends it. */
  const beginCall = async () => {
    const own = new AbortController();
    const begun = Promise.withResolvers<void>();
    const waits = child.call({ kind: 'count', parts: 1, end: 'wait' }, own.signal, () =>
      begun.resolve(),
    );
    await begun.promise;
    return async (): Promise<void> => {
      own.abort();
      await expect(waits).rejects.toThrow();
    };
  };

  it('does one call after the other in one process', async () => {
    start();
    const [first, second] = await Promise.all([pid(), pid()]);
    expect(first).toBe(second);
    const samples = Float32Array.of(0.25, -1);
    expect(await child.call({ kind: 'echo', samples }, signal)).toEqual(samples);
  });

  it('inherits no environment, for there are secrets in it', async () => {
    start();
    expect(process.env['PATH']).toBeDefined();
    const names = await child.call({ kind: 'environment' }, signal);
    expect(names).not.toContain('PATH');
    expect(names).not.toContain('HOME');
  });

  it('loads no library of the log, which its parent writes', async () => {
    start();
    const loaded = await child.call({ kind: 'loaded' }, signal);
    expect(String(loaded)).not.toContain('/node_modules/pino/');
  });

  it('does not outlive its parent, even while it works', async () => {
    start();
    const orphan = fork(WORKER, { serialization: 'advanced' });
    orphan.send({ id: 1, request: { kind: 'pid' } });
    await once(orphan, 'message');
    orphan.send({ id: 2, request: { kind: 'hang' } });
    const ended = once(orphan, 'exit');
    orphan.disconnect();
    try {
      await ended;
    } finally {
      orphan.kill('SIGKILL');
    }
    expect(orphan.exitCode).toBe(0);
  });

  it('leaves it to its parent to end on Ctrl-C', async () => {
    start();
    const first = await pid();
    process.kill(Number(first), 'SIGINT');
    for (let call = 0; call < 50; call += 1) expect(await pid()).toBe(first);
  });

  it('tells what it failed with, and lives on', async () => {
    start();
    const before = await pid();
    await expect(child.call({ kind: 'refuse' }, signal)).rejects.toThrow('echo: no model');
    await expect(child.call({ kind: 'fail', text: WORDS }, signal)).rejects.toThrow(
      /^echo: TypeError ERR_WORDS$/,
    );
    expect(await pid()).toBe(before);
  });

  it('has nothing logged of what people wrote, at the finest level, whatever it does with it', async () => {
    const lines: string[] = [];
    start({ log: createLog('trace', { write: (line) => void lines.push(line) }) });
    for (const kind of ['fail', 'crash'] as const)
      await expect(child.call({ kind, text: WORDS }, signal)).rejects.toThrow(/^(?!.*words of)/);
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      {
        process: 'echo',
        error: { type: 'TypeError', stack: expect.stringContaining('echo-worker') },
      },
      { process: 'echo', code: 7 },
      { process: 'echo', code: 7 },
    ]);
    expect(lines.join('')).not.toContain('words of');
  });

  it('tells operators why it died, and no client, where it prints nothing of anybody', async () => {
    const lines: string[] = [];
    const log = createLog('warn', { write: (line) => void lines.push(line) });
    start({ tellsErrors: true, log });
    const text = 'out of\n memory';
    await expect(child.call({ kind: 'crash', text }, signal)).rejects.toMatchObject({
      code: 'unavailable',
      message: 'echo crashed',
      cause: { message: 'out of memory' },
    });
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { process: 'echo', code: 7, said: 'out of memory' },
      { process: 'echo', code: 7, said: 'out of memory' },
    ]);
  });

  it('tells nothing more once it has closed its standard error', async () => {
    start({ tellsErrors: true });
    const crash = child.call({ kind: 'crash', text: WORDS, isQuiet: true }, signal);
    await expect(crash).rejects.toThrow(/^echo crashed$/);
  });

  it('gives a call up that kills it twice, and starts anew for the next', async () => {
    start();
    const before = await pid();
    await expect(child.call({ kind: 'die' }, signal)).rejects.toMatchObject({
      code: 'unavailable',
      message: 'echo crashed',
    });
    expect(await pid()).not.toBe(before);
  });

  it('does a call again that was not to blame for its death', async () => {
    start();
    const before = (await pid()) as number;
    process.kill(before, 'SIGKILL');
    expect(await pid()).not.toBe(before);
  });

  it('does a call again whose child is dead, though nobody was told yet', async () => {
    start();
    const before = (await pid()) as number;
    process.kill(before, 'SIGKILL');
    // The event loop stands still, so that the exit is not reported before the call is sent.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    expect(await pid()).not.toBe(before);
  });

  it('sends parts before its reply', async () => {
    start();
    const parts: number[] = [];
    const reply = await child.call({ kind: 'count', parts: 3, end: 'reply' }, signal, (part) =>
      parts.push(part),
    );
    expect({ parts, reply }).toEqual({ parts: [1, 2, 3], reply: 0 });
  });

  it('learns that nobody waits any more, and has stopped before the next call begins', async () => {
    start();
    const own = new AbortController();
    const reason = new Error('left');
    const asked = child.call({ kind: 'count', parts: 1, end: 'wait' }, own.signal, () =>
      own.abort(reason),
    );
    await expect(asked).rejects.toBe(reason);
    expect(await child.call({ kind: 'count', parts: 0, end: 'reply' }, signal)).toBe(1);
  });

  it('is killed where it goes on with a call that nobody waits for any more', async () => {
    start({ leftTimeoutMs: 1, callTimeoutMs: 600_000 });
    const first = await pid();
    const own = new AbortController();
    const hangs = child.call({ kind: 'hang' }, own.signal);
    await setImmediate();
    own.abort(new Error('left'));
    await expect(hangs).rejects.toThrow('left');
    expect(await pid()).not.toBe(first);
  });

  it('does not do a call again of which parts have come', async () => {
    start();
    const parts: number[] = [];
    const asked = child.call({ kind: 'count', parts: 1, end: 'die' }, signal, (part) =>
      parts.push(part),
    );
    await expect(asked).rejects.toMatchObject({ code: 'unavailable', message: 'echo crashed' });
    expect(parts).toEqual([1]);
  });

  it('does as many calls at the same time as it may', async () => {
    start({ concurrent: 2 });
    const end = await beginCall();
    expect(await pid()).toEqual(expect.any(Number));
    await end();
  });

  it('is stopped for being idle or old only when no other call runs', async () => {
    start({ concurrent: 2, callsPerChild: 2, idleMs: 1 });
    const end = await beginCall();
    const first = await pid();
    for (let call = 0; call < 20; call += 1) expect(await pid()).toBe(first);
    await end();
  });

  it('says that it died, and not that it was stopped', async () => {
    let deaths = 0;
    start({ onDeath: () => (deaths += 1) });
    await expect(child.call({ kind: 'die' }, signal)).rejects.toThrow();
    expect(deaths).toBe(2);
    await pid();
    await child[Symbol.asyncDispose]();
    expect(deaths).toBe(2);
  });

  it('is not waited for when a call takes too long, nor by the next call', async () => {
    start({ callTimeoutMs: 1 });
    const hang = (): Promise<unknown> => child.call({ kind: 'hang' }, signal);
    const both = await Promise.allSettled([hang(), hang()]);
    for (const one of both)
      expect(one).toMatchObject({ status: 'rejected', reason: { code: 'timeout' } });
  });

  it('may take longer for its first call', async () => {
    start({ callTimeoutMs: 1, firstCallTimeoutMs: 200_000 });
    await pid();
    const hang = child.call({ kind: 'hang' }, signal);
    await expect(hang).rejects.toMatchObject({ code: 'timeout' });
  });

  it('is replaced after its number of calls', async () => {
    start({ callsPerChild: 2 });
    const pids = [await pid(), await pid(), await pid()];
    expect(pids[0]).toBe(pids[1]);
    expect(pids[2]).not.toBe(pids[0]);
  });

  it('is ended when it has nothing to do, and started again', async () => {
    start({ idleMs: 1 });
    const before = (await pid()) as number;
    await expect
      .poll(() => {
        try {
          return process.kill(before, 0);
        } catch {
          return false;
        }
      })
      .toBe(false);
    expect(await pid()).not.toBe(before);
  });

  it('does not begin a call whose asker has left', async () => {
    start();
    await expect(child.call({ kind: 'pid' }, AbortSignal.abort())).rejects.toThrow();
  });

  it('refuses calls once it is closed', async () => {
    start();
    await child[Symbol.asyncDispose]();
    await expect(pid()).rejects.toMatchObject({ code: 'unavailable' });
  });
});
