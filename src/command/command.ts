import {
  type Choice,
  type CommandInfo,
  type Topic,
  type PlatformPart,
  PLATFORM_PARTS,
  TOPICS,
} from '../model/command-info.ts';
import { z } from 'zod';
import { userError, type MessageKey } from '../errors.ts';
import type { Translate, TranslateRich } from '../i18n/texts.ts';
import type { Attachment, Content, Message } from '../model/message.ts';
import type { Channel, Member } from '../model/place.ts';
import type { RichText } from '../rich-text/rich-text.ts';
import type { Capabilities, ConversationTurn, PeopleGroup } from '../ports/platform.ts';
import type { ChannelAccess } from './platforms.ts';
import type { Services } from './services.ts';

/** Looks up what could complete `typed`, best first. */
export type Complete = (
  typed: string,
  ctx: {
    readonly services: Services;
    readonly member: Member;
    readonly space: Channel['space'];
    readonly locale: string;
    /** Number of choices that the platform shows; the others are left out. */
    readonly most: number;
    readonly commands: () => readonly CommandInfo[];
  },
) => Promise<readonly Choice[]> | readonly Choice[];

export type Spoken = Pick<CommandContext<unknown>, 'locale' | 't' | 'label'>;

export interface CommandContext<Options> {
  readonly options: Options;
  readonly member: Member;
  readonly channel: Channel;
  /** True where the bot itself is not, such as in direct messages: commands that need a part of a platform are not there. */
  readonly isGuest: boolean;
  /** The space that the use is counted in: the place's, or the person's own where the bot is not. */
  readonly usedIn: Channel['space'];
  /** The message that the command is used on, from its menu. */
  readonly on?: Message;
  /** Earlier turns of the conversation that the use belongs to, oldest first; Markdown. */
  readonly earlier: readonly ConversationTurn[];
  readonly services: Services;
  /** Checks channels: those of options of kind channel are known to be seen by the person. */
  readonly access: ChannelAccess;
  /** Lists the groups of people of the space; undefined where the platform has none. */
  readonly groups: (() => Promise<readonly PeopleGroup[]>) | undefined;
  /**
   * Gives the mentions of a text the names that all readers of a channel may know, by default of the one that the command
   * is used in; undefined without mentions.
   */
  readonly named: ((text: RichText, readers?: Channel) => Promise<RichText>) | undefined;
  /** The person's locale, and its sentences. */
  readonly locale: string;
  readonly t: TranslateRich;
  /** Sentences without markup, for controls. */
  readonly label: Translate;
  /**
   * The same in the language of a channel, for what all of its readers see: that of its readers, else that of the space, as
   * far as they are known, else the person's. Default: of the channel that the command is used in.
   */
  readonly forReaders: (of?: Channel) => Promise<Spoken>;
  readonly signal: AbortSignal;
  /** Shows the answer; a second call replaces the first. */
  readonly reply: (content: Content) => Promise<void>;
  /** Shows a text below the answer, which stays; in the answer where the platform has no room for another message. */
  readonly replyBelow: (content: Pick<Content, 'text'>) => Promise<void>;
  /** The limits of the platform, with the largest file that this answer can show. */
  readonly capabilities: Capabilities;
  /** The commands that there are here, in the person's locale. */
  readonly commands: () => readonly CommandInfo[];
  readonly stream: Stream;
}

/**
 * Shows an answer that grows: each item is the whole of it so far. Items that come faster than the
 * platform takes them are passed over; the last one is always shown. Resolves with what the
 * generator returns.
 *
 * @param as what to show of an item; called only for those that are shown
 * @param left what stays of the last item when the work fails. Default: what was shown
 */
export type Stream = <State, Result>(
  states: AsyncGenerator<State, Result, void>,
  as: (state: State) => RichText,
  left?: (state: State) => RichText,
) => Promise<Result>;

/** Throws an `AppError` when the command may not run here or for this person. */
export type Guard = (ctx: Pick<CommandContext<unknown>, 'member' | 'channel'>) => void;

type Shape = z.ZodRawShape;

/** The work of a command, or of one subcommand. */
export interface Action<S extends Shape = Shape> {
  /**
   * Option names are what people type. Their descriptions stand in `locales/` under
   * `commands.<command>.[<subcommand>.]options.<option>`; an enum becomes choices.
   */
  readonly options?: z.ZodObject<S>;
  readonly complete?: { readonly [Name in keyof S]?: Complete };
  readonly guards?: readonly Guard[];
  /** True when the answer may take more than a second: the adapter shows that work is going on. */
  readonly slow?: boolean;
  /** True when only the asker should see the answer. */
  readonly private?: boolean;
  /**
   * Puts the action into the menu of messages, named `commands.<name>.menu` in `locales/`: the options
   * for a message, or an error that says what the message lacks. Only the asker sees the answer.
   */
  readonly onMessage?: (message: Message) => Partial<z.infer<z.ZodObject<S>>>;
  /** True where the action neither uses nor shows the words of the message: it may be used on those of people who opted out. */
  readonly needsNoWords?: true;
  run(ctx: CommandContext<z.infer<z.ZodObject<S>>>): Promise<void>;
}

/** A form with one field of text, for what must not stand in a command line. */
export interface PressForm {
  readonly title: MessageKey;
  readonly label: MessageKey;
  readonly hint: MessageKey;
  readonly maxChars: number;
}

/** Commands that no choice of roles keeps anybody from: people find help, and what is stored about them. */
export const FOR_EVERYBODY: ReadonlySet<string> = new Set(['help', 'privacy']);

/** The work of a control under an answer; the control itself is all that is known of it. */
export interface Press {
  readonly guards?: readonly Guard[];
  /** True when what it shows is a new answer for the presser alone: the panel of all others stays. */
  readonly private?: boolean;
  /** A form that people fill in first: the text of its one field is the press's only value. */
  readonly form?: PressForm;
  /** True of what people choose for themselves: no roles that the command is for keep them out. */
  readonly isForEverybody?: boolean;
  /** The panel as it is now: shown with the reason beneath when the press could not be done. */
  readonly panel?: (ctx: PressContext) => Promise<Content>;
  /** Says what became of its control where the message shows that no more. Default: it has expired. */
  readonly over?: (ctx: PressContext) => Promise<void>;
  run(ctx: PressContext): Promise<void>;
}

/** Creates a press that runs `run`, if given, and then shows the panel again. */
export const pressOn = (
  panel: (ctx: PressContext) => Promise<Content> | Content,
  run?: (ctx: PressContext) => unknown,
): Press => ({
  panel: async (ctx) => panel(ctx),
  async run(ctx) {
    await run?.(ctx);
    await ctx.reply(await panel(ctx));
  },
});

/** The context that commands and presses share, with which both show a panel. */
export type AnswerContext = Omit<CommandContext<unknown>, 'options' | 'on' | 'earlier' | 'stream'>;

export interface PressContext extends AnswerContext {
  /** The part after the colon in the control's `press`; empty without one. */
  readonly arg: string;
  /** The chosen values; empty for a button. */
  readonly values: readonly string[];
  /** See `ShownControl.chosen`. */
  readonly shown?: readonly string[] | undefined;
}

/** The traits of a whole command, whatever its actions. */
export interface CommandTraits {
  /** Default: more. */
  readonly topic?: Topic;
  /** The command exists only where that is. */
  readonly needs?: PlatformPart;
  /** The action that the command runs where people type its name alone, on platforms that let them. */
  readonly alone?: string;
  /** The controls' work, by the word after the command's name in `Control.press`. */
  readonly presses?: Readonly<Record<string, Press>>;
}

/** A command has one action, or several under names of their own. */
export interface Command extends CommandTraits {
  readonly name: string;
  readonly actions: Readonly<Record<string, Action>>;
}

/** The key under which the one action of a command without subcommands stands. */
export const SOLE_ACTION = '';

/** A command of one action. Its summary stands in `locales/` under `commands.<name>.summary`. */
export const defineCommand = <S extends Shape>(
  name: string,
  action: Action<S>,
  traits: CommandTraits = {},
): Command => ({ ...traits, name, actions: { [SOLE_ACTION]: action } });

/** Types one subcommand's options; see `defineCommandGroup`. */
export const defineAction = <S extends Shape>(action: Action<S>): Action => action;

/** A command of several actions, such as `/glossary add`; see also `commands.<name>.summary`. */
export const defineCommandGroup = (
  name: string,
  actions: Readonly<Record<string, Action>>,
  traits: CommandTraits = {},
): Command => ({ ...traits, name, actions });

/** An option that takes a file. */
export const attachment = () =>
  z
    .custom<Attachment>(
      (value) => typeof value === 'object' && value !== null && 'open' in value,
      'a file is needed',
    )
    .meta({ kind: 'attachment' });

const LONGEST_LIST_CHARS = 2_000;

/** An option that takes several values of one kind, separated by commas. */
export const listOption = () => z.string().min(1).max(LONGEST_LIST_CHARS).meta({ several: true });

/** A text whose length is checked before it is read. */
export interface UnreadText {
  readonly typed: string;
  readonly read: () => RichText;
}

const RICH_TEXT = 'rich-text';

/** An option that takes a text in the platform's markup, typed in 1 to `max` UTF-16 units. */
export const richText = ({ max }: { readonly max: number }) =>
  z
    .object({ typed: z.string().min(1).max(max), read: z.custom<UnreadText['read']>() })
    .transform(({ read }) => read())
    .meta({ kind: RICH_TEXT, maxLength: max });

export const takesRichText = (option: z.core.$ZodType | undefined): boolean => {
  const inner = option instanceof z.ZodOptional ? option.unwrap() : option;
  return inner !== undefined && z.globalRegistry.get(inner)?.['kind'] === RICH_TEXT;
};

const LONGEST_ID_CHARS = 100;

/** An option that takes a channel of this space, or only a voice channel. */
export const channelOption = (only?: 'voice') =>
  z
    .custom<Channel>(
      (value) =>
        typeof value === 'object' &&
        value !== null &&
        'id' in value &&
        typeof value.id === 'string' &&
        value.id.length <= LONGEST_ID_CHARS,
      'a channel is needed',
    )
    .meta({ kind: 'channel', ...(only ? { only } : {}) });

/** Guard: the person moderates this space. */
export const moderator: Guard = ({ member }) => {
  if (member.role !== 'moderator') {
    const { platform } = member;
    throw userError('forbidden', 'errors.needs-moderator', { platform });
  }
};

const action = z.looseObject({
  run: z.function(),
  options: z.instanceof(z.ZodObject).optional(),
});

const press = z.looseObject({
  run: z.function(),
  panel: z.function().optional(),
});

const command = z.looseObject({
  name: z.string().regex(/^[a-z]{1,32}$/, 'must be 1 to 32 small letters'),
  actions: z
    .record(z.string().regex(/^[a-z]{0,32}$/), action)
    .refine((actions) => Object.keys(actions).length > 0, 'must not be empty'),
  presses: z.record(z.string().regex(/^[a-z]{1,32}$/), press).optional(),
  needs: z.enum(PLATFORM_PARTS).optional(),
  topic: z.enum(TOPICS).optional(),
});

/** Says what is wrong with the export of `commands/<fileName>.ts`; undefined for a good one. */
export const commandFault = (value: unknown, fileName: string): string | undefined => {
  const parsed = command.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return `its default export is no command (${issue?.path.join('.') || 'value'}: ${issue?.message})`;
  }
  const { name } = value as Command;
  return name === fileName ? undefined : `its command is named ${name}, not as the file`;
};
