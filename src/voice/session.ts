import { orAborted } from '../async/abort.ts';
import { createKeyedMutex } from '../async/locks.ts';
import { AppError, userError } from '../errors.ts';
import { type Member, channelMention } from '../model/place.ts';
import type { ConsentChoice, RoomChoices, InformedMembers, StoredRoom } from '../model/room.ts';
import type { RecogniserFactory } from '../ports/recogniser.ts';
import type { VoiceLink, VoicePacket, VoicePort } from '../ports/voice.ts';
import { createAudioMeter } from '../usage/room-meters.ts';
import type { Attendance } from './attendance.ts';
import type { Captioning } from './captions/captioning.ts';
import { createNotice } from './consent/notice.ts';
import { createListeners } from './listeners.ts';
import { areCaptionsOn, firstState, type ListeningEvent, modeOf, next } from './listening-mode.ts';
import type { RoomContext, CaptionOptions, Room } from './room-types.ts';
import { createHints, createPipelineOpener, createSubscription } from './subscription.ts';
import type { Speaking } from './tts/speaking.ts';

export interface VoiceSessionDeps {
  readonly room: RoomContext;
  readonly port: Pick<VoicePort, 'ownName' | 'localeOf'>;
  readonly attendance: Attendance;
  readonly captioning: Captioning;
  readonly speaking: Speaking;
  readonly createRecogniser: RecogniserFactory;
  readonly choiceOf: (memberId: string) => Promise<ConsentChoice>;
  readonly subscribe: VoiceLink['subscribe'];
  /** Members who were informed before a restart. */
  readonly informed: InformedMembers | undefined;
  /** Called when `stored` has changed. */
  readonly storedChanged: () => void;
  /** Counts clear speech in which the recogniser found no words. */
  readonly wordless: () => void;
}

/** Time for the last transcripts, in a room that is over. */
const CLOSING_MS = 1_500;
const CAPTIONS = 'captions';

/**
 * Turns the speech of a room into captions, answers and barge-in. `next` decides what the room
 * listens for; the session carries it out, one step of captions at a time.
 */
export const createVoiceSession = (deps: VoiceSessionDeps) => {
  const { room, port, attendance, captioning, speaking, choiceOf, storedChanged } = deps;
  const { channel, choices, texts, messages, clock, signal } = room;
  const steps = createKeyedMutex();
  let state = firstState(choices());
  let starting: AbortController | undefined;
  let cancelLift: (() => void) | undefined;

  const captionLanguages = () => captioning.current()?.languages() ?? [];
  const informed = async (error: AppError | undefined): Promise<void> => {
    if (!error) return messages.settle('notice', texts.note('room.told'));
    const content = texts.failed('room.untold', error);
    if (!(await messages.show('notice', content))) await captioning.notifyStarter(content);
  };
  const notice = {
    room,
    speaking,
    spaceLanguage: () => port.localeOf(channel().space),
    captionLanguages,
  };
  const hints = createHints({
    services: room.services,
    clock,
    channel,
    people: attendance.here,
    languages: () => [texts.locale, ...captionLanguages()],
    showsAll: () => choices().showsAll,
  });
  const subscription = createSubscription({
    clock,
    subscribe: deps.subscribe,
    people: attendance.here,
    choiceOf,
    openPipeline: createPipelineOpener({
      room,
      createRecogniser: deps.createRecogniser,
      hints: hints.of,
      nextId: captioning.nextId,
    }),
    noticeOf: (mode, isPosted) => createNotice(notice, mode, isPosted),
    informed: deps.informed,
    informedChanged: storedChanged,
    notInformed: (error) => void informed(error),
  });
  const usage = createAudioMeter(room);
  const listeners = createListeners({
    room,
    ownName: () => port.ownName(channel().space),
    attendance,
    captioning,
    speaking,
    wordless: deps.wordless,
    finished: (event) => {
      hints.said(event.text);
      void count(event);
    },
  });

  /** Changes the state; returns false when the event is not allowed now. */
  const move = (event: ListeningEvent): boolean => {
    const changed = next(state, event);
    state = changed ?? state;
    return changed !== undefined;
  };
  /** Listens as the state requires; resolves after the transcripts of the previous use. */
  const listen = async (): Promise<void> => {
    const mode = modeOf(state);
    const listener = listeners.of(mode?.use ?? 'barge-in');
    await subscription.listen(mode, listener, signal.aborted ? CLOSING_MS : undefined);
  };

  const stopCaptions = async (): Promise<boolean> => {
    const wasStarting = starting !== undefined;
    starting?.abort(new AppError('cancelled', 'captions were stopped while they began'));
    using _ = await steps.take(CAPTIONS);
    if (!captioning.current()) return wasStarting;
    move({ kind: 'stop' });
    storedChanged();
    const latestMs = captioning.latestEndMs();
    await listen();
    listeners.reportMissing();
    await captioning.end(latestMs);
    move({ kind: 'ended' });
    return true;
  };
  const announce = async (): Promise<void> => {
    await listen();
    await subscription.noticePosted();
  };
  const begin = async (options: CaptionOptions, stopped: AbortSignal): Promise<void> => {
    await captioning.open(options, stopped, () => void stopCaptions());
    move({ kind: 'prepared' });
    storedChanged();
    await orAborted(announce(), stopped);
    move({ kind: 'announced' });
  };

  /** Takes the reason why the space may use no more audio today; undefined when it may. */
  const setLimit = (fault: AppError | undefined): void => {
    if (!move({ kind: fault ? 'limit-reached' : 'limit-lifted' })) return;
    cancelLift?.();
    cancelLift = fault && clock.after(fault.retryAfterMs ?? 0, () => setLimit(undefined));
    if (fault && areCaptionsOn(state)) {
      void messages.post(texts.failed('room.captions-limit', fault));
      void stopCaptions();
    } else void listen();
  };
  const count: typeof usage.count = async (event) => {
    const counted = await usage.count(event);
    if (counted) setLimit(counted.fault);
    return counted;
  };
  /** Throws `rate-limited` where the space may use no more audio today. */
  const admit = async (): Promise<void> => {
    const fault = await usage.fault();
    if (fault) throw fault;
    setLimit(undefined);
  };

  return {
    startCaptions: async (options: CaptionOptions): Promise<void> => {
      await admit();
      using _ = await steps.take(CAPTIONS);
      signal.throwIfAborted();
      const running = captioning.current();
      if (running || !move({ kind: 'start' }))
        throw userError('bad-input', 'captions.running', {
          channel: channelMention(running?.channel ?? channel()),
        });
      starting = new AbortController();
      try {
        await begin(options, starting.signal);
      } catch (thrown) {
        move({ kind: 'stop' });
        if (captioning.current()) {
          await listen();
          await captioning.discard();
        }
        move({ kind: 'ended' });
        throw thrown;
      } finally {
        starting = undefined;
      }
    },
    stopCaptions,
    /** The languages and the channel of the captions; undefined while there are none. */
    captions: (): Room['captions'] => {
      const running = captioning.current();
      if (!running || !areCaptionsOn(state)) return undefined;
      return { languages: running.languages(), in: running.channel };
    },
    /** The part of a stored room that the session knows. */
    stored: (): Pick<StoredRoom, 'captions' | 'informed'> => ({
      captions: areCaptionsOn(state) ? captioning.stored() : undefined,
      informed: subscription.informed(),
    }),
    setLanguages: (chosen: readonly string[]): void => {
      captioning.current()?.setLanguages(chosen);
      storedChanged();
    },
    /** Tries again what was refused: permissions may have changed. */
    retry: (): void => {
      captioning.retry();
      subscription.retry();
    },
    withheld: listeners.withheld,
    withheldOf: listeners.withheldOf,
    packet: (packet: VoicePacket): void => {
      subscription.packet(packet);
      listeners.packet(packet.speakerId);
    },
    peopleChanged: subscription.peopleChanged,
    /** True when a member's words are captioned. */
    isCaptioned: subscription.isCaptioned,
    /** Takes the choices of moderators: at the beginning, and when they change. */
    choicesChanged: (changed: RoomChoices): void => {
      if (move({ kind: 'choices-changed', choices: changed })) void listen();
    },
    /** Takes a member's choice. A refusal takes effect at once. */
    chosen: (memberId: string, choice: ConsentChoice): void => {
      subscription.chosen(memberId, choice);
      if (choice !== 'refused') return;
      captioning.forget(memberId);
      listeners.forget(memberId);
    },
    listenTo: async ({ id }: Pick<Member, 'id'>, aborted: AbortSignal): Promise<string> => {
      await admit();
      if ((await choiceOf(id)) === 'refused') throw userError('forbidden', 'room.not-heard');
      signal.throwIfAborted();
      using _ = subscription.listenTo(id, listeners.of('wake-word'));
      return await listeners.conversation.listenTo(id, aborted);
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      listeners.conversation[Symbol.dispose]();
      move({ kind: 'close' });
      await stopCaptions();
      await listen();
      listeners[Symbol.dispose]();
      await usage[Symbol.asyncDispose]();
      cancelLift?.();
    },
  };
};
