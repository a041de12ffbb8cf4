import type { ServiceClient } from '../../../src/api/client.ts';
import { optOutElsewhere, tellOfMissed } from '../../fakes/missed-changes.ts';
import { createOggOpusWriter } from '../../../src/audio/container/ogg-writer.ts';
import { openCore } from '../../../src/app/core.ts';
import { realCommands } from '../../fakes/real-commands.ts';
import { AppError } from '../../../src/errors.ts';
import { silentLog } from '../../fakes/silent-log.ts';
import type { Channel, Member } from '../../../src/model/place.ts';
import type { Content, Control } from '../../../src/model/message.ts';
import type { Core } from '../../../src/adapter.ts';
import type { Leases } from '../../../src/ports/processes.ts';
import type { CaptionOptions, Room, Rooms } from '../../../src/voice/room-types.ts';
import type { RoomChoices } from '../../../src/model/room.ts';
import type { RecogniserFactory } from '../../../src/ports/recogniser.ts';
import { openStore } from '../../../src/store/index.ts';
import { createOpenRooms, type OpenRoomRow } from '../../../src/store/open-rooms.ts';
import type { Write } from '../../../src/store/writer.ts';
import { serviceKeyOf } from '../../fakes/asker.ts';
import { createTestClock, type TestClock } from '../../fakes/clock.ts';
import { VOICE } from '../../fakes/speech.ts';
import { asShown } from '../../fakes/voice-messages.ts';
import {
  channelOf,
  createVoicePlace,
  human,
  SPACE,
  type VoicePlace,
} from '../../fakes/voice-port.ts';
import { realTexts as texts } from '../../fakes/texts.ts';

export { human, robot, SPACE } from '../../fakes/voice-port.ts';
export const ROOM = channelOf('room');
export const OTHER = channelOf('other');
export const CHAT = channelOf('chat');

/** CELT, 20 ms, mono. */
const TOC = 0xf8;
const PACKETS_A_LETTER = 1;
const TEXT_BYTES = 3;

/** A packet of speech, in difference to one of a sound. */
export const isText = ({ data }: { readonly data: Uint8Array }): boolean =>
  data.length === TEXT_BYTES;

/** What the service does from here on. */
interface Script {
  /** What recognising rejects with. */
  deaf: AppError | undefined;
  /** What recognising says of the text, or in its place. */
  heard: { readonly language: string; readonly confidence: number; readonly text?: string };
  /** Recognising waits for it. */
  hearing: Promise<void> | undefined;
  /** What speaking rejects with. */
  dumb: AppError | undefined;
  answer: string;
  /** What the language model rejects with. */
  mute: AppError | undefined;
  /** The language model waits for it. */
  thinking: Promise<void> | undefined;
  /** Writing to the database waits for it, and fails with it. */
  storing: Promise<void> | undefined;
}

/** The real core over a platform with rooms, on a clock of the test, and a service in memory. */
export interface Stage extends AsyncDisposable {
  readonly clock: TestClock;
  readonly place: VoicePlace;
  readonly core: Core;
  readonly rooms: Rooms;
  readonly script: Script;
  /** The texts in what was sent to be recognised, one entry a request. */
  readonly sent: readonly (readonly string[])[];
  /** The texts that were made into speech. */
  readonly spoken: readonly string[];
  /** The voices of it. */
  readonly voices: readonly string[];
  /** What was played, each text once. */
  said(): readonly string[];
  room(): Room;
  join(room?: Channel): Promise<Room>;
  choose(rooms: Partial<RoomChoices>): Promise<void>;
  /** Runs a command as somebody; resolves with the last text shown. */
  run(command: string, by: string, options?: Record<string, unknown>): Promise<string>;
  press(press: string, by: string): Promise<string>;
  /** Lets time pass, with everything that follows of it. */
  pass(ms: number): Promise<void>;
  /** Says something and lets it become a line. */
  say(memberId: string, text: string): Promise<void>;
  used(): Promise<{
    readonly characters: number;
    readonly audioMs: number;
    readonly messages: number;
  }>;
  /** Stores that somebody opted out in another process, of which this one knows only that it missed something. */
  missOptOut(memberId: string): Promise<void>;
  /** The stored room of a space. */
  stored(): Promise<OpenRoomRow | undefined>;
  /** Lets the right to be in a room be over; nobody is told of it before `tell`. */
  loseRoom(): { readonly tell: () => void };
  /** Ends the core. */
  end(): Promise<void>;
}

/** Long enough for the database and what follows of it. */
export const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 12; turn += 1) await new Promise(setImmediate);
};

const memberOf = (id: string): Member => ({
  platform: SPACE.platform,
  id,
  name: id,
  locale: 'en',
  role: id === 'mod' ? 'moderator' : 'member',
});

export const openStage = async (
  choices: Partial<RoomChoices> = { spokenNotice: false, partials: false },
  createRecogniser?: (place: VoicePlace) => RecogniserFactory,
): Promise<Stage> => {
  const clock = createTestClock();
  const place = createVoicePlace(clock);
  const store = await openStore('sqlite::memory:');
  const sent: (readonly string[])[] = [];
  const spoken: string[] = [];
  const voices: string[] = [];
  const script: Script = {
    deaf: undefined,
    heard: { language: 'en', confidence: 0.95 },
    hearing: undefined,
    dumb: undefined,
    answer: 'Forty-two.',
    mute: undefined,
    thinking: undefined,
    storing: undefined,
  };
  const write = store.write.bind(store);
  Object.assign(store, {
    write: async <T>(work: Write<T>): Promise<T> => {
      await script.storing;
      return write(work);
    },
  });

  const { leases } = store;
  let held: { isLost: boolean; readonly ended: AbortController } | undefined;
  Object.assign(store, {
    leases: {
      ...leases,
      acquire: async (name, signal) => {
        const tenure = await leases.acquire(name, signal);
        const state = { isLost: false, ended: new AbortController() };
        held = state;
        const isHeld = (): boolean => !state.isLost && tenure.isHeld();
        return {
          ...tenure,
          signal: AbortSignal.any([tenure.signal, state.ended.signal]),
          isHeld,
          assertHeld: () => {
            if (!isHeld()) throw new AppError('cancelled', 'the lease is not held any more');
          },
        };
      },
    } satisfies Leases,
  });

  const client = {
    transcribe: async (audio, _, { signal }) => {
      const chunks = await Array.fromAsync(audio.open());
      const found = place.textsIn(Buffer.concat(chunks));
      sent.push(found);
      const aborted = Promise.withResolvers<never>();
      aborted.promise.catch(() => undefined);
      signal.addEventListener('abort', () => aborted.reject(signal.reason as Error));
      await Promise.race([script.hearing, aborted.promise]);
      if (script.deaf) throw script.deaf;
      return { text: found.join(' '), ...script.heard };
    },
    serviceKeyOf,
    voices: async () => ['ours', 'own'].map((id) => ({ ...VOICE, id, formats: ['ogg'] })),
    speak: async ({ text, voice_id }) => {
      if (script.dumb) throw script.dumb;
      spoken.push(text);
      voices.push(voice_id);
      const index = spoken.length - 1;
      const writer = createOggOpusWriter();
      const packets = Array.from({ length: Array.from(text).length * PACKETS_A_LETTER }, () =>
        writer.push(Uint8Array.of(TOC, index >> 8, index & 255)),
      );
      const bytes = Buffer.concat([...packets, writer.end()]);
      return (async function* () {
        yield bytes;
      })();
    },
    async *translateStream({ text, targetLang }) {
      yield `${targetLang}:${text}`;
      return `${targetLang}:${text}`;
    },
    async *chatStream() {
      await script.thinking;
      if (script.mute) throw script.mute;
      yield script.answer;
      return script.answer;
    },
    [Symbol.asyncDispose]: async () => undefined,
  } as Partial<ServiceClient> as ServiceClient;

  const running = await openCore({
    service: { client },
    store,
    texts,
    telemetry: { log: silentLog },
    commands: realCommands,
    config: { INBOX_DAYS: 7, COPY_DAYS: 365, OPERATORS: new Set<string>() },
    clock,
    ...(createRecogniser ? { createRecogniser: createRecogniser(place) } : {}),
  });
  const { core } = running;
  running.attach({ platform: place.platform, ready: () => true });
  place.watchedBy(core.rooms);
  const { services } = core;
  const choose = async (changed: Partial<RoomChoices>): Promise<void> => {
    const { rooms } = await services.spaces.of(SPACE);
    await services.spaces.change(SPACE, { rooms: { ...rooms, ...changed } });
    await settle();
  };
  await choose(choices);

  const pass = async (ms: number): Promise<void> => {
    await settle();
    await clock.advance(ms);
    await settle();
  };
  const ask = async (
    by: string,
    what: (ask: {
      id: string;
      member: Member;
      channel: Channel;
      signal: AbortSignal;
      answer: { show(content: Content): Promise<void>; paceMs: number };
    }) => Promise<void>,
  ): Promise<string> => {
    let last = '';
    await what({
      id: 'ask',
      member: memberOf(by),
      channel: CHAT,
      signal: new AbortController().signal,
      answer: { show: async ({ text }) => void (last = asShown(text)), paceMs: 0 },
    });
    return last;
  };
  let isEnded = false;
  const end = async (): Promise<void> => {
    if (isEnded) return;
    isEnded = true;
    await running[Symbol.asyncDispose]();
  };

  return {
    clock,
    place,
    core,
    rooms: services.rooms,
    script,
    sent,
    spoken,
    voices,
    said: () =>
      place.played
        .filter(isText)
        .map(({ data }) => spoken[data[1]! * 256 + data[2]!] ?? '?')
        .filter((text, at, all) => all[at - 1] !== text),
    room: () => {
      const room = services.rooms.of(SPACE);
      if (!room) throw new Error('we are in no room');
      return room;
    },
    join: async (room = ROOM) => services.rooms.join(room, 'en', true),
    choose,
    run: (command, by, options = {}) =>
      ask(by, async (asking) => core.dispatch({ ...asking, command, options })),
    press: (press, by) =>
      ask(by, async (asking) => core.press({ ...asking, press, values: [], control: {} })),
    pass,
    say: async (memberId, text) => {
      await place.speak(memberId, text);
      await pass(1_000);
    },
    used: () => services.usage.today(SPACE),
    missOptOut: async (memberId) => {
      await optOutElsewhere(store, SPACE.platform, memberId);
      await tellOfMissed(store, 'opt-out');
    },
    stored: () => createOpenRooms(store).of(SPACE),
    loseRoom: () => {
      if (!held) throw new Error('we are in no room');
      const { ended } = held;
      held.isLost = true;
      return { tell: () => ended.abort() };
    },
    end,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([end(), clock.advance(60_000)]);
      await store.destroy();
    },
  };
};

export const pressesOf = (content: Content | undefined): readonly string[] =>
  (content?.controls ?? []).map(({ press }: Control) => press);

/** With Ann and Bob in the room, and captions on. */
export const openCaptioned = async (
  wish: Partial<CaptionOptions> = {},
  choices: Partial<RoomChoices> = {},
): Promise<Stage> => {
  const stage = await openStage({ spokenNotice: false, partials: false, ...choices });
  stage.place.enter(ROOM, human('ann', 'Ann'), human('bob', 'Bob'));
  await stage.join();
  await stage.room().startCaptions({ languages: [], ...wish });
  await settle();
  return stage;
};

export const gone = (): AppError => new AppError('not-found', 'gone');
export const away = (): AppError => new AppError('unavailable', 'away', { retryable: true });

/** The transcript of a stage's room as a text file. */
export const transcriptOf = async (stage: Stage): Promise<string> =>
  Buffer.from((await stage.room().transcript('txt'))!.bytes).toString();
