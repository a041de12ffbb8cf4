import { createPacketDecoder, type PacketDecoder } from '../../../audio/opus/decoder.ts';
import { OPUS_CLOCK_HZ } from '../../../audio/opus/packet.ts';
import { createLevelMeter, createVoiceDetector, VAD_RATE_HZ } from '../../../audio/vad.ts';

/** A decoder to 16 kHz mono. */
export type SpeechDecoder = PacketDecoder;

/** Audio that counts as voice at first, until the level of background noise is known. */
const LEARNING_SAMPLES = OPUS_CLOCK_HZ;

export const createSpeechDecoder = (): Promise<SpeechDecoder> => createPacketDecoder(VAD_RATE_HZ);

/**
 * Classifies the packets of one speaker by their loudness; a packet shorter than a frame of the
 * meter is classified like the one before.
 */
export class LevelVad {
  readonly #decoder: SpeechDecoder;
  readonly #measure = createLevelMeter();
  readonly #isVoice = createVoiceDetector();
  #judgedSamples = 0;
  #last = true;

  constructor(decoder: SpeechDecoder) {
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
