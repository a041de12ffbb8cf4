import { orAborted } from '../async/abort.ts';
import type { Clock } from '../async/clock.ts';
import { createKeyedMutex } from '../async/keyed-mutex.ts';
import type { Services } from '../command/services.ts';
import { AppError, userError } from '../errors.ts';
import type { Texts } from '../i18n.ts';
import type { Log } from '../log.ts';
import type { ConsentChoice, RoomChoices } from '../model/space-choices.ts';
import { channelMention, type Channel, type Space } from '../model/place.ts';
import type { Platform } from '../ports/platform.ts';
import type { RecogniserFactory } from '../ports/recogniser.ts';
import type { VoiceLink, VoicePacket, VoicePort } from '../ports/voice.ts';
import { type AudioMeter, createAudioMeter } from '../usage/audio-meter.ts';
import type { MeteredServices } from '../usage/meter.ts';
import { createVoiceAnswers } from './answering.ts';
import type { Attendance } from './attendance.ts';
import { type BargeIn, createBargeIn } from './barge-in.ts';
import { type Captioning, createCaptioning } from './captions/captioning.ts';
import { createNotice } from './consent/notice.ts';
import { type Conversation, createConversation } from './conversation.ts';
import {
  areCaptionsOn,
  firstState,
  type ListeningEvent,
  type ListeningState,
  modeOf,
  next,
} from './listening-mode.ts';
import type { CaptionOptions, Room } from './room-types.ts';
import type { StatusMessages } from './status-messages.ts';
import { createHints, createSubscription, type Subscription } from './subscription.ts';
import type { TranscriptEvent, TranscriptListener } from './stt/transcript-emitter.ts';
import type { RoomTexts } from './texts.ts';
import type { Speaking } from './tts/speaking.ts';

/** The services that a room uses. */
export type RoomServices = MeteredServices &
  Pick<Services, 'glossary' | 'languages' | 'privacy' | 'settings'>;

export interface RoomDeps {
  readonly services: RoomServices;
  readonly createRecogniser: RecogniserFactory;
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
  readonly subscribe: VoiceLink['subscribe'];
  readonly choices: () => RoomChoices;
  readonly attendance: Attendance;
  readonly speaking: Speaking;
  readonly messages: StatusMessages;
  readonly roomTexts: RoomTexts;
  /** Aborted when the room is over. */
  readonly signal: AbortSignal;
}

/** Time for the last transcripts, in a room that is over. */
const CLOSING_MS = 1_500;
const CAPTIONS = 'captions';

/**
 * Turns the speech of a room into captions, answers and barge-in. `next` decides what the room
 * listens for; the session carries it out, one step of captions at a time.
 */
export class VoiceSession implements AsyncDisposable {
  readonly #deps: VoiceSessionDeps;
  readonly #bargeIn: BargeIn;
  readonly #captioning: Captioning;
  readonly #conversation: Conversation;
  readonly #usage: AudioMeter;
  readonly #subscription: Subscription;
  readonly #steps = createKeyedMutex();
  #state: ListeningState;
  /** Stops captions that are about to begin. */
  #starting: AbortController | undefined;
  #cancelLift: (() => void) | undefined;

  constructor(deps: VoiceSessionDeps) {
    const { services, clock, now, log, platform, port, channel, choices, signal } = deps;
    const { attendance, speaking, messages, roomTexts: texts } = deps;
    const { nameOf, here: people } = attendance;
    this.#deps = deps;
    this.#state = firstState(choices());
    this.#usage = createAudioMeter({ services, now, channel, log });
    this.#bargeIn = createBargeIn({
      clock,
      mode: () => choices().bargeIn,
      duck: speaking.duck,
      interrupt: speaking.interrupt,
    });
    const { editRate } = port;
    const captioning = createCaptioning({ ...deps, editRate, nameOf, texts });
    this.#captioning = captioning;
    this.#conversation = createConversation({
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
    const notice = { platform, channel, speaking, isSpoken: () => choices().spokenNotice, texts };
    this.#subscription = createSubscription({
      clock,
      subscribe: deps.subscribe,
      people,
      choiceOf: (memberId) => deps.choiceOf(channel().space, memberId),
      createRecogniser: deps.createRecogniser,
      hints: createHints({ services, clock, channel, people, languages }),
      noticeOf: (mode) => createNotice(notice, mode),
      notInformed: (error) =>
        void (error
          ? messages.show('notice', texts.failed('room.untold', error))
          : messages.settle('notice', texts.status('room.told'))),
      log,
    });
  }

  packet(packet: VoicePacket): void {
    this.#subscription.packet(packet);
    this.#bargeIn.packet(packet.speakerId);
  }

  peopleChanged(): void {
    this.#subscription.peopleChanged();
  }

  /** Moves the captions along with the room. */
  moved(): void {
    this.#captioning.moved();
  }

  /** Takes the choices of moderators: at the beginning, and when they change. */
  choicesChanged(choices: RoomChoices): void {
    if (this.#move({ kind: 'choices-changed', choices })) void this.#listen();
  }

  /** Takes a member's choice. A refusal takes effect at once. */
  chosen(memberId: string, choice: ConsentChoice): void {
    this.#subscription.chosen(memberId, choice);
    if (choice !== 'refused') return;
    this.#captioning.forget(memberId);
    this.#conversation.forget(memberId);
    this.#bargeIn.ended(memberId);
  }

  get captions(): Room['captions'] {
    const session = this.#captioning.current();
    if (!session || !areCaptionsOn(this.#state)) return undefined;
    return { languages: session.languages(), in: session.channel };
  }

  get record(): Pick<Captioning, 'hasRecord' | 'recent' | 'transcript' | 'summary'> {
    return this.#captioning;
  }

  setLanguages(languages: readonly string[]): void {
    this.#captioning.current()?.setLanguages(languages);
  }

  async startCaptions(options: CaptionOptions): Promise<void> {
    await this.#admit();
    using _ = await this.#steps.take(CAPTIONS);
    this.#deps.signal.throwIfAborted();
    const running = this.#captioning.current();
    if (running || !this.#move({ kind: 'start' }))
      throw userError('bad-input', 'captions.running', {
        channel: channelMention(running?.channel ?? this.#deps.channel()),
      });
    const stop = new AbortController();
    this.#starting = stop;
    try {
      await this.#begin(options, stop.signal);
    } catch (thrown) {
      this.#move({ kind: 'stop' });
      if (this.#captioning.current()) {
        await this.#listen();
        await this.#captioning.discard();
      }
      this.#move({ kind: 'ended' });
      throw thrown;
    } finally {
      this.#starting = undefined;
    }
  }

  /** Stops the captions; resolves with false when there were none. */
  async stopCaptions(): Promise<boolean> {
    const wasStarting = this.#starting !== undefined;
    this.#starting?.abort(new AppError('cancelled', 'captions were stopped while they began'));
    using _ = await this.#steps.take(CAPTIONS);
    if (!this.#captioning.current()) return wasStarting;
    this.#move({ kind: 'stop' });
    const latestMs = this.#captioning.latestEndMs();
    await this.#listen();
    await this.#captioning.end(latestMs);
    this.#move({ kind: 'ended' });
    return true;
  }

  async listenTo({ id }: Parameters<Room['listenTo']>[0], signal: AbortSignal): Promise<string> {
    const { choiceOf, channel, signal: over } = this.#deps;
    await this.#admit();
    if ((await choiceOf(channel().space, id)) === 'refused')
      throw userError('forbidden', 'room.not-heard');
    over.throwIfAborted();
    using _ = this.#subscription.listenTo(id, this.#forOthers);
    return await this.#conversation.listenTo(id, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#conversation[Symbol.dispose]();
    this.#move({ kind: 'close' });
    await this.stopCaptions();
    await this.#listen();
    this.#bargeIn[Symbol.dispose]();
    await this.#usage[Symbol.asyncDispose]();
    this.#cancelLift?.();
  }

  /** Changes the state; returns false when the event is not allowed now. */
  #move(event: ListeningEvent): boolean {
    const state = next(this.#state, event);
    this.#state = state ?? this.#state;
    return state !== undefined;
  }

  /**
   * Listens as the state requires; resolves when the transcripts of the previous use were emitted.
   */
  async #listen(): Promise<void> {
    const mode = modeOf(this.#state);
    const listener = mode?.use === 'captions' ? this.#forCaptions : this.#forOthers;
    const patienceMs = this.#deps.signal.aborted ? CLOSING_MS : undefined;
    await this.#subscription.listen(mode, listener, patienceMs);
  }

  async #begin(options: CaptionOptions, signal: AbortSignal): Promise<void> {
    await this.#captioning.open(options, signal, () => void this.stopCaptions());
    this.#move({ kind: 'prepared' });
    const announce = async (): Promise<void> => {
      await this.#listen();
      await this.#subscription.informed();
    };
    await orAborted(announce(), signal);
    this.#move({ kind: 'announced' });
  }

  readonly #trouble: TranscriptListener['trouble'] = (error) => {
    const { messages, roomTexts: texts } = this.#deps;
    if (error) void messages.show('trouble', texts.failed('room.not-recognised', error));
    else void messages.settle('trouble', texts.status('room.recognised-again'));
  };

  readonly #transcript = (event: TranscriptEvent): void => {
    if (!event.isFinal) return;
    this.#bargeIn.ended(event.speakerId);
    this.#conversation.transcript(event);
    void this.#count(event);
  };

  /** Takes transcripts of people who were informed of captions. */
  readonly #forCaptions: TranscriptListener = {
    speechBegan: (speakerId) => this.#bargeIn.began(speakerId),
    transcript: (event) => {
      this.#transcript(event);
      this.#captioning.current()?.transcript(event);
    },
    trouble: this.#trouble,
  };

  /** Takes all other transcripts, which nobody sees. */
  readonly #forOthers: TranscriptListener = {
    speechBegan: (speakerId) => this.#bargeIn.began(speakerId),
    transcript: this.#transcript,
    trouble: this.#trouble,
  };

  /** Throws `rate-limited` where the space may use no more audio today. */
  async #admit(): Promise<void> {
    const fault = await this.#usage.fault();
    if (fault) throw fault;
    this.#liftLimit();
  }

  async #count(event: TranscriptEvent): Promise<void> {
    const counted = await this.#usage.count(event);
    if (counted?.fault) this.#limit(counted.fault);
    else if (counted) this.#liftLimit();
  }

  #limit(fault: AppError): void {
    if (!this.#move({ kind: 'limit-reached' })) return;
    const { clock, messages, roomTexts } = this.#deps;
    this.#cancelLift = clock.after(fault.retryAfterMs ?? 0, () => this.#liftLimit());
    if (areCaptionsOn(this.#state)) {
      void messages.post(roomTexts.failed('room.captions-limit', fault));
      void this.stopCaptions();
    } else void this.#listen();
  }

  #liftLimit(): void {
    if (!this.#state.isLimited) return;
    this.#cancelLift?.();
    if (this.#move({ kind: 'limit-lifted' })) void this.#listen();
  }
}
