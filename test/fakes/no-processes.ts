import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterAll, expect } from 'vitest';

const started: string[] = [];
const note = (message: unknown): void => {
  const { process } = message as { readonly process: ChildProcess };
  // It gets its arguments after it was announced.
  queueMicrotask(() => started.push(process.spawnargs.join(' ')));
};

subscribe('child_process', note);
afterAll(() => {
  unsubscribe('child_process', note);
  expect(started, 'tests that start a process are in a file *.whole.test.ts').toEqual([]);
});
