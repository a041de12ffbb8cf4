import { orAborted } from '../async/abort.ts';
import type { Clock } from '../async/clock.ts';
import { createKeyedMutex } from '../async/keyed-mutex.ts';
import { AppError, userError } from '../errors.ts';
import type { Texts } from '../i18n/texts.ts';
import { type Log, logFailure } from '../telemetry/log.ts';
import type { ConsentChoice, RoomChoices } from '../model/space-choices.ts';
import type { Member } from '../model/member.ts';
import type { InformedMembers, StoredRoom } from '../model/stored-room.ts';
import { channelMention, type Channel, type Space } from '../model/place.ts';
import type { Platform } from '../ports/platform.ts';
import type { RecogniserFactory } from '../ports/recogniser.ts';
import type { VoiceLink, VoicePacket, VoicePort } from '../ports/voice.ts';
import { createAudioMeter } from '../usage/audio-meter.ts';
import { createVoiceAnswers, createConversation } from './conversation.ts';
import type { Attendance } from './attendance.ts';
import { createBargeIn } from './barge-in.ts';
import { createLostLines } from './captions/lost-lines.ts';
import { createWithheldLines, type WithheldCounts } from './captions/withheld-lines.ts';
import { createCaptioning } from './captions/captioning.ts';
import { createNotice } from './consent/notice.ts';
import { createNoticeLocales } from './consent/notice-locales.ts';
import { areCaptionsOn, firstState, type ListeningEvent, modeOf, next } from './listening-mode.ts';
import type { CaptionOptions, Room, VoiceServices } from './room-types.ts';
import type { VoiceMetrics } from './metrics.ts';
import type { StatusMessages } from './status-messages.ts';
import { createHints, createSubscription } from './subscription.ts';
import { createTrouble } from './stt/trouble.ts';
import type { TranscriptEvent, TranscriptListener } from './stt/transcript-emitter.ts';
import type { RoomTexts } from './texts.ts';
import { spokenMs, type SpeechItem } from './tts/speech-item.ts';
import type { Speaking } from './tts/speaking.ts';

export interface RoomDeps {
  readonly services: VoiceServices;
  readonly createRecogniser: RecogniserFactory;
  readonly choiceOf: (space: Space, memberId: string) => Promise<ConsentChoice>;
  readonly texts: Texts;
  readonly log: Log;
  readonly clock: Clock;
  /** Ms since 1970. */
  readonly now: () => number;
  /** Takes the time from the end of speech to its caption in the channel. */
  readonly captionShown: VoiceMetrics['captionShown'];
}

export interface VoiceSessionDeps extends RoomDeps {
  readonly platform: Platform;
  readonly port: VoicePort;
  readonly channel: () => Channel;
  readonly subscribe: VoiceLink['subscribe'];
  readonly choices: () => RoomChoices;
  readonly attendance: Attendance;
  readonly speaking: Speaking;
  readonly messages: StatusMessages;
  readonly roomTexts: RoomTexts;
  /** Aborted when the room is over. */
  readonly signal: AbortSignal;
  /** True when the bot will be back in a room that is over, if the program starts again soon. */
  readonly mayReturn: () => boolean;
  /** Members who were informed before a restart. */
  readonly informed: InformedMembers | undefined;
  /** Called when `stored` has changed. */
  readonly storedChanged: () => void;
}

/** Time for the last transcripts, in a room that is over. */
const CLOSING_MS = 1_500;
const CAPTIONS = 'captions';

/**
 * Turns the speech of a room into captions, answers and barge-in. `next` decides what the room
 * listens for; the session carries it out, one step of captions at a time.
 */
export const createVoiceSession = (deps: VoiceSessionDeps) => {
  const { services, clock, now, log, platform, port, channel, choices, signal } = deps;
  const { attendance, speaking, messages, roomTexts: texts } = deps;
  const { nameOf, here: people } = attendance;
  const steps = createKeyedMutex();
  let state = firstState(choices());
  let starting: AbortController | undefined;
  let cancelLift: (() => void) | undefined;

  const usage = createAudioMeter({ services, channel, log });
  const bargeIn = createBargeIn({
    clock,
    mode: () => choices().bargeIn,
    duck: speaking.duck,
    interrupt: speaking.skip,
  });
  const captioning = createCaptioning({ ...deps, editRate: port.editRate, nameOf, texts });
  const conversation = createConversation({
    clock,
    names: () => (choices().wakeWord ? [port.ownName(channel().space)] : []),
    answer: createVoiceAnswers({
      services,
      clock,
      channel,
      nameOf,
      recentCaptions: captioning.recent,
      speaking,
      messages,
      texts,
      signal,
    }),
  });
  const languages = () => [texts.locale, ...(captioning.current()?.languages() ?? [])];
  const notice = {
    clock,
    platform,
    channel,
    speaking,
    isSpoken: () => choices().spokenNotice,
    locales: createNoticeLocales({
      texts: deps.texts,
      settings: services.settings,
      space: () => channel().space,
      spaceLanguage: () => port.localeOf(channel().space),
      captionLanguages: () => captioning.current()?.languages() ?? [],
      askedIn: texts.locale,
    }),
    texts,
  };
  const notInformed = async (error: AppError | undefined): Promise<void> => {
    if (!error) return messages.settle('notice', texts.status('room.told'));
    const content = texts.failed('room.untold', error);
    if (!(await messages.show('notice', content))) await captioning.tellStarter(content);
  };
  const subscription = createSubscription({
    clock,
    subscribe: deps.subscribe,
    people,
    choiceOf: (memberId) => deps.choiceOf(channel().space, memberId),
    createRecogniser: ({ partials }) => deps.createRecogniser({ partials, space: channel().space }),
    hints: createHints({ services, clock, channel, people, languages }),
    noticeOf: (mode, isPosted) => createNotice(notice, mode, isPosted),
    informed: deps.informed,
    informedChanged: deps.storedChanged,
    notInformed: (error) => void notInformed(error),
    log,
  });

  /** Changes the state; returns false when the event is not allowed now. */
  const move = (event: ListeningEvent): boolean => {
    const changed = next(state, event);
    state = changed ?? state;
    return changed !== undefined;
  };

  const liftLimit = (): void => {
    if (!state.isLimited) return;
    cancelLift?.();
    if (move({ kind: 'limit-lifted' })) void listen();
  };
  const limit = (fault: AppError): void => {
    if (!move({ kind: 'limit-reached' })) return;
    cancelLift = clock.after(fault.retryAfterMs ?? 0, liftLimit);
    if (areCaptionsOn(state)) {
      void messages.post(texts.failed('room.captions-limit', fault));
      void stopCaptions();
    } else void listen();
  };
  const count = async (event: TranscriptEvent): Promise<void> => {
    const counted = await usage.count(event);
    if (counted?.fault) limit(counted.fault);
    else if (counted) liftLimit();
  };
  /** Throws `rate-limited` where the space may use no more audio today. */
  const admit = async (): Promise<void> => {
    const fault = await usage.fault();
    if (fault) throw fault;
    liftLimit();
  };

  const withheldLines = createWithheldLines(
    (speakerId) => void messages.post(texts.withheld(nameOf(speakerId))),
  );

  const lostLines = createLostLines((lost) => {
    const sinceMs = now() - clock.nowMs();
    void messages.post(texts.linesLost(lost.count, sinceMs + lost.startMs, sinceMs + lost.endMs));
    captioning.current()?.lost(lost);
  });
  const trouble = createTrouble({
    clock,
    show: (error) => void messages.show('trouble', texts.trouble(error)),
    over: (wasShown) => {
      if (wasShown) void messages.settle('trouble', texts.status('room.recognised-again'));
      lostLines.tell();
    },
  });
  /** Takes transcripts of people who were not informed of captions; nobody sees them. */
  const forOthers: TranscriptListener = {
    speechBegan: bargeIn.began,
    transcript: (event) => {
      if (!event.isFinal) return;
      bargeIn.ended(event.speakerId);
      conversation.transcript(event);
      void count(event);
    },
    withheld: () => undefined,
    lost: () => undefined,
    trouble: trouble.report,
  };
  const forCaptions: TranscriptListener = {
    ...forOthers,
    transcript: (event) => {
      forOthers.transcript(event);
      captioning.current()?.transcript(event);
      if (event.isFinal && event.text !== '') withheldLines.shown(event.speakerId);
    },
    withheld: withheldLines.withheld,
    lost: lostLines.add,
  };
  /** Listens as the state requires; resolves after the transcripts of the previous use. */
  const listen = async (): Promise<void> => {
    const mode = modeOf(state);
    const listener = mode?.use === 'captions' ? forCaptions : forOthers;
    await subscription.listen(mode, listener, signal.aborted ? CLOSING_MS : undefined);
  };

  const announce = async (): Promise<void> => {
    await listen();
    await subscription.noticePosted();
  };
  const begin = async (options: CaptionOptions, stopped: AbortSignal): Promise<void> => {
    await captioning.open(options, stopped, () => void stopCaptions());
    move({ kind: 'prepared' });
    deps.storedChanged();
    await orAborted(announce(), stopped);
    move({ kind: 'announced' });
  };
  const startCaptions = async (options: CaptionOptions): Promise<void> => {
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
  };
  const stopCaptions = async (): Promise<boolean> => {
    const wasStarting = starting !== undefined;
    starting?.abort(new AppError('cancelled', 'captions were stopped while they began'));
    using _ = await steps.take(CAPTIONS);
    if (!captioning.current()) return wasStarting;
    move({ kind: 'stop' });
    deps.storedChanged();
    const latestMs = captioning.latestEndMs();
    await listen();
    lostLines.tell();
    await captioning.end(latestMs);
    move({ kind: 'ended' });
    return true;
  };

  /** Captions what the bot speaks, but for members who want to be in no captions. */
  const spoke = async ({ kind, by, text, readAs = '' }: SpeechItem): Promise<void> => {
    const startMs = clock.nowMs();
    const { space } = channel();
    const isAnswer = kind === 'answer' || !by;
    await logFailure(log, 'spoken text could not be captioned', async () => {
      if (!isAnswer && (await deps.choiceOf(space, by.id)) === 'refused') return;
      const speaker = isAnswer
        ? { speakerId: '', name: port.ownName(space) }
        : { speakerId: by.id, name: by.name };
      captioning.current()?.spoken(
        {
          id: subscription.nextId(),
          speakerId: speaker.speakerId,
          startMs,
          endMs: startMs + spokenMs(text),
          text,
          language: readAs,
          isFinal: true,
        },
        `🔊 ${speaker.name}`,
      );
    });
  };

  return {
    captioning,
    spoke,
    startCaptions,
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
      deps.storedChanged();
    },
    /** Tries again what was refused: permissions may have changed. */
    retry: (): void => {
      captioning.retry();
      subscription.retry();
    },
    /** Counts of lines that captions did not show. */
    withheld: (): WithheldCounts => withheldLines.counts,
    packet: (packet: VoicePacket): void => {
      subscription.packet(packet);
      bargeIn.packet(packet.speakerId);
    },
    peopleChanged: subscription.peopleChanged,
    /** Takes the choices of moderators: at the beginning, and when they change. */
    choicesChanged: (changed: RoomChoices): void => {
      if (move({ kind: 'choices-changed', choices: changed })) void listen();
    },
    /** Takes a member's choice. A refusal takes effect at once. */
    chosen: (memberId: string, choice: ConsentChoice): void => {
      subscription.chosen(memberId, choice);
      if (choice !== 'refused') return;
      captioning.forget(memberId);
      withheldLines.forget(memberId);
      conversation.forget(memberId);
      bargeIn.ended(memberId);
    },
    listenTo: async ({ id }: Pick<Member, 'id'>, aborted: AbortSignal): Promise<string> => {
      await admit();
      if ((await deps.choiceOf(channel().space, id)) === 'refused')
        throw userError('forbidden', 'room.not-heard');
      signal.throwIfAborted();
      using _ = subscription.listenTo(id, forOthers);
      return await conversation.listenTo(id, aborted);
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      conversation[Symbol.dispose]();
      move({ kind: 'close' });
      await stopCaptions();
      await listen();
      bargeIn[Symbol.dispose]();
      trouble[Symbol.dispose]();
      await usage[Symbol.asyncDispose]();
      cancelLift?.();
    },
  };
};
