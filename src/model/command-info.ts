export interface Choice {
  /** What the option gets. */
  readonly value: string;
  /** What the person sees. */
  readonly label: string;
}

/** What people look for a command under, in the order in which they are told of it. */
export const TOPICS = ['translation', 'speech', 'channels', 'server', 'privacy', 'more'] as const;

export type Topic = (typeof TOPICS)[number];

/** A part of a platform that a command may be of no use without: watched channels, voice rooms. */
export const PLATFORM_PARTS = ['watch', 'rooms'] as const;

export type PlatformPart = (typeof PLATFORM_PARTS)[number];

/** One option as an adapter registers it. */
export interface OptionInfo {
  readonly name: string;
  /** What people type for it, where that is another name. */
  readonly typed?: string;
  readonly description: string;
  readonly kind: 'text' | 'integer' | 'number' | 'boolean' | 'attachment' | 'channel';
  readonly required: boolean;
  readonly choices?: readonly Choice[];
  /** Of a channel: it has to be one of this kind. */
  readonly only?: 'voice';
  readonly autocompletes: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
}

/** One thing that people can type after the slash, in one locale. */
export interface CommandInfo {
  /** `translate`, or `glossary add`. */
  readonly name: string;
  /** What people type for it, where that is another name. */
  readonly typed?: string;
  readonly summary: string;
  /** Of one action of several: what they are for together. */
  readonly groupSummary?: string;
  /** Default: more. */
  readonly topic?: Topic;
  readonly options: readonly OptionInfo[];
  readonly slow: boolean;
  readonly private: boolean;
  /** What the menu of messages calls it; undefined where it is not in there. */
  readonly menu?: string;
  /** What it is of no use without: to be offered only where there is that, e.g. in no direct message. */
  readonly needs?: PlatformPart;
  /** Its private presses, as they stand in `Control.press` before the colon. */
  readonly privatePresses?: readonly string[];
  /** True where only moderators may use it. */
  readonly moderators?: boolean;
}

/**
 * How commands and options are called: as every platform takes them, or by the locale's own words
 * (`commands.<name>.name`, `options.names.<option>`), where people type these.
 */
export type Naming = 'plain' | 'local';
