import type { AppError } from '../../src/errors.ts';
import type { Channel, Space } from '../../src/model/place.ts';
import type { OutgoingFile } from '../../src/model/message.ts';
import type {
  CaptionRecord,
  CaptionOptions,
  QueuedSpeech,
  Room,
  Rooms,
  SpeechRequest,
} from '../../src/voice/room-types.ts';
import type { RoomChoices } from '../../src/model/room.ts';

export const ROOM_CHOICES: RoomChoices = {
  consent: 'told',
  spokenNotice: true,
  joins: [],
  languages: [],
  partials: true,
  showsAll: false,
  pauseMs: 600,
  bargeIn: 'off',
  wakeWord: false,
  readAloud: [],
};

/** What the room does next. */
interface RoomScript {
  /** What joining, and beginning with captions, reject with. */
  refusal: AppError | undefined;
  file: OutgoingFile | undefined;
  /** The summary as it grows. */
  summary: readonly string[];
  /** Whether anything of a text can be said. */
  sayable: boolean;
  items: readonly QueuedSpeech[];
  /** What the asker says next, or what listening rejects with. */
  heard: string | AppError;
  talk: readonly string[];
  health: ReturnType<Room['health']>;
  withheld: ReturnType<Room['withheld']>;
  hearing: Awaited<ReturnType<Room['hearing']>>['state'];
  reading: ReturnType<Rooms['readingOf']>;
  faults: readonly AppError[];
  left: CaptionRecord | undefined;
}

/** People in rooms, and at most one room in which we are; what was asked of it is kept. */
export interface FakeRooms extends Rooms {
  /** Member → the room that they are in. */
  readonly people: Map<string, Channel>;
  readonly script: RoomScript;
  /** Room → the permissions that it lacks. */
  readonly lacking: Map<string, readonly string[]>;
  /** The names of the calls, with what they were given. */
  readonly calls: readonly (readonly [string, ...unknown[]])[];
}

export const createFakeRooms = (): FakeRooms => {
  const people = new Map<string, Channel>();
  const lacking = new Map<string, readonly string[]>();
  const calls: [string, ...unknown[]][] = [];
  const script: RoomScript = {
    refusal: undefined,
    file: undefined,
    summary: [],
    sayable: true,
    items: [],
    heard: '',
    talk: [],
    health: [],
    withheld: { noise: 0, invented: 0, repeated: 0, unsure: 0, foreign: 0, wordless: 0 },
    hearing: 'captioned',
    reading: undefined,
    faults: [],
    left: undefined,
  };
  let room: Room | undefined;
  let captions: Room['captions'];
  let isPaused = false;

  const admit = (): void => {
    if (script.refusal) throw script.refusal;
  };
  const empty = (): number => {
    const { length } = script.items;
    script.items = [];
    return length;
  };

  const enter = (channel: Channel): Room => ({
    channel,
    get captions() {
      return captions;
    },
    health: () => script.health,
    withheld: () => script.withheld,
    hearing: async () => ({ state: script.hearing, withheld: script.withheld }),
    faults: () => script.faults,
    startCaptions: async (wish: CaptionOptions) => {
      calls.push(['startCaptions', wish]);
      admit();
      captions = { languages: wish.languages, in: wish.in ?? channel };
    },
    setLanguages: (languages) => {
      calls.push(['setLanguages', languages]);
      if (captions) captions = { ...captions, languages };
    },
    stopCaptions: async () => {
      const ran = captions !== undefined;
      captions = undefined;
      return ran;
    },
    people: new Set(people.keys()),
    get hasRecord() {
      return script.file !== undefined || script.summary.length > 0;
    },
    transcript: async (kind, language) => {
      calls.push(['transcript', kind, language]);
      return script.file;
    },
    summary: async function* (language) {
      calls.push(['summary', language]);
      yield* script.summary;
      return script.summary.at(-1) ?? '';
    },
    say: async (saying: SpeechRequest) => {
      calls.push(['say', saying]);
      return script.sayable;
    },
    queue: () => ({ isPaused, items: script.items }),
    skip: () => {
      const before = script.items.length;
      script.items = script.items.slice(1);
      return before > 0;
    },
    stopSpeaking: empty,
    pause: (next) => (isPaused = next),
    listenTo: async ({ id }) => {
      calls.push(['listenTo', id]);
      if (typeof script.heard === 'string') return script.heard;
      throw script.heard;
    },
    recentCaptions: () => script.talk,
    leave: async () => {
      captions = undefined;
      room = undefined;
    },
  });

  const isHere = (space: Space, channel: Channel | undefined): boolean =>
    channel?.space.platform === space.platform && channel.space.id === space.id;

  return {
    people,
    lacking,
    script,
    calls,
    missing: ({ id }) => lacking.get(id) ?? [],
    roomOf: (space, memberId) => {
      const channel = people.get(memberId);
      return isHere(space, channel) ? channel : undefined;
    },
    of: (space) => (isHere(space, room?.channel) ? room : undefined),
    lastRecord: () => script.left,
    readingOf: () => script.reading,
    join: async (channel, locale, mayLeave) => {
      if (room?.channel.id === channel.id) return room;
      calls.push(['join', channel.id, locale, mayLeave]);
      admit();
      room = enter(channel);
      return room;
    },
    choose: async (_, memberId, choice) => void calls.push(['choose', memberId, choice]),
  };
};
