import { isDeepStrictEqual } from 'node:util';
import { MINUTE_MS, realClock, sleep } from '../../async/clock.ts';
import { toAppError, userError } from '../../errors.ts';
import { isSameChannel, type Space } from '../../model/place.ts';
import type { Setup, SetupChoices, SetupStep, SetupWork } from '../../model/setup.ts';
import type { ChannelWatch, Changer } from '../../model/space.ts';
import type { Watches } from '../../model/watches.ts';
import type { LeftThing, NewThing } from '../../ports/builder.ts';
import type { SpaceSettings } from '../../store/settings.ts';
import type { SetupStore } from '../../store/setups.ts';
import { createSetupPlans, type SetupPerson, type SetupPlansDeps } from './plans.ts';
import { demandGroups, roleKey, sourcesOf, thingOf, watchesOf } from './steps.ts';

/** Time after which others may work on a set-up, should its process have ended. */
const BUSY_MS = MINUTE_MS;
/** Longest wait for a rate limit before it is left to a person to go on. */
const LONGEST_WAIT_MS = MINUTE_MS;

export interface SetupsDeps extends SetupPlansDeps {
  readonly stored: SetupStore;
  readonly watches: Pick<Watches, 'list' | 'elsewhere' | 'missing' | 'set'>;
  readonly spaces: Pick<SpaceSettings, 'of' | 'change'>;
  readonly now: () => number;
}

/** A person who has a set-up made or undone. */
export interface SetupOptions extends SetupPerson {
  readonly by: Changer;
  /** Takes how many of all steps are done. */
  readonly told?: (done: number, all: number) => Promise<void>;
  readonly signal: AbortSignal;
}

const over = () => userError('not-found', 'autotranslate.wizard-over');

/** A set-up whose making was begun. */
type Begun = Setup & { readonly work: SetupWork };

export type Setups = ReturnType<typeof createSetups>;

/** Makes channels for languages, all that a moderator chose at once; nothing is linked before all is made. */
export const createSetups = (deps: SetupsDeps) => {
  const { stored, builderOf, watches, spaces, now, clock = realClock } = deps;

  const { builderIn, demandPerson, plan, look } = createSetupPlans(deps);

  const find = async (space: Space, id: string): Promise<Setup> => {
    const found = await stored.find(space, id);
    if (!found) throw over();
    return found;
  };

  const busyUntilMs = (): number => now() + BUSY_MS;

  /**
   * Takes the work on a set-up for this process. Rejects where another one works on it, or one with the same channel is not
   * finished: both would make the same; and where it is not as it was `found`, whose person was let do that.
   */
  const claim = async (
    space: Space,
    found: Setup,
    begin: (choices: SetupChoices) => Promise<readonly SetupStep[]>,
  ): Promise<Begun & { readonly isNew: boolean }> => {
    const sinceMs = now();
    const steps = found.work?.steps ?? (await begin(found.choices));
    let isNew = false;
    const taken = await stored.change(space, found.id, (setup, begun) => {
      const { channels } = setup.choices;
      isNew = setup.work === undefined;
      const isRivalled = begun.some((other) =>
        other.choices.channels.some((channel) => channels.includes(channel)),
      );
      if ((setup.work?.busyUntilMs ?? 0) > now() || (isNew && isRivalled))
        throw userError('rate-limited', 'autotranslate.wizard-busy');
      if (!isDeepStrictEqual(setup.choices, found.choices))
        throw userError('bad-input', 'autotranslate.wizard-changed');
      const work = setup.work ?? { sinceMs, busyUntilMs: 0, steps, made: {} };
      return { ...setup, work: { ...work, busyUntilMs: busyUntilMs() } };
    });
    if (!taken?.work) throw over();
    return { ...taken, work: taken.work, isNew };
  };

  const note = async (
    space: Space,
    id: string,
    how: (work: SetupWork) => Partial<SetupWork>,
  ): Promise<Begun> => {
    const noted = await stored.change(space, id, (setup) =>
      setup.work ? { ...setup, work: { ...setup.work, ...how(setup.work) } } : setup,
    );
    if (!noted?.work) throw over();
    return { ...noted, work: noted.work };
  };

  /** Does work on a set-up that was claimed, and lets go of it where that fails. */
  const holding = async <Result>(
    space: Space,
    id: string,
    work: () => Promise<Result>,
  ): Promise<Result> => {
    try {
      return await work();
    } catch (thrown) {
      await note(space, id, () => ({ busyUntilMs: 0 })).catch(() => undefined);
      throw thrown;
    }
  };

  /** Makes a thing, and waits where the platform takes no more for a moment. */
  const make = async (
    space: Space,
    id: string,
    thing: NewThing,
    signal: AbortSignal,
  ): Promise<string> => {
    for (;;) {
      signal.throwIfAborted();
      try {
        return await builderIn(space).make(space, thing);
      } catch (thrown) {
        const { code, retryAfterMs = Infinity } = toAppError(thrown);
        if (code !== 'rate-limited' || retryAfterMs > LONGEST_WAIT_MS) throw thrown;
        await note(space, id, () => ({ busyUntilMs: busyUntilMs() + retryAfterMs }));
        await sleep(clock, retryAfterMs, signal);
      }
    }
  };

  /** Finds what was made and is still there, and what an earlier try made without an answer. */
  const resumed = async (
    space: Space,
    setup: Begun,
    roles: Readonly<Record<string, string>>,
  ): Promise<Required<Pick<SetupWork, 'made' | 'adopted'>>> => {
    const builder = builderIn(space);
    const { steps, made, sinceMs, adopted = [] } = setup.work;
    const things = steps.flatMap(({ key, kind }) =>
      made[key] === undefined ? [] : [{ key, kind, id: made[key] }],
    );
    const there = await builder.standing(space, things);
    const kept = things.filter(({ id }) => there.some((thing) => thing.id === id));
    const next = steps.find(({ key }) => made[key] === undefined);
    const known = Object.values(made);
    const lost = next && (await builder.find(space, thingOf(next, setup, roles), sinceMs, known));
    return {
      made: Object.fromEntries([
        ...kept.map(({ key, id }) => [key, id]),
        ...(next && lost ? [[next.key, lost.id]] : []),
      ]),
      adopted: lost && !lost.isOurs ? [...adopted, lost.id] : adopted,
    };
  };

  /** Links everything that was made, all or nothing. */
  const link = async (
    space: Space,
    setup: Begun,
    by: Changer,
  ): Promise<readonly ChannelWatch[]> => {
    const { steps, made } = setup.work;
    const all = watches.list(space);
    const linked = watchesOf(space, setup, all);
    // A set-up may be gone on with long after it was begun, and linked before a kill.
    const isKnown = ({ channel }: ChannelWatch): boolean =>
      all.some((each) => isSameChannel(each.channel, channel));
    if (!linked.every(isKnown)) demandGroups(space, sourcesOf(setup.choices, all), watches);
    // What was made is as open to all ages as its source.
    if (linked.length > 0) await watches.set(linked, { by, mayMixAges: true });
    const given = steps.flatMap((step) =>
      step.kind === 'role' ? [[step.language, made[roleKey(step.language)] ?? ''] as const] : [],
    );
    if (given.length > 0)
      await spaces.change(space, ({ languageRoles }) => ({
        languageRoles: { ...languageRoles, ...Object.fromEntries(given) },
      }));
    await stored.remove(space, setup.id);
    return linked;
  };

  return {
    /** Tells what can be made in a space; undefined: nothing. */
    offers: (space: Space): { readonly threads: boolean; readonly roles: boolean } | undefined => {
      const builder = builderOf(space);
      return builder && { threads: builder.threads, roles: builder.roles !== undefined };
    },
    /** Stores the first choices of a set-up. */
    begin: stored.put,
    find,
    /** Changes what was chosen; rejects once it is being made. */
    choose: async (space: Space, id: string, change: Partial<SetupChoices>): Promise<Setup> => {
      const changed = await stored.change(space, id, (setup) => {
        if (setup.work) throw userError('bad-input', 'autotranslate.wizard-changed');
        return { ...setup, choices: { ...setup.choices, ...change } };
      });
      if (!changed) throw over();
      return changed;
    },
    /** Lists the set-ups whose making was begun and did not end, the oldest first. */
    unfinished: stored.begun,
    look,
    /**
     * Makes and links everything, or goes on with it; resolves with the channels that are linked. Where it rejects,
     * nothing is linked, and what was made is remembered.
     */
    make: async (
      space: Space,
      id: string,
      options: SetupOptions,
    ): Promise<readonly ChannelWatch[]> => {
      const { by, told, signal } = options;
      const before = await find(space, id);
      await demandPerson(space, before, options);
      const claimed = await claim(space, before, (choices) => plan(space, choices));
      let setup: Begun = claimed;
      return holding(space, id, async () => {
        const { languageRoles: roles = {} } = await spaces.of(space);
        if (!claimed.isNew) {
          const found = await resumed(space, setup, roles);
          setup = await note(space, id, () => found);
        }
        const { steps } = setup.work;
        for (const step of steps) {
          if (setup.work.made[step.key] !== undefined) continue;
          const made = await make(space, id, thingOf(step, setup, roles), signal);
          setup = await note(space, id, (work) => ({
            made: { ...work.made, [step.key]: made },
            busyUntilMs: busyUntilMs(),
          }));
          // Who has closed the answer wants the channels all the same.
          await told?.(Object.keys(setup.work.made).length, steps.length).catch(() => undefined);
        }
        return link(space, setup, by);
      });
    },
    /** Deletes what was made, or only forgets the choices. Resolves with what is left, as somebody else may have made it. */
    undo: async (
      space: Space,
      id: string,
      options: SetupOptions,
    ): Promise<readonly LeftThing[]> => {
      const { by, signal } = options;
      const found = await find(space, id);
      await demandPerson(space, found, options);
      if (!found.work) {
        await stored.remove(space, id);
        return [];
      }
      const claimed = await claim(space, found, async () => []);
      return holding(space, id, async () => {
        const builder = builderIn(space);
        const { languageRoles: roles = {} } = await spaces.of(space);
        const ids = Object.values(claimed.work.made);
        if (watches.list(space).some(({ channel }) => ids.includes(channel.id))) {
          // All of it is linked, and people may have written there.
          await link(space, claimed, by);
          throw over();
        }
        const { made, adopted } = await resumed(space, claimed, roles);
        const left: LeftThing[] = [];
        for (const { key, kind, name } of claimed.work.steps.toReversed()) {
          const thing = made[key];
          if (thing === undefined) continue;
          if (adopted.includes(thing)) {
            left.push({ kind, id: thing, name });
            continue;
          }
          signal.throwIfAborted();
          await builder.remove(space, { kind, id: thing });
          await note(space, id, () => ({ busyUntilMs: busyUntilMs() }));
        }
        await stored.remove(space, id);
        return left;
      });
    },
    /**
     * Gives a member the role of a language, or takes it where they have it; resolves with true where it was given.
     * Rejects with `forbidden` for a role that is none of those, or has permissions.
     */
    toggleRole: async (
      space: Space,
      member: { readonly id: string; readonly roles?: readonly string[] },
      language: string,
    ): Promise<boolean> => {
      const { languageRoles = {} } = await spaces.of(space);
      const role = languageRoles[language];
      const { roles } = builderIn(space);
      if (role === undefined || !(await roles?.isSafe(space, role)))
        throw userError('forbidden', 'autotranslate.role-unsafe');
      const isGiven = !member.roles?.includes(role);
      await roles?.set(space, member.id, role, isGiven);
      return isGiven;
    },
  };
};
