import type { Clock } from './clock.ts';
import type { Json } from './json.ts';
import type { Limits } from './limits.ts';

export interface User {
  readonly id: string;
  /** The workspace that the person belongs to. */
  readonly workspace: Workspace;
  name: string;
  displayName: string;
  /** As the person's app says it, e.g. `en-US`. */
  locale: string;
  isAdmin: boolean;
  readonly isBot: boolean;
  imageUrl: string;
  /** Workspaces of the same organisation that the person belongs to besides. */
  readonly alsoIn: Set<string>;
  /** Set for people whom the app may see in no list, as Slack hides some of other organisations. */
  hidden: boolean;
}

/** An organisation of several workspaces ("Enterprise Grid"). */
export interface Organisation {
  readonly id: string;
  readonly name: string;
  /** The token for the whole organisation; undefined where it has not installed the app. */
  token: string | undefined;
  /** The app's bot, which stays the same when the app is installed again. */
  bot: { readonly user: User; readonly id: string } | undefined;
  scopes: ReadonlySet<string>;
  /** Workspaces in which that token may be used; each has an installation with it. */
  readonly granted: Set<Workspace>;
}

/** The app in one workspace, or in an organisation. */
export interface Installation {
  readonly workspace: Workspace;
  /** Set where it is that of a whole organisation, whose other workspaces have the same token. */
  readonly organisation: Organisation | undefined;
  readonly botUser: User;
  readonly botId: string;
  token: string;
  refreshToken: string | undefined;
  /** Unix ms; undefined where tokens are not rotated. */
  expiresAt: number | undefined;
  scopes: ReadonlySet<string>;
  /** Set as long as the token is not revoked and the app not removed. */
  active: boolean;
}

export interface Workspace {
  readonly id: string;
  name: string;
  readonly domain: string;
  readonly enterpriseId: string | undefined;
  readonly users: Map<string, User>;
  /** Names of custom emoji, each with its address or `alias:<name>`. */
  readonly emoji: Map<string, string>;
  /** Handles of groups of people, by their ids. */
  readonly groups: Map<string, string>;
  /** Ids of the people in each group. */
  readonly groupMembers: Map<string, Set<string>>;
  installation: Installation | undefined;
  /**
   * How much history the app gets: `limited`, as commercial apps outside the Marketplace, once a minute
   * and method, 15 messages at a time.
   */
  history: 'full' | 'limited';
}

export type ChannelKind = 'public' | 'private' | 'im' | 'mpim';

export interface Channel {
  readonly id: string;
  name: string;
  kind: ChannelKind;
  /** More than one: a Slack Connect channel. The first one made it. */
  readonly workspaces: Workspace[];
  readonly members: Set<string>;
  /** The user who made it, and when, in ms since 1970; undefined for those that were there before. */
  readonly made?: { readonly by: string; readonly atMs: number };
  archived: boolean;
  deleted: boolean;
  /** True where only some people may post. */
  restricted: boolean;
  /** In the order of their timestamps. */
  readonly messages: Message[];
  readonly ephemerals: Ephemeral[];
}

export interface Message {
  readonly channel: Channel;
  readonly ts: string;
  readonly author: User;
  /** Set for messages of apps. */
  readonly botId: string | undefined;
  /** `chat:write.customize`. */
  readonly username: string | undefined;
  readonly iconUrl: string | undefined;
  text: string;
  blocks: readonly Json[] | undefined;
  attachments: readonly Json[] | undefined;
  files: File[];
  readonly threadTs: string | undefined;
  /** A reply that also stands in the channel. */
  broadcast: boolean;
  editedTs: string | undefined;
  /** Names with the ids of those who reacted. */
  pinned: boolean;
  readonly reactions: Map<string, Set<string>>;
  metadata: Json | undefined;
  /** A parent that was deleted while it had replies. */
  tombstone: boolean;
  /** Set while a stream is open. */
  streamOf: { readonly recipient: string | undefined } | undefined;
}

/** A message that one person alone sees, until their app reloads. */
export interface Ephemeral {
  readonly to: string;
  readonly ts: string;
  text: string;
  blocks: readonly Json[] | undefined;
  readonly threadTs: string | undefined;
  readonly botId: string;
}

export interface File {
  readonly id: string;
  readonly workspace: Workspace;
  readonly owner: User;
  readonly name: string;
  readonly title: string;
  readonly mimetype: string;
  readonly bytes: Uint8Array;
  readonly altText: string | undefined;
  /** More fields of the file object, e.g. of an audio clip. */
  readonly more: Json;
  /** True: events name it only, `files.info` says the rest. */
  readonly checkInfo: boolean;
  shared: boolean;
  deleted: boolean;
}

export interface View {
  readonly id: string;
  readonly type: 'modal' | 'home';
  readonly user: User;
  readonly workspace: Workspace;
  readonly rootId: string;
  readonly previous: View | undefined;
  readonly externalId: string | undefined;
  content: Json;
  hash: string;
  open: boolean;
}

/** What a person did that may be answered by opening a view; lasts 3 s and one use. */
export interface Trigger {
  readonly id: string;
  readonly user: User;
  readonly createdAt: number;
  used: boolean;
  /** The view from which it came. */
  readonly view: View | undefined;
}

/** An address by which one interaction is answered: five times within 30 minutes. */
export interface ResponseUrl {
  readonly id: string;
  readonly user: User;
  readonly channel: Channel;
  readonly createdAt: number;
  uses: number;
  /** The message or ephemeral on which a control was used. */
  readonly source: Message | Ephemeral | undefined;
}

/** The app as its configuration at Slack says. */
export interface App {
  readonly id: string;
  name: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly signingSecret: string;
  appToken: string;
  /** Scopes of the app-level token. */
  appScopes: ReadonlySet<string>;
  socketMode: boolean;
  rotatesTokens: boolean;
  /** Life of a rotated token. */
  tokenLifeMs: number;
  /** Where events, commands and interactions go in HTTP mode. */
  requestUrl: string | undefined;
  /** The events that are subscribed to, e.g. `message.channels`; `*` for all. */
  events: ReadonlySet<string>;
  /** Events that one workspace gets in an hour. */
  eventsAnHour: number;
  /** True: an event of a shared channel comes once for each workspace that has the app. */
  tellsEachWorkspace: boolean;
  readonly redirectUrls: Set<string>;
}

/** Somebody whom a message of the app notified. */
export interface Ping {
  readonly who: string;
  readonly channel: string;
  readonly ts: string;
}

export interface RequestRecord {
  readonly method: string;
  readonly args: Json;
  readonly team: string | undefined;
  readonly at: number;
  /** `ok`, Slack's error, or undefined while there is no answer. */
  result: string | undefined;
}

export interface World {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly app: App;
  origin: string;
  readonly workspaces: Map<string, Workspace>;
  readonly organisations: Map<string, Organisation>;
  readonly channels: Map<string, Channel>;
  readonly files: Map<string, File>;
  readonly views: Map<string, View>;
  readonly triggers: Map<string, Trigger>;
  readonly responseUrls: Map<string, ResponseUrl>;
  readonly pings: Ping[];
  readonly requests: RequestRecord[];
  /** Number of uploads that are not shown although they are complete. */
  lostShares: number;
  /** Delivers an event to every workspace's app that may see it. */
  event(
    about: { readonly workspaces: readonly Workspace[]; readonly channel?: Channel },
    event: Json,
  ): void;
  changed(): void;
}
