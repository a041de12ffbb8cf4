import type { SpaceChoices } from '../../src/model/space.ts';
import type { Privacy } from '../../src/store/privacy/person-data.ts';
import type { MemberSettings, Preferences, SpaceSettings } from '../../src/store/settings.ts';
import { ROOM_CHOICES } from './rooms.ts';

/** Creates the settings of people in memory. */
export const createFakeSettings = (): MemberSettings => {
  const kept = new Map<string, Preferences>();
  const of = ({ id }: { id: string }): Preferences =>
    kept.get(id) ?? { language: undefined, voiceId: undefined };
  return {
    of: async (member) => of(member),
    change: async (member, change) => void kept.set(member.id, { ...of(member), ...change }),
  };
};

/** The choices of a space where nobody chose. */
export const CHOICES: SpaceChoices = {
  flags: { on: true, languages: {} },
  roles: {},
  quietChannels: [],
  serverNames: 'always',
  rules: {},
  answersMention: true,
  reactions: true,
  rooms: ROOM_CHOICES,
};

/** Creates the choices of spaces in memory. */
export const createFakeSpaces = (): SpaceSettings => {
  const kept = new Map<string, SpaceChoices>();
  const of = ({ id }: { id: string }): SpaceChoices => kept.get(id) ?? CHOICES;
  return {
    of: async (space) => of(space),
    removingFlags: async () => [],
    change: async (space, change) => {
      const before = of(space);
      const changed = typeof change === 'function' ? change(before) : change;
      kept.set(space.id, { ...before, ...changed });
    },
    greets: async () => false,
  };
};

/** Creates the opt-outs in memory; nothing else is kept of anybody. */
export const createFakePrivacy = (): Privacy => {
  const out = new Set<string>();
  return {
    isKeptBy: () => true,
    optedOut: async ({ id }) => out.has(id),
    setOptedOut: async ({ id }, optedOut) => void (optedOut ? out.add(id) : out.delete(id)),
    export: async ({ id }) => Buffer.from(JSON.stringify({ member: id })),
    forget: async () => undefined,
  };
};
