import { z } from 'zod';
import type { Choice, CommandInfo } from '../command/command.ts';
import type { ConfigSection } from '../config.ts';
import type { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import type {
  Channel,
  Content,
  Member,
  Message,
  MessageRef,
  OutgoingFile,
  Posted,
  Space,
} from '../model.ts';
import type { Services } from '../services.ts';
import type { Naming, Texts } from '../i18n.ts';
import type { RoomWatcher, VoicePort } from './voice.ts';
import type { Watcher, WatchPort } from './channel-feed.ts';

/** What the core needs of a platform. Every method rejects with an `AppError`. */
export interface Platform {
  /** The adapter's folder name, as it stands in `Space.platform`. */
  readonly name: string;
  /** How people type commands there. Default: plain. */
  readonly naming?: Naming;
  post(to: Channel, content: Content, options?: { replyTo?: MessageRef }): Promise<Posted>;
  /** Replaces what a message of ours shows; resolves with where it stands then. */
  edit(message: Posted, content: Content): Promise<Posted>;
  /** Deleting what is gone already is not an error. */
  delete(message: Posted): Promise<void>;
  upload(to: Channel, file: OutgoingFile): Promise<Posted>;
  /** Shows `content` to one member only. */
  whisper(to: Channel, member: Member, content: Content): Promise<void>;
  /** Shows that an answer is being made; fades by itself. */
  typing(to: Channel): Promise<void>;
  /** Only where people can speak with each other. */
  readonly voice?: VoicePort;
  /** Only where what people write can be followed. */
  readonly watch?: WatchPort;
}

/** Where the answer to one invocation goes; given by the adapter with it. */
export interface Answer {
  /** Shows `content` as the answer, in place of what it showed before. */
  show(content: Content): Promise<void>;
  /** The shortest time between two calls of `show` that the platform takes well. */
  readonly paceMs: number;
  /** The largest file that can be shown there. Default: `LEAST_FILE_BYTES`. */
  readonly fileBytes?: number;
}

/** What can be shown wherever people chat: Discord takes no more where nobody paid for it. */
export const LEAST_FILE_BYTES = 10 * 1_048_576;

/** One use of a command, which the adapter has acknowledged to its platform already. */
export interface Invocation {
  readonly id: string;
  /** The command's name; with a subcommand, both words: `glossary add`. */
  readonly command: string;
  /** As the platform gave them: text, numbers, booleans, attachments. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The message that the command is used on, from its menu; then `options` is empty. */
  readonly on?: Message;
  readonly member: Member;
  readonly channel: Channel;
  /** Aborted when the person who asked is gone or took it back. */
  readonly signal: AbortSignal;
  readonly answer: Answer;
}

/** Somebody pressed a control under an answer; `answer` shows in place of that answer. */
export interface PressInvocation extends Pick<
  Invocation,
  'id' | 'member' | 'channel' | 'signal' | 'answer'
> {
  /** The control's, as it was given. */
  readonly press: string;
  /** What was chosen; empty for a button. */
  readonly values: readonly string[];
}

/** What somebody typed so far into an option that completes itself. */
export interface CompletionRequest {
  readonly command: string;
  readonly option: string;
  readonly typed: string;
  readonly member: Member;
  readonly space: Space;
}

/** One line of the table that says what works here, and how to add what does not. */
export interface EngineReport {
  readonly name: string;
  /** What it is for. */
  readonly serves: readonly ('speech' | 'recognition' | 'translation' | 'chat')[];
  readonly ready: boolean;
  /** Ready: what it offers. Otherwise the one line that adds it. */
  readonly detail: string;
}

export interface ServiceStatus {
  readonly builtIn: boolean;
  readonly reachable: boolean;
  readonly engines: readonly EngineReport[];
}

/** A line of a watched channel, on its way into one language. */
export interface LineTranslation {
  readonly language: string;
  /** The whole translation so far. */
  readonly text: string;
  /** True on the last one of its language. */
  readonly done: boolean;
  /** Why there is no translation into this language; then `done` is true and `text` empty. */
  readonly error?: AppError;
}

/** What an adapter gets from the core. */
export interface Core {
  readonly log: Log;
  readonly texts: Texts;
  readonly services: Services;
  /** What is to be told of the messages of watched channels. */
  readonly watcher: Watcher;
  /** What is to be told of the rooms in which people speak. */
  readonly rooms: RoomWatcher;
  /** Every command that the platform can serve, with its texts in the best locale for `locale`. */
  commands(locale: string, platform: string): readonly CommandInfo[];
  /** Runs a command to its end. Never rejects: faults are shown through `invocation.answer`. */
  dispatch(invocation: Invocation): Promise<void>;
  /** Does what a pressed control says. Never rejects. */
  press(invocation: PressInvocation): Promise<void>;
  /** At most 25 choices; empty when there is nothing to offer or the lookup failed. */
  complete(request: CompletionRequest): Promise<readonly Choice[]>;
  /**
   * Translates one line into each of `languages`, at most one request a language; yields growing
   * texts, the languages interleaved. A language that the line is in already yields nothing. Never
   * rejects: a failure is the last item of its language.
   */
  translateLine(
    line: { readonly space: Space; readonly text: string },
    languages: readonly string[],
    signal: AbortSignal,
  ): AsyncIterable<LineTranslation>;
  status(signal: AbortSignal): Promise<ServiceStatus>;
  /** Whether people can use each platform that is on, by its name. */
  ready(): Readonly<Record<string, boolean>>;
}

export interface Adapter extends AsyncDisposable {
  readonly platform: Platform;
  /**
   * Settles when people can use it, or when it goes on trying by itself; the text says where, e.g. an
   * address to open. Disposed of meanwhile, it leaves nothing behind, and may reject.
   */
  start(): Promise<{ readonly where: string }>;
  /** Whether people can use it at this moment; see `Core.ready`. */
  ready(): boolean;
}

/** One line of what the doctor says. */
export interface Finding {
  /** What was looked at, e.g. `Discord: token`. */
  readonly check: string;
  readonly ok: boolean;
  /** What was found, or what to do. */
  readonly detail: string;
  /** Not being there is no failure. */
  readonly isOptional?: boolean;
}

/** The default export of `adapters/<name>/index.ts`. */
export interface AdapterModule {
  /** The folder's name. */
  readonly name: string;
  /** The environment variables that it reads. */
  readonly config: ConfigSection;
  /** Undefined when the configuration leaves this adapter off; only otherwise is its library loaded. */
  create(config: never, core: Core): Promise<Adapter | undefined>;
  /** Looks at all that the adapter needs of its platform; nothing where it is off. Never throws. */
  readonly diagnose?: (config: never, core: Core) => AsyncIterable<Finding>;
}

export const defineAdapter = <Section extends ConfigSection>(module: {
  readonly name: string;
  readonly config: Section;
  create(config: z.infer<Section>, core: Core): Promise<Adapter | undefined>;
  diagnose?(config: z.infer<Section>, core: Core): AsyncIterable<Finding>;
}): AdapterModule => module;

const adapterModule = z.looseObject({
  name: z.string(),
  config: z.instanceof(z.ZodObject),
  create: z.function(),
});

/** What is wrong with the default export of `adapters/<folder>/index.ts`; undefined for a good one. */
export const adapterFault = (value: unknown, folder: string): string | undefined => {
  const parsed = adapterModule.safeParse(value);
  if (!parsed.success) return 'its default export is no adapter: see defineAdapter';
  return parsed.data.name === folder
    ? undefined
    : `its adapter is named ${parsed.data.name}, not as the folder`;
};
