import { voiceBit, OPUS_CLOCK_HZ, type OpusToc } from '../../../audio/opus/packet.ts';
import type { VoicePacket } from '../../../ports/voice.ts';
import { createSpeechDecoder, LevelVad, type SpeechDecoder } from './level-vad.ts';

/** What encoders make of 20 ms of silence, `F8 FF FE` among it. */
const SILENT_PACKET_BYTES = 3;

const SILENT_PACKET_SAMPLES = 960;

/** RFC 6716 section 3.4: a frame of at most one byte stands for nothing that is to be heard. */
const EMPTY_PACKET_BYTES = 2;

/** SILK frames are 20 ms; a packet's frame of 40 or 60 ms has a voice bit for each, one after another. */
const SILK_FRAME_SAMPLES = 960;

const anyVoiceBit = (data: Uint8Array, { frameSamples }: OpusToc): boolean => {
  const bits = Math.max(1, frameSamples / SILK_FRAME_SAMPLES);
  const mask = 0xff & ~(0xff >> bits);
  return ((data[1] ?? 0) & mask) !== 0;
};

/** What a packet tells of itself without being decoded; `empty`: it is too small for any sound. */
export type PacketVad = 'voice' | 'no-voice' | 'empty' | 'unknown';

/** `toc` is the packet's own. Unknown: CELT, and SILK with several frames in a packet. */
export const packetVad = (data: Uint8Array, toc: OpusToc): PacketVad => {
  if (data.length <= EMPTY_PACKET_BYTES) return 'empty';
  if (data.length <= SILENT_PACKET_BYTES && toc.samples >= SILENT_PACKET_SAMPLES) return 'empty';
  if (voiceBit(data) === undefined) return 'unknown';
  return anyVoiceBit(data, toc) ? 'voice' : 'no-voice';
};

/** Decides which packets are voice; knows as much of each speaker as that takes. */
export interface SpeakerVad {
  /** Asked once for each packet, in the order of arrival; `toc` is the packet's own. */
  isVoice(packet: VoicePacket, toc: OpusToc): boolean;
  /** Frees the decoders of those who are silent. */
  tick(nowMs: number): void;
  /** When `tick` should be called next, or before; undefined while nothing waits for it. */
  readonly nextTickMs: number | undefined;
  forget(speakerId: string): void;
  /** Alive at this moment. */
  readonly decoders: number;
}

export interface SpeakerVadOptions {
  readonly createDecoder?: () => Promise<SpeechDecoder>;
}

/** Who sends longer without a pause than people talk has an open microphone. */
const OPEN_MICROPHONE_SAMPLES = 2 * OPUS_CLOCK_HZ;
/** The same where packets have a voice bit: it is mostly right. */
const NOISY_MICROPHONE_SAMPLES = 10 * OPUS_CLOCK_HZ;
/**
 * Noise sets the bit of 25 to 60 % of the packets, speech that of 80 %, a quiet room hardly any:
 * between these shares it is not believed alone.
 */
const DOUBTFUL_SHARE = { from: 0.1, to: 0.65 };
/** The share is a running mean of about as many packets. */
const SHARE_PACKETS = 250;
/** A longer pause between two packets breaks a run. */
const LONGEST_GAP_MS = 200;
/** Instances of libopus that live at the same time. */
const MOST_DECODERS = 16;
const IDLE_MS = 10_000;

interface Run {
  /** Of packets that came one after another without a pause. */
  samples: number;
  /** Of the last of them, those that do not tell. */
  unknownSamples: number;
  /** Packets that told, up to as many as count for the share. */
  told: number;
  /** Of them, how many are voice. */
  voiceShare: number;
  lastMs: number;
  judge: LevelVad | 'coming' | undefined;
}

/**
 * Packets tell it themselves where they can; CELT packets cannot and count as voice. Those of an open
 * microphone are decoded and judged by their loudness as well, if it is noisy or they do not tell;
 * while there is no decoder for them, or none left, what they tell counts.
 */
export const createSpeakerVad = ({
  createDecoder = createSpeechDecoder,
}: SpeakerVadOptions = {}): SpeakerVad => {
  const runs = new Map<string, Run>();
  let decoders = 0;
  let wakeMs: number | undefined;

  const stop = (run: Run): void => {
    if (run.judge instanceof LevelVad) {
      run.judge.free();
      decoders -= 1;
    }
    run.judge = undefined;
  };

  const start = async (speakerId: string, run: Run): Promise<void> => {
    run.judge = 'coming';
    decoders += 1;
    try {
      const judge = new LevelVad(await createDecoder());
      if (runs.get(speakerId) === run) {
        run.judge = judge;
        return;
      }
      judge.free();
      decoders -= 1;
    } catch {
      // What cannot be judged counts as voice; it is tried again with the next run.
      run.samples = 0;
      run.unknownSamples = 0;
      run.judge = undefined;
      decoders -= 1;
    }
  };

  const runOf = ({ speakerId, arrivedMs }: VoicePacket): Run => {
    const known = runs.get(speakerId);
    if (known) return known;
    const run: Run = {
      samples: 0,
      unknownSamples: 0,
      told: 0,
      voiceShare: 0,
      lastMs: arrivedMs,
      judge: undefined,
    };
    runs.set(speakerId, run);
    wakeMs ??= arrivedMs + IDLE_MS;
    return run;
  };

  const judge = (run: Run, { speakerId, data }: VoicePacket, { samples }: OpusToc): boolean => {
    if (run.judge instanceof LevelVad) return run.judge.judge(data, samples);
    if (run.judge === undefined && decoders < MOST_DECODERS) void start(speakerId, run);
    return true;
  };

  const isInDoubt = ({ samples, unknownSamples, voiceShare, judge: known }: Run): boolean =>
    unknownSamples > OPEN_MICROPHONE_SAMPLES ||
    (samples > NOISY_MICROPHONE_SAMPLES &&
      voiceShare > DOUBTFUL_SHARE.from &&
      (known !== undefined || voiceShare < DOUBTFUL_SHARE.to));

  /** Adds a packet to the run of its speaker, or begins another one. */
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
    run.told = Math.min(SHARE_PACKETS, run.told + 1);
    run.voiceShare += ((mark === 'voice' ? 1 : 0) - run.voiceShare) / run.told;
  };

  const forget = (speakerId: string): void => {
    const run = runs.get(speakerId);
    if (!run) return;
    runs.delete(speakerId);
    stop(run);
  };

  return {
    isVoice: (packet, toc) => {
      const mark = packetVad(packet.data, toc);
      const run = runOf(packet);
      follow(run, mark, packet.arrivedMs, toc.samples);
      if (mark === 'empty') return false;
      const isLoud = !isInDoubt(run) || judge(run, packet, toc);
      return isLoud && mark !== 'no-voice';
    },
    tick: (nowMs) => {
      if (wakeMs === undefined || nowMs < wakeMs) return;
      wakeMs = undefined;
      for (const [speakerId, { lastMs }] of runs)
        if (nowMs - lastMs >= IDLE_MS) forget(speakerId);
        else wakeMs = Math.min(wakeMs ?? Infinity, lastMs + IDLE_MS);
    },
    get nextTickMs() {
      return wakeMs;
    },
    forget,
    get decoders() {
      return decoders;
    },
  };
};
