import { applyGain } from './gain.ts';
import { toAppError, type AppError } from '../../errors.ts';
import type { VoiceLink } from '../../ports/voice.ts';
import {
  createAnnouncer,
  type AnnouncerTexts,
  startSynthesis,
  type Synthesis,
} from './synthesis.ts';
import { createDropNotifier, createRepeats, createSpeechQueue } from './speech-queue.ts';
import {
  type DropReason,
  isNotice,
  rankOf,
  RANKS,
  shortened,
  type SpeechItem,
  type SpeechTurn,
} from './speech-item.ts';
import { isAudible, type SegmentDeps } from './segment.ts';

/** Gain while somebody speaks, from 0 to 1: −12 dB. */
const DUCKED_GAIN = 0.25;

/** Time for which speech that has begun waits until the bot may speak again: then nobody knows its beginning. */
const LONGEST_HOLD_MS = 10_000;

/** Receives the outcome of each item: it may begin, and then ends in one way. Must not throw. */
export interface PlaybackListener {
  /** Reports that the first packet of the item, or of its turn, is played. */
  began(item: SpeechItem): void;
  /** Reports an item that was spoken, skipped, stopped or forgotten, or had nothing to speak. */
  ended(item: SpeechItem): void;
  /** Reports items that are never spoken, and the reason; once for all items within a second. */
  dropped(items: readonly SpeechItem[], reason: DropReason): void;
  /** Reports an item that was not spoken to its end; of a turn with several items the first. */
  failed(item: SpeechItem, error: AppError): void;
}

export interface PlaybackDeps extends SegmentDeps {
  readonly play: VoiceLink['play'];
  readonly words: AnnouncerTexts;
  readonly listener: PlaybackListener;
}

/**
 * Creates the playback of a room. One item is synthesised while the one before it is spoken. Each
 * starts within its longest wait or is dropped, which is reported; a pause that is too long drops
 * it as well.
 */
export const createPlayback = (deps: PlaybackDeps) => {
  const { clock, listener, play, words } = deps;
  const announcer = createAnnouncer(words);
  const drops = createDropNotifier(clock, (items, reason) => listener.dropped(items, reason));
  const queue = createSpeechQueue(clock, (items) => drops.add(items, 'late'));
  const isRepeated = createRepeats();
  let current: Synthesis | undefined;
  let ahead: Synthesis | undefined;
  let running: Promise<void> | undefined;
  let pausing: PromiseWithResolvers<void> | undefined;
  /** Set while the bot may not speak. */
  let holding: PromiseWithResolvers<void> | undefined;
  let cancelHeld: (() => void) | undefined;
  let gain = 1;
  let isOver = false;

  const reportEnded = (items: readonly SpeechItem[]): void => {
    for (const item of items) listener.ended(item);
  };

  const start = (turn: SpeechTurn): Synthesis => {
    const speech = startSynthesis(turn, announcer.lead(turn, clock.nowMs()), deps, () => {
      if (ahead === speech) ahead = undefined;
      drops.add(turn.items, 'late');
    });
    return speech;
  };
  const makeAhead = (): void => {
    if (ahead || queue.rank() === undefined || current?.startedMs() === undefined) return;
    const turn = queue.take();
    if (turn) ahead = start(turn);
  };

  /** Chooses the turn to play: the one that is ready, unless a more urgent one came meanwhile. */
  const next = (): Synthesis | undefined => {
    const ready = ahead;
    if (!ready || (queue.rank() ?? Infinity) < rankOf(ready.turn)) {
      const turn = queue.take();
      return turn && start(turn);
    }
    ahead = undefined;
    if (announcer.lead(ready.turn, clock.nowMs()) === ready.lead) return ready;
    ready.end();
    return start(ready.turn);
  };

  const follow = async function* (speech: Synthesis) {
    let isFirst = true;
    const mayPause = !isNotice(speech.turn.items[0]);
    const paused = () => (holding ?? (mayPause ? pausing : undefined))?.promise;
    for await (const packet of speech.packets(paused)) {
      if (isFirst) {
        announcer.spoken(speech.turn, clock.nowMs());
        for (const item of speech.turn.items) listener.began(item);
      }
      isFirst = false;
      makeAhead();
      yield packet;
    }
  };

  /** Plays a turn; resolves with the error when it was not spoken to its end. */
  const playOut = async (speech: Synthesis): Promise<AppError | undefined> => {
    await speech.ready();
    if (speech.signal.aborted) return undefined;
    const packets = applyGain(follow(speech), () => gain);
    try {
      await play(packets, speech.signal);
      return speech.signal.aborted ? undefined : speech.error();
    } catch (thrown) {
      return speech.signal.aborted ? undefined : toAppError(thrown);
    } finally {
      if (speech.startedMs() !== undefined) announcer.spoken(speech.turn, clock.nowMs());
      speech.end();
      await packets.return();
    }
  };
  const speak = async (speech: Synthesis): Promise<void> => {
    const error = await playOut(speech);
    const { items } = speech.turn;
    if (error) listener.failed(items[0], error);
    if (!speech.isLate()) reportEnded(error ? items.slice(1) : items);
  };

  const run = async (): Promise<void> => {
    for (;;) {
      for (let pause = holding ?? pausing; pause; pause = holding ?? pausing) await pause.promise;
      current = isOver ? undefined : next();
      if (!current) break;
      await speak(current);
      current = undefined;
    }
    running = undefined;
  };

  const resume = (): void => {
    pausing?.resolve();
    pausing = undefined;
  };
  const release = (): void => {
    cancelHeld?.();
    holding?.resolve();
    holding = undefined;
  };
  /** The turn that is being spoken, unless it was ended. */
  const playing = (): Synthesis | undefined => (current?.signal.aborted ? undefined : current);
  /** Ends and drops items; returns their number. */
  const remove = (isOut: (item: SpeechItem) => boolean): number => {
    // All items of a turn are of one kind, and by one person.
    const ended = (speech: Synthesis | undefined): readonly SpeechItem[] => {
      if (!speech || !isOut(speech.turn.items[0])) return [];
      speech.end();
      return speech.turn.items;
    };
    const spoken = ended(playing());
    const waiting = [...ended(ahead), ...queue.remove(isOut)];
    if (ahead?.signal.aborted) ahead = undefined;
    reportEnded(waiting);
    return spoken.length + waiting.length;
  };
  const end = (): void => {
    isOver = true;
    drops.end();
    resume();
    release();
    remove(() => true);
  };

  return {
    /** Adds an item; one without anything to speak is skipped. */
    add: (item: SpeechItem): void => {
      if (isOver || !isAudible(item.text)) return listener.ended(item);
      if (isRepeated(item, clock.nowMs())) return drops.add([item], 'repeated');
      const gone = queue.add(shortened(item, words.andSoOn(item.readAs)));
      if (gone) drops.add([gone], 'full');
      makeAhead();
      running ??= run();
    },
    /** Ends the current item; returns false when there is none, or it is a notice. */
    skip: (): boolean => {
      const skipped = playing();
      if (!skipped || isNotice(skipped.turn.items[0])) return false;
      skipped.end();
      return true;
    },
    /** Ends all items but notices, and a pause; returns their number. */
    stop: (): number => {
      resume();
      return remove((item) => !isNotice(item));
    },
    forget: (memberId: string): void => void remove(({ by }) => by?.id === memberId),
    pause: (): void => void (pausing ??= Promise.withResolvers()),
    resume,
    /**
     * Holds everything back, notices too, while the bot may not speak. What waits for too long is dropped, and
     * what was being spoken after ten seconds.
     */
    hold: (isHeld: boolean): void => {
      if (!isHeld) return release();
      if (holding || isOver) return;
      holding = Promise.withResolvers();
      cancelHeld = clock.after(LONGEST_HOLD_MS, () => {
        const held = playing();
        if (held?.startedMs() === undefined) return;
        drops.add(held.turn.items, 'late');
        held.end();
      });
    },
    queue: () => {
      const startedMs = current?.startedMs();
      const waiting = queue.waiting();
      const aheadRank = ahead ? rankOf(ahead.turn) : 0;
      const urgent = waiting.filter(({ kind }) => RANKS[kind] < aheadRank);
      return {
        isPaused: pausing !== undefined,
        /** Items that are being spoken: several where one person wrote them in a row. */
        playing: current?.turn.items ?? [],
        /** Time since their speech began; 0 before that. */
        playedMs: startedMs === undefined ? 0 : clock.nowMs() - startedMs,
        /** Items in the order in which they will be spoken. */
        waiting: [...urgent, ...(ahead?.turn.items ?? []), ...waiting.slice(urgent.length)],
      };
    },
    /** Lowers the voice, or raises it again. */
    duck: (isOn: boolean): void => {
      gain = isOn ? DUCKED_GAIN : 1;
    },
    async [Symbol.asyncDispose]() {
      end();
      await running;
    },
  };
};
