import type { VoicePreference } from '../../speech/speech.ts';
import { splitText } from '../../text/split/split.ts';
import { countCodePoints } from '../../text/unicode.ts';

/** One item as people see it in the queue. */
export interface QueueEntry {
  readonly kind: ItemKind;
  readonly by: SpeechItem['by'];
  readonly text: string;
  /** How long it takes to speak, roughly. */
  readonly aboutMs: number;
}

export interface QueueView {
  readonly isPaused: boolean;
  /** What is spoken at this moment: more than one item where a person wrote them in a row. */
  readonly playing: readonly QueueEntry[];
  /** For how long already; 0 until its speech is there. */
  readonly playedMs: number;
  /** In the order in which they will be spoken. */
  readonly waiting: readonly QueueEntry[];
}

export const entryOf = ({ kind, by, text }: SpeechItem): QueueEntry => ({
  kind,
  by,
  text,
  aboutMs: spokenMs(text),
});

export const entriesOf = (turn: SpeechTurn | undefined): readonly QueueEntry[] =>
  turn?.items.map(entryOf) ?? [];

/**
 * What is spoken in a room: `notice` by us, `answer` to a question, `say` by somebody's command, `read`
 * from what people write. Notices go first, what was asked for next, what is read last. Whom a notice
 * tells something is to hear it: nobody can end one, or pause it once it is spoken.
 */
export type ItemKind = 'notice' | 'answer' | 'say' | 'read';

export interface SpeechItem {
  readonly id: string;
  readonly kind: ItemKind;
  readonly by?: { readonly id: string; readonly name: string };
  /** As `speakable` gives it. */
  readonly text: string;
  readonly wish: VoicePreference;
  /** The language of the text, and the one that its speaker is announced in. */
  readonly readAs?: string;
  /** From when it is added to when it starts. Default 20 s for `read`, 60 s for the others. */
  readonly longestWaitMs?: number;
}

/** `late`: it could not start in time; `full`: too much waits; `repeated`: said twice just before. */
export type DropReason = 'late' | 'full' | 'repeated';

/** What is spoken in one go: one item, or what one person wrote in a row. */
export interface SpeechTurn {
  readonly items: readonly [SpeechItem, ...SpeechItem[]];
  readonly text: string;
  /** When it must have started, on the room's clock. */
  readonly startByMs: number;
}

export const RANKS: Readonly<Record<ItemKind, number>> = { notice: 0, answer: 1, say: 1, read: 2 };

export const isNotice = ({ kind }: Pick<SpeechItem, 'kind'>): boolean => kind === 'notice';

export const rankOf = (turn: SpeechTurn): number => RANKS[turn.items[0].kind];

const READ_WAIT_MS = 20_000;
const ASKED_WAIT_MS = 60_000;

export const longestWaitOf = ({ kind, longestWaitMs }: SpeechItem): number =>
  longestWaitMs ?? (kind === 'read' ? READ_WAIT_MS : ASKED_WAIT_MS);

/** About half a minute; nobody listens to more of a chat. */
export const LONGEST_READ_CODE_POINTS = 500;
/** What one command takes; about ten minutes. */
const LONGEST_CODE_POINTS = 10_000;

/** The item with a text of bounded length; `tail` stands for what is left out. */
export const shortened = (item: SpeechItem, tail: string): SpeechItem => {
  const limit = item.kind === 'read' ? LONGEST_READ_CODE_POINTS : LONGEST_CODE_POINTS;
  if (item.text.length <= limit || countCodePoints(item.text) <= limit) return item;
  const [start = ''] = splitText(item.text, limit);
  return { ...item, text: `${start.trimEnd()} ${tail}` };
};

/** Voices speak some 15 letters a second, and half as many signs that are a syllable each. */
const LETTER_MS = 65;
const SYLLABLE_MS = 140;
const syllables = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]/gu;

/** How long it takes to speak a text, roughly. */
export const spokenMs = (text: string): number => {
  const slow = text.match(syllables)?.length ?? 0;
  return slow * SYLLABLE_MS + (countCodePoints(text) - slow) * LETTER_MS;
};
