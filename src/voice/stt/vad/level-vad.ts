import { createPacketDecoder, type PacketDecoder } from '../../../audio/opus/decoder.ts';
import { OPUS_CLOCK_HZ } from '../../../audio/opus/packet.ts';
import { createLevelMeter, createVoiceDetector, VAD_RATE_HZ } from '../../../audio/vad.ts';

/** Decodes to 16 kHz mono. */
export type SpeechDecoder = PacketDecoder;

/** So much is listened to before it is judged: the room's noise must be known. */
const LEARNING_SAMPLES = OPUS_CLOCK_HZ;

export const createSpeechDecoder = (): Promise<SpeechDecoder> => createPacketDecoder(VAD_RATE_HZ);

/** Judges the packets of one speaker by their loudness; a packet shorter than a frame of the meter is as the one before. */
export class LevelVad {
  readonly #decoder: SpeechDecoder;
  readonly #measure = createLevelMeter();
  readonly #isVoice = createVoiceDetector();
  #heardSamples = 0;
  #last = true;

  constructor(decoder: SpeechDecoder) {
    this.#decoder = decoder;
  }

  /** Whether a packet of so many samples (48 kHz) is voice. */
  judge(data: Uint8Array, samples: number): boolean {
    const sound = this.#decoder.decode(data);
    if (!sound) return false;
    const frames = this.#measure(sound).map(this.#isVoice);
    if (frames.length > 0) this.#last = frames.includes(true);
    this.#heardSamples += samples;
    return this.#heardSamples <= LEARNING_SAMPLES || this.#last;
  }

  free(): void {
    this.#decoder.free();
  }
}
