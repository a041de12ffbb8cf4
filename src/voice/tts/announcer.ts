import { spokenName } from '../../text/speech/spoken-name.ts';
import type { SpeechTurn } from './speech-item.ts';

/** What is spoken in a room and not written by anybody there. */
export interface AnnouncerTexts {
  /** Who says what comes next. */
  says(name: string, language: string | undefined): string;
  /** For a name that cannot be spoken. */
  somebody(language: string | undefined): string;
  /** In place of the end of a long text. */
  andSoOn(language: string | undefined): string;
}

/** After such a pause people want to hear again who speaks. */
const RUN_ENDS_MS = 60_000;

/** Says who speaks, once for all that one person says in a row. */
export interface Announcer {
  /** What goes before a turn; '' where people know whose it is. */
  lead(turn: SpeechTurn, nowMs: number): string;
  /** A turn begins, or ends. */
  spoken(turn: SpeechTurn, nowMs: number): void;
}

const speakerOf = ({ items: [first] }: SpeechTurn) =>
  first.kind === 'say' || first.kind === 'read' ? first.by : undefined;

export const createAnnouncer = (words: Pick<AnnouncerTexts, 'says' | 'somebody'>): Announcer => {
  let last: { readonly id: string; readonly atMs: number } | undefined;
  return {
    lead: (turn, nowMs) => {
      const by = speakerOf(turn);
      if (!by || (last?.id === by.id && nowMs - last.atMs <= RUN_ENDS_MS)) return '';
      const { readAs } = turn.items[0];
      return words.says(spokenName(by.name) || words.somebody(readAs), readAs);
    },
    spoken: (turn, nowMs) => {
      const by = speakerOf(turn);
      if (by) last = { id: by.id, atMs: nowMs };
    },
  };
};
