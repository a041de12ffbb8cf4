import { userError } from '../../errors.ts';
import type { Space } from '../../model/place.ts';
import {
  hidesChannels,
  placeKind,
  withRoles,
  type Setup,
  type SetupChoices,
  type SetupStep,
} from '../../model/setup.ts';
import { MOST_CHANNELS, type ChannelWatch } from '../../model/space.ts';
import type { Watches } from '../../model/watches.ts';
import type { BuildNeeds, NewThing, Survey } from '../../ports/builder.ts';
import type { Languages } from '../../text/language/languages.ts';

/** A channel with the languages that it is to be linked with, and has not yet. */
export interface SetupSource {
  readonly id: string;
  readonly languages: readonly string[];
}

/** The channels that a channel is linked with here, itself included. */
const groupOf = (all: readonly ChannelWatch[], id: string): readonly ChannelWatch[] => {
  const own = all.find(({ channel }) => channel.id === id);
  return own?.mode === 'mirror' ? all.filter(({ group }) => group === own.group) : [];
};

/** Lists what each chosen channel lacks. Nothing is checked. */
export const sourcesOf = (
  { channels, from, languages }: SetupChoices,
  all: readonly ChannelWatch[],
): readonly SetupSource[] =>
  channels.map((id) => {
    const group = groupOf(all, id);
    const known = group.length === 0 ? [from] : group.flatMap((watch) => watch.languages);
    return { id, languages: languages.filter((language) => !known.includes(language)) };
  });

/** Throws where a group would have too many channels, or grow without the yes of other spaces. */
export const demandGroups = (
  space: Space,
  sources: readonly SetupSource[],
  watches: Pick<Watches, 'list' | 'elsewhere'>,
): void => {
  const all = watches.list(space);
  for (const { id, languages } of sources) {
    const group = groupOf(all, id);
    const [own] = group;
    if (own && watches.elsewhere(own) > 0)
      throw userError('forbidden', 'autotranslate.join-elsewhere');
    if (Math.max(1, group.length) + languages.length > MOST_CHANNELS)
      throw userError('bad-input', 'autotranslate.link-full', { most: MOST_CHANNELS });
  }
};

/** The languages that roles are for: those of the channels, too. */
export const roleLanguages = (choices: SetupChoices): readonly string[] =>
  withRoles(choices) ? [...new Set([choices.from, ...choices.languages])] : [];

/** Sums up what a platform has to have room for. */
export const needsOf = (
  choices: SetupChoices,
  sources: readonly SetupSource[],
  roles: number,
): BuildNeeds => ({
  place: placeKind(choices),
  sources: sources.map(({ id, languages }) => ({ id, count: languages.length })),
  roles,
  hidden: hidesChannels(choices),
});

export const roleKey = (language: string): string => `role ${language}`;
const categoryKey = (source: string): string => `category ${source}`;

/** All that is to be made, in its order: roles first, as channels are made for them. */
export const stepsOf = (
  choices: SetupChoices,
  sources: readonly SetupSource[],
  { names, apart }: Survey,
  newRoles: readonly string[],
  languages: Pick<Languages, 'name'>,
): readonly SetupStep[] => {
  const kind = placeKind(choices);
  const own = (language: string): string => languages.name(language, language);
  const roles = newRoles.map((language) => ({
    kind: 'role' as const,
    key: roleKey(language),
    name: own(language),
    language,
  }));
  const places = sources.flatMap(({ id, languages: wanted }): readonly SetupStep[] => {
    const name = names[id] ?? '';
    const isApart = kind === 'channel' && wanted.length > 0 && apart.includes(id);
    return [
      ...(isApart ? [{ kind: 'category' as const, key: categoryKey(id), name, source: id }] : []),
      ...wanted.map((language) => ({
        kind,
        key: `${id} ${language}`,
        name: kind === 'thread' ? own(language) : `${name} ${own(language)}`,
        source: id,
        language,
      })),
    ];
  });
  return [...roles, ...places];
};

/** A step as what the platform makes, with what was made for it before. */
export const thingOf = (
  step: SetupStep,
  { choices, work }: Setup,
  roles: Readonly<Record<string, string>>,
): NewThing => {
  if (step.kind === 'role' || step.kind === 'category') return { kind: step.kind, name: step.name };
  const { kind, name, source, language } = step;
  if (kind === 'thread') return { kind, name, source };
  const seenBy = work?.made[roleKey(language)] ?? roles[language];
  return {
    kind,
    name,
    source,
    category: work?.made[categoryKey(source)],
    ...(hidesChannels(choices) ? { seenBy } : {}),
  };
};

/** The watches by which everything that was made is linked with its channel. */
export const watchesOf = (
  space: Space,
  { choices, work }: Setup,
  all: readonly ChannelWatch[],
): readonly ChannelWatch[] => {
  const steps = work?.steps ?? [];
  return choices.channels.flatMap((id): readonly ChannelWatch[] => {
    const made = steps.flatMap((step) => {
      const place = work?.made[step.key];
      const isPlace = step.kind === 'channel' || step.kind === 'thread';
      if (!isPlace || step.source !== id || place === undefined) return [];
      const parent = step.kind === 'thread' ? { parentId: id } : {};
      return [{ channel: { space, id: place, ...parent }, languages: [step.language] }];
    });
    if (made.length === 0) return [];
    const own = all.find(({ channel }) => channel.id === id);
    const { transcribes = true, bots = false } = own ?? {};
    const linked = own?.mode === 'mirror' ? own.group : undefined;
    const common = { mode: 'mirror', transcribes, bots } as const;
    const group = linked ?? crypto.randomUUID();
    const source: ChannelWatch = {
      ...common,
      channel: { space, id },
      languages: [choices.from],
      group,
      ...(own?.choices ? { choices: own.choices } : {}),
    };
    return [
      ...(linked === undefined ? [source] : []),
      ...made.map((each) => ({ ...common, ...each, group })),
    ];
  });
};
