import { channelAround, channelKey, keyOf, type Channel, type Space } from './place.ts';
import type { RoomChoices } from './room.ts';
import { saysNothing, type WatchRules } from './rules.ts';
import type { Timestamp } from '../rich-text/rich-text.ts';

/** The settings of a space, chosen by its moderators. */
export interface SpaceChoices {
  readonly flags: {
    readonly on: boolean;
    /** Emoji (a custom one by its id) → language; these go before the flags of countries. */
    readonly languages: Readonly<Record<string, string>>;
    /** Minutes after which what a flag brought is removed again; undefined: it stays. */
    readonly keptMinutes?: number | undefined;
  };
  /** Command → the roles that may use it; everybody where there is none. Moderators always may. */
  readonly roles: Readonly<Record<string, readonly string[]>>;
  /** Limit of one day in the whole space; undefined: no limit. */
  readonly dailyCharacters?: number | undefined;
  readonly dailyAudioMinutes?: number | undefined;
  readonly dailyChatTokens?: number | undefined;
  /** Ids of channels in which nothing is translated or written down, neither automatically nor by flags. */
  readonly quietChannels: readonly string[];
  readonly serverNames: ServerNames;
  /** The policy for links with other spaces; undefined: `OPEN_LINKS`. */
  readonly links?: LinkPolicy | undefined;
  /** The rules of channels that have none of their own. */
  readonly rules: WatchRules;
  /** True when an answer to the copy of a message mentions the message's author. */
  readonly answersMention: boolean;
  /** True when reactions are copied between the linked channels of the space and others. */
  readonly reactions: boolean;
  /** True where accepted entries of the glossary are announced in the channel where they were proposed. Default: false. */
  readonly announcesTerms?: boolean | undefined;
  /** Ids of the roles that members get for the language that they read, by its code. */
  readonly languageRoles?: Readonly<Record<string, string>> | undefined;
  readonly rooms: RoomChoices;
  /** The channel that is told of failures, pauses, limits and links, and the language of that; undefined: none is. */
  readonly moderators?: { readonly channel: string; readonly locale: string } | undefined;
  /** Ids of the groups of people whose members moderate the space, where the platform has such. Default: none. */
  readonly moderatorGroups?: readonly string[] | undefined;
  /** Ids of the channels in which the bot introduced itself, and that of the space once it did so there. Default: none. */
  readonly greeted?: readonly string[] | undefined;
}

/**
 * The cases in which names of people of other spaces are shown with that of their server or workspace. `change`: where the message
 * before is of another one. Who has a name like a member's is shown with it in any case.
 */
export const SERVER_NAMES = ['always', 'change', 'off'] as const;
export type ServerNames = (typeof SERVER_NAMES)[number];

/** The spaces with which channels of a space may be linked. */
export const LINKS_OUTSIDE = ['everybody', 'approved', 'nobody'] as const;

/** The policy of a space for links with other spaces; those that stand are not touched by it. */
export interface LinkPolicy {
  readonly outside: (typeof LINKS_OUTSIDE)[number];
  /** Ids of the spaces that are approved. */
  readonly approved: readonly string[];
  readonly privateChannels: boolean;
  /** Ids of the channels that may be linked; none: all. */
  readonly channels: readonly string[];
}

/** The policy of a space that has chosen none. */
export const OPEN_LINKS: LinkPolicy = {
  outside: 'everybody',
  approved: [],
  privateChannels: true,
  channels: [],
};

/** True when nothing is done by itself in a channel, or in the one that its thread belongs to. */
export const isQuiet = (
  { id, parentId = '' }: Pick<Channel, 'id' | 'parentId'>,
  { quietChannels }: Pick<SpaceChoices, 'quietChannels'>,
): boolean => quietChannels.includes(id) || quietChannels.includes(parentId);

/** Limits of one day; an omitted one is none. */
export interface DailyLimits {
  /** Code points that are translated, spoken, or part of questions and answers. */
  readonly characters?: number | undefined;
  readonly audioMinutes?: number | undefined;
  /** Tokens of questions to the language model and its answers. */
  readonly chatTokens?: number | undefined;
}

/** The use that a limit is about. */
export type LimitedUse = keyof DailyLimits;

export const LIMITED_USES = ['characters', 'audioMinutes', 'chatTokens'] as const;

/** The limits that apply in a space. */
export interface SpaceLimits {
  /** Limits of the whole space, set by the operator. */
  readonly operator: DailyLimits;
  /** Limits of each person in the space, set by the operator. */
  readonly person: DailyLimits;
  /** Limits of the whole space: of each pair, set by operator and moderators, the lower one. */
  readonly space: DailyLimits;
  /** The time of the next count. */
  readonly reset: Timestamp;
}

/**
 * The way in which a channel is translated. `compact`: as `reply`, in small lines of which long ones are cut.
 * `request`: nothing by itself; people ask for what they want to read.
 */
export type WatchMode = 'reply' | 'compact' | 'request' | 'thread' | 'mirror';

/** True of the modes in which nothing is shown in another place than the message. */
export const isInPlace = (mode: WatchMode): boolean => mode !== 'thread' && mode !== 'mirror';

/** The choices of moderators for a watch beside its languages; omitted: the default of each. */
export interface WatchChoices {
  /** The last pause: nothing that is written in the channel in it is translated, and nothing is copied into the channel. */
  readonly pause?: Pause;
  /** The pauses before it, the newest first. */
  readonly pausesBefore?: readonly Pause[];
  /** Each goes before that of the space. */
  readonly rules?: WatchRules;
  /** The last time for which nothing of a linked channel, by its key, is copied into this one. */
  readonly muted?: Readonly<Record<string, Pause>>;
  /** The last time for which a linked channel, by its key, is paused for all channels of the group. */
  readonly held?: Readonly<Record<string, Pause>>;
  /** The time in which another space of the group, by its key, had not agreed to this channel's. */
  readonly unagreed?: Readonly<Record<string, Pause>>;
}

/** A time in ms since 1970, without an end as long as it lasts. */
export interface Pause {
  readonly fromMs: number;
  readonly untilMs?: number;
}

const isWithin = (pause: Pause | undefined, atMs: number): boolean =>
  pause !== undefined && atMs >= pause.fromMs && atMs <= (pause.untilMs ?? Infinity);

/**
 * True where a channel is paused.
 *
 * @param atMs the time that is meant, ms since 1970. Default: now
 */
export const isPaused = (
  { choices: { pause, pausesBefore = [] } = {} }: Pick<ChannelWatch, 'choices'>,
  atMs = Infinity,
): boolean => [pause, ...pausesBefore].some((each) => isWithin(each, atMs));

const isAmong = (
  pauses: Readonly<Record<string, Pause>> | undefined,
  channel: Channel,
  atMs: number,
): boolean =>
  [channel, channelAround(channel)].some((one) => isWithin(pauses?.[channelKey(one)], atMs));

/**
 * True where nothing of another channel is copied into a channel.
 *
 * @param atMs the time that is meant, ms since 1970. Default: now
 */
export const isMuted = (
  { choices }: Pick<ChannelWatch, 'choices'>,
  from: Channel,
  atMs = Infinity,
): boolean => isAmong(choices?.muted, from, atMs);

/**
 * True where one of these channels, which are linked with a channel, pauses it for all of the group: nothing is copied out of it or into it.
 *
 * @param atMs the time that is meant, ms since 1970. Default: now
 */
export const isHeld = (
  channel: Channel,
  by: readonly Pick<ChannelWatch, 'choices'>[],
  atMs = Infinity,
): boolean => by.some(({ choices }) => isAmong(choices?.held, channel, atMs));

/**
 * True where a channel came into the group of an asked one whose moderators have not agreed to that.
 *
 * @param atMs the time that is meant, ms since 1970. Default: now
 */
export const isUnagreed = (
  came: Channel,
  asked: Channel,
  group: readonly Pick<ChannelWatch, 'channel' | 'choices'>[],
  atMs = Infinity,
): boolean =>
  group.some(
    ({ channel: { space }, choices }) =>
      isWithin(choices?.unagreed?.[keyOf(asked.space)], atMs) && keyOf(space) === keyOf(came.space),
  );

/**
 * True where the space of one channel has not agreed to that of the other one: nothing is shared between them.
 *
 * @param atMs the time that is meant, ms since 1970. Default: now
 */
export const isShut = (...[a, b, group, atMs]: Parameters<typeof isUnagreed>): boolean =>
  isUnagreed(a, b, group, atMs) || isUnagreed(b, a, group, atMs);

/** Ways in which moderators keep what is written in a channel out of a linked one. */
export const CUT_OFFS = ['held-here', 'muted-there', 'paused-there'] as const;

/**
 * Tells why nothing of a channel is shown in the one of a watch: their spaces have not agreed to that, or moderators keep it
 * out; undefined where it is shown.
 *
 * @param atMs the time that is meant, ms since 1970. Default: now
 */
export const cutOffBetween = (
  from: Channel,
  to: Pick<ChannelWatch, 'channel' | 'choices'>,
  group: readonly Pick<ChannelWatch, 'channel' | 'choices'>[],
  atMs = Infinity,
): 'unagreed' | (typeof CUT_OFFS)[number] | undefined => {
  if (isShut(from, to.channel, group, atMs)) return 'unagreed';
  if (isHeld(from, group, atMs)) return 'held-here';
  if (isMuted(to, from, atMs)) return 'muted-there';
  return isPaused(to, atMs) || isHeld(to.channel, group, atMs) ? 'paused-there' : undefined;
};

/** True where nothing of a channel is shown in the one of a watch; see `cutOffBetween`. */
export const isKeptOut = (...given: Parameters<typeof cutOffBetween>): boolean =>
  cutOffBetween(...given) !== undefined;

/** The auto-translate settings of one channel. */
export interface ChannelWatch {
  readonly channel: Channel;
  readonly mode: WatchMode;
  /**
   * `reply`, `compact`, `thread`: the languages translated into. `mirror`: the one language of this channel. `request`:
   * those of the mode before, for when one is chosen again.
   */
  readonly languages: readonly string[];
  /** `mirror`: the channels of one group are copied into each other. */
  readonly group?: string;
  /** True when voice messages and audio files are transcribed. */
  readonly transcribes: boolean;
  /** True when messages of other bots are translated too. */
  readonly bots: boolean;
  /** `reply`: true where translations stand in the channel, below the message, not in its thread. */
  readonly below?: true;
  readonly choices?: WatchChoices;
}

/** The languages of a watch that are in use: on request, those of the reader are. */
export const usedLanguages = ({ mode, languages }: ChannelWatch): readonly string[] =>
  mode === 'request' ? [] : languages;

/** True where moderators set rules for a watch. */
export const hasRules = ({ choices }: Pick<ChannelWatch, 'choices'>): boolean =>
  Object.values(choices?.rules ?? {}).some((rule) => !saysNothing(rule));

/** The watch that stands for the rules of all channels where watches are set back: no channel has its id. */
export const rulesWatch = (space: Space, rules: WatchRules): ChannelWatch => ({
  channel: { space, id: '' },
  mode: 'request',
  languages: [],
  transcribes: false,
  bots: false,
  choices: { rules },
});

/** The person who turns auto-translate off. */
export interface Changer {
  readonly name: string;
  readonly locale: string;
}

/** Most channels of one group. */
export const MOST_CHANNELS = 20;
