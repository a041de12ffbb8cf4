import { realClock, type Clock } from '../../async/clock.ts';
import { AppError, toAppError, userError } from '../../errors.ts';
import type { Channel, Member, Space } from '../../model/place.ts';
import type { Setup, SetupChoices, SetupStep } from '../../model/setup.ts';
import type { ChannelWatch } from '../../model/space.ts';
import type { Watches } from '../../model/watches.ts';
import type { Builder } from '../../ports/builder.ts';
import type { SpaceSettings } from '../../store/settings.ts';
import type { Languages } from '../../text/language/languages.ts';
import { unlessAbsent } from '../absent.ts';
import { boundedBuilder } from './bounded-builder.ts';
import { demandGroups, needsOf, roleLanguages, sourcesOf, stepsOf, thingOf } from './steps.ts';

export interface SetupPlansDeps {
  readonly builderOf: (space: Space) => Builder | undefined;
  readonly watches: Pick<Watches, 'list' | 'elsewhere' | 'missing'>;
  readonly spaces: Pick<SpaceSettings, 'of'>;
  readonly languages: Pick<Languages, 'name'>;
  readonly clock?: Clock;
}

/** A person who has a set-up planned, made or undone. */
export interface SetupPerson {
  readonly person: Pick<Member, 'platform' | 'id' | 'roles'>;
  /** Rejects where the person may not decide about one of the channels. */
  readonly admit: (channels: readonly Channel[]) => Promise<void>;
}

/** A reason why a set-up cannot be made, of one of its channels where it is about that. */
export interface SetupFault {
  readonly channel?: Channel;
  readonly error: AppError;
}

/** A set-up as it would be made now. */
export interface SetupLook {
  /** The number of channels or threads that it makes. */
  readonly count: number;
  /** The names of those, by the id of the channel that each is for. */
  readonly names: Readonly<Record<string, readonly string[]>>;
  readonly faults: readonly SetupFault[];
  /** The chosen channels that are deleted: everything else is about the others. Default: none. */
  readonly gone?: readonly SetupFault[];
  /** The watches of chosen channels that would be replaced. */
  readonly replaced: readonly ChannelWatch[];
  /** The reason why nothing at all can be made, whatever is chosen. */
  readonly refusal?: AppError;
}

/** True of the fault of a channel that is deleted. */
const isOfDeleted = ({ error }: SetupFault): boolean => error.sentence.key === 'watch.deleted';

const channelsOf = (space: Space, { channels }: SetupChoices): readonly Channel[] =>
  channels.map((id) => ({ space, id }));

/** Creates what plans set-ups, and tells before they are made what they would do. */
export const createSetupPlans = ({
  builderOf,
  watches,
  spaces,
  languages,
  clock = realClock,
}: SetupPlansDeps) => {
  const builderIn = (space: Space): Builder => {
    const builder = builderOf(space);
    if (!builder) throw new AppError('unsupported', 'channels cannot be made on this platform');
    return boundedBuilder(builder, clock);
  };

  /** The chosen channels that are deleted, and those in which the bot lacks permissions. */
  const lackingIn = async (space: Space, choices: SetupChoices): Promise<readonly SetupFault[]> => {
    const faults = await unlessAbsent(
      channelsOf(space, choices).map(async (channel): Promise<readonly SetupFault[]> => {
        try {
          const list = [...(await watches.missing({ channel, mode: 'mirror' } as ChannelWatch))];
          const error = userError('forbidden', 'watch.missing', { permissions: { list } });
          return list.length > 0 ? [{ channel, error }] : [];
        } catch (thrown) {
          const fault = { channel, error: toAppError(thrown) };
          if (isOfDeleted(fault)) return [fault];
          throw thrown;
        }
      }),
    );
    return faults.flat();
  };

  /** Rejects where the person may not decide about the channels, or not make themselves what the set-up makes. */
  const demandPerson = async (
    space: Space,
    { choices, work }: Pick<Setup, 'choices' | 'work'>,
    { person, admit }: SetupPerson,
  ): Promise<void> => {
    await admit(channelsOf(space, choices)).catch(async (thrown: unknown) => {
      const [gone] = work ? [] : (await lackingIn(space, choices)).filter(isOfDeleted);
      throw gone?.error ?? thrown;
    });
    const sources = work
      ? choices.channels.map((id) => ({ id, languages: choices.languages }))
      : sourcesOf(choices, watches.list(space));
    const needs = needsOf(choices, sources, roleLanguages(choices).length);
    await builderIn(space).demand(space, person, needs);
  };

  /** The languages whose roles are there and may be given. */
  const safeIn = async (
    space: Space,
    roles: Readonly<Record<string, string>>,
  ): Promise<readonly string[]> => {
    const builder = builderIn(space);
    const safe = await Promise.all(
      Object.entries(roles).map(async ([language, id]) =>
        (await builder.roles?.isSafe(space, id)) ? [language] : [],
      ),
    );
    return safe.flat();
  };

  /** Plans the work on a set-up; rejects where it could not be done. */
  const plan = async (space: Space, choices: SetupChoices): Promise<readonly SetupStep[]> => {
    const sources = sourcesOf(choices, watches.list(space));
    if (sources.every(({ languages: lacking }) => lacking.length === 0))
      throw userError('bad-input', 'autotranslate.wizard-choose');
    demandGroups(space, sources, watches);
    const [fault] = await lackingIn(space, choices);
    if (fault) throw fault.error;
    const { languageRoles = {} } = await spaces.of(space);
    const safe = await safeIn(space, languageRoles);
    const newRoles = roleLanguages(choices).filter((language) => !safe.includes(language));
    const survey = await builderIn(space).survey(space, needsOf(choices, sources, newRoles.length));
    return stepsOf(choices, sources, survey, newRoles, languages);
  };

  /** Why nothing at all may be made in a space, whatever is chosen besides. */
  const refusalOf = async (
    space: Space,
    choices: SetupChoices,
    { person }: SetupPerson,
  ): Promise<Pick<SetupLook, 'refusal'>> => {
    const builder = builderIn(space);
    const needs = needsOf(choices, [], roleLanguages(choices).length);
    const asking = builder.demand(space, person, needs).then(() => builder.survey(space, needs));
    const thrown = await asking.then(() => undefined, toAppError);
    return thrown?.code === 'forbidden' ? { refusal: thrown } : {};
  };

  /** Looks at what a set-up would make and replace, and at all that keeps it from being made. */
  const look = async (
    space: Space,
    choices: SetupChoices,
    person: SetupPerson,
  ): Promise<SetupLook> => {
    const all = watches.list(space);
    const sources = sourcesOf(choices, all).filter(({ languages: lacking }) => lacking.length > 0);
    const count = sources.reduce((sum, each) => sum + each.languages.length, 0);
    const replaced = all.filter(
      ({ channel, mode }) => mode !== 'mirror' && sources.some(({ id }) => id === channel.id),
    );
    const refusal = () => refusalOf(space, choices, person);
    if (count === 0) return { count, names: {}, faults: [], replaced, ...(await refusal()) };
    const faults: SetupFault[] = [];
    const note = (thrown: unknown): undefined => void faults.push({ error: toAppError(thrown) });
    const lacking = await lackingIn(space, choices).catch(note);
    const gone = lacking?.filter(isOfDeleted) ?? [];
    if (gone.length > 0) {
      const channels = choices.channels.filter((id) =>
        gone.every(({ channel }) => channel?.id !== id),
      );
      const rest = await look(space, { ...choices, channels }, person);
      return { ...rest, gone };
    }
    await demandPerson(space, { choices }, person).catch(note);
    faults.push(...(lacking ?? []));
    // Who waited for the platform once does not wait again.
    const isAway = faults.some(({ error }) => error.code === 'timeout');
    const planned =
      lacking?.length === 0 && !isAway ? await plan(space, choices).catch(note) : undefined;
    // What cannot be made yet is named by its language alone.
    const unplanned = { names: {}, apart: [] };
    const steps = planned ?? stepsOf(choices, sources, unplanned, [], languages);
    const { nameOf } = builderIn(space);
    const named = steps.flatMap((step) =>
      step.kind === 'channel' || step.kind === 'thread'
        ? [{ source: step.source, name: nameOf(thingOf(step, { id: '', choices }, {})) }]
        : [],
    );
    const names = Object.fromEntries(
      [...Map.groupBy(named, ({ source }) => source)].map(([id, each]) => [
        id,
        each.map(({ name }) => name),
      ]),
    );
    const isRefused = faults.some(({ error }) => error.code === 'forbidden');
    return { count, names, faults, replaced, ...(isRefused && (await refusal())) };
  };

  return { builderIn, demandPerson, plan, look };
};
