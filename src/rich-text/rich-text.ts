/**
 * Rich text: what chat messages are made of, whatever the platform. Plain immutable data that JSON
 * carries whole.
 *
 * A text is a list of blocks, each on lines of its own. A paragraph holds any number of plain lines:
 * a line break is `\n` in a text node, and a paragraph without children is one empty line. So every
 * line of a message is told, and two blocks stand on neighbouring lines unless lines are between them.
 * `normalise` gives the one form that stands for all trees that look the same.
 */
export type RichText = readonly Block[];

export type Block = Paragraph | Heading | Subtext | Quote | List | CodeBlock;

export interface Paragraph {
  readonly kind: 'paragraph';
  readonly children: readonly Inline[];
}

export interface Heading {
  readonly kind: 'heading';
  readonly level: 1 | 2 | 3;
  readonly children: readonly Inline[];
}

/** A line in small grey letters. */
export interface Subtext {
  readonly kind: 'subtext';
  readonly children: readonly Inline[];
}

export interface Quote {
  readonly kind: 'quote';
  readonly children: readonly Block[];
}

export interface List {
  readonly kind: 'list';
  /** The first item's number; absent from a bulleted list. */
  readonly start?: number;
  readonly items: readonly ListItem[];
}

export interface ListItem {
  readonly children: readonly Inline[];
  /** Lists within the item, below its own words. */
  readonly lists: readonly List[];
}

export interface CodeBlock {
  readonly kind: 'code-block';
  /** The code, without line breaks at its ends. */
  readonly text: string;
  readonly language?: string;
  /** True when the block is hidden until a reader asks for it. */
  readonly spoiler?: true;
}

export type Inline = Text | Styled | Spoiler | Code | Link | Mention | CustomEmoji | Timestamp;

export interface Text {
  readonly kind: 'text';
  /** Text in a language, Unicode emoji included; never markup. */
  readonly text: string;
}

export const STYLE_KINDS = ['bold', 'italic', 'underline', 'strike'] as const;

export type StyleKind = (typeof STYLE_KINDS)[number];

export interface Styled {
  readonly kind: StyleKind;
  readonly children: readonly Inline[];
}

export interface Spoiler {
  readonly kind: 'spoiler';
  readonly children: readonly Inline[];
}

export interface Code {
  readonly kind: 'code';
  readonly text: string;
}

export interface Link {
  readonly kind: 'link';
  /** The address with its scheme: http, https, mailto or tel. */
  readonly url: string;
  /** The label; empty where the address itself is shown. */
  readonly children: readonly Inline[];
  /** True when the writer wanted no preview of the page. */
  readonly noPreview?: true;
}

export type MentionTarget =
  | 'member'
  | 'role'
  | 'channel'
  | 'group'
  /** A mention of everybody at once; `id` is the platform's word, such as `everyone` or `here`. */
  | 'broadcast'
  /** A slash command; `name` is how it is called. */
  | 'command'
  /** A page of the platform's own, such as the channel browser. */
  | 'page';

export interface Mention {
  readonly kind: 'mention';
  /** The platform to which `id` belongs, or `OWN`: on every other the mention is only its name. */
  readonly platform: string;
  readonly target: MentionTarget;
  /** Opaque id. */
  readonly id: string;
  /** The name without `@`, `#` or `/`. */
  readonly name?: string;
}

export interface CustomEmoji {
  readonly kind: 'emoji';
  /** The platform to which `id` belongs. */
  readonly platform: string;
  readonly id: string;
  /** The name without colons. */
  readonly name: string;
  readonly animated?: true;
}

/** Discord's letters: time, time with seconds, date (short, long), both (short, long), relative. */
export type TimestampStyle = 't' | 'T' | 'd' | 'D' | 'f' | 'F' | 'R';

/** A moment that each reader sees in their own time zone. */
export interface Timestamp {
  readonly kind: 'timestamp';
  /** Whole seconds since 1970. */
  readonly seconds: number;
  readonly style: TimestampStyle;
}

/** The last second that a JavaScript date can hold. */
const LAST_SECOND = 8_640_000_000_000;

/** True for whole seconds within the calendar. */
export const isSecond = (seconds: number): boolean =>
  Number.isInteger(seconds) && Math.abs(seconds) <= LAST_SECOND;

export type RichTextNode = Block | Inline;

export const text = (written: string): Text => ({ kind: 'text', text: written });

export const styled = (kind: StyleKind, ...children: readonly Inline[]): Styled => ({
  kind,
  children,
});

export const spoiler = (...children: readonly Inline[]): Spoiler => ({ kind: 'spoiler', children });

export const code = (written: string): Code => ({ kind: 'code', text: written });

export const link = (url: string, ...children: readonly Inline[]): Link => ({
  kind: 'link',
  url,
  children,
});

export const mention = (
  platform: string,
  target: MentionTarget,
  id: string,
  name?: string,
): Mention => ({ kind: 'mention', platform, target, id, ...(name === undefined ? {} : { name }) });

/** Stands for Dragoman in place of a platform, in mentions of its own commands. */
export const OWN = 'dragoman';

/**
 * Mentions one of our own commands in a text of ours: a platform on which commands are pressed shows it so, others as
 * code. No parser makes it of what people write.
 *
 * @param command its name, with both words of a subcommand
 * @param typed the name that people type
 */
export const ownCommand = (command: string, typed = command): Mention =>
  mention(OWN, 'command', command, typed);

export const emoji = (
  platform: string,
  id: string,
  name: string,
  animated = false,
): CustomEmoji => ({ kind: 'emoji', platform, id, name, ...(animated ? { animated } : {}) });

export const timestamp = (seconds: number, style: TimestampStyle = 'f'): Timestamp => ({
  kind: 'timestamp',
  seconds,
  style,
});

export const paragraph = (...children: readonly Inline[]): Paragraph => ({
  kind: 'paragraph',
  children,
});

export const heading = (level: 1 | 2 | 3, ...children: readonly Inline[]): Heading => ({
  kind: 'heading',
  level,
  children,
});

export const subtext = (...children: readonly Inline[]): Subtext => ({ kind: 'subtext', children });

export const quote = (...children: readonly Block[]): Quote => ({ kind: 'quote', children });

export const item = (children: readonly Inline[], ...lists: readonly List[]): ListItem => ({
  children,
  lists,
});

export const bulleted = (...items: readonly ListItem[]): List => ({ kind: 'list', items });

export const numbered = (start: number, ...items: readonly ListItem[]): List => ({
  kind: 'list',
  start,
  items,
});

export const codeBlock = (written: string, language?: string, hidden = false): CodeBlock => ({
  kind: 'code-block',
  text: written,
  ...(language === undefined ? {} : { language }),
  ...(hidden ? { spoiler: true } : {}),
});

/**
 * WORD JOINER: drawn as nothing. Renderers put it where two markers, or a word and a marker, would
 * otherwise be read as something else; parsers take it out again, so a tree never holds one.
 */
export const SEPARATOR = '\u2060';

export const withoutSeparators = (words: string): string =>
  words.includes(SEPARATOR) ? words.replaceAll(SEPARATOR, '') : words;
