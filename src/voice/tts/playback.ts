import { applyGain } from '../../audio/opus/gain.ts';
import { toAppError, type AppError } from '../../errors.ts';
import type { Speaker } from '../../speech/speech.ts';
import type { Clock } from '../../async/clock.ts';
import type { VoiceLink } from '../../ports/voice.ts';
import { createAnnouncer, type AnnouncerTexts } from './announcer.ts';
import { createDropNotifier } from './drop-notifier.ts';
import {
  type DropReason,
  isNotice,
  rankOf,
  RANKS,
  shortened,
  type SpeechItem,
  type SpeechTurn,
} from './speech-item.ts';
import { createExpiringQueue } from './expiring-queue.ts';
import { createRepeats } from './repeats.ts';
import { isAudible } from './segments.ts';
import { startSynthesis, type Synthesis } from './synthesis.ts';
import { entriesOf, entryOf, type QueueView } from './snapshot.ts';

/** How loud it is while somebody speaks, from 0 to 1: −12 dB. */
const DUCKED_GAIN = 0.25;

/** What becomes of each item: it may begin, and then one of the others. Nothing here may throw. */
export interface PlaybackListener {
  /** Its first sound goes out now, or that of what is spoken in one go with it. */
  began(item: SpeechItem): void;
  /** Spoken to its end, skipped, stopped, forgotten, or there was nothing in it to speak. */
  ended(item: SpeechItem): void;
  /** Never spoken, and why; told once for all that go within a second. */
  dropped(items: readonly SpeechItem[], reason: DropReason): void;
  /** Not spoken, or not to its end; of several that were to be spoken in one go, the first. */
  failed(item: SpeechItem, error: AppError): void;
}

export interface PlaybackDeps {
  readonly speaker: Pick<Speaker, 'speak'>;
  readonly play: VoiceLink['play'];
  readonly clock: Clock;
  readonly words: AnnouncerTexts;
  readonly listener: PlaybackListener;
}

/** The voice of a room: speaks one thing after the other. */
export interface Playback extends AsyncDisposable {
  /** What has nothing to say is passed over. */
  add(item: SpeechItem): void;
  /** Ends what is spoken, or would be next to be heard; false where that is nothing, or a notice. */
  skip(): boolean;
  /**
   * Ends what is spoken, a pause as well, and forgets what waits, but for notices; tells how many items
   * that were.
   */
  readonly stop: () => number;
  /** Nothing by that member is spoken any more: not what waits, nor what is spoken at this moment. */
  readonly forget: (memberId: string) => void;
  pause(): void;
  resume(): void;
  queue(): QueueView;
  /** Lowers the voice, or raises it again. */
  readonly duck: (isOn: boolean) => void;
}

/**
 * One item ahead is made into speech while another one is spoken. Each starts within its longest wait
 * or is dropped, what is told; so a pause that is too long for it drops it as well.
 */
export const createPlayback = (deps: PlaybackDeps): Playback => {
  const { clock, listener, play, words } = deps;
  const announcer = createAnnouncer(words);
  const drops = createDropNotifier(clock, (items, reason) => listener.dropped(items, reason));
  const line = createExpiringQueue(clock, (items) => drops.add(items, 'late'));
  const isRepeated = createRepeats();
  let current: Synthesis | undefined;
  let ahead: Synthesis | undefined;
  let running: Promise<void> | undefined;
  let pausing: PromiseWithResolvers<void> | undefined;
  let gain = 1;
  let isOver = false;

  const tellEnded = (items: readonly SpeechItem[]): void => {
    for (const item of items) listener.ended(item);
  };

  const start = (turn: SpeechTurn): Synthesis => {
    const utterance = startSynthesis(turn, announcer.lead(turn, clock.nowMs()), deps, () => {
      if (ahead === utterance) ahead = undefined;
      drops.add(turn.items, 'late');
      line.fellBehind(turn.items[0].kind === 'read');
    });
    return utterance;
  };
  const makeAhead = (): void => {
    if (ahead || line.rank() === undefined || current?.startedMs() === undefined) return;
    const turn = line.take();
    if (turn) ahead = start(turn);
  };

  /** What is ready goes first, unless something more urgent came meanwhile. */
  const next = (): Synthesis | undefined => {
    const ready = ahead;
    if (!ready || (line.rank() ?? Infinity) < rankOf(ready.turn)) {
      const turn = line.take();
      return turn && start(turn);
    }
    ahead = undefined;
    if (announcer.lead(ready.turn, clock.nowMs()) === ready.lead) return ready;
    ready.end();
    return start(ready.turn);
  };

  const follow = async function* (utterance: Synthesis) {
    let isFirst = true;
    const mayPause = !isNotice(utterance.turn.items[0]);
    for await (const packet of utterance.packets(() => (mayPause ? pausing?.promise : undefined))) {
      if (isFirst) {
        announcer.spoken(utterance.turn, clock.nowMs());
        for (const item of utterance.turn.items) listener.began(item);
      }
      isFirst = false;
      makeAhead();
      yield packet;
    }
  };

  /** Resolves with why it was not spoken to its end, if that was nobody's will. */
  const playOut = async (utterance: Synthesis): Promise<AppError | undefined> => {
    await utterance.ready();
    if (utterance.signal.aborted) return undefined;
    const packets = applyGain(follow(utterance), () => gain);
    try {
      await play(packets, utterance.signal);
      return utterance.signal.aborted ? undefined : utterance.error();
    } catch (thrown) {
      return utterance.signal.aborted ? undefined : toAppError(thrown);
    } finally {
      if (utterance.startedMs() !== undefined) announcer.spoken(utterance.turn, clock.nowMs());
      utterance.end();
      await packets.return();
    }
  };
  const speak = async (utterance: Synthesis): Promise<void> => {
    const error = await playOut(utterance);
    const { items } = utterance.turn;
    if (error) listener.failed(items[0], error);
    if (!utterance.isLate()) tellEnded(error ? items.slice(1) : items);
  };

  const run = async (): Promise<void> => {
    for (;;) {
      for (let pause = pausing; pause; pause = pausing) await pause.promise;
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
  /** What is spoken, as long as it is not ended yet. */
  const playing = (): Synthesis | undefined => (current?.signal.aborted ? undefined : current);
  /** Tells how many items that were. */
  const takeBack = (isOut: (item: SpeechItem) => boolean): number => {
    // What is spoken in one go is of one kind, and by one person.
    const ended = (utterance: Synthesis | undefined): readonly SpeechItem[] => {
      if (!utterance || !isOut(utterance.turn.items[0])) return [];
      utterance.end();
      return utterance.turn.items;
    };
    const spoken = ended(playing());
    const waiting = [...ended(ahead), ...line.takeBack(isOut)];
    if (ahead?.signal.aborted) ahead = undefined;
    tellEnded(waiting);
    return spoken.length + waiting.length;
  };
  const end = (): void => {
    isOver = true;
    drops.end();
    resume();
    takeBack(() => true);
  };

  return {
    add: (item) => {
      if (isOver || !isAudible(item.text)) return listener.ended(item);
      if (isRepeated(item, clock.nowMs())) return drops.add([item], 'repeated');
      const gone = line.add(shortened(item, words.andSoOn(item.readAs)));
      if (gone) drops.add([gone], 'full');
      makeAhead();
      running ??= run();
    },
    skip: () => {
      const skipped = playing();
      if (!skipped || isNotice(skipped.turn.items[0])) return false;
      skipped.end();
      return true;
    },
    stop: () => {
      resume();
      return takeBack((item) => !isNotice(item));
    },
    forget: (memberId) => void takeBack(({ by }) => by?.id === memberId),
    pause: () => void (pausing ??= Promise.withResolvers()),
    resume,
    queue: () => {
      const startedMs = current?.startedMs();
      const waiting = line.waiting();
      const aheadRank = ahead ? rankOf(ahead.turn) : 0;
      const urgent = waiting.filter(({ kind }) => RANKS[kind] < aheadRank);
      return {
        isPaused: pausing !== undefined,
        playing: entriesOf(current?.turn),
        playedMs: startedMs === undefined ? 0 : clock.nowMs() - startedMs,
        waiting: [...urgent, ...(ahead?.turn.items ?? []), ...waiting.slice(urgent.length)].map(
          entryOf,
        ),
      };
    },
    duck: (isOn) => {
      gain = isOn ? DUCKED_GAIN : 1;
    },
    async [Symbol.asyncDispose]() {
      end();
      await running;
    },
  };
};
