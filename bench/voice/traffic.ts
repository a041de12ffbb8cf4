import { randomBytes } from 'node:crypto';
import { SILENCE_PACKET } from '../../src/audio/opus/packet.ts';
import type { DaveSession } from '../../adapters/discord/voice/library-internals.ts';
import { createDaveGroup } from '../../test/fakes/discord/voice/dave/group.ts';
import { LibraryClient } from '../../test/fakes/discord/voice/dave/library-client.ts';
import { createDavePerson } from '../../test/fakes/discord/voice/dave/person.ts';
import type { DaveMessage } from '../../test/fakes/discord/voice/dave/port.ts';
import { OPUS_PAYLOAD_TYPE, sealRtp } from '../../test/fakes/discord/voice/rtp.ts';
import { encodeOpus, openSynthesiser, PACKET_SAMPLES, type OpusKind } from './sounds.ts';

/** What speakers of one channel send to the bot, sealed as Discord and its clients seal it. */
export interface Traffic {
  readonly key: Uint8Array;
  /** The bot's. */
  readonly dave: DaveSession;
  readonly speakers: readonly { readonly id: string; readonly ssrc: number }[];
  /** Whether somebody speaks at that time of theirs, as nobody but us can know. */
  isVoice(speakerId: string, timestampSamples: number): boolean;
  /** Of sound that was sent, of all speakers. */
  readonly sentMs: number;
  /** Sealed anew at each call, because nothing can be opened twice. In the order of their times. */
  datagrams(): Buffer[];
}

const SPEAKERS = 10;
const BOT_ID = '900000000000000001';
const TRACK_MS = 20_000;
const PACKET_MS = 20;
const PAUSE_PACKETS = 45;
const TRAILING_PACKETS = 5;
/** Of a quiet room, in the pauses of an open microphone: −54 dB. */
const NOISE = 0.002;
const EXTENSION = Uint8Array.of(0x10, 0x9e, 0x90, 0x01, 0, 0, 0, 0);

const SENTENCES = [
  'We shall meet at the station tomorrow morning, and then take the first train to the coast.',
  'Nobody knows whether it will rain on Sunday.',
  'My sister has rented a small house near the beach, large enough for all of us.',
  'Please bring the tickets and something to drink.',
];
const VOICES = [
  ['English (America)', 'Male'],
  ['English (America)', 'Female'],
  ['English (Great Britain)', 'Male'],
  ['English (Scotland)', 'Female'],
  ['English (Lancaster)', 'Male'],
] as const;

interface Sent {
  readonly packet: Uint8Array;
  readonly isVoice: boolean;
}
/** What is sent in each 20 ms; undefined: nothing. */
type Track = readonly (Sent | undefined)[];

/** Somebody whose client sends nothing in pauses. */
const gatedTrack = async (sounds: readonly Float32Array[]): Promise<Track> => {
  const track: (Sent | undefined)[] = [];
  const pause = Array.from({ length: PAUSE_PACKETS }, (_, index) =>
    index < TRAILING_PACKETS ? { packet: SILENCE_PACKET, isVoice: false } : undefined,
  );
  for (const sound of sounds) {
    const packets = encodeOpus(sound, 'hybrid');
    track.push(...packets.map((packet) => ({ packet, isVoice: true })), ...pause);
  }
  return track;
};

/** Somebody whose microphone is open all the time. */
const openTrack = async (sounds: readonly Float32Array[]): Promise<Track> => {
  const lengths = sounds.map(({ length }) => Math.ceil(length / PACKET_SAMPLES));
  const total = lengths.reduce((sum, length) => sum + length + PAUSE_PACKETS, 0);
  const whole = Float32Array.from(
    { length: total * PACKET_SAMPLES },
    () => (Math.random() - 0.5) * NOISE,
  );
  const isVoice = Array.from({ length: total }, () => false);
  let at = 0;
  for (const [index, sound] of sounds.entries()) {
    const from = at * PACKET_SAMPLES;
    for (const [offset, sample] of sound.entries()) whole[from + offset]! += sample;
    isVoice.fill(true, at, at + lengths[index]!);
    at += lengths[index]! + PAUSE_PACKETS;
  }
  const packets = encodeOpus(whole, 'celt');
  return packets.map((packet, index) => ({ packet, isVoice: isVoice[index] === true }));
};

const makeTracks = async (kind: OpusKind): Promise<Track[]> => {
  await using synthesiser = await openSynthesiser();
  const tracks: Track[] = [];
  for (const [language, gender] of VOICES) {
    const sounds: Float32Array[] = [];
    for (let ms = 0, at = tracks.length; ms < TRACK_MS; at += 1) {
      const speech = await synthesiser.say(SENTENCES[at % SENTENCES.length]!, language, gender);
      sounds.push(speech.sound);
      ms += speech.durationMs + PAUSE_PACKETS * PACKET_MS;
    }
    tracks.push(await (kind === 'hybrid' ? gatedTrack(sounds) : openTrack(sounds)));
  }
  return tracks;
};

export const createTraffic = async (kind: OpusKind): Promise<Traffic> => {
  const tracks = await makeTracks(kind);
  const key = randomBytes(32);
  const group = createDaveGroup({ channelId: '927310423890473011' });
  const speakers = Array.from({ length: SPEAKERS }, (_, index) => {
    const id = String(900_000_000_000_000_100n + BigInt(index));
    const client = createDavePerson(group, id);
    const track = tracks[index % tracks.length] ?? [];
    return { id, ssrc: 1_000 + index, client, track };
  });
  const bot = new LibraryClient(group, BOT_ID, new Set(speakers.map(({ id }) => id)));
  for (const { client } of speakers) group.connect(client);
  // It wants to hear nothing before it has described itself.
  const told: DaveMessage[] = [];
  let tell = (message: DaveMessage): void => void told.push(message);
  group.connect({ userId: BOT_ID, send: (message) => tell(message) });
  bot.describe();
  tell = (message) => bot.send(message);
  for (const message of told) bot.send(message);
  await group.whenSettled();

  const lengths = speakers.map(({ track }) => track.length);
  const sent = speakers.flatMap(({ track }) => track.filter((each) => each !== undefined));
  const trackOf = new Map(speakers.map(({ id, track }) => [id, track]));
  let nonce = 0;
  return {
    isVoice: (speakerId, timestampSamples) =>
      trackOf.get(speakerId)?.[timestampSamples / PACKET_SAMPLES]?.isVoice ?? false,
    key,
    dave: bot.dave as unknown as DaveSession,
    speakers,
    sentMs: sent.length * PACKET_MS,
    datagrams: () => {
      const datagrams: Buffer[] = [];
      const sequences = new Map<number, number>();
      for (let tick = 0; tick < Math.max(...lengths); tick += 1)
        for (const { ssrc, client, track } of speakers) {
          const packet = track[tick]?.packet;
          if (!packet) continue;
          const sequence = sequences.get(ssrc) ?? 0;
          sequences.set(ssrc, sequence + 1);
          nonce += 1;
          const rtp = {
            payloadType: OPUS_PAYLOAD_TYPE,
            sequence,
            timestamp: tick * PACKET_SAMPLES,
            ssrc,
            extension: EXTENSION,
            payload: packet === SILENCE_PACKET ? packet : client.encrypt(packet),
          };
          datagrams.push(sealRtp(rtp, key, nonce));
        }
      return datagrams;
    },
  };
};
