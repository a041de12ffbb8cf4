import { isSilentPacket, voiceBit, OPUS_CLOCK_HZ, type OpusToc } from '../../audio/opus/packet.ts';
import type { VoicePacket } from '../../ports/voice.ts';
import { createPacketDecoder, type PacketDecoder } from '../../audio/opus/streams-decoder.ts';
import { createLevelMeter, createVoiceDetector, VAD_RATE_HZ } from '../../audio/vad.ts';

/** Audio that counts as voice at first, until the level of background noise is known. */
const LEARNING_SAMPLES = OPUS_CLOCK_HZ;

/** Classifies one speaker's packets by loudness; very short ones like the packet before. */
export class LevelVad {
  readonly #decoder: PacketDecoder;
  readonly #measure = createLevelMeter();
  readonly #isVoice = createVoiceDetector();
  #judgedSamples = 0;
  #last = true;

  /** @param decoder of 16 kHz */
  constructor(decoder: PacketDecoder) {
    this.#decoder = decoder;
  }

  /** True when a packet of so many samples (48 kHz) is voice. */
  isVoice(data: Uint8Array, samples: number): boolean {
    const sound = this.#decoder.decode(data);
    if (!sound) return false;
    const frames = this.#measure(sound).map(this.#isVoice);
    if (frames.length > 0) this.#last = frames.includes(true);
    this.#judgedSamples += samples;
    return this.#judgedSamples <= LEARNING_SAMPLES || this.#last;
  }

  free(): void {
    this.#decoder.free();
  }
}

/** Longest packet without audio: its frame has at most one byte (RFC 6716 section 3.4). */
const EMPTY_PACKET_BYTES = 2;

/** Length of a SILK frame, 20 ms; a packet's frame of 40 or 60 ms has one voice bit for each. */
const SILK_FRAME_SAMPLES = 960;

const anyVoiceBit = (data: Uint8Array, { frameSamples }: OpusToc): boolean => {
  const bits = Math.max(1, frameSamples / SILK_FRAME_SAMPLES);
  const mask = 0xff & ~(0xff >> bits);
  return ((data[1] ?? 0) & mask) !== 0;
};

/** Voice that shows without decoding; `empty`: the packet is too small for audio. */
export type PacketVad = 'voice' | 'no-voice' | 'empty' | 'unknown';

/** Reads a packet's voice bit. Unknown: CELT, and SILK with several frames in a packet. */
export const packetVad = (data: Uint8Array, toc: OpusToc): PacketVad => {
  if (data.length <= EMPTY_PACKET_BYTES || isSilentPacket(data, toc.samples)) return 'empty';
  if (voiceBit(data) === undefined) return 'unknown';
  return anyVoiceBit(data, toc) ? 'voice' : 'no-voice';
};

/** Longest talk without a pause; beyond it the microphone counts as open. */
const OPEN_MICROPHONE_SAMPLES = 2 * OPUS_CLOCK_HZ;
/** The same limit where packets have a voice bit, which is mostly right. */
const NOISY_MICROPHONE_SAMPLES = 10 * OPUS_CLOCK_HZ;
/**
 * Shares of packets with the voice bit between which the bit alone is not trusted: noise sets it in
 * 25 to 60 % of the packets, speech in 80 %, a quiet room in hardly any.
 */
const DOUBTFUL_SHARE = { from: 0.1, to: 0.65 };
/** Packets over which the share is averaged. */
const SHARE_PACKETS = 250;
/** Longest pause between two packets of a run. */
const LONGEST_GAP_MS = 200;
const MOST_DECODERS = 16;
const IDLE_MS = 10_000;

interface Run {
  /** Length of the packets that arrived without a pause. */
  samples: number;
  /** Length of the last of these packets that have no voice bit. */
  unknownSamples: number;
  /** Packets with a voice bit, up to as many as count for the share. */
  marked: number;
  /** Share of these packets with voice. */
  voiceShare: number;
  lastMs: number;
  levels: LevelVad | 'coming' | undefined;
}

export type SpeakerVad = ReturnType<typeof createSpeakerVad>;

/**
 * Creates a detector that trusts the voice bits of packets; CELT packets have none, and count as
 * voice. Packets of an open microphone are also decoded and classified by their loudness, if it is
 * noisy or they have no voice bit; without a decoder the packets alone decide.
 */
export const createSpeakerVad = (
  createDecoder: () => Promise<PacketDecoder> = () => createPacketDecoder(VAD_RATE_HZ),
) => {
  const runs = new Map<string, Run>();
  let decoders = 0;
  let wakeMs: number | undefined;

  const stop = (run: Run): void => {
    if (run.levels instanceof LevelVad) {
      run.levels.free();
      decoders -= 1;
    }
    run.levels = undefined;
  };

  const start = async (speakerId: string, run: Run): Promise<void> => {
    run.levels = 'coming';
    decoders += 1;
    try {
      const levels = new LevelVad(await createDecoder());
      if (runs.get(speakerId) === run) {
        run.levels = levels;
        return;
      }
      levels.free();
      decoders -= 1;
    } catch {
      // Without a decoder packets count as voice; the next run tries again.
      run.samples = 0;
      run.unknownSamples = 0;
      run.levels = undefined;
      decoders -= 1;
    }
  };

  const runOf = ({ speakerId, arrivedMs }: VoicePacket): Run => {
    const known = runs.get(speakerId);
    if (known) return known;
    const run: Run = {
      samples: 0,
      unknownSamples: 0,
      marked: 0,
      voiceShare: 0,
      lastMs: arrivedMs,
      levels: undefined,
    };
    runs.set(speakerId, run);
    wakeMs ??= arrivedMs + IDLE_MS;
    return run;
  };

  const isLoud = (run: Run, { speakerId, data }: VoicePacket, { samples }: OpusToc): boolean => {
    if (run.levels instanceof LevelVad) return run.levels.isVoice(data, samples);
    if (run.levels === undefined && decoders < MOST_DECODERS) void start(speakerId, run);
    return true;
  };

  const isInDoubt = ({ samples, unknownSamples, voiceShare, levels }: Run): boolean =>
    unknownSamples > OPEN_MICROPHONE_SAMPLES ||
    (samples > NOISY_MICROPHONE_SAMPLES &&
      voiceShare > DOUBTFUL_SHARE.from &&
      (levels !== undefined || voiceShare < DOUBTFUL_SHARE.to));

  /** Adds a packet to the run of its speaker, or starts another run. */
  const follow = (run: Run, mark: PacketVad, arrivedMs: number, samples: number): void => {
    if (mark === 'empty' || arrivedMs - run.lastMs > LONGEST_GAP_MS) {
      run.samples = 0;
      run.unknownSamples = 0;
    }
    run.lastMs = arrivedMs;
    if (mark === 'empty') return;
    run.samples += samples;
    run.unknownSamples = mark === 'unknown' ? run.unknownSamples + samples : 0;
    if (mark === 'unknown') return;
    run.marked = Math.min(SHARE_PACKETS, run.marked + 1);
    run.voiceShare += ((mark === 'voice' ? 1 : 0) - run.voiceShare) / run.marked;
  };

  const forget = (speakerId: string): void => {
    const run = runs.get(speakerId);
    if (!run) return;
    runs.delete(speakerId);
    stop(run);
  };

  return {
    /** Classifies each packet once, in the order of arrival; `toc` is the packet's own. */
    isVoice: (packet: VoicePacket, toc: OpusToc): boolean => {
      const mark = packetVad(packet.data, toc);
      const run = runOf(packet);
      follow(run, mark, packet.arrivedMs, toc.samples);
      if (mark === 'empty') return false;
      const isTrusted = !isInDoubt(run) || isLoud(run, packet, toc);
      return isTrusted && mark !== 'no-voice';
    },
    /** Frees the decoders of speakers who are silent. */
    tick: (nowMs: number): void => {
      if (wakeMs === undefined || nowMs < wakeMs) return;
      wakeMs = undefined;
      for (const [speakerId, { lastMs }] of runs)
        if (nowMs - lastMs >= IDLE_MS) forget(speakerId);
        else wakeMs = Math.min(wakeMs ?? Infinity, lastMs + IDLE_MS);
    },
    /** The time of the next `tick`, or before it; undefined while nothing waits for one. */
    get nextTickMs(): number | undefined {
      return wakeMs;
    },
    forget,
    get decoders(): number {
      return decoders;
    },
  };
};
