import { channelAround, channelKey, type Channel, type Member, type Space } from './place.ts';
import type { RoomChoices } from './room.ts';
import type { WatchRules } from './rules.ts';

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
  /** True where private channels may be linked. */
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
 * True where the channel of a watch mutes another one, or one of both is paused for their group.
 *
 * @param atMs the time that is meant, ms since 1970. Default: now
 */
export const isCutOff = (
  from: Channel,
  to: Pick<ChannelWatch, 'channel' | 'choices'>,
  group: readonly Pick<ChannelWatch, 'choices'>[],
  atMs = Infinity,
): boolean =>
  isMuted(to, from, atMs) || [from, to.channel].some((each) => isHeld(each, group, atMs));

/**
 * True where nothing of a channel is shown in the one of a watch: that is paused, or they are cut off from each other.
 *
 * @param atMs the time that is meant, ms since 1970. Default: now
 */
export const isKeptOut = (...[from, to, group, atMs]: Parameters<typeof isCutOff>): boolean =>
  isPaused(to, atMs) || isCutOff(from, to, group, atMs);

/** The auto-translate settings of one channel. */
export interface ChannelWatch {
  readonly channel: Channel;
  readonly mode: WatchMode;
  /**
   * `reply`, `compact`, `thread`: the languages translated into. `mirror`: the one language of this channel. `request`:
   * none.
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

/** The person who turns auto-translate off. */
export interface Changer {
  readonly name: string;
  readonly locale: string;
  /** The channel where that is answered for all to see; undefined where the person alone sees the answer. */
  readonly in?: Channel | undefined;
}

/** Most channels of one group. */
export const MOST_CHANNELS = 20;

/** A code by which a channel elsewhere can be linked with one here, once. */
export interface LinkInvite {
  readonly code: string;
  /** End of its life, ms since 1970. */
  readonly expiresMs: number;
}

/** Options of setting watches. */
export interface SetOptions {
  /** The person of whom the other channels are told. Default: they are told nothing. */
  readonly by?: Changer;
  /** True where age-restricted channels may be linked with others. Default: false. */
  readonly mayMixAges?: boolean;
}

/** A channel of another space that is linked with one here. */
export interface LinkMember {
  readonly key: string;
  readonly platform: string;
  /** The name of the channel with its server or workspace and its platform. */
  readonly name: string;
  /** True where nothing of it is copied into the one here. */
  readonly isMuted: boolean;
  /** The side that paused it for all of the group: this space, or another one. */
  readonly held?: 'here' | 'elsewhere' | undefined;
  /** True where it pauses the channel here. */
  readonly holds?: boolean;
  /** True where its own moderators paused it. */
  readonly isPaused?: boolean;
  /** True where this space was in the group before the channel's, and so may pause and remove it. */
  readonly mayRemove: boolean;
  /** The server or workspace, by name and platform, where it has several channels in the group. */
  readonly server?: { readonly name: string; readonly channels: number } | undefined;
}

/** A link that can be asked for, as the side that uses the code sees it. */
export interface LinkProposal {
  readonly id: string;
  /** The name of the person who made the code, unverified; undefined where they had their data deleted. */
  readonly by: string | undefined;
  /** The names of the other channels, each with its server or workspace and its platform. */
  readonly names: readonly string[];
  /** True where the code is another space's, which is asked before anything is shared. */
  readonly asksOther: boolean;
  /** The group as it would be. */
  readonly watches: readonly ChannelWatch[];
}

/** A link that one side asked for and the other one did not answer yet, as one of them sees it. */
export interface AskedLink {
  readonly id: string;
  /** True on the side that is to answer. */
  readonly isAsked: boolean;
  /** The name of the other channel with its server or workspace and its platform. */
  readonly channel: string;
  /** The name of the person who asked, unverified; undefined where they had their data deleted. */
  readonly by: string | undefined;
  /** ms since 1970. */
  readonly expiresMs: number;
}

/** A state of a link that one side agreed to; `unasked` where the other side could not be asked, which can be tried again. */
export type LinkStep = 'linked' | 'asked' | 'unasked';

/** Conditions of a link: of the person who uses the code. */
export interface LinkConditions {
  readonly by: Pick<Member, 'id' | 'name'>;
  /** Rejects where the channels of the group that are in the same space keep the person from it. */
  readonly admit: (own: readonly ChannelWatch[]) => Promise<void>;
  /** True where this channel may be linked with age-restricted ones, though it is not. */
  readonly mayMixAges: boolean;
}

/**
 * The channels in which messages are translated automatically. A group ends
 * when only one of its channels is left, whatever became of the others.
 */
export interface Watches {
  /** The watch of a channel; a thread has its parent's, mirrors apart. */
  of(channel: Channel): ChannelWatch | undefined;
  /** Lists the watches of a space in the order in which they were set. */
  list(space: Space): readonly ChannelWatch[];
  /**
   * Sets the watches of several channels at once, each in place of its former one; all or nothing.
   * Rejects with the permissions that the platform's people must still grant (`forbidden`,
   * `watch.missing`), and with `bad-input` for a group of age-restricted channels and others.
   */
  set(watches: readonly ChannelWatch[], options?: SetOptions): Promise<void>;
  /**
   * Ends a watch; resolves with false where there was none. Pending messages of the channel are
   * skipped.
   *
   * @param by the person of whom the channel is told. Default: it is told nothing
   */
  remove(channel: Channel, by?: Changer): Promise<boolean>;
  /**
   * Changes the watch of a channel, whatever others change of it at the same time; resolves with what it is now, and
   * with undefined where there is none. Rejects as `set` does.
   *
   * @param how gives the changed watch; the same one for no change
   * @param by the person of whom the channel is told. Default: it is told nothing
   */
  change(
    channel: Channel,
    how: (watch: ChannelWatch) => ChannelWatch,
    by?: Changer,
  ): Promise<ChannelWatch | undefined>;
  /**
   * Pauses a channel, or ends its pause; resolves with its watch, and with undefined where there is none.
   *
   * @param by the person of whom the channel is told. Default: it is told nothing
   */
  pause(channel: Channel, isPaused: boolean, by?: Changer): Promise<ChannelWatch | undefined>;
  /**
   * Adds a channel to the group of another one of its space, in place of its former watch; resolves with all channels
   * of the group. Rejects as `set` does, and with `not-found` where the other one is linked with none. Other spaces that
   * have channels in the group are told.
   */
  join(watch: ChannelWatch, other: Channel, options?: SetOptions): Promise<readonly ChannelWatch[]>;
  /** Names of the permissions that a watch still lacks, as the platform shows them. */
  missing(watch: ChannelWatch): Promise<readonly string[]>;
  /** Counts the channels of other spaces that are linked with this one. */
  elsewhere(watch: ChannelWatch): number;
  /** Resolves with true where some of these channels are age-restricted, and others are not. */
  mixesAges(watches: readonly ChannelWatch[]): Promise<boolean>;
  /** True of a person's conversation with the bot, which cannot be watched. */
  isTalk(channel: Channel): boolean;
  /** Names the spaces that channels of a space are linked with, by their ids. */
  neighbours(space: Space): Promise<ReadonlyMap<string, string>>;
  /** Lists the channels of other spaces that are linked with this one. */
  members(watch: ChannelWatch): Promise<readonly LinkMember[]>;
  /**
   * Lets nothing of a linked channel, by its key, be copied into this one, or ends that; what stands stays. Rejects with
   * `not-found` where it is not linked any more.
   */
  mute(channel: Channel, key: string, isMuting: boolean): Promise<void>;
  /**
   * Pauses a channel of another space, by its key, for all of the group, or ends that; all of the group are told which space
   * did so. Rejects as `expel` does.
   */
  hold(channel: Channel, key: string, isHolding: boolean): Promise<void>;
  /**
   * Takes a channel of another space, by its key, out of the group of this one; it and those that are left are told which
   * space did so. Rejects as `mute` does, and with `forbidden` where that space was not in the group later than this one.
   *
   * @param isWhole true for all channels of that space
   */
  expel(channel: Channel, key: string, isWhole?: boolean): Promise<void>;
  /**
   * Makes a code by which a channel of another space can be linked with this one. Rejects with the
   * permissions that the channel lacks (`forbidden`, `watch.missing`).
   *
   * @param mayMixAges true where an age-restricted channel may be linked with this one that is not
   */
  invite(
    watch: ChannelWatch,
    mayMixAges: boolean,
    by: Pick<Member, 'id' | 'name'>,
  ): Promise<LinkInvite>;
  /**
   * Says what a code would link a channel with, and stores that for an hour. Rejects with `not-found` for a code that is
   * unknown, used or expired, or whose group has grown since, and with `bad-input` where an age-restricted channel would
   * be linked with one that is not, without the yes of the latter's side.
   */
  propose(code: string, watch: ChannelWatch, conditions: LinkConditions): Promise<LinkProposal>;
  /**
   * Takes the yes of the side that used the code, which is used up: the other side is asked in its channel, or the
   * channels are linked where both are in one space. Rejects as `propose` does, and with `not-found` for a proposal that
   * is not this space's, or is answered or expired.
   */
  ask(id: string, space: Space, admit: LinkConditions['admit']): Promise<LinkStep>;
  /**
   * Takes the answer of the side that made the code, once; rejects as `ask` does.
   *
   * @param pressedIn the channel of the question that shows the answer itself: it goes from the others
   */
  answer(
    id: string,
    space: Space,
    isAgreed: boolean,
    admit: LinkConditions['admit'],
    pressedIn?: Channel,
  ): Promise<void>;
  /** Lists the links of a channel that were asked for and wait for an answer, the oldest first. */
  openLinks(channel: Channel): Promise<readonly AskedLink[]>;
  /** Takes back what this side asked for, before it is answered; rejects as `ask` does. */
  withdraw(id: string, space: Space, admit: LinkConditions['admit']): Promise<void>;
}
