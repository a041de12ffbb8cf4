import type { Clock } from './clock.ts';
import type { Json } from './faults.ts';
import type { Limits } from './limits.ts';

export interface User {
  readonly id: string;
  name: string;
  displayName: string | null;
  readonly bot: boolean;
  /** As the person's app says it; told in interactions only. */
  locale: string;
  avatar: string | null;
  /** Whether the application is installed to the account. */
  installed: boolean;
  /** Whether the application may write to them. */
  dmsOpen: boolean;
}

export interface Role {
  readonly id: string;
  name: string;
  permissions: bigint;
  readonly managed: boolean;
  mentionable: boolean;
  readonly position: number;
}

export interface Overwrite {
  readonly id: string;
  /** 0 a role, 1 a member. */
  readonly type: 0 | 1;
  allow: bigint;
  deny: bigint;
}

export interface Member {
  readonly user: User;
  roles: string[];
  nick: string | null;
  readonly joinedAt: number;
}

export interface Guild {
  readonly id: string;
  name: string;
  readonly ownerId: string;
  readonly locale: string;
  readonly roles: Map<string, Role>;
  readonly members: Map<string, Member>;
  readonly bans: Set<string>;
  /** By user. */
  readonly voiceStates: Map<string, VoiceState>;
  /** Entries of the audit log, oldest first. */
  readonly audit: {
    readonly id: string;
    readonly action_type: number;
    readonly user_id: string;
    readonly target_id: string;
  }[];
  systemChannelId: string | null;
}

/** Somebody in a voice channel; replaced when anything of it changes. */
export interface VoiceState {
  readonly user: User;
  readonly channel: Channel;
  readonly sessionId: string;
  /** By a moderator. */
  readonly mute: boolean;
  readonly deaf: boolean;
  readonly selfMute: boolean;
  readonly selfDeaf: boolean;
  /** The camera is on. */
  readonly selfVideo: boolean;
  /** They may not speak there. */
  readonly suppress: boolean;
}

export interface VoiceChange {
  readonly guild: Guild;
  readonly user: User;
  readonly before: VoiceState | undefined;
  readonly after: VoiceState | undefined;
  /** By the bot's own op 4. */
  readonly asked: boolean;
}

export interface ThreadState {
  archived: boolean;
  locked: boolean;
  readonly ownerId: string;
  readonly createdAt: number;
  /** Ids of those who were added, the owner among them. */
  readonly memberIds: Set<string>;
}

export interface Channel {
  readonly id: string;
  readonly type: number;
  readonly guild: Guild | undefined;
  name: string;
  topic: string | null;
  nsfw: boolean;
  parentId: string | null;
  /** Of a voice channel; absent or 0: no limit. */
  userLimit?: number;
  readonly position: number;
  overwrites: Overwrite[];
  /** Of a direct message or a group of them. */
  readonly recipients: readonly User[];
  lastMessageId: string | null;
  thread: ThreadState | undefined;
  readonly messages: Map<string, Message>;
  typings: number;
  deleted: boolean;
}

export interface Attachment {
  readonly id: string;
  readonly channelId: string;
  readonly name: string;
  readonly contentType: string | undefined;
  readonly bytes: Uint8Array;
  readonly description: string | undefined;
  readonly ephemeral: boolean;
  readonly waveform: string | undefined;
  readonly durationSecs: number | undefined;
  /** False: its address answers 404. */
  available: boolean;
}

export interface Webhook {
  readonly id: string;
  readonly token: string;
  name: string;
  avatar: string | null;
  channel: Channel;
  readonly creator: User;
  /** Of the application that made it; null for one that a person made. */
  readonly applicationId: string | null;
}

export interface Reaction {
  readonly emoji: { readonly id: string | null; readonly name: string };
  readonly users: Set<string>;
}

export interface Reference {
  /** 0 a reply, 1 a forward. */
  readonly type: 0 | 1;
  readonly channelId: string;
  readonly messageId: string;
}

export interface Message {
  readonly id: string;
  readonly channel: Channel;
  readonly author: User;
  readonly webhook:
    | { readonly id: string; readonly name: string; readonly avatarUrl: string | undefined }
    | undefined;
  readonly applicationId: string | undefined;
  readonly type: number;
  content: string;
  flags: number;
  attachments: Attachment[];
  embeds: Json[];
  components: Json[];
  readonly stickers: readonly Json[];
  readonly poll: Json | undefined;
  readonly reference: Reference | undefined;
  readonly snapshot: Json | undefined;
  readonly nonce: string | number | undefined;
  readonly interaction: Interaction | undefined;
  mentions: User[];
  mentionRoles: string[];
  mentionEveryone: boolean;
  editedAt: number | undefined;
  edits: number;
  pinned: boolean;
  /** Time of its pin, ms since 1970; 0 where it never was pinned. */
  pinnedMs: number;
  readonly reactions: Map<string, Reaction>;
  thread: Channel | undefined;
  deleted: boolean;
}

/** What somebody would have been notified of. */
export interface Ping {
  readonly message: string;
  readonly channel: string;
  readonly kind: 'everyone' | 'role' | 'user' | 'reply';
  /** Who: a user or role; absent for everyone. */
  readonly id?: string;
  readonly by: 'post' | 'edit';
}

export interface Interaction {
  readonly id: string;
  readonly token: string;
  /** 2 command, 3 component, 4 autocomplete, 5 modal. */
  readonly type: number;
  readonly user: User;
  readonly channel: Channel;
  readonly createdAt: number;
  readonly createdRealMs: number;
  /** The message whose component was used. */
  readonly message: Message | undefined;
  /** True where the application is there through the user's own account only. */
  readonly userInstalledOnly: boolean;
  readonly owners: Json;
  readonly command: string | undefined;
  answer:
    | {
        readonly type: number;
        readonly afterMs: number;
        readonly afterRealMs: number;
        readonly ephemeral: boolean;
      }
    | undefined;
  original: Message | undefined;
  readonly followUps: Message[];
  choices: Json[] | undefined;
  modal: Json | undefined;
}

/** A command as the bot registered it, with its id. */
export type Command = Json & { readonly id: string; readonly name: string; readonly type: number };

export interface GatewayEvent {
  readonly t: string;
  /** Sessions with any of these bits get it; 0: all. */
  readonly intents: number;
  readonly guildId: string | undefined;
  /** `canRead`: whether the session may see the text of others. */
  readonly d: (canRead: boolean) => Json;
}

export interface RequestRecord {
  readonly method: string;
  /** As in `fail`: `POST /channels/:id/messages`. */
  readonly route: string;
  readonly path: string;
  readonly body: Json;
  readonly files: readonly { readonly name: string; readonly sizeBytes: number }[];
  /** On the fake's clock. */
  readonly at: number;
  /** Undefined while unanswered, and where the answer was lost. */
  status: number | undefined;
  /** Name of the client, where it uses `urlFor`; otherwise empty. */
  readonly client: string;
}

/** Everything that exists. Mutated by routes and by the driver, in one thread. */
export interface World {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly bot: User;
  readonly applicationId: string;
  readonly token: string;
  /** Where HTTP answers: `http://127.0.0.1:PORT`. */
  origin: string;
  readonly fileLimitBytes: number;
  readonly answerWithinMs: number;
  /** Privileged intents that the portal grants. */
  privileged: number;
  readonly users: Map<string, User>;
  readonly guilds: Map<string, Guild>;
  readonly channels: Map<string, Channel>;
  readonly webhooks: Map<string, Webhook>;
  readonly attachments: Map<string, Attachment>;
  /** By id, and by token. */
  readonly interactions: Map<string, Interaction>;
  readonly globalCommands: Map<string, Command>;
  readonly guildCommands: Map<string, Map<string, Command>>;
  /** What the bot has sent with `enforce_nonce`, wherever it did, by nonce. */
  readonly nonces: Map<string, { readonly message: Message; readonly at: number }>;
  readonly pings: Ping[];
  readonly requests: RequestRecord[];
  /** Sends an event to the sessions that may see it, and wakes who waits for a change. */
  emit(event: GatewayEvent): void;
  /** Tells the voice servers; the gateway's event is out already. */
  voiceChanged(change: VoiceChange): void;
  changed(): void;
}
