import { excerptRow, HOUR_MS, quotedWords, rowChars } from '../../src/command/helpers.ts';
import type { Message } from '../../src/model/message.ts';
import { bullets, lines, nested, sentence } from '../../src/rich-text/compose.ts';
import { link, styled, text, timestamp, type RichText } from '../../src/rich-text/rich-text.ts';
import { secondsOf, type CatchUp, type ReadingContext } from './reading.ts';
import type { ReadMessage } from './translate.ts';

/** UTF-16 units of the words of one message on a page at most and at least, and of what stands around them. */
export const MESSAGE_CHARS = 500;
const LEAST_CHARS = 60;
const AROUND_CHARS = 24;
const NAME_CHARS = 32;
const NAMED_CHARS = 12;
/**
 * A date stands above a message so long after the one before, or after the last date: readers see times in zones of
 * their own, whose midnights nobody else knows.
 */
const PAUSE_MS = 6 * HOUR_MS;
const DATED_MS = 12 * HOUR_MS;

const nameOf = ({ author }: Message): string => quotedWords(author.name, NAME_CHARS) || '…';

/** True where the second message is read as the first one's author going on. */
const goesOn = (
  before: Message | undefined,
  { author: { id, name, avatarUrl } }: Message,
): boolean =>
  before?.author.id === id && before.author.name === name && before.author.avatarUrl === avatarUrl;

/** The room that a message takes beside its words, next to one before or after it. */
export const aroundOf = (
  message: Message,
  beside: Message | undefined,
  { services }: ReadingContext,
): number => {
  if (goesOn(beside, message)) return AROUND_CHARS;
  const url = services.messages.linkOf(message.ref) ?? '';
  return AROUND_CHARS + NAMED_CHARS + nameOf(message).length + url.length;
};

/** Messages that one author wrote one after the other, with a date above them or not. */
interface Run {
  readonly read: ReadMessage[];
  readonly dated: number | undefined;
}

const runsOf = (
  read: readonly ReadMessage[],
  since: number,
  { services }: ReadingContext,
): readonly Run[] => {
  const runs: Run[] = [];
  let [before, dated] = [since * 1_000, since * 1_000];
  for (const one of read) {
    const at = services.messages.timeOf(one.message);
    const isDated = at - before >= PAUSE_MS || at - dated >= DATED_MS;
    before = at;
    if (isDated) dated = at;
    const run = runs.at(-1);
    if (!isDated && run && goesOn(run.read[0]?.message, one.message)) run.read.push(one);
    else runs.push({ read: [one], dated: isDated ? at : undefined });
  }
  return runs;
};

/** Lines of messages, those of one author below the first of them, which leads to its message; long ones are cut until all fit. */
export const shownLines = (
  read: readonly ReadMessage[],
  chars: number,
  { since }: CatchUp,
  ctx: ReadingContext,
): RichText => {
  const { locale, services } = ctx;
  let most = MESSAGE_CHARS;
  const cut = (one: ReadMessage) => excerptRow(one.text, most, { locale });
  const around = read.map(({ message }, index) => aroundOf(message, read[index - 1]?.message, ctx));
  const room = around.reduce((left, taken) => left - taken, chars);
  while (most > LEAST_CHARS && rowChars(read.flatMap(cut)) > room) most = Math.trunc(most * 0.8);
  const timeOf = ({ message }: ReadMessage) =>
    timestamp(secondsOf(services.messages.timeOf(message)), 't');
  return lines(
    ...runsOf(read, since, ctx).flatMap(({ read: [first, ...rest], dated }) => {
      if (!first) return [];
      const { message } = first;
      const url = services.messages.linkOf(message.ref);
      const way = url === undefined ? [] : [link(url, text('↗')), ' '];
      const name = styled('bold', text(nameOf(message)));
      return [
        dated !== undefined && sentence(styled('bold', timestamp(secondsOf(dated), 'D'))),
        bullets(
          nested(
            sentence(timeOf(first), ' ', ...way, name, ': ', ...cut(first)),
            rest.map((one) => sentence(timeOf(one), ' ', ...cut(one))),
          ),
        ),
      ];
    }),
  );
};
