import type { VoicePreference } from '../../speech/speech.ts';
import { splitText } from '../../text/split/split.ts';
import { countCodePoints } from '../../text/unicode.ts';

/**
 * Kinds of speech in a room: a `notice` of the bot, the `answer` to a question, the text of the command
 * `say`, and a message that is `read` aloud. They are spoken in this order. Nobody can end a notice, or
 * pause it once it is spoken: people have to be informed.
 */
export type ItemKind = 'notice' | 'answer' | 'say' | 'read';

export interface SpeechItem {
  readonly id: string;
  readonly kind: ItemKind;
  readonly by?: { readonly id: string; readonly name: string };
  /** Text as `speakable` gives it. */
  readonly text: string;
  readonly voice: VoicePreference;
  /** The language of the text, in which its speaker is also announced. */
  readonly readAs?: string;
  /** Opus packets of 20 ms that are played before the text. */
  readonly sound?: readonly Uint8Array[];
  /** Longest wait for its start. Default 20 s for `read`, 60 s for the others. */
  readonly longestWaitMs?: number;
}

/** Reasons to drop an item: it starts too late, too much waits, or it is repeated again. */
export type DropReason = 'late' | 'full' | 'repeated';

/** Speech that is spoken at once: one item, or the messages that one person wrote in a row. */
export interface SpeechTurn {
  readonly items: readonly [SpeechItem, ...SpeechItem[]];
  readonly text: string;
  /** True in a flood of messages: a name alone announces the speaker. */
  readonly isBrief: boolean;
  /** Latest start, on the room's clock. */
  readonly startByMs: number;
}

export const RANKS: Readonly<Record<ItemKind, number>> = { notice: 0, answer: 1, say: 1, read: 2 };

export const isNotice = ({ kind }: Pick<SpeechItem, 'kind'>): boolean => kind === 'notice';

export const rankOf = (turn: SpeechTurn): number => RANKS[turn.items[0].kind];

const READ_WAIT_MS = 20_000;
const ASKED_WAIT_MS = 60_000;

export const longestWaitOf = ({ kind, longestWaitMs }: SpeechItem): number =>
  longestWaitMs ?? (kind === 'read' ? READ_WAIT_MS : ASKED_WAIT_MS);

/** Longest message that is read aloud: about half a minute. */
export const LONGEST_READ_CODE_POINTS = 500;
/** Longest text of a command; about ten minutes. */
const LONGEST_CODE_POINTS = 10_000;

/** Shortens the text of an item; `tail` stands for the rest. */
export const shortened = (item: SpeechItem, tail: string): SpeechItem => {
  const limit = item.kind === 'read' ? LONGEST_READ_CODE_POINTS : LONGEST_CODE_POINTS;
  if (item.text.length <= limit || countCodePoints(item.text) <= limit) return item;
  const [start = ''] = splitText(item.text, limit);
  return { ...item, text: `${start.trimEnd()} ${tail}` };
};

/** Durations of a letter, and of a character that is a syllable. */
const LETTER_MS = 65;
const SYLLABLE_MS = 140;
const syllables = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/gu;

/** Estimates how long it takes to speak a text. */
export const spokenMs = (text: string): number => {
  const slow = text.match(syllables)?.length ?? 0;
  return slow * SYLLABLE_MS + (countCodePoints(text) - slow) * LETTER_MS;
};
