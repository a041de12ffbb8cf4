import { randomBytes } from 'node:crypto';
import { OPUS_CLOCK_HZ, SILENCE_PACKET } from '../../../../src/audio/opus/packet.ts';
import type { Channel, Guild, User, VoiceState, World } from '../state.ts';
import type { Pacer } from './pacer.ts';
import { OPUS_PAYLOAD_TYPE, type RtpPacket } from './rtp.ts';
import type { VoiceService } from './service.ts';
import { createRandom } from '../../random.ts';
import { noisePackets, packetsOf, type Sound } from './sounds.ts';
import { changeVoice, enterVoice, leaveVoice } from './states.ts';

export interface PersonOptions {
  /** False: the bot is never told whose SSRC theirs is (op 5). */
  readonly announce?: boolean;
  /** Whether timestamps go on in pauses, as those of people's clients do, or stand still as bots' do. */
  readonly timestamps?: 'run' | 'stand';
  /** Of their first packet. Default: so near to the end that both begin again within ten packets. */
  readonly sequence?: number;
  readonly timestamp?: number;
  /** For all that is left to chance. Default: the same for everybody, from a seed. */
  readonly random?: () => number;
}

export interface SpeakOptions {
  /** So many times faster than real time; timestamps stay true. Default 1. */
  readonly speed?: number;
  /** True: the first packets do not wait until the bot knows whose they are. */
  readonly race?: boolean;
  readonly lossPercent?: number;
  /** Packets come so much later at most, still in their order. */
  readonly jitterMs?: number;
  /** Of the packets, that come after the one that follows them. */
  readonly reorderPercent?: number;
  readonly duplicatePercent?: number;
  /** An RTP header extension, as Discord has it. Default true. */
  readonly extension?: boolean;
  readonly paddingBytes?: number;
  /** Silence at the end, in packets. Default 5, as Discord's clients send it. */
  readonly trailing?: number;
  /** What cannot be read: sealed with another key, garbled under the end-to-end encryption, or no Opus. */
  readonly spoil?: 'transport' | 'dave' | 'opus';
}

export interface Spoken {
  /** As of `performance.now()`. */
  readonly startedMs: number;
  readonly endedMs: number;
  /** What went out, silence and what was lost on the way included. */
  readonly sent: number;
  readonly lost: number;
}

/** A packet of code 3 with no frames, which RFC 6716 section 3.2.5 forbids. */
const NO_OPUS = Uint8Array.of(0xfb, 0);
const PACKET_MS = 20;
const PACKET_SAMPLES = (OPUS_CLOCK_HZ * PACKET_MS) / 1000;
/** A machine that is busy is no pause: what begins so soon after the last packet follows it at once. */
const NO_PAUSE_MS = 150;
/** An audio level, and what fills it up to two words (RFC 8285 section 4.2). */
const EXTENSION = Uint8Array.of(0x10, 0x9e, 0x90, 0x01, 0, 0, 0, 0);

interface Counts {
  sent: number;
  lost: number;
  /** When the last packet that was not held back is through the network; and when all are. */
  lastMs: number;
  endMs: number;
}

/** Somebody in a voice channel, and the client that sends their voice. */
export class VoicePerson {
  readonly #world: World;
  readonly #service: VoiceService;
  readonly #pacer: Pacer;
  readonly #guild: Guild;
  readonly #random: () => number;
  readonly #runs: boolean;
  readonly user: User;
  #sequence: number;
  #timestamp: number;
  /** When the last packet of theirs was over. */
  #freeMs: number | undefined;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(
    home: { world: World; service: VoiceService; pacer: Pacer },
    guild: Guild,
    user: User,
    options: PersonOptions = {},
  ) {
    this.#world = home.world;
    this.#service = home.service;
    this.#pacer = home.pacer;
    this.#guild = guild;
    this.user = user;
    this.#random = options.random ?? createRandom(1);
    this.#runs = (options.timestamps ?? 'run') === 'run';
    this.#sequence = options.sequence ?? 65_530;
    this.#timestamp = options.timestamp ?? 2 ** 32 - 8 * PACKET_SAMPLES;
    if (options.announce === false) this.#here.announce = false;
  }

  get state(): VoiceState | undefined {
    return this.#guild.voiceStates.get(this.user.id);
  }
  get #room() {
    return this.state && this.#service.room(this.state.channel);
  }
  get #here() {
    const here = this.#room?.person(this.user.id);
    if (here === undefined) throw new Error(`${this.user.name} is in no voice channel`);
    return here;
  }
  get ssrc(): number {
    return this.#here.ssrc;
  }
  leave(): void {
    leaveVoice(this.#world, this.#guild, this.user);
  }
  /** Goes over, or is moved, to another channel; their client gets another SSRC. */
  move(to: { readonly state: Channel }): void {
    enterVoice(this.#world, to.state, this.user);
  }
  /** Mutes themselves: what they say meanwhile is not sent. */
  mute(muted = true): void {
    changeVoice(this.#world, this.#guild, this.user, { selfMute: muted });
  }
  camera(on = true): void {
    changeVoice(this.#world, this.#guild, this.user, { selfVideo: on });
  }
  /** Their client sends from another SSRC; the bot is told before the next words, or not at all. */
  changeSsrc(announce = true): void {
    const here = this.#here;
    here.ssrc = this.#service.newSsrc();
    here.announce = announce;
    this.#room?.bot?.told.delete(this.user.id);
  }

  /** Says it after all that they were to say before; resolves when all of it has arrived. */
  async speak(sound: Sound, options: SpeakOptions = {}): Promise<Spoken> {
    return this.#queue(async () => {
      const silence = Array.from({ length: options.trailing ?? 5 }, () => SILENCE_PACKET);
      return this.#send([...(await packetsOf(sound)), ...silence], options);
    });
  }
  /** Sends packets of noise. */
  async noise(ms: number, options: SpeakOptions = {}): Promise<Spoken> {
    return this.speak(noisePackets(Math.round(ms / PACKET_MS), this.#random), options);
  }
  /** Sends nothing for so long. */
  async silence(ms: number, speed = 1): Promise<void> {
    await this.#queue(async () => {
      const untilMs = this.#begin(speed) + ms / speed;
      await new Promise<void>((resolve) => this.#pacer.at(untilMs, resolve));
      this.#freeMs = untilMs;
      this.#pass(Math.round(ms / PACKET_MS));
    });
  }

  #queue<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#tail.then(run);
    this.#tail = turn.catch(() => undefined);
    return turn;
  }
  /** Time goes by without packets. */
  #pass(packets: number): void {
    if (this.#runs) this.#tick(packets);
  }
  #tick(packets: number): void {
    this.#timestamp = (this.#timestamp + packets * PACKET_SAMPLES) % 2 ** 32;
  }
  /** When the next packet goes out. */
  #begin(speed: number): number {
    const now = performance.now();
    const freeMs = this.#freeMs ?? now;
    if (now - freeMs < NO_PAUSE_MS) return freeMs;
    this.#pass(Math.round(((now - freeMs) * speed) / PACKET_MS));
    return now;
  }
  /** Tells the bot whose voice is coming, if it does not know. */
  async #tell(race: boolean): Promise<void> {
    this.#service.heard.add(this.user.id);
    const bot = this.#room?.bot;
    const here = this.#here;
    if (!here.announce || bot === undefined || bot.told.has(this.user.id)) return;
    bot.tellSpeaker(this.user.id, here.ssrc);
    if (!race) await bot.read();
  }

  async #send(packets: readonly Uint8Array[], options: SpeakOptions): Promise<Spoken> {
    const { speed = 1, race = false } = options;
    await this.#tell(race);
    this.#report();
    const startMs = this.#begin(speed);
    const counts: Counts = { sent: 0, lost: 0, lastMs: startMs, endMs: startMs };
    const dueMs = (index: number): number => startMs + (index * PACKET_MS) / speed;
    return new Promise((resolve, reject) => {
      let index = 0;
      const end = (): void =>
        resolve({
          startedMs: startMs,
          endedMs: this.#freeMs!,
          sent: counts.sent,
          lost: counts.lost,
        });
      const step = (): void => {
        const packet = packets[index];
        if (packet === undefined || this.state === undefined) {
          this.#freeMs = dueMs(index);
          return this.#pacer.at(Math.max(counts.endMs, dueMs(index)), end);
        }
        try {
          this.#sendOne(packet, dueMs(index), options, counts);
        } catch (error) {
          return reject(error);
        }
        index += 1;
        this.#pacer.at(dueMs(index), step);
      };
      this.#pacer.at(startMs, step);
    });
  }

  #sendOne(packet: Uint8Array, dueMs: number, options: SpeakOptions, counts: Counts): void {
    const { state } = this;
    const timestamp = this.#timestamp;
    this.#tick(1);
    const payload = this.#encrypt(packet, options);
    if (!payload || !state || state.selfMute || state.mute || state.suppress) return;
    const rtp: RtpPacket = {
      payloadType: OPUS_PAYLOAD_TYPE,
      sequence: this.#sequence,
      timestamp,
      ssrc: this.ssrc,
      extension: (options.extension ?? true) ? EXTENSION : undefined,
      paddingBytes: options.paddingBytes ?? 0,
      payload,
    };
    this.#sequence = (this.#sequence + 1) % 65_536;
    counts.sent += 1;
    const chance = (percent = 0): boolean => percent > 0 && this.#random() * 100 < percent;
    if (chance(options.lossPercent)) {
      counts.lost += 1;
      return;
    }
    const { speed = 1, jitterMs = 0 } = options;
    const isLate = chance(options.reorderPercent);
    const orderedMs = Math.max(
      counts.lastMs,
      dueMs + (jitterMs > 0 ? this.#random() * jitterMs : 0),
    );
    const throughMs = isLate ? orderedMs + (1.5 * PACKET_MS) / speed : orderedMs;
    if (!isLate) counts.lastMs = orderedMs;
    counts.endMs = Math.max(counts.endMs, throughMs);
    const copies = chance(options.duplicatePercent) ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1)
      this.#pacer.at(throughMs, () => this.#deliver(rtp, options));
  }
  #encrypt(packet: Uint8Array, options: SpeakOptions): Uint8Array | undefined {
    const sound = options.spoil === 'opus' ? NO_OPUS : packet;
    const encrypted = this.#room?.encrypt(this.user.id, sound);
    if (options.spoil !== 'dave') return encrypted;
    // The end says how it is encrypted; what is encrypted is at the beginning.
    return encrypted?.map((byte, at) => (at < encrypted.length / 2 ? byte ^ 0xa5 : byte));
  }
  /** The bot, if it is here, has a way, and is not deaf. */
  get #listener() {
    const bot = this.#room?.bot;
    const ears = this.#guild.voiceStates.get(this.#world.bot.id);
    return bot?.remote && ears && !ears.deaf && !ears.selfDeaf ? bot : undefined;
  }
  #report(): void {
    const bot = this.#listener;
    if (bot) void this.#service.send(bot, bot.report(this.ssrc));
  }
  #deliver(rtp: RtpPacket, options: SpeakOptions): void {
    const bot = this.#listener;
    if (bot === undefined) return;
    const key = options.spoil === 'transport' ? randomBytes(32) : bot.key;
    void this.#service.send(bot, bot.seal(rtp, key));
  }
}
