import { afterEach, expect } from 'vitest';
import { shared } from './opened.ts';

interface Checked extends AsyncDisposable {
  /** What was logged as an error; those that a test expects it takes out. */
  readonly errors: string[];
}

/** One bot for the tests of a file. After each test nobody was pinged, and nothing went wrong inside. */
export const botOfFile = <Bot extends Checked>(
  open: () => Promise<Bot>,
  pingsOf: (bot: Bot) => readonly unknown[],
): Bot => {
  const bot = shared(open);
  afterEach(() => {
    expect(pingsOf(bot)).toEqual([]);
    expect(bot.errors.splice(0)).toEqual([]);
  });
  return bot;
};
