import type { Message } from '../../../src/model/message.ts';
import { HERE, messageOf } from '../../fakes/command-harness.ts';

const MINUTE_MS = 60_000;
/** The harness's present. */
const NOW_MS = Date.UTC(2026, 4, 20, 13);
export const CAT = { id: 'cat', name: 'Cat', kind: 'person' } as const;

/** A time so many minutes ago, since 1970. */
export const msAgo = (minutesAgo: number): number => NOW_MS - minutesAgo * MINUTE_MS;
export const secondsAgo = (minutesAgo: number): number => msAgo(minutesAgo) / 1_000;

/** A message that was written so many minutes ago. */
export const written = (
  text: string,
  minutesAgo: number,
  author: Message['author'] = CAT,
): Message => ({
  ...messageOf(text),
  author,
  ref: { channel: HERE, id: String(msAgo(minutesAgo)) },
  position: String(msAgo(minutesAgo)),
});

/** So many messages, one a minute. */
export const lines = (count: number): readonly Message[] =>
  Array.from({ length: count }, (_, at) => written(`line ${at + 1}.`, count - at));

/** Those of `lines` that a text has. */
export const linesIn = (text: string): readonly string[] =>
  [...text.matchAll(/line \d+\./g)].map(([line]) => line);
