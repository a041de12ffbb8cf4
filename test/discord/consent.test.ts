import type { VoiceUDPSocket } from '@discordjs/voice';
import type { DAVESession } from '@snazzah/davey';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { PATHS } from '../../src/api/contract.ts';
import { realClock } from '../../src/async/clock.ts';
import type { FakeChannel, FakeMessage, FakeUser, VoicePerson } from '../fakes/discord/index.ts';
import { numberedSpeech, wordsHeard } from '../fakes/numbered-speech.ts';
import { textsIn } from './shown.ts';
import { withBot, type Place } from './support.ts';
import { voiceConnectionTo } from '../fakes/voice-connection.ts';
import { sentenceLike } from '../fakes/sentences.ts';

// Voice is heard at its own pace.
const bot = withBot({ clock: realClock });
beforeAll(() => {
  bot.speech.listen = (audio) => ({ text: wordsHeard(audio).join(' '), language: 'en' });
});

/** What the bot had of somebody's packets, wherever it could have had them. */
interface Traces {
  /** Opened packets, with the key of the connection alone. */
  readonly opened: number;
  /** Tries to open their end-to-end encryption. */
  readonly decrypted: number;
  /** Bytes of theirs in requests to the recogniser. */
  readonly sent: number;
  readonly shown: number;
  readonly logged: number;
}
const NOTHING: Traces = { opened: 0, decrypted: 0, sent: 0, shown: 0, logged: 0 };

interface Speaker {
  readonly user: FakeUser;
  readonly person: VoicePerson;
  /** Says half a second at once; resolves when the bot's socket has got all of it. */
  speak(): Promise<void>;
  /** Talks, in real time and without a pause, until they leave. */
  talk(): Promise<void>;
  traces(): Traces;
}

interface Room extends Place {
  readonly lounge: FakeChannel;
  readonly balcony: FakeChannel;
  /** Resolves once everybody there has the keys to speak. */
  enter(name: string, options?: { isBot?: boolean; channel?: FakeChannel }): Promise<Speaker>;
  use(by: Speaker, name: string): Promise<FakeMessage>;
  /** Presses a button under the notice. */
  press(by: Speaker, button: 'captions in' | 'captions out'): Promise<void>;
  /** No notice is shown until what is returned is called. */
  holdNotices(): () => void;
  /** Has somebody speak until they are heard. */
  hears(speaker: Speaker): Promise<void>;
}

const WORDS = 3;
const PACKETS = numberedSpeech(0, 0, WORDS).length;
const AT_ONCE = { speed: 20, trailing: 0 };
const NOTICE = new RegExp(
  (['room.notice', 'room.notice-agreed', 'room.notice-late', 'room.notice-late-agreed'] as const)
    .map((key) => sentenceLike(key).source)
    .join('|'),
);
/** Shorter than the longest utterance, and longer than what is done meanwhile. */
const LONG_WORDS = 70;
const ENOUGH_PACKETS = 20;

let speakers = 0;

interface Wires {
  readonly udp: VoiceUDPSocket;
  readonly dave?: { readonly session?: DAVESession };
}

const wiresOf = ({ guild }: Place): Wires => {
  const state = voiceConnectionTo(guild.id)?.state as { readonly networking?: { state: Wires } };
  return state.networking!.state;
};

const requestsWith = (start: Buffer): Buffer[] =>
  bot.speech.seen
    .filter(({ path }) => path === PATHS.asr)
    .map(({ json }) => Buffer.from(String(json['audio']), 'base64'))
    .filter((audio) => audio.includes(start));

type Presses = readonly (readonly [control: string, values?: readonly string[]])[];

/** Nothing is said aloud, which takes its time, and nothing sent before an utterance is over. */
const QUIET: Presses = [
  ['rooms page:heard'],
  ['rooms spoken:off'],
  ['rooms page'],
  ['rooms page:captions'],
  ['rooms partials:off'],
];

const openRoom = async (presses: Presses = QUIET): Promise<Room> => {
  const place = bot.place();
  let rooms = await bot.use(place, 'rooms');
  for (const [control, values] of presses)
    rooms = await bot.press(rooms, control, values, place.guild.owner);
  const lounge = place.guild.channel({ type: 'voice', name: 'lounge' });
  const balcony = place.guild.channel({ type: 'voice', name: 'balcony' });
  const room: Room = {
    ...place,
    lounge,
    balcony,
    use: async (by, name) => bot.use(room, name, {}, by.user),
    enter: async (name, { isBot = false, channel = lounge } = {}) => {
      const user = bot.discord.user({ name, bot: isBot });
      const person = channel.join(user);
      await bot.encryption(channel).whenSettled();
      const number = speakers;
      speakers += 1;
      const word = new RegExp(`\\b${String.fromCodePoint(0x61 + number)}\\d+x`);
      let utterance = 0;
      return {
        user,
        person,
        speak: async () => {
          utterance += 1;
          const { udp } = wiresOf(room);
          const arrived = Promise.withResolvers<void>();
          let missing = PACKETS;
          const count = (message: Buffer): void => {
            if (message.length > 12 && message.readUInt32BE(8) === person.ssrc) missing -= 1;
            if (missing === 0) arrived.resolve();
          };
          udp.on('message', count);
          await person.speak(numberedSpeech(number, utterance, WORDS), AT_ONCE);
          await arrived.promise;
          udp.off('message', count);
        },
        talk: async () => {
          utterance += 1;
          await person.speak(numberedSpeech(number, utterance, LONG_WORDS));
        },
        traces: () => {
          const own = bot.health(room).find(({ memberId }) => memberId === user.id);
          const stats = wiresOf(room).dave?.session?.getDecryptionStats(user.id);
          const texts = [lounge, balcony].flatMap(textsIn);
          return {
            opened: own?.received ?? 0,
            decrypted: (stats?.attempts ?? 0) + (stats?.passthroughs ?? 0),
            sent: requestsWith(numberedSpeech(number, 0, 1)[0]!.subarray(0, 3)).length,
            shown: texts.filter((text) => word.test(text)).length,
            logged: bot.logged.filter((line) => word.test(line)).length,
          };
        },
      };
    },
    press: async (by, button) => {
      const notice = lounge.messages.findLast(({ content }) => NOTICE.test(content));
      await bot.discord.press(by.user, notice!, button).answer();
    },
    hears: async (speaker) => {
      const before = speaker.traces().shown;
      const isShown = (): boolean => speaker.traces().shown > before;
      // The first words are lost where keys are only on their way.
      while (!isShown()) {
        await speaker.speak();
        await bot.discord.until(isShown, 2_000).catch(() => undefined);
      }
    },
    holdNotices: () => {
      let isHeld = true;
      const paths = [lounge, balcony].map(({ id }) => `/channels/${id}/messages`);
      const holds = (request: { readonly path: string; readonly body: object }): boolean =>
        isHeld && paths.includes(request.path) && NOTICE.test(JSON.stringify(request.body));
      const wait = { message: 'You are being rate limited.', retry_after: 0.1, global: false };
      const headers = { 'retry-after': '0.1', 'x-ratelimit-scope': 'shared' };
      bot.discord.fail(
        'POST /channels/:id/messages',
        { status: 429, body: wait, headers },
        { while: holds },
      );
      return () => {
        isHeld = false;
      };
    },
  };
  return room;
};

/** More is taken of them than what is dropped as too short for speech. */
const expectHeard = async (speaker: Speaker): Promise<void> => {
  while (speaker.traces().opened < ENOUGH_PACKETS) await nextTurn();
};

describe.concurrent('somebody in a voice channel is not heard', () => {
  it('before there are captions, nor until all of the notice was read aloud', async () => {
    const room = await openRoom([]);
    const [ann, bob] = [await room.enter('Ann'), await room.enter('Bob')];
    await room.use(ann, 'join');
    await Promise.all([ann.speak(), bob.speak()]);
    expect([ann.traces(), bob.traces()]).toEqual([NOTHING, NOTHING]);

    const { packets } = room.lounge.recorded;
    const spoken = (): number => packets.filter(({ opus }) => opus.length > 3).length;
    const starting = room.use(ann, 'captions start');
    let spokenBefore = 0;
    while (ann.traces().opened === 0) {
      await ann.speak();
      spokenBefore = spoken();
    }
    await starting;
    // The last ones may still be on their way.
    expect(spokenBefore).toBeGreaterThan(10);
    expect(spokenBefore).toBeGreaterThan(spoken() - 5);
    await room.hears(bob);
  });

  it('where they could not be told', async () => {
    const room = await openRoom();
    const ann = await room.enter('Ann');
    await room.use(ann, 'join');
    room.lounge.deny('SendMessages');
    await bot.use(room, 'captions start', {}, ann.user);
    await ann.speak();
    expect(ann.traces()).toEqual(NOTHING);
    room.lounge.allow('SendMessages');
  });

  it('when they came later, until they were told, nor when they are a bot', async () => {
    const room = await openRoom();
    const ann = await room.enter('Ann');
    await room.use(ann, 'captions start');
    const show = room.holdNotices();
    const [bob, robot] = [await room.enter('Bob'), await room.enter('Robot', { isBot: true })];
    await Promise.all([bob.speak(), robot.speak()]);
    expect([bob.traces(), robot.traces()]).toEqual([NOTHING, NOTHING]);
    show();
    await room.lounge.until((messages) => messages.some(({ content }) => content.includes('Bob')));
    await room.hears(bob);
    await robot.speak();
    expect(robot.traces()).toEqual(NOTHING);
    expect(room.lounge.last!.content).not.toContain('Robot');
  });

  it('from the button on, what they were just saying included', async () => {
    const room = await openRoom();
    const [ann, bob] = [await room.enter('Ann'), await room.enter('Bob')];
    await room.use(ann, 'captions start');
    const talking = bob.talk();
    await expectHeard(bob);
    await room.press(bob, 'captions out');
    const before = bob.traces();
    expect(before).toMatchObject({ sent: 0, shown: 0 });
    await room.hears(ann);
    expect(bob.traces()).toEqual(before);

    bob.person.leave();
    await talking;
    bob.person.move(room.lounge);
    await bot.encryption(room.lounge).whenSettled();
    await bob.speak();
    expect(bob.traces()).toMatchObject({ opened: before.opened, sent: 0, shown: 0 });
    await room.press(bob, 'captions in');
    await room.hears(bob);
  });

  it.each([
    ['opted out of everything', ['privacy out']],
    ['is to be forgotten', ['privacy forget', 'privacy sure']],
  ])('who %s', async (_, buttons) => {
    const room = await openRoom();
    const [ann, bob] = [await room.enter('Ann'), await room.enter('Bob')];
    await room.use(ann, 'captions start');
    const talking = bob.talk();
    await expectHeard(bob);
    let panel = await room.use(bob, 'privacy');
    for (const button of buttons) panel = await bot.press(panel, button, undefined, bob.user);
    const before = bob.traces();
    expect(before).toMatchObject({ sent: 0, shown: 0 });
    await room.hears(ann);
    expect(bob.traces()).toEqual(before);
    bob.person.leave();
    await talking;
  });

  it('without having agreed, where a server asks for that', async () => {
    const room = await openRoom([...QUIET.slice(0, 2), ['rooms consent', ['agreed']]]);
    const [ann, bob] = [await room.enter('Ann'), await room.enter('Bob')];
    await room.use(ann, 'captions start');
    await Promise.all([ann.speak(), bob.speak()]);
    expect([ann.traces(), bob.traces()]).toEqual([NOTHING, NOTHING]);
    await room.press(ann, 'captions in');
    await room.hears(ann);
    await bob.speak();
    expect(bob.traces()).toEqual(NOTHING);
  });

  it('in another channel, to which somebody moved the bot, until they were told', async () => {
    const room = await openRoom();
    const [ann, bob] = [await room.enter('Ann'), await room.enter('Bob')];
    await room.use(ann, 'captions start');
    await room.press(bob, 'captions out');
    const { balcony: channel } = room;
    const show = room.holdNotices();
    const cleo = await room.enter('Cleo', { channel });
    bob.person.move(channel);
    channel.pull(bot.discord.botUser);
    await bot.discord.until(() =>
      bot.discord.voice.connections.some((one) => one.channelId === channel.id && one.ready),
    );
    await bot.encryption(channel).whenSettled();
    await Promise.all([bob.speak(), cleo.speak()]);
    expect(cleo.traces()).toEqual(NOTHING);
    show();
    await channel.until((messages) => messages.some(({ content }) => NOTICE.test(content)));
    await room.hears(cleo);
    expect(bob.traces()).toEqual(NOTHING);
  });
});
