import { afterAll, afterEach, beforeAll, expect } from 'vitest';

interface Checked extends AsyncDisposable {
  /** What was logged as an error; those that a test expects it takes out. */
  readonly errors: string[];
}

/** One bot for the tests of a file. After each test nobody was pinged, and nothing went wrong inside. */
export const botOfFile = <Bot extends Checked>(
  open: () => Promise<Bot>,
  pingsOf: (bot: Bot) => readonly unknown[],
): Bot => {
  let opened: Bot;
  beforeAll(async () => {
    opened = await open();
  });
  afterEach(() => {
    expect(pingsOf(opened)).toEqual([]);
    expect(opened.errors.splice(0)).toEqual([]);
  });
  afterAll(() => opened[Symbol.asyncDispose]());
  return new Proxy({} as Bot, { get: (_, name) => Reflect.get(opened, name) as unknown });
};
