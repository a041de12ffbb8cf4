import { type Mention, mention } from '../rich-text/rich-text.ts';

/** A server, workspace or page: it owns channels, a glossary and settings. Ids are opaque and unique within their platform. */
export interface Space {
  readonly platform: string;
  readonly id: string;
}

/** The key of a space, and of anything else that a platform knows by an id. */
export const keyOf = ({ platform, id }: Space): string => `${platform} ${id}`;

/**
 * A place where messages stand: a channel, or a thread within one. The adapter makes the ids, and only
 * the adapter reads them: a thread may be a channel of its own, or a message within its channel.
 */
export interface Channel {
  readonly space: Space;
  readonly id: string;
  /** Set for a thread only: the id of the channel that the thread belongs to. */
  readonly parentId?: string;
}

/** The channel that a place is in: the place itself, or a thread's channel. */
export const channelAround = ({ space, id, parentId }: Channel): Channel => ({
  space,
  id: parentId ?? id,
});

export const isSameChannel = (a: Channel, b: Channel): boolean =>
  a.id === b.id && a.space.platform === b.space.platform;

export const channelKey = ({ space, id }: Channel): string => `${space.platform} ${id}`;

export interface MessageRef {
  readonly channel: Channel;
  readonly id: string;
}

export const messageKey = ({ channel, id }: MessageRef): string => `${channelKey(channel)} ${id}`;

/** A message that a link leads to, as far as the link tells. */
export interface LinkedMessage {
  /** A space with an empty id where the link does not name it. */
  readonly ref: MessageRef;
  readonly position: string;
  /** ms since 1970. */
  readonly writtenMs: number;
}

/** A message that was posted: a platform may have had to split it, or to join it with others. */
export interface Posted {
  readonly channel: Channel;
  /** The ids of its parts, in order. */
  readonly ids: readonly [string, ...string[]];
  /** The adapter's own key to find the message again; opaque to everybody else. */
  readonly handle?: string;
}

/** Mentions a channel or a thread in a text of ours; its platform shows it as a link. */
export const channelMention = ({ space, id }: Pick<Channel, 'space' | 'id'>): Mention =>
  mention(space.platform, 'channel', id);

/** Mentions a member in a text of ours; nobody is notified. */
export const memberMention = ({ platform }: Space, id: string): Mention =>
  mention(platform, 'member', id);

/** Mentions a role in a text of ours; nobody is notified. */
export const roleMention = ({ platform }: Space, id: string): Mention =>
  mention(platform, 'role', id);

export interface Member {
  readonly platform: string;
  readonly id: string;
  /**
   * Id of the space that the person belongs to: what is stored of the person goes with it. Omitted by
   * platforms whose people belong to no space.
   */
  readonly homeId?: string;
  /** The name that others see; never used in a mention. */
  readonly name: string;
  /** BCP 47, as the person's app says it. */
  readonly locale: string;
  /** BCP 47, as those who run the space chose it; omitted where nobody did. */
  readonly spaceLocale?: string;
  /** Name in the IANA time zone database, unverified. Omitted by platforms that tell none. */
  readonly timeZone?: string;
  readonly role: 'member' | 'moderator';
  /** True of a moderator by a group that other moderators chose, and not by the platform. */
  readonly isAppointed?: true;
  /** True of a person who runs Dragoman, whatever their role in a space is. */
  readonly isOperator?: boolean;
  /** Ids of the space's roles that the person has, where the platform has such. */
  readonly roles?: readonly string[];
}

/** A person of a platform, in any of its spaces. */
export type Person = Pick<Member, 'platform' | 'id' | 'homeId'>;

export const isSamePerson = (a: Person, b: Person): boolean =>
  a.id === b.id && a.platform === b.platform;
