/** The messages between the server and the page. Types only: the page's copy is erased. */
import type { Choice, CommandInfo } from '../../src/model/command-info.ts';
import type { MessageKey } from '../../src/errors.ts';
import type { Content, Control } from '../../src/model/message.ts';
import type { ServiceStatus } from '../../src/model/service.ts';
import type { ModelPlan, ModelsView } from '../../src/model/local-models.ts';

export type ChannelId = 'playground' | 'lounge';

export interface PageAuthor {
  readonly id: string;
  readonly name: string;
  /** True for what Dragoman itself says. */
  readonly ours: boolean;
}

export interface PageFile {
  /** Unguessable; the file is at `/files/<id>`. */
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
}

/** A line in one language: `same` when it is shown as written: it is in that language, or left alone. */
export interface PageTranslation {
  readonly language: string;
  readonly html: string;
  readonly state: 'growing' | 'done' | 'same' | 'failed';
  /** Why it failed, in the reader's language. */
  readonly reason?: string;
}

/** A command as somebody used it; long values are clipped for showing. */
export interface PageCommandUse {
  readonly command: string;
  readonly options: readonly { readonly name: string; readonly value: string }[];
}

/** The page has neither roles nor channels to choose from. */
export type PageControl = Extract<Control, { kind: 'button' | 'choice' }>;

export interface PageMessage {
  readonly id: string;
  readonly channel: ChannelId;
  readonly author: PageAuthor;
  readonly sentAtMs: number;
  /** Safe to put into the page as it is. */
  readonly html: string;
  readonly tone: NonNullable<Content['tone']>;
  readonly files: readonly PageFile[];
  readonly controls?: readonly PageControl[];
  readonly replyTo?: string;
  readonly use?: PageCommandUse;
  readonly onlyYou: boolean;
  /** True while the answer is still being made. */
  readonly working: boolean;
  readonly translation?: PageTranslation;
}

export interface PageMember {
  readonly id: string;
  readonly name: string;
  readonly language: string;
}

interface Snapshot {
  readonly me: PageMember;
  readonly messages: readonly PageMessage[];
  readonly readers: readonly PageMember[];
}

export type ServerEvent =
  | { readonly type: 'hello'; readonly snapshot: Snapshot }
  | { readonly type: 'message'; readonly message: PageMessage }
  | { readonly type: 'removed'; readonly id: string }
  | { readonly type: 'translation'; readonly id: string; readonly translation: PageTranslation }
  | { readonly type: 'me'; readonly me: PageMember }
  /** The reader's own data was deleted: the browser deletes what it keeps, too. */
  | { readonly type: 'forgotten' }
  | { readonly type: 'readers'; readonly readers: readonly PageMember[] }
  /** Says only that the connection lives. */
  | { readonly type: 'beat' };

/** A sentence that the page can say. */
export type PageKey = Extract<MessageKey, `web.${string}` | `line.${string}`>;
export type Params = Readonly<Record<string, string | number>>;

/** The data that the page is served with. */
export interface Boot {
  readonly locale: string;
  /** Empty for somebody who comes from another site and is not known yet. */
  readonly memberId: string;
  /** The sentences of the page; `{name}` stands for a value. */
  readonly texts: Readonly<Record<string, string>>;
  readonly commands: readonly CommandInfo[];
  /** Names of commands that are for other platforms alone. */
  readonly elsewhere: readonly string[];
  readonly maxUploadBytes: number;
  readonly maxTextBytes: number;
  readonly canLogOut: boolean;
  /** True for the operator of a built-in service, who may install models. */
  readonly canInstall: boolean;
}

export interface UseRequest {
  readonly channel: ChannelId;
  readonly command: string;
  readonly options: Readonly<Record<string, string | number | boolean>>;
  /** Uploads by the option that takes them. */
  readonly files: Readonly<Record<string, string>>;
}

/** A control that was pressed, or chosen from, under an answer. */
export interface Pressed {
  readonly id: string;
  readonly press: string;
  readonly values: readonly string[];
}

export interface CompleteReply {
  readonly choices: readonly Choice[];
}

export interface UploadReply {
  readonly id: string;
}

export type StatusReply = ServiceStatus;

export type ModelsReply = ModelsView;

export type ModelsPlanReply = ModelPlan;

/** A line that a newcomer may try. */
export interface Example {
  readonly command: string;
  readonly line: string;
}

export interface ExamplesReply {
  readonly examples: readonly Example[];
  /** The way to add translation, when no engine of the built-in service translates. */
  readonly hint?: string;
  /** True when audio can be transcribed. */
  readonly transcribes: boolean;
}

/** The text message with which a page ends a recording whose bytes it has sent. */
export type DictationEnd = 'end';
