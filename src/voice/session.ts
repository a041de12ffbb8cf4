import { type ServiceClient } from '../api/client.ts';
import { type Services } from '../command/services.ts';
import type { Space, Channel } from '../model/place.ts';
import { type Texts } from '../i18n.ts';
import { type Log } from '../log.ts';
import { type Clock } from '../async/clock.ts';
import { userError } from '../errors.ts';
import type { Platform } from '../ports/platform.ts';
import type { Room } from './service.ts';
import type { RoomChoices } from '../model/space-choices.ts';
import { createVoiceAnswers } from './answering.ts';
import type { Attendance } from './attendance.ts';
import { createAudioUsage } from './audio-usage.ts';
import { createBargeIn } from './barge-in.ts';
import { createCaptioning, type Captioning } from './captions/captioning.ts';
import { startCaptionSession } from './captions/caption-session.ts';
import { type ConsentChoice, createNotice } from './consent/consent.ts';
import { createConversation } from './conversation.ts';
import type { TranscriptEvent, TranscriptListener } from './stt/transcript-emitter.ts';
import { createPipelineFactory } from './stt/create-pipeline.ts';
import { createSubscription, type Subscription } from './subscription.ts';
import type { StatusMessages } from './status-messages.ts';
import type { VoiceLink, VoicePort } from '../ports/voice.ts';
import type { ListeningMode } from './listening-mode.ts';

import type { Speaking } from './tts/speaking.ts';
import type { RoomTexts } from './texts.ts';
import { createTranslateCaption } from './captions/translations.ts';

export interface RoomDeps {
  readonly client: Pick<ServiceClient, 'transcribe'>;
  readonly services: Services;
  readonly choiceOf: (space: Space, memberId: string) => Promise<ConsentChoice>;
  readonly texts: Texts;
  readonly log: Log;
  readonly clock: Clock;
  /** Ms since 1970. */
  readonly now: () => number;
}

export interface VoiceSessionDeps extends RoomDeps {
  readonly platform: Platform;
  readonly port: VoicePort;
  readonly channel: () => Channel;
  readonly hear: VoiceLink['hear'];
  readonly choices: () => RoomChoices;
  readonly attendance: Attendance;
  readonly speaking: Speaking;
  readonly notes: StatusMessages;
  readonly roomTexts: RoomTexts;
  /** Aborted when the room is over. */
  readonly signal: AbortSignal;
}

/** What is made of what people say in a room: captions, answers, and that they go before us. */
export interface VoiceSession
  extends
    Pick<Subscription, 'packet' | 'peopleChanged'>,
    Pick<Captioning, 'captions' | 'hasRecord' | 'moved' | 'transcript' | 'summary'>,
    Pick<Room, 'startCaptions' | 'stopCaptions' | 'setLanguages' | 'listenTo' | 'talk'>,
    AsyncDisposable {
  /** To be called when the choices of moderators were changed, and once at the beginning. */
  choicesChanged(): void;
  /** Somebody chose. A no holds from this moment. */
  readonly chosen: (memberId: string, choice: ConsentChoice) => void;
}

/** A room that is over does not wait for long. */
const CLOSING_MS = 1_500;

export const createVoiceSession = (deps: VoiceSessionDeps): VoiceSession => {
  const { services, clock, now, log, platform, port, channel, choices, signal } = deps;
  const { attendance, speaking, notes, roomTexts: texts } = deps;
  const { nameOf, here } = attendance;

  const bargeIn = createBargeIn({
    clock,
    mode: () => choices().bargeIn,
    duck: speaking.duck,
    interrupt: speaking.interrupt,
  });
  const talk = (): readonly string[] => captioning.current()?.talk() ?? [];
  const conversation = createConversation({
    clock,
    names: () => (choices().wakeWord ? [port.ownName(channel().space)] : []),
    answer: createVoiceAnswers({
      services,
      clock,
      channel,
      nameOf,
      talk,
      speaking,
      notes,
      texts,
      signal,
    }),
  });
  const audioUse = createAudioUsage({
    services,
    clock,
    now,
    channel,
    spent: (fault) => {
      if (fault && captioning.isOn()) {
        void notes.post(texts.failed('room.captions-limit', fault));
        void captioning.stopCaptions();
      } else void listening.adjust();
    },
    log,
  });

  const wanted = (): ListeningMode | undefined => {
    const { consent: rule, partials, pauseMs, wakeWord, bargeIn: mode } = choices();
    if (captioning.isOn()) return { purpose: 'captions', rule, partials, pauseMs };
    if (signal.aborted) return undefined;
    if (wakeWord && !audioUse.isSpent()) return { purpose: 'name', rule, partials: false };
    return mode === 'off' ? undefined : { purpose: 'voices', rule, partials: false };
  };
  const heard = (line: TranscriptEvent): void => {
    if (!line.isFinal) return;
    bargeIn.ended(line.speakerId);
    conversation.heard(line);
    audioUse.count(line);
  };
  const trouble: TranscriptListener['trouble'] = (error) =>
    void (error
      ? notes.show('trouble', texts.failed('room.not-recognised', error))
      : notes.settle('trouble', texts.note('room.recognised-again')));

  const listening = createSubscription({
    clock,
    hear: deps.hear,
    people: here,
    choiceOf: (memberId) => deps.choiceOf(channel().space, memberId),
    openEar: createPipelineFactory({
      client: deps.client,
      services,
      clock,
      channel,
      people: here,
      languages: () => [texts.locale, ...(captioning.current()?.languages() ?? [])],
      log,
    }),
    noticeOf: (manner) =>
      createNotice(
        { platform, channel, speaking, isSpoken: () => choices().spokenNotice, texts },
        manner,
      ),
    untold: (error) =>
      void (error
        ? notes.show('untold', texts.failed('room.untold', error))
        : notes.settle('untold', texts.note('room.told'))),
    wanted,
    captions: {
      began: bargeIn.began,
      heard: (line) => {
        heard(line);
        captioning.current()?.heard(line);
      },
      trouble,
    },
    others: { began: bargeIn.began, heard, trouble },
  });
  const captioning = createCaptioning({
    clock,
    platform,
    channel,
    texts,
    session: (to, wish, gone) =>
      startCaptionSession(to, wish, {
        clock,
        now,
        platform,
        editRate: port.editRate,
        assistant: services.assistant,
        translate: createTranslateCaption(services, channel),
        nameOf,
        texts,
        log,
        gone,
        hindered: (error) =>
          void (error
            ? notes.show('captions', texts.failed('room.not-shown', error))
            : notes.settle('captions', texts.note('room.shown-again'))),
      }),
    listen: async () => {
      await listening.adjust();
      await listening.told();
    },
    unlisten: () => listening.adjust(signal.aborted ? CLOSING_MS : undefined),
    signal,
    log,
  });

  return {
    packet: (packet) => {
      listening.packet(packet);
      bargeIn.sent(packet.speakerId);
    },
    get captions() {
      return captioning.captions;
    },
    hasRecord: captioning.hasRecord,
    moved: captioning.moved,
    transcript: captioning.transcript,
    summary: captioning.summary,
    startCaptions: async (wish) => {
      await audioUse.admit();
      await captioning.start(wish);
    },
    stopCaptions: captioning.stopCaptions,
    setLanguages: (languages) => captioning.current()?.setLanguages(languages),
    listenTo: async ({ id }, asking) => {
      await audioUse.admit();
      if ((await deps.choiceOf(channel().space, id)) === 'unheard')
        throw userError('forbidden', 'room.not-heard');
      signal.throwIfAborted();
      using _ = listening.lend(id);
      return await conversation.listenTo(id, asking);
    },
    talk,
    peopleChanged: listening.peopleChanged,
    choicesChanged: () => void listening.adjust(),
    chosen: (memberId, choice) => {
      listening.chosen(memberId, choice);
      if (choice !== 'unheard') return;
      captioning.forget(memberId);
      conversation.forget(memberId);
      bargeIn.ended(memberId);
    },
    [Symbol.asyncDispose]: async () => {
      conversation[Symbol.dispose]();
      await captioning.stopCaptions();
      await listening.adjust(CLOSING_MS);
      bargeIn[Symbol.dispose]();
      await audioUse[Symbol.asyncDispose]();
    },
  };
};
