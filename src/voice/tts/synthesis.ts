import type { AppError } from '../../errors.ts';
import type { SpeechTurn } from './speech-item.ts';
import { isAudible, startSegment, type Segment, type SegmentDeps, segmentsOf } from './segment.ts';
import { passagesOf } from '../../speech/passages.ts';
import { spokenName } from '../../text/speech/plain-letters.ts';

/** The bot's own words within the speech of a room. */
export interface AnnouncerTexts {
  /** The words before a person's speech. */
  sentence(name: string, language: string | undefined): string;
  /** The word for a name that cannot be spoken. */
  somebody(language: string | undefined): string;
  /** The words in place of the end of a long text. */
  andSoOn(language: string | undefined): string;
}

/** The pause after which the same person is announced again. */
const RUN_ENDS_MS = 60_000;

const speakerOf = ({ items: [first] }: SpeechTurn) =>
  first.kind === 'say' || first.kind === 'read' ? first.by : undefined;

/** Announces who speaks, once for all turns of one person in a row. */
export const createAnnouncer = (words: Pick<AnnouncerTexts, 'sentence' | 'somebody'>) => {
  let last: { readonly id: string; readonly atMs: number } | undefined;
  return {
    /** The announcement before a turn; '' when the speaker is already known. */
    lead: (turn: SpeechTurn, nowMs: number): string => {
      const by = speakerOf(turn);
      if (!by || (last?.id === by.id && nowMs - last.atMs <= RUN_ENDS_MS)) return '';
      const { readAs } = turn.items[0];
      const name = spokenName(by.name) || words.somebody(readAs);
      return turn.isBrief ? `${name}:` : words.sentence(name, readAs);
    },
    spoken: (turn: SpeechTurn, nowMs: number): void => {
      const by = speakerOf(turn);
      if (by) last = { id: by.id, atMs: nowMs };
    },
  };
};

/** Segments that are synthesised at once: the one that plays, and the next one. */
const SEGMENTS_AT_ONCE = 2;

export type Synthesis = ReturnType<typeof startSynthesis>;

/** Starts to synthesise a turn; `late` is called when it has not started in time. */
export const startSynthesis = (
  turn: SpeechTurn,
  lead: string,
  deps: SegmentDeps,
  late: () => void,
) => {
  const { clock } = deps;
  const stop = new AbortController();
  const { signal } = stop;
  const { readAs, sound = [] } = turn.items[0];
  const passages = segmentsOf(lead === '' ? turn.text : `${lead} ${turn.text}`)
    .flatMap((text) => passagesOf(text, readAs))
    .map((passage) => ({ ...passage, text: passage.text.trim() }))
    .filter(({ text }) => isAudible(text));
  const segments: Segment[] = [];
  let startedMs: number | undefined;
  let error: AppError | undefined;
  let isLate = false;
  let stopWaiting: (() => void) | undefined;

  const reach = (count: number): void => {
    for (const passage of passages.slice(segments.length, count))
      segments.push(startSegment(passage, turn.items[0], deps, signal));
  };
  const over = Promise.withResolvers<void>();
  const end = (): void => {
    stopWaiting?.();
    stop.abort();
    over.resolve();
  };
  const expire = (): void => {
    isLate = true;
    end();
    late();
  };
  stopWaiting = clock.after(turn.startByMs - clock.nowMs() + 1, expire);
  /** Starts the turn; returns false when it is too late, even if the timer has not fired yet. */
  const begin = (): boolean => {
    if (signal.aborted) return false;
    if (startedMs !== undefined) return true;
    if (clock.nowMs() > turn.startByMs) {
      expire();
      return false;
    }
    stopWaiting?.();
    startedMs = clock.nowMs();
    return true;
  };
  reach(SEGMENTS_AT_ONCE);

  async function* packets(
    paused: () => Promise<void> | undefined,
  ): AsyncGenerator<Uint8Array, void, void> {
    for (const packet of sound) if (begin()) yield packet;
    for (let index = 0; index < passages.length && !signal.aborted; index += 1) {
      reach(index + SEGMENTS_AT_ONCE);
      const segment = segments[index];
      for (;;) {
        const packet = await segment?.next();
        for (let pause = paused(); pause && !signal.aborted; pause = paused())
          await Promise.race([pause, over.promise]);
        if (!packet) break;
        if (!begin()) return;
        yield packet;
      }
      error = segment?.error();
      if (error) return;
    }
  }

  return {
    turn,
    /** The announcement before the text; may be ''. */
    lead,
    /** Aborted when the turn is over, for whatever reason. */
    signal,
    /** Time of the request for the first packet; undefined until then. */
    startedMs: () => startedMs,
    /** Resolves when there is something to play, or never will be: at once where a sound comes first. */
    ready: async () => (sound.length > 0 ? undefined : segments[0]?.ready()),
    /** Yields the packets, once; waits while `paused` returns a promise. */
    packets,
    error: () => error,
    /** True when the turn ended because it had not started in time. */
    isLate: () => isLate,
    end,
  };
};
