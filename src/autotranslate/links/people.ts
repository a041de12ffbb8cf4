import { orAborted } from '../../async/abort.ts';
import { realClock, withTimeout, type Clock } from '../../async/clock.ts';
import { createSemaphore } from '../../async/locks.ts';
import { userError } from '../../errors.ts';
import type { FoundElsewhere, PersonElsewhere } from '../../model/blocks.ts';
import { keyOf, type Space } from '../../model/place.ts';
import type { WatchStore } from '../../store/channels/watches.ts';
import { quotedWords } from '../../text/quoted-words.ts';
import type { WatchedPlatforms } from '../watched-platforms.ts';
import { spaceElsewhere, titleOf } from './names.ts';

/** Spaces that are asked at once. */
const AT_ONCE = 8;
/** Longest wait for the answer of one space, and for those of all. */
const ONE_MS = 2_000;
const ALL_MS = 5_000;
/** Spaces that are named of those that did not answer. */
const MOST_NAMED = 5;

export interface PeopleElsewhereDeps {
  readonly watches: Pick<WatchStore, 'list' | 'group'>;
  readonly platforms: Pick<WatchedPlatforms, 'find'>;
  /** Default: the real clock's. */
  readonly after?: Clock['after'];
}

const late = (): Error => userError('timeout', 'reasons.timeout');

/** Creates `Blocks.lookUp`. */
export const createPeopleElsewhere = (deps: PeopleElsewhereDeps) => {
  const { watches, platforms, after = realClock.after } = deps;

  /** Asks one space; undefined for an id that nobody has there. */
  const ask = async (one: Space, id: string): Promise<PersonElsewhere | undefined> => {
    const name = await platforms.find({ space: one })?.feed.personName?.(one, id);
    if (name === undefined) return undefined;
    const around = await spaceElsewhere(one, platforms);
    return { platform: one.platform, id, name: `${quotedWords(name)} · ${around}` };
  };

  /** Does something for each space, as far as there is time; what did not end in time, or failed, is undefined. */
  const each = async <Result>(
    spaces: readonly Space[],
    run: (space: Space) => Promise<Result>,
  ): Promise<readonly (readonly [Space, { readonly result: Result } | undefined])[]> => {
    const turns = createSemaphore(AT_ONCE);
    const inTime = async (space: Space, all: AbortSignal): Promise<Result> => {
      using _ = await turns.acquire(all);
      const own = (signal: AbortSignal): Promise<Result> => orAborted(run(space), signal);
      return await withTimeout({ after }, ONE_MS, late, own, all);
    };
    const every = async (all: AbortSignal) =>
      Promise.all(
        spaces.map(async (space) => {
          const done = inTime(space, all).then((result) => ({ result }));
          return [space, await done.catch(() => undefined)] as const;
        }),
      );
    return withTimeout({ after }, ALL_MS, late, every, new AbortController().signal);
  };

  return async (space: Space, id: string): Promise<FoundElsewhere> => {
    const linked = watches.list(space).flatMap((watch) => watches.group(watch));
    const spaces = new Map(linked.map(({ channel }) => [keyOf(channel.space), channel.space]));
    spaces.delete(keyOf(space));
    const asked = await each([...spaces.values()], (one) => ask(one, id));
    const people = asked.flatMap(([, done]) => done?.result ?? []);
    const silent = asked.flatMap(([one, done]) => (done ? [] : [one]));
    const named = silent.slice(0, MOST_NAMED);
    const names = await each(named, (one) => spaceElsewhere(one, platforms));
    const more = silent.length - named.length;
    return {
      people: [...new Map(people.map((found) => [found.platform, found])).values()],
      silent: [
        ...names.map(([one, done]) => done?.result ?? titleOf(one.platform)),
        ...(more > 0 ? [`+${more}`] : []),
      ],
    };
  };
};
