import { type ItemKind, type SpeechItem, spokenMs, type SpeechTurn } from './speech-item.ts';

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
