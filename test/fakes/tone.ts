const RATE_HZ = 8_000;
/** Every 20 seconds of it end with a second of silence. */
const PERIOD_SECONDS = 20;
const LOUD_SECONDS = 19;

/** A tone that swells and fades, as 16-bit mono WAV. */
export const toneWav = (seconds = 1): Uint8Array<ArrayBuffer> => {
  const samples = seconds * RATE_HZ;
  const wav = Buffer.alloc(44 + samples * 2);
  wav.write('RIFF', 0);
  wav.writeUInt32LE(36 + samples * 2, 4);
  wav.write('WAVEfmt ', 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(RATE_HZ, 24);
  wav.writeUInt32LE(RATE_HZ * 2, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36);
  wav.writeUInt32LE(samples * 2, 40);
  const computed = Math.min(samples, PERIOD_SECONDS * RATE_HZ);
  for (let index = 0; index < computed; index += 1) {
    const second = index / RATE_HZ;
    const swell = Math.abs(Math.sin(second * Math.PI * 4));
    const loud = second % PERIOD_SECONDS < LOUD_SECONDS ? 20_000 : 0;
    const sample = Math.sin(second * 440 * 2 * Math.PI) * swell * loud;
    wav.writeInt16LE(Math.round(sample), 44 + index * 2);
  }
  const period = wav.subarray(44, 44 + computed * 2);
  for (let at = 44 + period.length; at < wav.length; at += period.length) period.copy(wav, at);
  return new Uint8Array(wav);
};
