import type { Channel, Member, Space } from './place.ts';
import type { Content } from './message.ts';
import type { Changer, ChannelWatch } from './space.ts';

/** The things that keep a watch from being done now; see `Watches.state`. */
export interface WatchState {
  readonly isLost: boolean;
  /** True where a channel of its group pauses it for all. */
  readonly isHeld: boolean;
  readonly elsewhere: { readonly lost: number; readonly paused: number };
}

/** A code by which a channel elsewhere can be linked with one here, once. */
export interface LinkInvite {
  readonly code: string;
  /** End of its life, ms since 1970. */
  readonly expiresMs: number;
}

export interface SetOptions {
  /** The person of whom the other channels are told. Default: they are told nothing. */
  readonly by?: Changer;
  /** True where age-restricted channels may be linked with others. Default: false. */
  readonly mayMixAges?: boolean;
  /** The marks of what the person was shown: of `set` the `setupMark` of each channel, of `join` the `joinMark`. Default: not compared. */
  readonly seen?: string;
}

/** The undo of an end of watches, or of the rules of one: it is stored with that, and can be used once. */
export interface WatchUndo {
  /** The id of the change in the audit trail, too. */
  readonly id: string;
  /** True where the channels, and those that they were linked with, were of mixed ages, which somebody had agreed to. */
  readonly mixesAges: boolean;
  /** True where only the rules of a channel end. */
  readonly isOfRules: boolean;
  /** ms since 1970. */
  readonly expiresMs: number;
}

/** A channel of another space that is linked with one here. */
export interface LinkMember {
  readonly key: string;
  readonly platform: string;
  /** The name of the channel with its server or workspace and its platform. */
  readonly name: string;
  /** The languages that are read there. */
  readonly languages: readonly string[];
  /** True where nothing of it is copied into the one here. */
  readonly isMuted: boolean;
  /** The side that paused it for all of the group: this space, or another one. */
  readonly held?: 'here' | 'elsewhere' | undefined;
  /** True where it pauses the channel here. */
  readonly holds?: boolean;
  /** True where its own moderators paused it. */
  readonly isPaused?: boolean;
  /** True where the bot is not in it any more, or lacks permissions there. */
  readonly isLost?: boolean;
  /** The side that has not agreed to the other one, which came into its group: nothing is shared between them. */
  readonly unagreed?: 'here' | 'elsewhere' | undefined;
  /** True where this space was in the group before the channel's, and so may pause and remove it. */
  readonly mayRemove: boolean;
  /** The server or workspace, by name and platform, where it has several channels in the group. */
  readonly server?: { readonly name: string; readonly channels: number } | undefined;
}

/** A link that can be asked for, as the side that uses the code sees it. */
export interface LinkProposal {
  readonly id: string;
  /** The name of the person who made the code, unverified, with their server or workspace where that is another one; undefined where they had their data deleted. */
  readonly by: string | undefined;
  /** The names of the other channels, each with its server or workspace and its platform. */
  readonly names: readonly string[];
  /** True where the code is another space's, which is asked before anything is shared. */
  readonly asksOther: boolean;
  /** True where that space was in the group first: it may pause and remove channels of this one, but not the other way round. */
  readonly isLater: boolean;
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
  /** The name of the person who asked, unverified, with their server or workspace where that is another one; undefined where they had their data deleted. */
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
   * @param group all watches of its group, where they end with it. Default: it ends alone
   */
  remove(channel: Channel, by?: Changer, group?: readonly ChannelWatch[]): Promise<boolean>;
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
   * of the group. Rejects as `set` does, with `not-found` where the other one is linked with none, and with
   * `autotranslate.panel-changed` where that is not what the person was shown. Other spaces that have channels in the group
   * are told.
   */
  join(watch: ChannelWatch, other: Channel, options?: SetOptions): Promise<readonly ChannelWatch[]>;
  /** Names of the permissions that a watch still lacks, as the platform shows them. */
  missing(watch: ChannelWatch): Promise<readonly string[]>;
  /**
   * Resolves with true where the bot is not in the channel any more, or lacks permissions there, and with the numbers of
   * channels elsewhere, linked with it, to which that applies or which are paused or muted.
   */
  state(watch: ChannelWatch): Promise<WatchState>;
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
   * Agrees for this space to that of a channel, by its key, which came into the group: what is written from now on is shared
   * between all of their channels. Resolves with the names of the channels that came in by this, as `members` has them. Rejects
   * as `mute` does.
   */
  agree(channel: Channel, key: string): Promise<readonly string[]>;
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
  /** Rejects with `not-found` for a code that is unknown, used or expired. */
  demandCode(code: string): Promise<void>;
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
   *
   * @param seen the `setupMark` of the channel as the person was shown it: rejects with `autotranslate.panel-changed` where
   * that changed. Default: as it is now
   */
  ask(id: string, space: Space, admit: LinkConditions['admit'], seen?: string): Promise<LinkStep>;
  /**
   * Takes the answer of the side that made the code, once; rejects as `ask` does, and ends the request where the channel of
   * the other side was set up otherwise since that agreed. Resolves with what the question in
   * `pressedIn` is to say, in its own language; undefined where there is none. It has controls where nothing was answered:
   * the channel was set up otherwise since the question was put, which is put anew.
   *
   * @param pressedIn the channel of the question that was pressed
   * @param seen the `setupMark` of the channel as the person who agrees was shown it. Default: not compared
   */
  answer(
    id: string,
    space: Space,
    isAgreed: boolean,
    admit: LinkConditions['admit'],
    pressedIn?: Channel,
    seen?: string,
  ): Promise<Content | undefined>;
  /** Finds how a request stands for one of its sides: `over` also where it is unknown. */
  stateOf(
    id: string,
    space: Space,
    side: 'invited' | 'joining',
  ): Promise<'drafted' | 'asked' | 'over'>;
  /** Lists the links of a channel that were asked for and wait for an answer, the oldest first. */
  openLinks(channel: Channel): Promise<readonly AskedLink[]>;
  /** Lists the channels of a space for which such links were asked, the oldest of at most 100 first: one for each. */
  openLinksIn(space: Space): Promise<readonly Channel[]>;
  /** Takes back what this side asked for, before it is answered; rejects as `ask` does. */
  withdraw(id: string, space: Space, admit: LinkConditions['admit']): Promise<void>;
}
