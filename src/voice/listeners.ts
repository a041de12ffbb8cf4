import type { Clock } from '../async/clock.ts';
import type { AppError } from '../errors.ts';
import { quotedWords } from '../text/quoted-words.ts';
import type { Attendance } from './attendance.ts';
import type { Captioning } from './captions/captioning.ts';
import { createLostLines, createWithheldLines } from './captions/missing-lines.ts';
import { createConversation, createVoiceAnswers } from './conversation.ts';
import type { ListeningUse } from './listening-mode.ts';
import type { RoomContext } from './room-types.ts';
import type { TranscriptEvent, TranscriptListener } from './stt/transcript-emitter.ts';
import { personNames } from './texts.ts';
import type { Speaking } from './tts/speaking.ts';
import type { RoomChoices } from '../model/room.ts';

interface BargeInDeps {
  readonly clock: Clock;
  readonly mode: () => RoomChoices['bargeIn'];
  readonly duck: (isOn: boolean) => void;
  readonly interrupt: () => void;
}

/** Silence after which a member no longer counts as speaking. */
const PAUSE_MS = 1_000;
/** People who are named as late. */
const MOST_NAMED = 10;
/** Longest effect of one utterance: a microphone may never be silent. */
const SPEAKS_MS = 16_000;

interface Speaker {
  readonly sinceMs: number;
  packetMs: number;
  cancel: () => void;
}

/** Lowers or ends the bot's speech while people speak, where the room wants that. */
export const createBargeIn = ({ clock, mode, duck, interrupt }: BargeInDeps) => {
  const speakers = new Map<string, Speaker>();
  const ended = (memberId: string): void => {
    const speaker = speakers.get(memberId);
    if (!speaker) return;
    speaker.cancel();
    speakers.delete(memberId);
    if (speakers.size === 0) duck(false);
  };
  const watch = (memberId: string, speaker: Speaker): void => {
    const endMs = Math.min(speaker.packetMs + PAUSE_MS, speaker.sinceMs + SPEAKS_MS);
    if (endMs <= clock.nowMs()) return ended(memberId);
    speaker.cancel = clock.after(endMs - clock.nowMs(), () => watch(memberId, speaker));
  };
  return {
    began: (memberId: string): void => {
      if (mode() === 'off') return;
      speakers.get(memberId)?.cancel();
      const nowMs = clock.nowMs();
      const speaker = { sinceMs: nowMs, packetMs: nowMs, cancel: () => undefined };
      speakers.set(memberId, speaker);
      watch(memberId, speaker);
      if (mode() === 'lower') duck(true);
      else interrupt();
    },
    packet: (memberId: string): void => {
      const speaker = speakers.get(memberId);
      if (speaker) speaker.packetMs = clock.nowMs();
    },
    ended,
    [Symbol.dispose]: (): void => {
      for (const memberId of speakers.keys().toArray()) ended(memberId);
    },
  };
};

/** Time for which recognition fails before people are informed: shorter trouble only delays lines. */
const SHOWN_AFTER_MS = 3_000;
/** Time for which recognition works before the trouble counts as over. */
const OVER_AFTER_MS = 10_000;

interface TroubleDeps {
  readonly clock: Clock;
  readonly show: (error: AppError) => void;
  /** Called when recognition works again, whether the trouble was shown or not. */
  readonly over: (wasShown: boolean) => void;
}

/** Distinguishes lasting trouble of recognition from failures that come and go. */
export const createTrouble = ({ clock, show, over }: TroubleDeps) => {
  let isOn = false;
  let isShown = false;
  let isBehind = false;
  let latest: AppError | undefined;
  let cancel: (() => void) | undefined;

  const plan = (): void => {
    cancel?.();
    cancel = undefined;
    const error = latest;
    if (!isOn) return;
    if (error) {
      if (isShown) return;
      cancel = clock.after(SHOWN_AFTER_MS, () => {
        isShown = true;
        show(error);
      });
    } else if (!isBehind)
      cancel = clock.after(OVER_AFTER_MS, () => {
        isOn = false;
        over(isShown);
        isShown = false;
      });
  };
  return {
    /** True from an error until it counts as over. */
    isOn: (): boolean => isOn,
    /** Takes the error of recognition; undefined when it works again. */
    report: (error: AppError | undefined): void => {
      latest = error;
      isOn ||= error !== undefined;
      plan();
    },
    /** Takes whether lines wait for long: then it is not over, though one of them was recognised. */
    behind: (isLate: boolean): void => {
      isBehind = isLate;
      if (!latest) plan();
    },
    [Symbol.dispose]: (): void => cancel?.(),
  };
};

interface ListenersDeps {
  readonly room: RoomContext;
  readonly ownName: () => string;
  readonly attendance: Pick<Attendance, 'nameOf'>;
  readonly captioning: Captioning;
  readonly speaking: Speaking;
  /** Counts clear speech in which the recogniser found no words. */
  readonly wordless: () => void;
  /** Takes each final transcript, captioned or not. */
  readonly finished: (event: TranscriptEvent) => void;
}

/** Receives the transcripts of a room, for each use of its speech. */
export const createListeners = (deps: ListenersDeps) => {
  const { room, ownName, captioning, speaking, finished } = deps;
  const { messages, texts, choices, clock, now } = room;
  const { nameOf } = deps.attendance;
  const bargeIn = createBargeIn({
    clock,
    mode: () => choices().bargeIn,
    duck: speaking.duck,
    interrupt: speaking.skip,
  });
  const conversation = createConversation({
    clock,
    names: () => (choices().wakeWord ? [ownName()] : []),
    answer: createVoiceAnswers({ room, nameOf, recentCaptions: captioning.recent, speaking }),
  });
  const withheldLines = createWithheldLines({
    note: (speakerId) => {
      const name = quotedWords(nameOf(speakerId));
      void messages.post(texts.note('room.withheld', { name }));
    },
    mark: (withheld) => captioning.current()?.mark('room.lines-withheld-here', withheld),
  });
  const lostLines = createLostLines((lost) => {
    const sinceMs = now() - clock.nowMs();
    const { count: lines, startMs, endMs } = lost;
    const times = [sinceMs + startMs, sinceMs + endMs] as const;
    void messages.post(texts.between('room.lines-lost', ...times, { count: lines }));
    captioning.current()?.mark('room.lines-lost-here', lost);
  });
  const trouble = createTrouble({
    clock,
    show: (error) => void messages.show('trouble', texts.trouble(error)),
    over: (wasShown) => {
      if (wasShown) void messages.settle('trouble', texts.note('room.recognised-again'));
      lostLines.report();
    },
  });

  const behind = (delayMs: number | undefined, speakerIds: readonly string[]): void => {
    trouble.behind(delayMs !== undefined);
    if (delayMs === undefined) void messages.settle('behind', texts.note('room.caught-up'));
    else {
      const seconds = Math.round(delayMs / 1_000);
      const late = speakerIds.slice(0, MOST_NAMED).map((id) => ({ name: nameOf(id) }));
      void messages.show(
        'behind',
        texts.note('room.behind', { names: personNames(late), seconds }),
      );
    }
  };

  const heard = (event: TranscriptEvent): void => {
    if (!event.isFinal) return;
    bargeIn.ended(event.speakerId);
    conversation.transcript(event);
    finished(event);
  };
  const captioned = (event: TranscriptEvent): void => {
    heard(event);
    if (event.isFinal && event.text !== '') {
      withheldLines.shown(event.speakerId);
      // While there is trouble they are told of together, at its end.
      if (!trouble.isOn()) lostLines.report();
    }
    captioning.current()?.transcript(event);
  };
  /** Takes the speech of people who were not informed of captions; nobody sees it. */
  const unseen: TranscriptListener = {
    speechBegan: bargeIn.began,
    transcript: heard,
    trouble: trouble.report,
  };
  const listeners: Readonly<Record<ListeningUse, TranscriptListener>> = {
    captions: {
      speechBegan: bargeIn.began,
      transcript: captioned,
      withheld: withheldLines.withheld,
      lost: lostLines.add,
      refused: (speakerId) => {
        const name = quotedWords(nameOf(speakerId));
        void messages.show(`refused ${speakerId}`, texts.note('room.refused', { name }));
      },
      unheard: (speakerId) => {
        withheldLines.wordless(speakerId);
        deps.wordless();
      },
      trouble: trouble.report,
      behind,
    },
    'wake-word': unseen,
    'barge-in': unseen,
  };

  return {
    of: (use: ListeningUse): TranscriptListener => listeners[use],
    conversation,
    /** Takes the time of a packet: its member still speaks. */
    packet: bargeIn.packet,
    /** Counts of lines that captions did not show. */
    withheld: () => withheldLines.counts,
    withheldOf: withheldLines.countsOf,
    /** Marks the lines that were lost or withheld since the last mark. */
    reportMissing: (): void => {
      lostLines.report();
      withheldLines.report();
    },
    /** Forgets a member who refused to be listened to. */
    forget: (memberId: string): void => {
      withheldLines.forget(memberId);
      conversation.forget(memberId);
      bargeIn.ended(memberId);
    },
    [Symbol.dispose]: (): void => {
      bargeIn[Symbol.dispose]();
      trouble[Symbol.dispose]();
    },
  };
};
