import { expect } from 'vitest';
import { PATHS } from '../../src/api/contract.ts';
import type { FakeChannel, FakeMessage } from '../fakes/discord/index.ts';
import { copiesOf, copyOf } from './shown.ts';
import type { Bot, Linked } from './support.ts';

const LINES = 40;
/** Requests of other lines that are answered before the first line is. */
const ANSWERED = 12;

export const lineOf = (index: number): string => `Everybody talks at once, line ${index}`;

/**
 * Two people say forty lines, of which those after the first are translated before it is: they are
 * posted together, so that some share a message. Resolves when all of them are in the channel.
 */
export const crowd = async (
  bot: Bot,
  { english, spanish, ann, bob, ...at }: Linked,
): Promise<readonly FakeMessage[]> => {
  const opening = Promise.withResolvers<void>();
  const first = Promise.withResolvers<void>();
  const asked = (): number => bot.translations().length;
  const answered = (): number => bot.speech.answered(PATHS.translate);
  const before = asked();
  bot.speech.fail(PATHS.translate, { until: opening.promise });
  english.say(ann, 'Nobody talks before this is translated');
  await expect.poll(asked).toBe(before + 2);
  bot.speech.fail(PATHS.translate, { until: first.promise });
  const said = Array.from({ length: LINES }, (_, index) =>
    english.say(index % 2 === 0 ? ann : bob, lineOf(index)),
  );
  // All have arrived by the time a later command is answered.
  await bot.use({ ...at, channel: english, ann, bob }, 'status');
  const beforeLines = answered();
  opening.resolve();
  await expect.poll(answered).toBeGreaterThan(beforeLines + ANSWERED);
  // What was answered has been taken by the time a later command is answered.
  await bot.use({ ...at, channel: english, ann, bob }, 'status');
  first.resolve();
  for (const each of said) await copyOf(each, spanish);
  return said;
};

/** The message of another channel that holds copies of the most lines, and which lines they are. */
export const fullest = (
  said: readonly FakeMessage[],
  channel: FakeChannel,
): { readonly message: FakeMessage; readonly lines: readonly number[] } => {
  const all = channel.messages.map((message) => ({
    message,
    lines: said.flatMap((each, line) =>
      copiesOf(each, channel).some(({ id }) => id === message.id) ? line : [],
    ),
  }));
  return all.toSorted((a, b) => b.lines.length - a.lines.length)[0]!;
};
