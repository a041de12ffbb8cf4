/** What the server and the page say to each other. Types only: the page's copy is erased. */
import type { Choice, CommandInfo } from '../../src/model/command-info.ts';
import type { MessageKey } from '../../src/message-key.ts';
import type { Content, Control } from '../../src/model/content.ts';
import type { ServiceStatus } from '../../src/model/service-status.ts';

export type ChannelId = 'playground' | 'lounge';

export interface WireAuthor {
  readonly id: string;
  readonly name: string;
  /** True for what Dragoman itself says. */
  readonly ours: boolean;
}

export interface WireFile {
  /** Unguessable; the file is at `/files/<id>`. */
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
}

/** How a line reads in one language: `same` when it is in that language already. */
export interface WireTranslation {
  readonly language: string;
  readonly html: string;
  readonly state: 'growing' | 'done' | 'same' | 'failed';
  /** Why it failed, in the reader's language. */
  readonly reason?: string;
}

/** A command as somebody used it; long values are clipped for showing. */
export interface WireUse {
  readonly command: string;
  readonly options: readonly { readonly name: string; readonly value: string }[];
}

/** The page has neither roles nor channels to choose from. */
export type WireControl = Extract<Control, { kind: 'button' | 'choice' }>;

export interface WireMessage {
  readonly id: string;
  readonly channel: ChannelId;
  readonly author: WireAuthor;
  readonly sentAtMs: number;
  /** Safe to put into the page as it is. */
  readonly html: string;
  readonly tone: NonNullable<Content['tone']>;
  readonly files: readonly WireFile[];
  readonly controls?: readonly WireControl[];
  readonly replyTo?: string;
  readonly use?: WireUse;
  readonly onlyYou: boolean;
  /** True while the answer is still being made. */
  readonly working: boolean;
  readonly translation?: WireTranslation;
}

export interface WireMe {
  readonly id: string;
  readonly name: string;
  /** The language this person reads the lounge in. */
  readonly language: string;
  readonly languageName: string;
}

export interface WireReader {
  readonly id: string;
  readonly name: string;
  readonly language: string;
}

interface Snapshot {
  readonly me: WireMe;
  readonly messages: readonly WireMessage[];
  readonly readers: readonly WireReader[];
}

export type ServerEvent =
  | { readonly type: 'hello'; readonly snapshot: Snapshot }
  | { readonly type: 'message'; readonly message: WireMessage }
  | { readonly type: 'removed'; readonly id: string }
  | { readonly type: 'translation'; readonly id: string; readonly translation: WireTranslation }
  | { readonly type: 'me'; readonly me: WireMe }
  | { readonly type: 'readers'; readonly readers: readonly WireReader[] }
  /** Says only that the connection lives. */
  | { readonly type: 'beat' };

/** A sentence that the page can say. */
export type PageKey = Extract<MessageKey, `web.${string}`>;
export type Params = Readonly<Record<string, string | number>>;

/** What the page is served with. */
export interface Boot {
  readonly locale: string;
  /** The sentences of the page; `{name}` stands for a value. */
  readonly texts: Readonly<Record<string, string>>;
  readonly commands: readonly CommandInfo[];
  readonly maxUploadBytes: number;
  readonly canLogOut: boolean;
}

export interface CompleteReply {
  readonly choices: readonly Choice[];
}

export interface UploadReply {
  readonly id: string;
}

export type StatusReply = ServiceStatus;
