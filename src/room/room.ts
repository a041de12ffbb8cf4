import type { ServiceClient } from '../api/client.ts';
import { roomTurns } from '../chat/room-turns.ts';
import { AppError, toAppError, userError } from '../errors.ts';
import type { Texts } from '../i18n.ts';
import type { Log } from '../log.ts';
import { createMeter, limitFault } from '../meter.ts';
import type { Channel, Content } from '../model.ts';
import type { Platform } from '../platform.ts';
import type { CaptionWish, Room, RoomChoices, Services } from '../services.ts';
import { createRecent } from '../recent.ts';
import { createBargeIn } from './barge-in.ts';
import { startCaptionSession, type CaptionSession } from './caption-session.ts';
import type { Clock } from './clock.ts';
import type { ConsentChoice } from './consent.ts';
import { createConversation } from './conversation.ts';
import type { HeardLine } from './heard.ts';
import { createHearing, type Hearing } from './hearing.ts';
import { createNotes } from './notes.ts';
import type { LinkListener, RoomMember, VoiceLink, VoicePort } from './port.ts';
import { createSpeaking } from './speaking.ts';
import { createRoomTexts } from './texts.ts';
import { createTranslateCaption } from './translate-caption.ts';

export interface RoomParts {
  readonly client: Pick<ServiceClient, 'transcribe'>;
  readonly services: Services;
  readonly choiceOf: (channel: Channel, memberId: string) => Promise<ConsentChoice>;
  readonly texts: Texts;
  readonly log: Log;
  readonly clock: Clock;
  /** Ms since 1970. */
  readonly now: () => number;
}

export interface RoomStart {
  readonly channel: Channel;
  readonly locale: string;
  readonly platform: Platform;
  readonly port: VoicePort;
  readonly choices: RoomChoices;
  /** It is over, and nothing of it runs any more. */
  readonly ended: () => void;
}

/** A room as the core itself handles it. */
export interface OpenRoom extends Room {
  peopleChanged(): void;
  chosen(memberId: string, choice: 'heard' | 'unheard'): void;
  choicesChanged(choices: RoomChoices): Promise<void>;
  /** How files are spoken of that stand with a message. */
  filesInWords(count: number): string;
}

const NAMES_KEPT = 1_000;
/** Nobody waits longer for a spoken answer. */
const ANSWER_MS = 60_000;
const JOIN_MS = 20_000;
/** People come back from a short absence. */
const EMPTY_MS = 15_000;

/** Joins a room; resolves when we are there. */
export const openRoom = async (start: RoomStart, parts: RoomParts): Promise<OpenRoom> => {
  const { platform, port } = start;
  const { services, clock, log } = parts;
  const texts = createRoomTexts(parts.texts, start.locale, platform.naming ?? 'plain');
  let { choices } = start;
  let link: VoiceLink | undefined;
  let hearing: Hearing | undefined;
  let session: CaptionSession | undefined;
  let last: CaptionSession | undefined;
  let isOver = false;
  let cancelEmpty: (() => void) | undefined;
  const everHere = new Set<string>();
  const names = createRecent<string, string>(NAMES_KEPT);

  const channel = (): Channel => link?.channel ?? start.channel;
  const people = (): readonly RoomMember[] => port.present(channel());
  const nameOf = (memberId: string): string => names.get(memberId) ?? memberId;
  const notes = createNotes({ platform, channel, log });
  const note = (content: Content): void => void notes.post(content);

  const speaking = createSpeaking({
    services,
    clock,
    play: async (packets, signal) => {
      if (!link) throw new AppError('cancelled', 'the room is not there yet');
      await link.play(packets, signal);
    },
    channel,
    mentioned: (mention) => names.get(/\d+/.exec(mention)?.[0] ?? ''),
    texts,
    notes,
    log,
  });

  const bargeIn = createBargeIn({
    clock,
    mode: () => choices.bargeIn,
    duck: speaking.duck,
    interrupt: speaking.interrupt,
  });

  const conversation = createConversation({
    clock,
    names: () => (choices.wakeWord ? [port.ownName(channel().space)] : []),
    answer: async (speakerId, question) => {
      const meter = createMeter(services, { space: channel().space, memberId: speakerId });
      const by = nameOf(speakerId);
      try {
        const turns = roomTurns(question, talk());
        const answers = meter.services.assistant.answer(turns, AbortSignal.timeout(ANSWER_MS));
        let answer = '';
        for await (const soFar of answers) answer = soFar;
        await notes.post({ text: `${texts.heardYou(by, question)}\n${answer}` });
        await speaking.say({ kind: 'answer', text: answer });
      } catch (thrown) {
        note(texts.failed('room.not-said', toAppError(thrown)));
      } finally {
        await meter.settle().catch(() => undefined);
      }
    },
  });
  const talk = (): readonly string[] => session?.talk() ?? [];

  const heard = (line: HeardLine): void => {
    if (line.isFinal) {
      bargeIn.ended(line.speakerId);
      conversation.heard(line);
      void count(line);
    }
    session?.heard(line);
  };
  const count = async ({ speakerId, startMs, endMs }: HeardLine): Promise<void> => {
    try {
      const { space } = channel();
      const used = { characters: 0, audioMs: Math.max(0, endMs - startMs), messages: 0 };
      await services.usage.record(space, speakerId, used);
      const fault = session && (await limitFault(services, space, 'audio'));
      if (!fault || !session) return;
      note(texts.failed('room.captions-limit', fault));
      await stopCaptions();
    } catch (thrown) {
      log.warn({ reason: toAppError(thrown).message }, 'what a room used was not counted');
    }
  };

  const isWanted = (): boolean =>
    session !== undefined || choices.wakeWord || choices.bargeIn !== 'off' || asking > 0;
  let asking = 0;
  let isTold = false;

  const tell = async (members: readonly RoomMember[]): Promise<void> => {
    const { consent, spokenNotice } = choices;
    await platform.post(channel(), texts.notice(consent, isTold ? members : undefined));
    if (spokenNotice) await speaking.announce(texts.spokenNotice(consent, isTold));
    isTold = true;
  };
  const stopHearing = async (): Promise<void> => {
    const ending = hearing;
    hearing = undefined;
    await ending?.[Symbol.asyncDispose]();
  };
  /** Begins to listen where it is wanted, and ends it where it is not. */
  const adjust = async (): Promise<void> => {
    if (isOver || !link || isWanted() === (hearing !== undefined)) return;
    if (hearing) return stopHearing();
    hearing = createHearing({
      client: parts.client,
      services,
      clock,
      link,
      channel,
      people,
      rule: choices.consent,
      partials: choices.partials,
      languages: () => [texts.locale, ...(session?.languages() ?? [])],
      choiceOf: (memberId) => parts.choiceOf(channel(), memberId),
      tell,
      untold: (error) =>
        void (error
          ? notes.show('untold', texts.failed('room.untold', error))
          : notes.settle('untold', texts.note('room.recognised-again'))),
      began: bargeIn.began,
      heard,
      trouble: (error) =>
        void (error
          ? notes.show('trouble', texts.failed('room.not-recognised', error))
          : notes.settle('trouble', texts.note('room.recognised-again'))),
      log,
    });
  };

  const end = async (reason: 'left' | 'empty' | 'lost'): Promise<void> => {
    if (isOver) return;
    isOver = true;
    cancelEmpty?.();
    await stopCaptions();
    conversation[Symbol.dispose]();
    await stopHearing();
    bargeIn[Symbol.dispose]();
    if (reason === 'empty') note(texts.note('room.left'));
    await speaking[Symbol.asyncDispose]();
    await link?.[Symbol.asyncDispose]();
    start.ended();
  };

  const stopCaptions = async (): Promise<boolean> => {
    const ending = session;
    if (!ending) return false;
    await hearing?.settled();
    session = undefined;
    await adjust();
    await ending.end();
    last = ending;
    const { wish } = ending;
    const files =
      wish.transcript && ending.lineCount() > 0 ? [await ending.file(wish.transcript)] : [];
    const text = texts.captionsEnded(ending.lineCount(), ending.durationMs());
    await platform.post(ending.channel, { text, tone: 'note', files }).catch((thrown: unknown) => {
      log.warn({ reason: toAppError(thrown).message }, 'the end of captions could not be told');
    });
    return true;
  };

  const sinkOf = async (wish: CaptionWish): Promise<Channel> => {
    const to = wish.in ?? channel();
    if (wish.thread === undefined || !platform.watch) return to;
    return platform.watch.thread(to, wish.thread === '' ? texts.threadName() : wish.thread);
  };

  const listener: LinkListener = {
    packet: (packet) => hearing?.packet(packet),
    moved: () => peopleChanged(),
    audible: (memberId, isAudible) => {
      const what = `hear ${memberId}`;
      if (isAudible) void notes.settle(what, texts.hearsAgain(nameOf(memberId)));
      else void notes.show(what, texts.cannotHear(nameOf(memberId)));
    },
    connected: (isConnected) => {
      if (isConnected) void notes.settle('connection', texts.note('room.reconnected'));
      else void notes.show('connection', texts.note('room.reconnecting'));
    },
    ended: (error) => {
      if (error) note({ text: texts.ended(error), tone: 'error' });
      void end('lost');
    },
  };

  const peopleChanged = (): void => {
    const here = people();
    for (const { id, name } of here) {
      names.set(id, name);
      everHere.add(id);
    }
    hearing?.peopleChanged();
    const isEmpty = here.every(({ isBot }) => isBot);
    if (!isEmpty) {
      cancelEmpty?.();
      cancelEmpty = undefined;
    } else cancelEmpty ??= clock.after(EMPTY_MS, () => void end('empty'));
  };

  link = await port.join(start.channel, listener, AbortSignal.timeout(JOIN_MS));
  peopleChanged();
  await adjust();

  return {
    get channel() {
      return channel();
    },
    get captions() {
      return session && { languages: session.languages(), in: session.channel };
    },
    health: () =>
      (link?.stats() ?? []).map((stats) => ({ ...stats, name: nameOf(stats.memberId) })),
    startCaptions: async (wish) => {
      const fault = await limitFault(services, channel().space, 'audio');
      if (fault) throw fault;
      const to = await sinkOf(wish);
      await stopCaptions();
      session = startCaptionSession(to, wish, {
        clock,
        now: parts.now,
        platform,
        editRate: port.editRate,
        assistant: services.assistant,
        translate: createTranslateCaption(services, channel),
        nameOf,
        texts,
        log,
        gone: () => void stopCaptions(),
      });
      await adjust();
      try {
        await hearing?.told();
      } catch (thrown) {
        await stopCaptions();
        throw thrown;
      }
    },
    setLanguages: (languages) => session?.setLanguages(languages),
    stopCaptions,
    people: everHere,
    transcript: async (kind, language) => (session ?? last)?.file(kind, language),
    summary: async function* (language, signal) {
      const of = session ?? last;
      if (!of) throw userError('not-found', 'captions.none');
      return yield* of.summary(language, signal);
    },
    say: speaking.say,
    queue: speaking.queue,
    skip: speaking.skip,
    silence: speaking.stop,
    pause: speaking.pause,
    listenTo: async ({ id }, signal) => {
      asking += 1;
      try {
        await adjust();
        await hearing?.told();
        if (!hearing?.isHeard(id)) throw userError('forbidden', 'room.not-heard');
        return await conversation.listenTo(id, signal);
      } finally {
        asking -= 1;
        await adjust();
      }
    },
    talk,
    leave: () => end('left'),
    filesInWords: texts.files,
    peopleChanged,
    chosen: (memberId, choice) => {
      hearing?.chosen(memberId, choice);
      if (choice === 'heard') return;
      session?.forget(memberId);
      last?.forget(memberId);
      conversation.forget(memberId);
      bargeIn.ended(memberId);
    },
    choicesChanged: async (changed) => {
      const isOtherwise =
        changed.consent !== choices.consent || changed.partials !== choices.partials;
      choices = changed;
      if (isOtherwise) await stopHearing();
      await adjust();
    },
  };
};
