import { spokenName } from '../../text/speech/spoken-name.ts';
import type { SpeechTurn } from './speech-item.ts';

/** The bot's own words within the speech of a room. */
export interface AnnouncerTexts {
  /** The words before a person's speech. */
  says(name: string, language: string | undefined): string;
  /** The word for a name that cannot be spoken. */
  somebody(language: string | undefined): string;
  /** The words in place of the end of a long text. */
  andSoOn(language: string | undefined): string;
}

/** The pause after which the same person is announced again. */
const RUN_ENDS_MS = 60_000;

/** Announces who speaks, once for all turns of one person in a row. */
export interface Announcer {
  /** The announcement before a turn; '' when the speaker is already known. */
  lead(turn: SpeechTurn, nowMs: number): string;
  /** Notes that a turn begins, or ends. */
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
