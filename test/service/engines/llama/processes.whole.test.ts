import { afterEach, describe, expect, it } from 'vitest';
import type { LlamaProcesses } from '../../../../service/engines/llama/processes.ts';
import { createTestClock } from '../../../fakes/clock.ts';
import { fakeProcesses, languageModel, saying } from './scene.ts';

const signal = new AbortController().signal;
const MODEL = languageModel('small');
const OTHER = languageModel('other');

let processes: LlamaProcesses;
afterEach(() => processes[Symbol.asyncDispose]());

const ask = async (content: string, model = MODEL, wanted = signal): Promise<string> => {
  let words = '';
  await processes.call(model, saying(content), wanted, (text) => (words += text));
  return words;
};
const faultOf = (model = MODEL) => processes.faultOf(model);

describe('the process of a language model', () => {
  it('gives words as they come', async () => {
    processes = fakeProcesses();
    expect(await ask('good morning')).toBe('good morning ');
  });

  it('that dies in the middle of a reply ends this reply alone', async () => {
    processes = fakeProcesses();
    await expect(ask('die slowly')).rejects.toMatchObject({ code: 'unavailable', retryable: true });
    expect(faultOf()).toBeUndefined();
    expect(await ask('hello')).toBe('hello ');
  });

  it('that dies twice within a minute is not started again for ten, and says so', async () => {
    const clock = createTestClock();
    processes = fakeProcesses({ clock });
    await expect(ask('die')).rejects.toMatchObject({ code: 'unavailable' });
    expect(faultOf()).toBe('it crashed twice within a minute, and is tried again in 10 min');
    expect(faultOf(OTHER)).toBeUndefined();
    await expect(ask('hello')).rejects.toThrow(/^small: it crashed twice/);
    expect(await ask('hello', OTHER)).toBe('hello ');
    await clock.advance(10 * 60_000);
    expect(faultOf()).toBeUndefined();
    expect(await ask('hello')).toBe('hello ');
  });

  it('that dies twice within a longer time is started again', async () => {
    const clock = createTestClock();
    processes = fakeProcesses({ clock });
    for (let time = 0; time < 2; time += 1) {
      await expect(ask('die slowly')).rejects.toThrow();
      await clock.advance(60_000);
    }
    expect(await ask('hello')).toBe('hello ');
  });

  it('tells why its model cannot be loaded', async () => {
    processes = fakeProcesses();
    const unknown = languageModel('unknown');
    await expect(ask('hello', unknown)).rejects.toMatchObject({ code: 'unavailable' });
    expect(faultOf(unknown)).toContain("(unknown model architecture: 'x')");
  });

  it('is not started without memory for its file, its conversations and itself', async () => {
    const neededBytes = MODEL.bytes + 2 * 4_096 * MODEL.tokenBytes + 300e6;
    let freeBytes = neededBytes - 1;
    processes = fakeProcesses({ sequences: 2, freeBytes: () => freeBytes });
    expect(faultOf()).toBe('it needs 1308 MB of memory, and 1308 MB are free');
    await expect(ask('hello')).rejects.toMatchObject({ code: 'unavailable' });
    freeBytes = neededBytes;
    expect(await ask('hello')).toBe('hello ');
    freeBytes = 0;
    expect(await ask('hello again')).toBe('hello again ');
  });

  it('leaves the memory alone that another one is about to take', async () => {
    processes = fakeProcesses({ sequences: 2, freeBytes: () => 2e9 });
    const asked = Promise.allSettled([ask('hello'), ask('hello', OTHER)]);
    expect(faultOf(OTHER)).toBe('it needs 1308 MB of memory, and 692 MB are free');
    expect((await asked).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(await ask('hello', OTHER)).toBe('hello ');
  });

  it('makes room for another model while it has nothing to do', async () => {
    let first = 0;
    const isRunning = (): boolean => {
      try {
        return first > 0 && process.kill(first, 0);
      } catch {
        return false;
      }
    };
    processes = fakeProcesses({ freeBytes: () => (isRunning() ? 0.1e9 : 2e9) });
    first = Number(await ask('pid'));
    expect(faultOf(OTHER)).toBeUndefined();
    expect(await ask('hello', OTHER)).toBe('hello ');
    expect(isRunning()).toBe(false);
  });

  it('answers one after the other where the machine carries one', async () => {
    processes = fakeProcesses();
    await Promise.all(Array.from({ length: 20 }, () => ask('hello')));
    expect(await ask('most')).toBe('1 ');
  });

  it('answers two at the same time where the machine carries two', async () => {
    processes = fakeProcesses({ sequences: 2 });
    const left = new AbortController();
    const waits = ask('wait', MODEL, left.signal);
    expect(await ask('hello')).toBe('hello ');
    left.abort();
    await expect(waits).rejects.toThrow();
  });

  it('stops when its asker leaves, and answers the next', async () => {
    processes = fakeProcesses();
    const left = new AbortController();
    const asked = processes.call(MODEL, saying('wait'), left.signal, () => left.abort());
    await expect(asked).rejects.toThrow();
    expect(await ask('hello')).toBe('hello ');
  });

  it('is ended when its model is removed', async () => {
    processes = fakeProcesses();
    await ask('hello');
    processes.keep([OTHER], '');
    expect(await ask('hello', OTHER)).toBe('hello ');
    expect(await ask('hello')).toBe('hello ');
  });
});
